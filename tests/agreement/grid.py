"""What the grid consists of, what is compared in each part of it, and how well it has to agree."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

HERE = Path(__file__).parent


class Judgement(Enum):
    """How a part of the grid is judged."""

    MEDIANS = "medians"
    """The medians of a cell by both engines, relative to each other."""
    DISTRIBUTIONS = "distributions"
    """That, and whether a two-sample test tells the runs of a cell apart."""


class Company(Enum):
    """How many runs a machine emulates at once, so that they measure the link and not each other."""

    ALONE = "alone"
    """Where milliseconds count."""
    ONE_A_CORE = "one a core"
    FEW_A_CORE = "few a core"
    """Loss keeps flows far below the rate of their link: a world takes little of a core."""
    MANY_A_CORE = "many a core"
    """That, and a long RTT makes milliseconds small."""

    def runs_at_once(self, cores: int) -> int:
        """Return how many runs that are on a machine of so many cores."""
        match self:
            case Company.ALONE:
                return 1
            case Company.ONE_A_CORE:
                return cores
            case Company.FEW_A_CORE:
                return FEW * cores
            case Company.MANY_A_CORE:
                return MANY * cores


FEW, MANY = 2, 6
"""Found by trial: with more, bursts of late acknowledgements overflow small queues."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A scenario whose runs keep company, and the folder of their results; both have its name."""

    name: str
    company: Company

    @property
    def scenario(self) -> Path:
        """The file that says which runs there are."""
        return HERE / f"{self.name}.toml"


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """What is compared: a metric of the record, with its name and unit in print."""

    metric: str
    title: str
    unit: str
    scale: float = 1.0
    """What a value of the metric is multiplied by to be in that unit."""


PAGE_LOAD_TIME = Quantity(metric="plt_s", title="page load time", unit="s")
COMPLETION = Quantity(metric="completion_s", title="completion time", unit="s")
GOODPUT = Quantity(metric="goodput_bps", title="goodput", unit="Mbit/s", scale=1e-6)


@dataclass(frozen=True, kw_only=True)
class Bars:
    """The largest tolerated median and the largest tolerated single error of a cell, as fractions."""

    median: float
    worst: float


WITHOUT_LOSS = Bars(median=0.03, worst=0.08)
WITH_LOSS = Bars(median=0.10, worst=0.10)
LOADED_WITHOUT_LOSS = Bars(median=0.10, worst=0.10)
"""Of two implementations in two languages, one in integers and one in floating point."""
LOADED_WITH_LOSS = Bars(median=0.15, worst=0.15)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Cells that are judged together: their scenarios, what is compared and the bars.

    Attributes
    ----------
    name : str
        What it is called on the command line.
    title : str
        What it is called in print.
    parts : tuple of Part
        Its scenarios.
    quantity : Quantity
        What is compared.
    factors : tuple of str
        What tells its cells apart, in the order in which people read it.
    bars : Bars
        How well it has to agree.
    judgement : Judgement
        What is compared besides.
    """

    name: str
    title: str
    parts: tuple[Part, ...]
    quantity: Quantity
    factors: tuple[str, ...]
    bars: Bars
    judgement: Judgement = Judgement.MEDIANS


TEST_LEVEL = 0.01
"""Level of the two-sample test of each lossy cell."""

LEAST_INDISTINGUISHABLE = 0.9
"""Share of the lossy cells that the test must not tell apart."""

KINDS = (
    Kind(
        name="pages",
        title="Page loads",
        parts=(
            Part(name="pages-geo", company=Company.ONE_A_CORE),
            Part(name="pages-lan", company=Company.ALONE),
        ),
        quantity=PAGE_LOAD_TIME,
        factors=("link", "http", "cc", "page"),
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="protocols",
        title="Page loads by every protocol, handshake and proxy",
        parts=(Part(name="protocols", company=Company.ALONE),),
        quantity=PAGE_LOAD_TIME,
        factors=(
            "http",
            "connections",
            "requests_per_connection",
            "pipelining",
            "push",
            "priorities",
            "visit",
            "tls.version",
            "tls.resumption",
            "tcp.fast_open",
            "tcp.connect_retry",
            "pep",
        ),
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="satellite",
        title="Page loads over DVB-S2 and bandwidth on demand",
        parts=(Part(name="satellite", company=Company.ONE_A_CORE),),
        quantity=PAGE_LOAD_TIME,
        factors=("link", "link.return.dama", "http", "cc", "page"),
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="bulk",
        title="Bulk flows without random loss",
        parts=(Part(name="bulk", company=Company.ONE_A_CORE),),
        quantity=COMPLETION,
        factors=("link.forward.rate", "link.rtt", "link.forward.queue", "bulk.size"),
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="lossy",
        title="Bulk flows with random loss",
        parts=(
            Part(name="lossy-short-rtt", company=Company.FEW_A_CORE),
            Part(name="lossy-long-rtt", company=Company.MANY_A_CORE),
        ),
        quantity=GOODPUT,
        factors=("link.forward.rate", "link.rtt", "link.forward.queue", "link.forward.loss.p"),
        bars=WITH_LOSS,
        judgement=Judgement.DISTRIBUTIONS,
    ),
    Kind(
        name="bulk-bbr",
        title="Bulk flows of BBR without random loss",
        parts=(Part(name="bulk-bbr", company=Company.ONE_A_CORE),),
        quantity=COMPLETION,
        factors=("link.forward.rate", "link.rtt", "link.forward.queue"),
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="loaded-controls",
        title="Hybla and PCC Vivace without random loss",
        parts=(Part(name="loaded-controls", company=Company.ONE_A_CORE),),
        quantity=COMPLETION,
        factors=("cc", "link.forward.rate", "link.rtt"),
        bars=LOADED_WITHOUT_LOSS,
    ),
    Kind(
        name="loaded-controls-lossy",
        title="Hybla and PCC Vivace with random loss",
        parts=(Part(name="loaded-controls-lossy", company=Company.FEW_A_CORE),),
        quantity=COMPLETION,
        factors=("cc", "link.forward.rate", "link.rtt", "link.forward.loss.p"),
        bars=LOADED_WITH_LOSS,
    ),
)
