"""Alshagri, Mutairi 2023: HTTP/1.1, HTTP/2, HTTP/3 over an emulated GEO link and a LAN."""

from pathlib import Path

from bentpipe.studies.alshagri2023 import overhead, side_by_side
from bentpipe.studies.alshagri2023.claims import ASSUMPTIONS, RULES, claims
from bentpipe.studies.alshagri2023.figures import FIGURES_NOTE, figures, timelines
from bentpipe.studies.alshagri2023.published import CITATION, DOI
from bentpipe.studies.study import Study

STUDY = Study(
    name="alshagri2023",
    title="Evaluation of Modern Internet Transport Protocols over GEO Satellite Links",
    citation=CITATION,
    doi=DOI,
    scenario=Path(__file__).with_name("scenario.toml"),
    rules=RULES,
    assumptions=ASSUMPTIONS,
    figures_note=FIGURES_NOTE,
    claims=claims,
    tables=lambda runs: (side_by_side.table(runs), overhead.table(runs)),
    figures=figures,
    timelines=timelines,
    # Chromium opens six connections of HTTP/1.1 and can be told no other number.
    client_settings={"chromium": ("connections=6",)},
)
