"""Table 6: overhead, ours in both ways of counting beside the study's."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bentpipe.figures import overhead as figure
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import look
from bentpipe.stats import Summary, summarise, values_of
from bentpipe.studies.alshagri2023.cells import SATELLITE, SIZES_BYTES, page
from bentpipe.studies.alshagri2023.published import OVERHEAD_PERCENT
from bentpipe.studies.columns import Filled, count, filled, headings, rows
from bentpipe.studies.study import Runs, StudyTable

BOTH, FORWARD = "overhead_percent", "overhead_forward_percent"
_SEED = 6
_COUNTED = {"both directions": "in both directions", "forward only": "in the forward direction only"}


@dataclass(frozen=True, kw_only=True)
class _Cell:
    """A number of the study's table 6, and ours by the way of counting."""

    http: str
    size_bytes: int
    published_percent: float
    ours: Mapping[str, Summary | None]

    def runs(self) -> int:
        """How many were counted in both directions."""
        both = self.ours[BOTH]
        return both.n if both else 0

    def percent(self, way: str) -> float | None:
        """Our mean."""
        found = self.ours[way]
        return found.mean if found else None

    def above_points(self, way: str) -> float | None:
        """How far it lies above the study's."""
        percent = self.percent(way)
        return None if percent is None else percent - self.published_percent


def _counted(way: str, key: str, heading: str) -> tuple[Filled[_Cell], Filled[_Cell]]:
    return (
        filled(f"{key}_percent", f"Ours, {heading} in %", lambda cell: cell.percent(way), decimals=2),
        filled(
            f"{key}_difference_points",
            "Difference in points",
            lambda cell: cell.above_points(way),
            decimals=2,
        ),
    )


_COLUMNS: tuple[Filled[_Cell], ...] = (
    filled("protocol", "Protocol", lambda cell: look(cell.http).label),
    filled("page_size_kb", "Page size in kB", lambda cell: cell.size_bytes / 1000, decimals=0),
    filled("published_percent", "Study in %", lambda cell: cell.published_percent, decimals=2),
    *_counted(BOTH, "both", "both directions"),
    *_counted(FORWARD, "forward", "forward only"),
    count(_Cell.runs),
)


def table(runs: Runs) -> StudyTable:
    """Table 6 with ours beside it, and which way of counting is the nearer one."""
    cells = [
        _Cell(
            http=http,
            size_bytes=SIZES_BYTES[size],
            published_percent=published,
            ours={way: _summary(runs, http, size, way) for way in (BOTH, FORWARD)},
        )
        for http, sizes in OVERHEAD_PERCENT.items()
        for size, published in sizes.items()
    ]
    return StudyTable(
        name="table-6",
        title="Overhead: the study's table 6 and ours",
        columns=headings(_COLUMNS),
        rows=rows(_COLUMNS, cells),
        conclusion=_conclusion(cells),
        note="Bytes on the wire above the page's bytes, in percent of the page's bytes; means over the "
        "uniform pages on the satellite link with BBR, an assumption. The study does not say whether both "
        "directions count.",
    )


def root_mean_square(differences: Sequence[float]) -> float:
    """Root of the mean of squares."""
    return math.sqrt(sum(value**2 for value in differences) / len(differences))


def drawing(runs: Runs) -> Drawing | None:
    """The table as a figure; None when nothing was measured."""
    ours = {
        metric: {
            http: {
                SIZES_BYTES[size]: summary
                for size in SIZES_BYTES
                if (summary := _summary(runs, http, size, metric)) is not None
            }
            for http in OVERHEAD_PERCENT
        }
        for metric in (BOTH, FORWARD)
    }
    if not any(ours[BOTH].values()):
        return None
    return figure.draw(
        name="overhead",
        title="Overhead of the uniform page, satellite, BBR, beside the study's table 6",
        sizes_bytes=list(SIZES_BYTES.values()),
        both_directions=ours[BOTH],
        forward_only=ours[FORWARD],
        published_percent={
            http: {SIZES_BYTES[size]: percent for size, percent in sizes.items()}
            for http, sizes in OVERHEAD_PERCENT.items()
        },
    )


def _summary(runs: Runs, http: str, size: str, metric: str) -> Summary | None:
    cell = {"link": SATELLITE, "cc": "bbr", "http": http, "page": page("uniform", size)}
    return summarise(values_of(runs, metric, **cell), seed=_SEED)


def _conclusion(cells: Sequence[_Cell]) -> str:
    distances = {}
    for name, way in {"both directions": BOTH, "forward only": FORWARD}.items():
        differences = [points for cell in cells if (points := cell.above_points(way)) is not None]
        if not differences:
            return "Not testable: no uniform page was measured on the satellite link with BBR."
        distances[name] = (root_mean_square(differences), len(differences))
    nearest = min(distances, key=lambda name: distances[name][0])
    figures = ", ".join(f"{name} {distance:.2f} points" for name, (distance, _) in distances.items())
    counted = distances[nearest][1]
    return (
        f"Root mean square difference from the study over {counted} of {len(cells)} cells: {figures}. "
        f"The study's numbers are nearest to ours counted {_COUNTED[nearest]}."
    )
