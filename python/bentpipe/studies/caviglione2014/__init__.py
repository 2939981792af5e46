"""Caviglione and others 2014: HTTP and SPDY over DVB-RCS with bandwidth on demand."""

from pathlib import Path

from bentpipe.studies.caviglione2014.claims import ASSUMPTIONS, RULES, claims
from bentpipe.studies.caviglione2014.figures import FIGURES_NOTE, figures, timelines
from bentpipe.studies.caviglione2014.published import CITATION, DOI
from bentpipe.studies.caviglione2014.tables import tables
from bentpipe.studies.study import Study

STUDY = Study(
    name="caviglione2014",
    title="Performance Evaluation of HTTP and SPDY over a DVB-RCS Satellite Link with Different BoD Schemes",
    citation=CITATION,
    doi=DOI,
    scenario=Path(__file__).with_name("scenario.toml"),
    rules=RULES,
    assumptions=ASSUMPTIONS,
    figures_note=FIGURES_NOTE,
    claims=claims,
    tables=tables,
    figures=figures,
    timelines=timelines,
)
