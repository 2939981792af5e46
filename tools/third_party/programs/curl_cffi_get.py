"""Fetches URLs over HTTP/3 alone by the libcurl of the package curl_cffi, which Debian 12's curl cannot.

python curl_cffi_get.py AUTHORITY URL... prints a line `version status length` for each; with `--version` in
place of them the version of libcurl.
"""

import sys

from curl_cffi import CurlHttpVersion, __curl_version__, requests


def main(authority: str, *urls: str) -> None:
    """Fetch one after the other over one connection."""
    with requests.Session(http_version=CurlHttpVersion.V3ONLY, verify=authority) as session:
        for url in urls:
            response = session.get(url)
            print(CurlHttpVersion(response.http_version).name, response.status_code, len(response.content))


if sys.argv[1:] == ["--version"]:
    print(__curl_version__.partition(" ")[0].removeprefix("libcurl/"))
else:
    main(*sys.argv[1:])
