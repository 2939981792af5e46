"""Which figures the gallery shows."""

from dataclasses import dataclass
from pathlib import Path

from tools.gallery.first_page import STEM as FIRST_PAGE

WATERFALL = "waterfall"
"""The waterfall of the median run of one cell, which the report has in its page alone."""

SCENARIOS = Path("scenarios")


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A figure of a scenario's report.

    `scenario` is its file's stem in scenarios/, `figure` the figure's in the folder `figures` of the results.
    The short form of the scenario is measured where `is_quick`.
    """

    scenario: str
    figure: str
    title: str
    text: str
    is_quick: bool = True

    @property
    def file(self) -> Path:
        """The scenario's file, from the root of the project."""
        return SCENARIOS / f"{self.scenario}.toml"

    @property
    def image(self) -> str:
        """The figure's file in docs/gallery."""
        return f"{self.scenario}-{self.figure}.svg"


GALLERY = (
    Shown(
        scenario="first-page",
        figure=FIRST_PAGE,
        title="A page as it arrives",
        text="Bytes in complete objects, in the median of five runs.",
        is_quick=False,
    ),
    Shown(
        scenario="first-page",
        figure="plt-s-by-cell",
        title="Means with their intervals",
        text="Page load times with 95 % intervals. A ring marks a link's best.",
        is_quick=False,
    ),
    Shown(
        scenario="first-page",
        figure=WATERFALL,
        title="A waterfall",
        text="The objects of HTTP/3's median run over GEO: found, asked for, answered and complete.",
        is_quick=False,
    ),
    Shown(
        scenario="search",
        figure="over-time-1",
        title="A flow over time",
        text="Rate, queue, congestion window and round trip in slow start.",
    ),
    Shown(
        scenario="fairness",
        figure="shares-1",
        title="Flows that share a link",
        text="Throughput, shares and Jain's index.",
    ),
    Shown(
        scenario="rain-fade",
        figure="satellite-1-modcod",
        title="Adaptive coding in rain",
        text="Es/N0 at the receiver and as reported to the gateway, and the MODCOD.",
    ),
    Shown(
        scenario="bod",
        figure="satellite-1-slots",
        title="Capacity on demand",
        text="Timeslots of a DVB-RCS2 return link: asked for, granted, used.",
    ),
    Shown(
        scenario="handover",
        figure="path-1",
        title="A path that changes",
        text="Delay and rate, with handovers.",
    ),
)
