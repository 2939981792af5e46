"""Mathis, Semke, Mahdavi, Ott 1997: the rate of Reno over a path that loses packets."""

from bentpipe.studies.mathis1997 import claims, figures, published, tables
from bentpipe.studies.study import Study

STUDY = Study.from_package(__name__, claims=claims, figures=figures, published=published, tables=tables)
