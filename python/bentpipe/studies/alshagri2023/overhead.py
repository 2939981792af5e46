"""Table 6: overhead, ours in both ways of counting beside the study's."""

import math
from collections.abc import Sequence

from bentpipe.figures import overhead as figure
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import look
from bentpipe.stats import Summary, summarise, values_of
from bentpipe.studies.alshagri2023.cells import SATELLITE, SIZES_BYTES, page
from bentpipe.studies.alshagri2023.published import OVERHEAD_PERCENT
from bentpipe.studies.study import RUNS, Column, Runs, StudyTable

BOTH, FORWARD = "overhead_percent", "overhead_forward_percent"
_SEED = 6
_COUNTED = {"both directions": "in both directions", "forward only": "in the forward direction only"}

_COLUMNS = (
    Column(key="protocol", heading="Protocol"),
    Column(key="page_size_kb", heading="Page size in kB", decimals=0),
    Column(key="published_percent", heading="Study in %", decimals=2),
    Column(key="both_percent", heading="Ours, both directions in %", decimals=2),
    Column(key="both_difference_points", heading="Difference in points", decimals=2),
    Column(key="forward_percent", heading="Ours, forward only in %", decimals=2),
    Column(key="forward_difference_points", heading="Difference in points", decimals=2),
    RUNS,
)


def table(runs: Runs) -> StudyTable:
    """Table 6 with ours beside it, and which way of counting is the nearer one."""
    rows: list[dict[str, str | float | None]] = []
    for http, sizes in OVERHEAD_PERCENT.items():
        for size, published in sizes.items():
            both, forward = (_summary(runs, http, size, metric) for metric in (BOTH, FORWARD))
            rows.append(
                {
                    "protocol": look(http).label,
                    "page_size_kb": SIZES_BYTES[size] / 1000,
                    "published_percent": published,
                    "both_percent": both.mean if both else None,
                    "both_difference_points": both.mean - published if both else None,
                    "forward_percent": forward.mean if forward else None,
                    "forward_difference_points": forward.mean - published if forward else None,
                    "n": both.n if both else 0,
                }
            )
    return StudyTable(
        name="table-6",
        title="Overhead: the study's table 6 and ours",
        columns=_COLUMNS,
        rows=tuple(rows),
        conclusion=_conclusion(rows),
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


def _conclusion(rows: Sequence[dict[str, str | float | None]]) -> str:
    ways = {"both directions": "both_difference_points", "forward only": "forward_difference_points"}
    distances = {}
    for name, key in ways.items():
        differences = [float(value) for row in rows if (value := row[key]) is not None]
        if not differences:
            return "Not testable: no uniform page was measured on the satellite link with BBR."
        distances[name] = (root_mean_square(differences), len(differences))
    nearest = min(distances, key=lambda name: distances[name][0])
    figures = ", ".join(f"{name} {distance:.2f} points" for name, (distance, _) in distances.items())
    cells = distances[nearest][1]
    return (
        f"Root mean square difference from the study over {cells} of {len(rows)} cells: {figures}. "
        f"The study's numbers are nearest to ours counted {_COUNTED[nearest]}."
    )
