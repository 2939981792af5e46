"""Secchi, Mohideen, Fairhurst 2018: HTTP/1.1, HTTPS, HTTP/2 over a GEO service, with and without a PEP."""

from bentpipe.studies.secchi2018 import claims, figures, published, tables
from bentpipe.studies.study import Study

STUDY = Study.from_package(__name__, claims=claims, figures=figures, published=published, tables=tables)
