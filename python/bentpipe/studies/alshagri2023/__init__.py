"""Alshagri, Mutairi 2023: HTTP/1.1, HTTP/2, HTTP/3 over an emulated GEO link and a LAN."""

from bentpipe.studies.alshagri2023 import claims, figures, published, tables
from bentpipe.studies.study import Study

STUDY = Study.from_package(
    __name__,
    claims=claims,
    figures=figures,
    published=published,
    tables=tables,
    # Chromium opens six connections of HTTP/1.1 and can be told no other number.
    client_settings={"chromium": ("connections=6",)},
)
