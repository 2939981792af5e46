"""Congestion windows of both engines, one above the other: the same run in real and in virtual time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing

PANEL_IN = 1.5
SIMULATED = "#D55E00"
"""Vermillion of Okabe, Ito 2008 over the grey of the emulated window."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A cell whose first run is shown."""

    part: str
    factors: Mapping[str, str]

    @property
    def title(self) -> str:
        """The cell in words."""
        rate, rtt = self.factors["link.forward.rate"], self.factors["link.rtt"]
        loss = self.factors.get("link.forward.loss.p")
        lossy = "" if loss is None else f", {loss} loss"
        sender = f"{style.control_label(self.factors['cc'])} over {self.factors['bulk.transport'].upper()}"
        return f"{sender}: {rate}, {rtt}{lossy}, {self.factors['bulk.size']}"


@dataclass(frozen=True, kw_only=True)
class Window:
    """A sender's congestion window over time, both of shape (n,)."""

    time_s: NDArray[np.float64]
    cwnd_bytes: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Trace:
    """One run by both engines."""

    title: str
    emulated: Window
    simulated: Window


_LONG = {"bulk.transport": "tcp", "link.rtt": "600 ms", "bulk.size": "20 MB"}
CHOICES = (
    Choice(
        part="bulk",
        factors={**_LONG, "cc": "cubic", "link.forward.queue": "1 BDP", "link.forward.rate": "50 Mbit/s"},
    ),
    Choice(part="bulk-bbr", factors={**_LONG, "cc": "bbr", "link.forward.rate": "50 Mbit/s"}),
    *(
        Choice(part="loaded-controls", factors={**_LONG, "cc": cc, "link.forward.rate": "20 Mbit/s"})
        for cc in ("hybla", "vivace")
    ),
    *(
        Choice(
            part="loaded-controls-lossy",
            factors={**_LONG, "cc": cc, "link.forward.rate": "20 Mbit/s", "link.forward.loss.p": "0.1 %"},
        )
        for cc in ("hybla", "vivace")
    ),
)


@style.applied()
def draw(traces: Sequence[Trace]) -> Drawing:
    """Draw a panel per run, each with the windows of both engines."""
    figure, panels = style.canvas(panels=len(traces), panel_height_in=PANEL_IN)
    for axis, trace in zip(panels, traces, strict=True):
        _plot(axis, trace.emulated, color=style.GREY, linewidth=3.0, alpha=0.5, label="emulate")
        _plot(axis, trace.simulated, color=SIMULATED, linewidth=1.0, label="simulate")
        axis.set_title(trace.title)
        axis.set_ylabel("cwnd (MB)")
        axis.set_xlim(left=0.0)
        style.from_zero(axis)
    panels[0].legend(loc="upper left", ncols=2)
    panels[-1].set_xlabel("Time since the start of the run in s")
    caption = "Congestion window of one run per cell, sampled every 100 ms, the same seed in both engines."
    return Drawing(name="agreement-cwnd", title="Congestion windows", caption=caption, figure=figure)


def _plot(
    axis: Axes, window: Window, *, color: str, linewidth: float, label: str, alpha: float = 1.0
) -> None:
    axis.plot(
        window.time_s, window.cwnd_bytes / 1e6, color=color, linewidth=linewidth, label=label, alpha=alpha
    )
