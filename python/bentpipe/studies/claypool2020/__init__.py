"""Claypool, Chung, Claypool 2021: four TCP congestion controls over a commercial GEO service."""

from pathlib import Path

from bentpipe.studies.claypool2020.claims import ASSUMPTIONS, RULES, claims
from bentpipe.studies.claypool2020.downloads import downloads, echoes
from bentpipe.studies.claypool2020.figures import FIGURES_NOTE, figures, timelines
from bentpipe.studies.claypool2020.published import CITATION, DOI
from bentpipe.studies.claypool2020.tables import tables
from bentpipe.studies.study import Study

STUDY = Study(
    name="claypool2020",
    title="Comparison of TCP Congestion Control Performance over a Satellite Network",
    citation=CITATION,
    doi=DOI,
    scenario=Path(__file__).with_name("scenario.toml"),
    rules=RULES,
    assumptions=ASSUMPTIONS,
    figures_note=FIGURES_NOTE,
    claims=lambda runs: claims(downloads(runs), echoes(runs)),
    tables=lambda runs: tables(downloads(runs), echoes(runs)),
    figures=lambda runs: figures(downloads(runs)),
    timelines=timelines,
)
