"""Claypool, Chung, Claypool 2021: four TCP congestion controls over a commercial GEO service."""

from bentpipe.studies.claypool2020 import claims, figures, published, tables
from bentpipe.studies.study import Study

STUDY = Study.from_package(__name__, claims=claims, figures=figures, published=published, tables=tables)
