"""Clients of other makers against our origin, behind a link."""

import shutil
import sys
from pathlib import Path

import pytest

LINK = "flat:down=50Mbit/s,up=10Mbit/s,rtt=20ms"
OBJECT_BYTES = 62_500
"""Of uniform-500k, which the origin of a shell serves."""
AIOQUIC_GET = Path(__file__).parents[2] / "tools/third_party/programs/aioquic_get.py"


@pytest.mark.parametrize(
    ("options", "url"),
    [
        (("--http1.0",), "http://198.18.0.2"),
        (("--http1.1",), "http://198.18.0.2"),
        (("--http2-prior-knowledge",), "http://198.18.0.2"),
        (("--http1.1", "--insecure"), "https://198.18.0.2"),
        (("--http2", "--insecure"), "https://198.18.0.2"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value.partition(":")[0],
)
@pytest.mark.skipif(
    shutil.which("curl") is None, reason="curl is not installed: `make setup-dev` installs it"
)
def test_curl_gets_an_object(bentpipe, options, url):
    # A second one over the same connection of HTTP/2 in clear text is more than Debian 12's curl can.
    wanted = f"{url}/object-1.jpg --output /dev/null"
    printed = "--write-out '%{response_code} %{size_download}\n'"
    command = f"curl --silent --show-error {' '.join(options)} {printed} {wanted}"
    status, out, errors = bentpipe("shell", "--link", LINK, "--", "sh", "-c", command)
    assert status == 0, errors
    assert out.splitlines() == [f"200 {OBJECT_BYTES}"]


def test_aioquic_gets_objects_and_is_told_what_there_is_not(bentpipe):
    paths = [f"/object-{n}.jpg" for n in range(1, 9)]
    command = (sys.executable, AIOQUIC_GET, "198.18.0.2", *paths, "/nowhere")
    # This Python may be in a home that is closed to others.
    status, out, errors = bentpipe("shell", "--link", LINK, "--root", "--", *command)
    assert status == 0, errors
    *objects, nowhere = out.splitlines()
    assert objects == [f"200 {OBJECT_BYTES}"] * 8
    assert nowhere.startswith("404 ")
