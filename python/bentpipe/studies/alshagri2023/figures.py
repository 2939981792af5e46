"""The study's figures, drawn from our runs. Together they show what its Figures 7 to 10, 12 and 13 show."""

from collections.abc import Iterable, Sequence

from bentpipe.figures import by_page_size
from bentpipe.figures.by_page_size import Curve, Panel
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import Stroke, control_label, look, stroke
from bentpipe.stats import Summary, summarise, values_of
from bentpipe.studies.alshagri2023 import overhead
from bentpipe.studies.alshagri2023.cells import LINKS, PROTOCOLS, SATELLITE, SIZES_BYTES, STRUCTURES, page
from bentpipe.studies.study import Runs, Timeline

FIGURES_NOTE = (
    "Page load time by page structure and by congestion control, and FCP, LCP and PLT by page structure, "
    "correspond to the study's Figures 7 to 10, 12 and 13; the overhead to its table 6."
)

_SEED = 7
_PLT = "Page load time in s"
_STRUCTURE_METRICS = (
    ("fcp_s", "FCP: first object complete", "FCP in s"),
    ("lcp_s", "LCP: largest object complete", "LCP in s"),
    ("plt_s", "PLT: whole page complete", "PLT in s"),
)
_STRUCTURE_TITLES = {
    "single": "a single object",
    "uniform": "eight objects of one size",
    "triangular": "eight objects of triangular sizes",
}


def figures(runs: Runs) -> tuple[Drawing, ...]:
    """Every figure for which there are runs."""
    drawings = [*(_parallel_streams(runs, s) for s in STRUCTURES), _congestion_control(runs),
                _page_structure(runs), overhead.drawing(runs)]  # fmt: skip
    return tuple(drawing for drawing in drawings if drawing is not None)


def timelines(runs: Runs) -> tuple[Timeline, ...]:
    """The largest uniform page on the satellite link, once for each protocol and congestion control."""
    for size in reversed(SIZES_BYTES):
        found = tuple(
            Timeline(
                name=f"over-time-{http}-{cc}",
                title=f"{look(http).label} with {control_label(cc)}, {page('uniform', size)}, satellite",
                factors=cell,
            )
            for http in PROTOCOLS
            for cc in ("bbr", "cubic")
            if values_of(runs, "plt_s", **(cell := _cell(SATELLITE, http, cc, "uniform", size)))
        )
        if found:
            return found
    return ()


def _parallel_streams(runs: Runs, structure: str) -> Drawing | None:
    panels = [
        Panel(
            title=title,
            axis_label=_PLT,
            curves=_present(
                Curve(
                    protocol=http,
                    stroke=Stroke.SOLID,
                    stroke_label="BBR",
                    points=_points(runs, "plt_s", link, http, "bbr", structure),
                )
                for http in PROTOCOLS
            ),
        )
        for link, title in LINKS.items()
    ]
    return _drawing(
        name=f"plt-{structure}",
        title=f"Page load time of {_STRUCTURE_TITLES[structure]} with BBR",
        panels=panels,
    )


def _congestion_control(runs: Runs) -> Drawing | None:
    panels = [
        Panel(
            title=title,
            axis_label=_PLT,
            curves=_present(
                Curve(
                    protocol=http,
                    stroke=stroke(cc),
                    stroke_label=control_label(cc),
                    points=_points(runs, "plt_s", link, http, cc, "uniform"),
                )
                for http in PROTOCOLS
                for cc in ("bbr", "cubic")
            ),
        )
        for link, title in LINKS.items()
    ]
    return _drawing(
        name="plt-congestion-control",
        title="Page load time of the uniform page with BBR and with CUBIC",
        panels=panels,
        strokes=2,
    )


def _page_structure(runs: Runs) -> Drawing | None:
    strokes = {"uniform": Stroke.SOLID, "triangular": Stroke.DASHED}
    panels = [
        Panel(
            title=title,
            axis_label=axis_label,
            curves=_present(
                Curve(
                    protocol=http,
                    stroke=strokes[structure],
                    stroke_label=structure,
                    points=_points(runs, metric, SATELLITE, http, "bbr", structure),
                )
                for http in ("h2", "h3")
                for structure in strokes
            ),
        )
        for metric, title, axis_label in _STRUCTURE_METRICS
    ]
    return _drawing(
        name="page-structure",
        title="FCP, LCP and PLT of the uniform and the triangular page on the satellite link with BBR",
        panels=panels,
        strokes=2,
    )


def _drawing(*, name: str, title: str, panels: Sequence[Panel], strokes: int = 1) -> Drawing | None:
    """The panels that have something to show, of a comparison of strokes both sides of it."""
    shown = [panel for panel in panels if len({curve.stroke for curve in panel.curves}) >= strokes]
    return by_page_size.draw(name=name, title=title, panels=shown) if shown else None


def _points(
    runs: Runs, metric: str, link: str, http: str, cc: str, structure: str
) -> list[tuple[int, Summary]]:
    points = []
    for size, size_bytes in SIZES_BYTES.items():
        summary = summarise(values_of(runs, metric, **_cell(link, http, cc, structure, size)), seed=_SEED)
        if summary is not None:
            points.append((size_bytes, summary))
    return points


def _present(curves: Iterable[Curve]) -> list[Curve]:
    return [curve for curve in curves if curve.points]


def _cell(link: str, http: str, cc: str, structure: str, size: str) -> dict[str, str]:
    return {"link": link, "http": http, "cc": cc, "page": page(structure, size)}
