"""The questions: a scenario each, what of it is shown, and with what the others are compared."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bentpipe.ledger import Entry
from bentpipe.stats import metric_values


@dataclass(frozen=True, kw_only=True)
class Column:
    """A quantity of a table: its values over the succeeded runs of a cell, in its unit."""

    title: str
    unit: str
    decimals: int
    values: Callable[[Sequence[Entry]], Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What one scenario is asked.

    Attributes
    ----------
    name : str
        Of the scenario in scenarios/ and of the page in docs/questions.
    conditions : tuple of str
        The factors that nobody chooses, as the ledger names them: each combination is a group of rows.
    settings : tuple of str
        Those that are compared within a group.
    reference : mapping of str to str
        The setting that the others of a group are compared with.
    columns : tuple of Column
        What is shown; the first is compared.
    """

    name: str
    conditions: tuple[str, ...]
    settings: tuple[str, ...]
    reference: Mapping[str, str]
    columns: tuple[Column, ...]


def metric(name: str, title: str, unit: str, *, decimals: int, scale: float = 1.0) -> Column:
    """Return the column of a metric of the record, which `scale` brings to the unit."""
    return Column(
        title=title,
        unit=unit,
        decimals=decimals,
        values=lambda runs: [scale * value for value in metric_values(runs, name)],
    )


PAGE_LOAD_TIME = metric("plt_s", "page load time", "s", decimals=2)
FIRST_BYTE = metric("ttfb_s", "first byte", "s", decimals=2)
COMPLETION = metric("completion_s", "completion", "s", decimals=2)
GOODPUT = metric("goodput_bps", "goodput", "Mbit/s", decimals=2, scale=1e-6)
RESENT = metric("retransmitted_packets", "retransmitted", "packets", decimals=0)
PACKETS_UP = metric("wire_packets_up", "packets up", "", decimals=0)
ROUND_TRIP = metric("rtt_mean_s", "mean round trip", "ms", decimals=0, scale=1e3)
UTILISATION = metric("utilisation", "utilisation", "%", decimals=1, scale=100)
ACK_SHARE = metric("ack_utilisation", "return link", "%", decimals=1, scale=100)


def share(place: int) -> Column:
    """Return the column of what a flow gets of the goodput of all; the first is 0."""
    return Column(
        title=f"share of flow {place + 1}",
        unit="%",
        decimals=1,
        values=lambda runs: [100 * value for value in _known(run.record.flows[place].share for run in runs)],
    )


def round_trip(place: int) -> Column:
    """Return the column of a flow's mean smoothed round trip, queue included."""
    return Column(
        title=f"round trip of flow {place + 1}",
        unit="ms",
        decimals=0,
        values=lambda runs: [
            1e3 * value for value in _known(run.record.flows[place].rtt_mean_s for run in runs)
        ],
    )


QUESTIONS = (
    Question(
        name="search",
        conditions=("link", "bulk.transport", "bulk.size"),
        settings=("slow_start",),
        reference={"slow_start": "linux"},
        columns=(COMPLETION, RESENT),
    ),
    Question(
        name="careful-resume",
        conditions=("link", "cc"),
        settings=("resume.method", "resume.saved_capacity"),
        reference={"resume.method": "none"},
        columns=(COMPLETION, RESENT),
    ),
    Question(
        name="ack-frequency",
        conditions=("link", "link.forward.dvbs2.symbol_rate"),
        settings=("quic.ack_frequency.ack_eliciting_threshold",),
        reference={"quic.ack_frequency.ack_eliciting_threshold": "1"},
        columns=(GOODPUT, PACKETS_UP, ACK_SHARE),
    ),
    Question(
        name="l4s",
        conditions=("link.rtt", "bulk.flows"),
        settings=("link.forward.queue",),
        reference={"link.forward.queue": "1 BDP"},
        columns=(UTILISATION, share(1), round_trip(0), round_trip(1)),
    ),
    Question(
        name="quic-pep",
        conditions=("link", "terrestrial.loss"),
        settings=("pep",),
        reference={"pep": "none"},
        columns=(GOODPUT, RESENT),
    ),
    Question(
        name="dns",
        conditions=("link", "page"),
        settings=("dns", "dns.protocol", "dns.connection"),
        reference={"dns": "none"},
        columns=(PAGE_LOAD_TIME, FIRST_BYTE),
    ),
)


def of(name: str) -> Question:
    """Return the question of a name; raises KeyError."""
    return {question.name: question for question in QUESTIONS}[name]


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
