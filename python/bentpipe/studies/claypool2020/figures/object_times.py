"""Figure 11: how long the first megabytes of a download take."""

from collections.abc import Sequence

import numpy as np

from bentpipe.figures import transfer_time
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.published_mark import Mark
from bentpipe.stats import Phase, mean_interval
from bentpipe.stats.flow import START_UP_BYTES
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.claims.arithmetic import mean_time_s
from bentpipe.studies.claypool2020.downloads import Downloads, object_times_s

SMALL_MB = 50
_LARGE_STEPS = 100
_START_UP_MB = START_UP_BYTES / 1e6


def draw(downloads: Downloads) -> Drawing:
    """The first 50 MB as the study draws them, and the whole."""
    measured = {control: found for control, found in downloads.items() if found}
    most_mb = min(int(d.flow.received.total[-1] / 1e6) for found in measured.values() for d in found)
    small_mb = min(SMALL_MB, most_mb)
    ranges = {
        f"The first {SMALL_MB} MB": range(1, small_mb + 1),
        "The whole download": range(1, most_mb + 1, max(1, most_mb // _LARGE_STEPS)),
    }
    panels = [
        transfer_time.Panel(
            title=title,
            curves={
                control: [_point(size, object_times_s(found, size)) for size in sizes]
                for control, found in measured.items()
            },
            published={control: _marks(control, sizes[-1]) for control in measured},
        )
        for title, sizes in ranges.items()
    ]
    title = "Time to download the first megabytes"
    return transfer_time.draw(name="object-times", title=title, panels=panels)


def _marks(control: str, most_mb: int) -> Sequence[Mark]:
    """What the text says of Figure 11, and in the end what Tables VIII, II and V come to."""
    times = {size: row[control].value for size, row in published.OBJECT_TIMES_S.items() if control in row}
    if control in published.MULTIPLES_OF_HYBLA:
        size = published.MULTIPLES_SIZE_MB
        multiple = published.MULTIPLES_OF_HYBLA[control].value
        times[size] = multiple * published.OBJECT_TIMES_S[size]["hybla"].value
    overall, steady, start_up = (
        published.THROUGHPUT_MBPS[phase][control] for phase in (Phase.OVERALL, Phase.STEADY, Phase.START_UP)
    )
    whole_s = mean_time_s(1000, overall)
    later = {
        _START_UP_MB: mean_time_s(_START_UP_MB, start_up),
        500: whole_s - mean_time_s(500, steady),
        1000: whole_s,
    }
    return [Mark(x=size, y=time) for size, time in (times | later).items() if size <= most_mb]


def _point(size_mb: int, times_s: list[float]) -> transfer_time.Point:
    return transfer_time.Point(
        size_mb=size_mb, mean_s=float(np.mean(times_s)), ci=mean_interval(times_s), n=len(times_s)
    )
