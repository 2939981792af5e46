"""Caviglione and others 2014: HTTP and SPDY over DVB-RCS with bandwidth on demand."""

from bentpipe.studies.caviglione2014 import claims, figures, published, tables
from bentpipe.studies.study import Study

STUDY = Study.from_package(__name__, claims=claims, figures=figures, published=published, tables=tables)
