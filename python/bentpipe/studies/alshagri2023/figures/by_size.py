"""The study's figures 7 to 10, 12 and 13: times against page size."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from bentpipe.figures import by_page_size
from bentpipe.figures.by_page_size import Band, Curve, Panel
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import Stroke, control_label, look
from bentpipe.stats import Summary, summarise, values_of
from bentpipe.studies.alshagri2023 import published
from bentpipe.studies.alshagri2023.cells import (
    LAN,
    LINKS,
    PIPE,
    PROTOCOLS,
    SATELLITE,
    SIZES_BYTES,
    cell,
    page,
)
from bentpipe.studies.alshagri2023.paint import largest_complete_times_s
from bentpipe.studies.rules import TOLERANCE_POINTS
from bentpipe.studies.study import Runs

_SEED = 7
_PLT = "Page load time in s"
_STRUCTURE_TITLES = {
    "single": "a single object",
    "uniform": "eight objects of one size",
    "triangular": "eight objects of triangular sizes",
}
_SAID: dict[tuple[str, str], str] = {
    ("uniform", LAN): "HTTP/1.1 the longest, similar to the others",
    ("uniform", SATELLITE): "HTTP/3 55 % below HTTP/1.1, 30 % below HTTP/2",
    ("single", LAN): "HTTP/1.1 the best",
    ("single", SATELLITE): "HTTP/3 the best, HTTP/2 the worst",
}
_CONTROL_SAID = {
    LAN: "CUBIC with HTTP/3 suffers",
    SATELLITE: "BBR below CUBIC for every version",
}
_CONTROL_STROKES = {"cubic": Stroke.SOLID, "bbr": Stroke.DASHED}
"""As the study draws them: "the solid lines are for Cubic while the dashed lines represent BBR"."""

Values: TypeAlias = Callable[..., list[float]]


def structure(runs: Runs, name: str) -> Drawing | None:
    """Figures 7 (uniform) and 8 (single): the HTTP versions with BBR, a panel for each link."""
    panels = [
        Panel(
            title=title,
            axis_label=_PLT,
            curves=_present(
                Curve(
                    protocol=http,
                    stroke=Stroke.SOLID,
                    stroke_label="BBR",
                    points=_points(_plt(runs), link, http, "bbr", name),
                )
                for http in PROTOCOLS
            ),
            bands=_bands(runs, link) if name == "uniform" and link != LAN else (),
            published=_SAID.get((name, SATELLITE if link == PIPE else link), ""),
        )
        for link, title in LINKS.items()
    ]
    title = f"Page load time of {_STRUCTURE_TITLES[name]} with BBR"
    return _drawing(name=f"plt-{name}", title=title, panels=panels)


def congestion_control(runs: Runs) -> Drawing | None:
    """Figure 9: CUBIC and BBR, a panel for each link."""
    panels = [
        Panel(
            title=title,
            axis_label=_PLT,
            curves=_present(
                Curve(
                    protocol=http,
                    stroke=drawn,
                    stroke_label=control_label(cc),
                    points=_points(_plt(runs), link, http, cc, "uniform"),
                )
                for http in PROTOCOLS
                for cc, drawn in _CONTROL_STROKES.items()
            ),
            published=_CONTROL_SAID[SATELLITE if link == PIPE else link],
        )
        for link, title in LINKS.items()
    ]
    return _drawing(
        name="plt-congestion-control",
        title="Page load time of the uniform page with CUBIC and with BBR",
        panels=panels,
        strokes=2,
    )


def page_structure(runs: Runs) -> Drawing | None:
    """Figures 10, 12 and 13: FCP, LCP and PLT of either structure on the satellite link."""
    below = "HTTP/3 below HTTP/2, triangular below uniform"
    strokes = {"uniform": Stroke.SOLID, "triangular": Stroke.DASHED}
    shown: Sequence[tuple[str, str, Values, str]] = (
        ("FCP: first object complete", "FCP in s", _metric(runs, "fcp_s"), below),
        ("LCP: largest object complete", "LCP in s", lambda **c: largest_complete_times_s(runs, **c), below),
        ("PLT: whole page complete", "PLT in s", _plt(runs), "uniform and triangular alike"),
    )
    panels = [
        Panel(
            title=title,
            axis_label=axis_label,
            curves=_present(
                Curve(
                    protocol=http,
                    stroke=stroke,
                    stroke_label=name,
                    points=_points(values, SATELLITE, http, "bbr", name),
                )
                for http in ("h2", "h3")
                for name, stroke in strokes.items()
            ),
            published=said,
        )
        for title, axis_label, values, said in shown
    ]
    return _drawing(
        name="page-structure",
        title="FCP, LCP and PLT of the uniform and the triangular page on the satellite link with BBR",
        panels=panels,
        strokes=2,
    )


def _bands(runs: Runs, link: str) -> list[Band]:
    """Where the published differences put HTTP/3 by our HTTP/1.1 and HTTP/2, with the rule's tolerance."""
    bands = []
    for http, claimed in (("h1", published.PLT_H3_AGAINST_H1), ("h2", published.PLT_H3_AGAINST_H2)):
        low, high = (1 + (claimed.percent + points) / 100 for points in (-TOLERANCE_POINTS, TOLERANCE_POINTS))
        reached = [
            (size, low * summary.mean, high * summary.mean)
            for size, summary in _points(_plt(runs), link, http, "bbr", "uniform")
        ]
        reach = f"{-claimed.percent:.0f} % (±{TOLERANCE_POINTS:.0f})"
        if reached:
            bands.append(
                Band(
                    protocol="h3" if http == "h1" else "h2",
                    label=f"published: HTTP/3 {reach} below our {look(http).label}",
                    points=reached,
                )
            )
    return bands


def _drawing(*, name: str, title: str, panels: Sequence[Panel], strokes: int = 1) -> Drawing | None:
    """The panels that have something to show, of a comparison of strokes both sides of it."""
    shown = [panel for panel in panels if len({curve.stroke for curve in panel.curves}) >= strokes]
    return by_page_size.draw(name=name, title=title, panels=shown) if shown else None


def _plt(runs: Runs) -> Values:
    return _metric(runs, "plt_s")


def _metric(runs: Runs, metric: str) -> Values:
    return lambda **factors: values_of(runs, metric, **factors)


def _points(values: Values, link: str, http: str, cc: str, structure: str) -> list[tuple[int, Summary]]:
    points = []
    for size, size_bytes in SIZES_BYTES.items():
        found = values(**cell(link, http, cc), page=page(structure, size))
        summary = summarise(found, seed=_SEED)
        if summary is not None:
            points.append((size_bytes, summary))
    return points


def _present(curves: Iterable[Curve]) -> list[Curve]:
    return [curve for curve in curves if curve.points]
