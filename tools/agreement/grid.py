"""What the grid consists of, what is compared in each part of it, and how well it has to agree."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

HERE = Path(__file__).parent
LOSS = "link.forward.loss.p"
PIPE = ("link.forward.rate", "link.rtt", "link.forward.queue")
ON_DEMAND = ("link", "link.return.dama", "http", "cc", "page")
"""Factors of page loads over bandwidth on demand."""


class Judgement(Enum):
    """How a part of the grid is judged."""

    MEDIANS = "medians"
    """The medians of a cell by both engines, relative to each other."""
    DISTRIBUTIONS = "distributions"
    """That, and whether a two-sample test tells the runs of a cell apart."""
    CHANCE = "chance"
    """The test alone: a run has one of two outcomes, and the median of a few is either of them."""

    @property
    def has_test(self) -> bool:
        """Whether the runs of a cell are compared as samples."""
        return self is not Judgement.MEDIANS

    @property
    def has_medians(self) -> bool:
        """Whether the medians of a cell are held to the bars."""
        return self is not Judgement.CHANCE


class Company(Enum):
    """How many runs a machine emulates at once, so that they measure the link and not each other."""

    ALONE = 1
    """Where milliseconds count."""
    ONE_A_CORE = 2
    FEW_A_CORE = 4
    """Loss keeps flows far below the rate of their link: a world takes little of a core."""
    SOME_A_CORE = 8
    """Ten times the loss, a third of the rate; or a long RTT, of which milliseconds are a small part."""
    MANY_A_CORE = 16
    """Both."""

    def runs_at_once(self, cores: int) -> int:
        """Return how many runs that are on a machine of so many cores.

        Few a core was found by trial on two cores: with more, bursts of late acknowledgements overflow small
        queues. The larger companies carry about as many packets, by the loss (Mathis et al. 1997); a run that
        they make late is repeated in less.
        """
        return 1 if self is Company.ALONE else max(1, self.value * cores // 2)


@dataclass(frozen=True, kw_only=True)
class Part:
    """A scenario whose runs keep company, and the folder of their results; both have its name."""

    name: str
    company: Company
    by_loss: Mapping[str, Company] = field(default_factory=dict)
    """The company of runs with these losses, as the scenario writes them."""

    @property
    def scenario(self) -> Path:
        """The file that says which runs there are."""
        return HERE / f"{self.name}.toml"

    def company_of(self, factors: Mapping[str, str]) -> Company:
        """Return the company that a run of these factors bears."""
        return self.by_loss.get(factors.get(LOSS, ""), self.company)


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
BY_WAITS = Bars(median=0.15, worst=0.15)
"""Of a queue that marks what waited longer than a millisecond, or by chance."""


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
    remark : str
        What is known of cells that disagree: the mechanism, and how it was found.
    """

    name: str
    title: str
    parts: tuple[Part, ...]
    quantity: Quantity
    factors: tuple[str, ...]
    bars: Bars
    judgement: Judgement = Judgement.MEDIANS
    remark: str = ""


TEST_LEVEL = 0.01
"""Level of the two-sample test of each lossy cell."""

LEAST_INDISTINGUISHABLE = 0.9
"""Share of the lossy cells that the test must not tell apart."""

HANDSHAKE_TIME = """\
A TLS handshake takes 0.1 to 0.5 ms at either end on the kernel, by default none in virtual time. With
`tcp.connect_retry` five connections' requests and handshakes therefore leave in another order on the kernel,
where HyStart ends slow start early. With [times as measured](models/host.md) the simulator has 4.90 s too."""

ONE_OF_TWO = """\
Over 20 Mbit/s and 300 ms Hybla takes 9.92 or 10.20 s, which the phase of the kernel's clock decides in either
engine: of 24 simulated runs 9 and 15."""

