"""From a folder of ablations to its report."""

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bentpipe.figures.saving import saving
from bentpipe.output_folder import staged
from bentpipe.report import live
from bentpipe.report.ablations import data
from bentpipe.report.ablations.contents import Contents, gather
from bentpipe.report.ablations.source import opened
from bentpipe.report.build import PAGE, Written
from bentpipe.report.inline_svg import inline
from bentpipe.report.page import interval, number, svg


def write(folder: Path) -> Written:
    """Write the report on a folder of ablations into it, with its figures.

    Raises
    ------
    InputError
        When it holds no ablations, or its base is not beside it.
    StorageError
        When the disk does not take it; an earlier report stays whole.
    """
    kept = "the results are whole, and the same command writes their report"
    with opened(folder) as source, staged(folder, kept=kept) as staging:
        contents = gather(source)
        with saving(contents.drawings, staging / "figures") as saved:
            svgs = saved()
        figures = {
            each.name: inline(svgs[each.name], prefix=each.name, label=each.title)
            for each in contents.drawings
        }
        document = json.dumps(data.document(contents), indent=1, ensure_ascii=False, allow_nan=False)
        (staging / "report.json").write_text(document, encoding="utf-8")
        (staging / PAGE).write_text(_render(contents, figures), encoding="utf-8")
    return Written(page=folder / PAGE, answer=contents.answer)


def _render(contents: Contents, figures: Mapping[str, str]) -> str:
    environment = Environment(
        loader=PackageLoader("bentpipe.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "interval": interval, "svg": svg, "verbatim": Markup}
    style = files("bentpipe.report").joinpath("templates/report.css").read_text(encoding="utf-8")
    template = environment.get_template("ablations.html.j2")
    shown = live.gather(contents.drawings)
    return template.render(**vars(contents), figure_svg=figures, live=shown, style=Markup(style))
