"""What of the study's numbers excludes what: arithmetic on them alone."""

import math
from dataclasses import dataclass

from bentpipe.figures.style import control_label
from bentpipe.stats import Phase
from bentpipe.stats.flow import FIRST_S
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.published_number import PublishedNumber

_WHOLE_MB = 1000.0
_MBIT_PER_MB = 8.0


@dataclass(frozen=True, kw_only=True)
class Needed:
    """The rate at which half of the gigabyte would have to be completed after the first 30 s."""

    control: str
    by_30_s_mb: float
    half_s: float
    mbps: float
    least_mbps: float

    @property
    def text(self) -> str:
        """The arithmetic in a sentence."""
        name = control_label(self.control)
        first = published.THROUGHPUT_MBPS[Phase.START_UP][self.control].value
        return (
            f"{first:g} Mbit/s over 30 s are {self.by_30_s_mb:.0f} MB. By Tables II and V {name} has 500 MB "
            f"after {self.half_s:.1f} s, which takes {self.mbps:.0f} Mbit/s from then on, "
            f"{self.least_mbps:.0f} at the least of their intervals; 144 Mbit/s carry "
            f"{published.PAYLOAD_MBPS:.0f}."
        )


def needed_after_30_s(control: str) -> Needed:
    """What Table VIII as its caption reads it asks of the link, by Tables II and V.

    The least is with the 95 % interval of the time of the first half, whose two means are taken for
    independent. They are of the same downloads, so that their difference is known better than that.
    """
    overall, steady, start_up = (
        published.THROUGHPUT_MBPS[phase][control] for phase in (Phase.OVERALL, Phase.STEADY, Phase.START_UP)
    )
    half_s = mean_time_s(_WHOLE_MB, overall) - mean_time_s(_WHOLE_MB / 2, steady)
    reach_s = math.hypot(
        mean_time_s(_WHOLE_MB, overall) * overall.reach_percent / 100,
        mean_time_s(_WHOLE_MB / 2, steady) * steady.reach_percent / 100,
    )
    by_30_s_mb = start_up.value * FIRST_S / _MBIT_PER_MB
    rest = (_WHOLE_MB / 2 - by_30_s_mb) * _MBIT_PER_MB
    return Needed(
        control=control,
        by_30_s_mb=by_30_s_mb,
        half_s=half_s,
        mbps=rest / (half_s - FIRST_S),
        least_mbps=rest / (half_s + reach_s - FIRST_S),
    )


def mean_time_s(megabytes: float, throughput: PublishedNumber) -> float:
    """The mean of the times that follow from a mean and a deviation of rates: 1 / x is convex."""
    relative_sd = (throughput.sd or 0.0) / throughput.value
    return _MBIT_PER_MB * megabytes / throughput.value * (1 + relative_sd**2)


def slow_start_segments(after_s: float, *, growth: float) -> float:
    """What a window of 10 segments has grown to if slow start lasts so long, at CUBIC's published round trip.

    Two round trips pass before the first window has been acknowledged: the handshake's and its own.
    """
    rtt_s = published.RTT_MS[Phase.START_UP]["cubic"].value / 1e3
    return 10 * math.pow(growth, after_s / rtt_s - 2)


def full_window_segments() -> float:
    """What fills the peak rate at that round trip."""
    rtt_s = published.RTT_MS[Phase.START_UP]["cubic"].value / 1e3
    return published.PAYLOAD_MBPS * 1e6 * rtt_s / 8 / 1448
