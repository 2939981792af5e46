"""The HTML page: words and numbers by the template, pictures as SVG inside it."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bentpipe.figures.load_phases import HANDSHAKE, LOOKUP, QUEUED, TLS
from bentpipe.figures.style import look
from bentpipe.reasons import sentence
from bentpipe.report import drawings
from bentpipe.report.best import behind_text
from bentpipe.report.cells import MOST_DRAWN, CellResult
from bentpipe.report.contents import Contents
from bentpipe.report.filmstrips import MOST_PICTURE_BYTES, MOST_STRIPS
from bentpipe.report.live import Live, fall_name
from bentpipe.stats import FORWARD_PARTS, RETURN_PARTS, Interval

MISSING = "\N{EN DASH}"


def render(contents: Contents, *, figures: Mapping[str, str], live: Live) -> str:
    """Fill the template; `figures` are SVG elements by name of their drawing, `live` the interactive ones.

    Names come from users: everything is escaped but our own SVG and style sheet, and what `live` has, where
    nothing can end a script.
    """
    environment = Environment(
        loader=PackageLoader("bentpipe.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "scaled": scaled,
        "interval": interval,
        "svg": svg,
        "protocol": protocol,
        "sentence": sentence,
        "verbatim": Markup,
    }
    style = files("bentpipe.report").joinpath("templates/report.css").read_text(encoding="utf-8")
    colours = {"lookup": LOOKUP, "handshake": HANDSHAKE, "tls": TLS, "queued": QUEUED}
    template = environment.get_template("report.html.j2")
    return template.render(
        **vars(contents),
        figure_svg=figures,
        live=live,
        behind_text=behind_text,
        fall_name=fall_name,
        style=Markup(style),
        colours=colours,
        has_lookups=any(
            cell.median_run is not None and cell.median_run.record.spec.dns is not None
            for cell in contents.cells
        ),
        grouped=grouped,
        strip=lambda cell: drawings.strip(contents.source, cell),
        fall=drawings.fall,
        most_drawn=MOST_DRAWN,
        most_strips=MOST_STRIPS,
        most_picture_mb=MOST_PICTURE_BYTES / 1e6,
        delay_columns=(*FORWARD_PARTS, *RETURN_PARTS),
    )


def number(value: float | str | None, decimals: int | None = None) -> str:
    """A number with a true minus sign, a text as it is, a dash for nothing."""
    if value is None:
        return MISSING
    if isinstance(value, str) or decimals is None:
        return str(value)
    return f"{value:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def scaled(value: float | None, factor: float) -> float | None:
    """A value in another unit; nothing stays nothing."""
    return None if value is None else value * factor


def interval(value: Interval | None, decimals: int) -> str:
    """An interval as "low to high", a dash for none."""
    return f"{number(value.low, decimals)} to {number(value.high, decimals)}" if value else MISSING


def svg(drawing: str | None) -> Markup:
    """SVG that this package drew, whose texts were escaped when it was drawn."""
    return Markup(drawing or "")


def protocol(name: str) -> str:
    """An HTTP version as people write it."""
    return look(name).label


def grouped(cells: Sequence[CellResult]) -> list[tuple[str, list[CellResult]]]:
    """Neighbouring cells with the same value of the first varied factor."""
    return [(name, list(group)) for name, group in groupby(cells, key=lambda cell: cell.group_label)]
