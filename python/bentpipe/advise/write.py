"""The files of an advice: a page, JSON, waterfalls of the best and the present setting, and a scenario."""

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bentpipe.advise import sentences, table
from bentpipe.advise.answer import Advice, LinkAdvice
from bentpipe.advise.document import document
from bentpipe.advise.scenario_file import scenario_text
from bentpipe.advise.words import short, spoken
from bentpipe.figures import two_waterfalls
from bentpipe.figures.drawing import Drawing, save
from bentpipe.figures.two_waterfalls import Load
from bentpipe.ledger import Ledger
from bentpipe.model.record import RunRecord
from bentpipe.output_folder import staged
from bentpipe.report.inline_svg import inline

PAGE, JSON, SCENARIO = "advice.html", "advice.json", "advice.toml"
FIGURES = "figures"


def write(advice: Advice, *, name: str, folder: Path, ledger: Ledger) -> None:
    """Write what an advice comes to into its folder, beside the ledger of its runs.

    Raises
    ------
    StorageError
        When the disk does not take it.
    """
    wanted = {run for found in advice.links for run in found.median_runs.values()}
    records = {entry.run_id: entry.record for entry in ledger.best() if entry.run_id in wanted}
    drawings = {
        found.link: _drawing(place, found, advice, records)
        for place, found in enumerate(advice.links, start=1)
        if found.median_runs
    }
    with staged(folder) as staging:
        figures = {
            link: inline(save(drawing, staging / FIGURES), prefix=drawing.name, label=drawing.title)
            for link, drawing in drawings.items()
        }
        _write(staging / JSON, json.dumps(document(advice), indent=1, ensure_ascii=False, allow_nan=False))
        _write(staging / SCENARIO, scenario_text(advice, name=name, folder=folder))
        _write(staging / PAGE, _page(advice, drawings, figures))


def _drawing(place: int, found: LinkAdvice, advice: Advice, records: Mapping[str, RunRecord]) -> Drawing:
    """Return the waterfalls of the runs with the median load time, the best setting's first."""
    ends = {"best": found.best, "present": found.present}
    loads, seen = [], set()
    for end, row in ends.items():
        run = found.median_runs.get(end)
        if row is not None and run is not None and run not in seen:
            seen.add(run)
            loads.append(Load(words=f"{end.capitalize()}: {short(row.setting)}", record=records[run]))
    return two_waterfalls.draw(
        name=f"waterfall-{place}",
        title=f"{advice.question.page} over {found.link}",
        caption="Of each setting the run with the median load time. Connections come first, then objects in "
        "the order of their requests; a line marks the last byte.",
        loads=loads,
    )


def _page(advice: Advice, drawings: Mapping[str, Drawing], figures: Mapping[str, str]) -> str:
    environment = Environment(
        loader=PackageLoader("bentpipe.advise"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = files("bentpipe.report").joinpath("templates/report.css").read_text(encoding="utf-8")
    return environment.get_template("advice.html.j2").render(
        advice=advice,
        page=advice.question.page,
        present=spoken(advice.question.present),
        space=sentences.of_space(advice),
        sentences={found.link: sentences.of_link(found, advice) for found in advice.links},
        whole_sentences=() if advice.whole is None else sentences.of_whole(advice.whole, advice),
        rows={found.link: table.rows_of_link(found) for found in advice.links},
        whole_rows=[] if advice.whole is None else table.rows_of_whole(advice.whole),
        heading=_words(table.HEADING),
        whole_heading=_words(table.WHOLE_HEADING),
        figures={link: (drawings[link], Markup(svg)) for link, svg in figures.items()},
        factors=advice.question.space.factors,
        scenario=SCENARIO,
        style=Markup(style),
    )


def _words(heading: Iterable[str]) -> list[str]:
    """Return a heading of the terminal as a page has it."""
    return [word if word == "n" else word.capitalize() for word in heading]


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
