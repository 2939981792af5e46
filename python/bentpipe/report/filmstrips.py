"""Pages as they appeared in a browser: for each, its protocols one below the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bentpipe.figures import filmstrip, style, visual_progress
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.filmstrip import Cell, Picture
from bentpipe.ledger import Entry
from bentpipe.report.cells import CellResult
from bentpipe.report.pictures import small
from bentpipe.report.source import Source
from bentpipe.stats import cell_label, frames_of, settled_s, visible

MOST_STRIPS = 6
"""Filmstrips of a report: all; of more the first of each page; of more pages those at even ranks."""
MOST_PICTURE_BYTES = 1_500_000
"""Of all pictures of a report, as they stand in the page."""

_PROTOCOL = "http"
_MARKS = {"FCP": "paint_fcp_s", "LCP": "paint_lcp_s", "load": "loaded_s"}


@dataclass(frozen=True, kw_only=True)
class Load:
    """The load of a row: the median run of its cell, in numbers."""

    protocol: str
    run: Entry

    @property
    def label(self) -> str:
        """The protocol for people."""
        return style.look(self.protocol).label

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """Its metrics, the browser's included."""
        return self.run.metrics

    @property
    def marks(self) -> dict[str, float]:
        """The instants of its paints, by the keys of the filmstrip's."""
        found = {mark: self.metrics.get(name) for mark, name in _MARKS.items()}
        return {mark: float(at_s) for mark, at_s in found.items() if at_s is not None}

    @property
    def end_s(self) -> float:
        """When nothing changed any more, neither in the window nor in the page."""
        return max(settled_s(frames_of(self.run.record)) or 0.0, *self.marks.values(), 0.0)


@dataclass(frozen=True, kw_only=True)
class Filmstrip:
    """One page under one set of conditions, by each protocol that loaded it."""

    name: str
    label: str
    browser: str
    loads: tuple[Load, ...]
    step_s: float
    svg: str
    drawing: Drawing


@dataclass(frozen=True, kw_only=True)
class Filmstrips:
    """Those that are shown, and how many more there would be."""

    shown: tuple[Filmstrip, ...]
    left_out: int


def gather(source: Source, cells: Sequence[CellResult]) -> Filmstrips:
    """Every page whose median run has pictures, as far as the report has room for them."""
    groups = _groups(cells)
    shown: list[Filmstrip] = []
    lost = 0
    room_bytes = MOST_PICTURE_BYTES
    for label, loads in _chosen(groups):
        instants_s = filmstrip.instants_s(max(load.end_s for load in loads))
        rows = [_row(source, load, instants_s) for load in loads]
        pictures = {cell.picture for row in rows for cell in row.cells if cell.picture}
        size_bytes = sum(len(picture.uri) for picture in pictures)
        if not pictures:
            lost += 1
        elif size_bytes <= room_bytes:
            room_bytes -= size_bytes
            shown.append(_strip(f"filmstrip-{len(shown) + 1}", label, loads, instants_s, rows))
    return Filmstrips(shown=tuple(shown), left_out=len(groups) - lost - len(shown))


def _groups(cells: Sequence[CellResult]) -> dict[str, list[Load]]:
    """The loads with pictures by the label of what is the same for all protocols."""
    groups: dict[str, list[Load]] = {}
    for cell in cells:
        if cell.median_run is None or not frames_of(cell.median_run.record):
            continue
        same = [name for name in cell.varied if name in cell.factors and name != _PROTOCOL]
        # A scenario may vary the protocol alone.
        kept = {name: cell.factors[name] for name in same or ("page",) if name in cell.factors}
        load = Load(protocol=cell.factors.get(_PROTOCOL, cell.workload), run=cell.median_run)
        groups.setdefault(cell_label(kept, order=cell.varied), []).append(load)
    return groups


def _chosen(groups: Mapping[str, list[Load]]) -> list[tuple[str, list[Load]]]:
    if len(groups) <= MOST_STRIPS:
        return list(groups.items())
    firsts: dict[str, tuple[str, list[Load]]] = {}
    for label, loads in groups.items():
        firsts.setdefault(loads[0].run.factors.get("page", label), (label, loads))
    pages = list(firsts.values())
    if len(pages) <= MOST_STRIPS:
        return pages
    return [pages[round(rank * (len(pages) - 1) / (MOST_STRIPS - 1))] for rank in range(MOST_STRIPS)]


def _row(source: Source, load: Load, instants_s: Sequence[float]) -> filmstrip.Row:
    record = load.run.record
    frames, folder = frames_of(record), source.artifacts(load.run)
    seen = [visible(frames, at_s) for at_s in instants_s]
    pictures: dict[str, Picture | None] = {
        frame.file: small(folder, frame.file) for frame in dict.fromkeys(seen) if frame
    }
    cells = [
        Cell(
            picture=pictures[frame.file] if frame else None, completeness=frame.completeness if frame else 0.0
        )
        for frame in seen
    ]
    told = [f"run {load.run.run_id}", f"page load time {load.metrics['plt_s']:.2f} s"]
    if load.metrics.get("speed_index_s") is not None:
        told.append(f"Speed Index {load.metrics['speed_index_s']:.2f} s")
    return filmstrip.Row(protocol=load.protocol, words=", ".join(told), marks=load.marks, cells=cells)


def _strip(
    name: str,
    label: str,
    loads: Sequence[Load],
    instants_s: Sequence[float],
    rows: Sequence[filmstrip.Row],
) -> Filmstrip:
    protocols = ", ".join(load.label for load in loads)
    lines = [
        visual_progress.Line(
            protocol=load.protocol,
            frames=frames_of(load.run.record),
            marks=load.marks,
            speed_index_s=load.metrics.get("speed_index_s"),
        )
        for load in loads
    ]
    return Filmstrip(
        name=name,
        label=label,
        browser=", ".join(sorted({seen.version for load in loads if (seen := load.run.record.browser)})),
        loads=tuple(loads),
        step_s=instants_s[0],
        svg=filmstrip.draw(
            name=name,
            title=f"Filmstrip of {label}: {protocols}, a picture every {instants_s[0]:g} s",
            instants_s=instants_s,
            rows=rows,
        ),
        drawing=visual_progress.draw(
            name=f"{name}-progress",
            title=f"Shown of the page over time: {label}",
            lines=lines,
            end_s=instants_s[-1],
        ),
    )
