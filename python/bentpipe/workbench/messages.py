"""What the server tells the page: each event and document as a frozen class, written as JSON."""

from collections.abc import Mapping
from typing import Literal

from bentpipe.model.frozen import Frozen
from bentpipe.workbench.choice import Bounds, Choice


class Named(Frozen):
    """Something to choose: its name in scenarios, and words for people."""

    name: str
    words: str


class LinkOffer(Named):
    """A link: what its own loss and round trip are, where they are numbers."""

    rtt: str
    moves: bool
    """Whether satellites that move add to a round trip that is chosen."""


class Offer(Frozen):
    """Everything that can be chosen, its bounds, and what is chosen at first."""

    version: str
    links: tuple[LinkOffer, ...]
    pages: tuple[Named, ...]
    http: tuple[Named, ...]
    cc: tuple[Named, ...]
    most_cells: int
    bounds: Mapping[str, Bounds]
    """Of numbers, by their keys."""
    first: Choice
    watches: bool
    """Whether the server watches a folder of results."""


class CellPlan(Frozen):
    """A combination that is compared, and how it looks in every figure."""

    label: str
    colour: str
    dash: tuple[int, ...]


class Column(Frozen):
    """A quantity of the table, by the name of its metric."""

    metric: str
    label: str
    unit: str
    decimals: int


class PlanEvent(Frozen):
    """The first event of a comparison; `headline` is the metric by which cells are ranked."""

    kind: Literal["plan"] = "plan"
    cells: tuple[CellPlan, ...]
    runs: int
    path: str
    """What the link has come to, in words."""
    headline: str
    quantities: tuple[Column, ...]


class RunEvent(Frozen):
    """A run has ended; `words` say why it has no number."""

    kind: Literal["run"] = "run"
    cell: int
    status: str
    plt_s: float | None
    words: tuple[str, ...]


class Lines(Frozen):
    """Values over time; both are equally long, and a value may be missing."""

    time_s: tuple[float, ...]
    value: tuple[float | None, ...]


class ObjectBox(Frozen):
    """An object of the page: when it was known, asked for, begun and complete."""

    name: str
    bytes: int
    discovered_s: float
    request_s: float
    first_byte_s: float
    last_byte_s: float


class PictureEvent(Frozen):
    """A run of a cell that succeeded: at first the first, in the end that of the median page load time."""

    kind: Literal["picture"] = "picture"
    cell: int
    is_median: bool
    end_s: float
    objects: tuple[ObjectBox, ...]
    waterfall: str
    """An SVG document."""
    complete: Lines
    """Bytes of the page that have come, as objects are complete, in %."""
    delivered: Lines
    """By the link towards the client, in Mbit/s."""
    queue: Lines
    """Of the link towards the client, in kB."""
    window: Lines
    """Sum of the congestion windows of the origin's connections, in kB."""


class Row(Frozen):
    """A metric of a cell: its median, between the ends of a 95 % interval where there is one."""

    metric: str
    median: float
    low: float | None
    high: float | None


class CellEvent(Frozen):
    """All runs of a cell have ended; `runs` of them succeeded."""

    kind: Literal["cell"] = "cell"
    cell: int
    runs: int
    rows: tuple[Row, ...]


class EndEvent(Frozen):
    """The last event of a comparison."""

    kind: Literal["end"] = "end"
    runs: int
    wall_s: float


class Refusal(Frozen):
    """What cannot be had, and why; of a choice the key that is wrong."""

    kind: Literal["refusal"] = "refusal"
    key: str
    words: str


class Rejected(Frozen):
    """Runs without a usable number that ended alike, with the words of one of them."""

    status: str
    runs: int
    words: tuple[str, ...]


class CampaignCell(Frozen):
    """A cell of a campaign so far: its headline's mean and the ends of its 95 % interval."""

    label: str
    succeeded: int
    failed: int
    invalid: int
    quantity: str
    unit: str
    decimals: int
    mean: float | None
    low: float | None
    high: float | None


class CampaignState(Frozen):
    """A folder of results at one moment.

    `runs_per_s` and `remaining_s` follow from how fast runs have ended since the server looks; `problem` says
    why the folder cannot be read now.
    """

    kind: Literal["campaign"] = "campaign"
    name: str
    title: str
    engine: str
    folder: str
    planned: int
    succeeded: int = 0
    failed: int = 0
    invalid: int = 0
    attempts: int = 0
    runs_per_s: float | None = None
    remaining_s: float | None = None
    rejected: tuple[Rejected, ...] = ()
    cells: tuple[CampaignCell, ...] = ()
    further_cells: int = 0
    problem: str = ""


Event = PlanEvent | RunEvent | PictureEvent | CellEvent | EndEvent | Refusal | CampaignState
