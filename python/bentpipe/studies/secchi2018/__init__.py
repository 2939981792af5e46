"""Secchi, Mohideen, Fairhurst 2018: HTTP/1.1, HTTPS, HTTP/2 over a GEO service, with and without a PEP."""

from pathlib import Path

from bentpipe.studies.secchi2018.claims import ASSUMPTIONS, RULES, claims
from bentpipe.studies.secchi2018.figures import FIGURES_NOTE, figures, timelines
from bentpipe.studies.secchi2018.published import CITATION, DOI
from bentpipe.studies.secchi2018.tables import tables
from bentpipe.studies.study import Study

STUDY = Study(
    name="secchi2018",
    title="Performance analysis of next generation web access via satellite",
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