LATE_AND_MARKED = """\
DualPI2 marks Prague's packets that waited 0.8 ms or longer. On the kernel a sender, a receiver or the link
now and then wakes up later than that; the burst that follows is partly marked. With acknowledgements held for
up to 3 ms in one millisecond of a hundred (`link.return.jitter`) the simulator's Prague takes 8.6 to 8.9 s
instead of 8.4 s."""

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
            "tls.key_exchange",
            "tcp.fast_open",
            "tcp.connect_retry",
            "host.client.tls_handshake",
            "pep",
            "dns",
        ),
        bars=WITHOUT_LOSS,
        remark=HANDSHAKE_TIME,
    ),
    Kind(
        name="satellite",
        title="Page loads over DVB-S2 and bandwidth on demand",
        parts=(Part(name="satellite", company=Company.ONE_A_CORE),),
        quantity=PAGE_LOAD_TIME,
        factors=ON_DEMAND,
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="satellite-by-chance",
        title="Page loads over bandwidth on demand with one of two outcomes",
        parts=(Part(name="satellite-by-chance", company=Company.ONE_A_CORE),),
        quantity=PAGE_LOAD_TIME,
        factors=ON_DEMAND,
        bars=WITHOUT_LOSS,
        judgement=Judgement.CHANCE,
    ),
    Kind(
        name="bulk",
        title="Bulk flows without random loss",
        parts=(Part(name="bulk", company=Company.ONE_A_CORE),),
        quantity=COMPLETION,
        factors=(*PIPE, "bulk.size", "bulk.transport", "quic.ack_frequency.ack_eliciting_threshold", "pep"),
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="lossy",
        title="Bulk flows with random loss",
        parts=(
            Part(
                name="lossy-short-rtt",
                company=Company.FEW_A_CORE,
                by_loss={"1 %": Company.SOME_A_CORE},
            ),
            Part(
                name="lossy-long-rtt",
                company=Company.SOME_A_CORE,
                by_loss={"1 %": Company.MANY_A_CORE},
            ),
        ),
        quantity=GOODPUT,
        factors=(*PIPE, LOSS),
        bars=WITH_LOSS,
        judgement=Judgement.DISTRIBUTIONS,
    ),
    Kind(
        name="bulk-bbr",
        title="Bulk flows of BBR without random loss",
        parts=(Part(name="bulk-bbr", company=Company.ONE_A_CORE),),
        quantity=COMPLETION,
        factors=PIPE,
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="loaded-controls",
        title="Hybla and PCC Vivace without random loss",
        parts=(Part(name="loaded-controls", company=Company.ONE_A_CORE),),
        quantity=COMPLETION,
        factors=("cc", "link.forward.rate", "link.rtt"),
        bars=LOADED_WITHOUT_LOSS,
        remark=ONE_OF_TWO,
    ),
    Kind(
        name="loaded-controls-lossy",
        title="Hybla and PCC Vivace with random loss",
        parts=(Part(name="loaded-controls-lossy", company=Company.FEW_A_CORE),),
        quantity=COMPLETION,
        factors=("cc", "link.forward.rate", "link.rtt", LOSS),
        bars=LOADED_WITH_LOSS,
    ),
    Kind(
        name="transports",
        title="Slow starts, resumed windows and marks",
        parts=(Part(name="transports", company=Company.ALONE),),
        quantity=COMPLETION,
        factors=(
            "bulk.transport",
            "link.rtt",
            "link.forward.queue",
            "slow_start",
            "resume.saved_capacity",
            "tcp.ecn",
        ),
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="dualpi2",
        title="Flows through DualPI2",
        parts=(Part(name="dualpi2", company=Company.ALONE),),
        quantity=COMPLETION,
        factors=("cc",),
        bars=BY_WAITS,
        remark=LATE_AND_MARKED,
    ),
    Kind(
        name="changing-pages",
        title="Page loads over paths that change",
        parts=(Part(name="changing-pages", company=Company.ALONE),),
        quantity=PAGE_LOAD_TIME,
        factors=("link", "http"),
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="changing-flows",
        title="Flows over paths that change",
        parts=(Part(name="changing-flows", company=Company.ONE_A_CORE),),
        quantity=GOODPUT,
        factors=("link", "cc"),
        bars=WITHOUT_LOSS,
    ),
    Kind(
        name="changing-flows-by-chance",
        title="Flows over paths that change, with jitter and random losses",
        parts=(Part(name="changing-flows-by-chance", company=Company.ONE_A_CORE),),
        quantity=GOODPUT,
        factors=("link", "cc"),
        bars=WITHOUT_LOSS,
        judgement=Judgement.CHANCE,
    ),
)
