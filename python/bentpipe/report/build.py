"""From a folder of results to its report."""

import json
from pathlib import Path

from bentpipe.figures.drawing import save
from bentpipe.ledger import Ledger
from bentpipe.report import data, page, tables
from bentpipe.report.contents import gather
from bentpipe.report.inline_svg import inline
from bentpipe.report.source import Source, read


def build(folder: Path) -> Path:
    """Write the report, as page, JSON and CSV, and its figures into the folder; return the page.

    Works for any scenario; one that bears a study's name gets the study's figures, tables and claims too.

    Raises
    ------
    InputError
        When the folder holds no results of Bentpipe.
    """
    with Ledger(folder) as ledger:
        return _build(read(ledger), folder)


def _build(source: Source, folder: Path) -> Path:
    contents = gather(source)
    figures = {
        drawing.name: inline(save(drawing, folder / "figures"), prefix=drawing.name, label=drawing.title)
        for drawing in contents.all_drawings
    }
    for strip in contents.filmstrips.shown:
        _write(folder / "figures" / f"{strip.name}.svg", strip.svg)
    document = data.document(contents)
    _write(folder / "report.json", json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False))
    tables.write_runs(folder / "runs.csv", source.entries)
    tables.write_objects(folder / "objects.csv", source.entries)
    tables.write_flows(folder / "flows.csv", source.entries)
    _write(folder / "report.html", page.render(contents, figures=figures))
    return folder / "report.html"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
