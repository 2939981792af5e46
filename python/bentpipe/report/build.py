"""From a folder of results to its report."""

import json
from dataclasses import dataclass
from pathlib import Path

from bentpipe.figures.saving import saving
from bentpipe.ledger import Ledger
from bentpipe.output_folder import staged
from bentpipe.report import data, live, page, tables
from bentpipe.report.anonymous import anonymous
from bentpipe.report.answer import Answer
from bentpipe.report.contents import gather
from bentpipe.report.inline_svg import inline
from bentpipe.report.source import Source, read

PAGE = "report.html"


@dataclass(frozen=True, kw_only=True)
class Written:
    """A report: its page, and what it found."""

    page: Path
    answer: Answer


def build(folder: Path, *, out: Path | None = None, is_anonymous: bool = False) -> Path:
    """Write the report as `write` does; return the page."""
    return write(folder, out=out, is_anonymous=is_anonymous).page


def write(folder: Path, *, out: Path | None = None, is_anonymous: bool = False) -> Written:
    """Write the report, as page, JSON and CSV, and its figures.

    Works for any scenario; one that bears a study's name gets the study's figures, tables and claims too.

    Parameters
    ----------
    folder : Path
        The folder of results.
    out : Path, optional
        Where all of it is written, without it into the folder of results.
    is_anonymous : bool
        Whether hosts, command lines, names of users and absolute paths are left out.

    Raises
    ------
    InputError
        When the folder holds no results of Bentpipe, or `out` cannot be made.
    StorageError
        When the disk does not take it; an earlier report stays whole.
    """
    target = out or folder
    kept = f"the results are whole: `bentpipe report {folder}` writes their report, with --out elsewhere"
    with Ledger(folder) as ledger, staged(target, kept=kept) as staging:
        source = read(ledger)
        found = _write_all(anonymous(source) if is_anonymous else source, staging, results=folder)
        return Written(page=target / PAGE, answer=found)


def _write_all(source: Source, folder: Path, *, results: Path) -> Answer:
    contents = gather(source, results)
    drawings = contents.all_drawings
    with saving(drawings, folder / "figures") as saved:
        document = data.document(contents)
        _write(folder / "report.json", json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False))
        tables.write_runs(folder / "runs.csv", source.runs, contents.validity.rejected)
        tables.write_objects(folder / "objects.csv", source.transfers)
        tables.write_flows(folder / "flows.csv", source.transfers)
        shown = live.gather(drawings, contents.cells)
        svgs = saved()
    for strip in contents.filmstrips.shown:
        _write(folder / "figures" / f"{strip.name}.svg", strip.svg)
    figures = {each.name: inline(svgs[each.name], prefix=each.name, label=each.title) for each in drawings}
    _write(folder / PAGE, page.render(contents, figures=figures, live=shown))
    return contents.answer


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
