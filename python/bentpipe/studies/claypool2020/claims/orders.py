"""The study's claims about which congestion control has more of something than which."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bentpipe.figures.style import control_label
from bentpipe.stats import Phase
from bentpipe.studies.claypool2020.downloads import (
    CONTROLS,
    MEDIAN,
    NINETIETH,
    POWER,
    RESENT,
    RTT,
    TENTH,
    THROUGHPUT,
    Downloads,
    Quantity,
    values,
)
from bentpipe.studies.rules import Rule, above, alike, below, fewer, more
from bentpipe.studies.verdict import Finding, Verdict, judge, verdict


@dataclass(frozen=True, kw_only=True)
class Order:
    """For every pair the rule holds of the first against the second."""

    claim_id: str
    claim: str
    source: str
    phase: Phase
    quantity: Quantity
    pairs: Sequence[tuple[str, str]]
    rule: Rule


def order_verdicts(downloads: Downloads) -> Iterator[Verdict]:
    """Judge each order on each of its pairs."""
    return (
        verdict(
            order.claim_id,
            order.claim,
            [_finding(downloads, order, pair) for pair in order.pairs],
            source=order.source,
        )
        for order in ORDERS
    )


def pair_label(pair: tuple[str, str]) -> str:
    """How a finding of two congestion controls is headed."""
    return " against ".join(map(control_label, pair))


def _finding(downloads: Downloads, order: Order, pair: tuple[str, str]) -> Finding:
    sample, reference = (values(downloads[control], order.phase, order.quantity) for control in pair)
    return judge(pair_label(pair), order.quantity.compared(sample, reference), order.rule)


def _others(control: str) -> list[tuple[str, str]]:
    """The congestion control against every other."""
    return [(control, other) for other in CONTROLS if other != control]


_II, _IV, _V, _VII, _VIII, _X = (f"Table {number}" for number in ("II", "IV", "V", "VII", "VIII", "X"))
_F5, _F7, _F8, _F10 = (f"Fig. {number}" for number in (5, 7, 8, 10))

_OVERALL = (
    ("hybla-fastest", "Hybla has the highest throughput", _II, THROUGHPUT, above, _others("hybla")),
    ("bbr-faster", "BBR is faster than CUBIC", "Table III", THROUGHPUT, above, [("bbr", "cubic")]),
    ("pcc-alike", "PCC is as fast as CUBIC", "Table III", THROUGHPUT, alike, [("vivace", "cubic")]),
    ("hybla-tenth-highest", "Hybla's slow seconds (10 %) are the fastest", _F5, TENTH, above,
     _others("hybla")),
    ("bbr-median-alike", "BBR's median second is as fast as Hybla's", _F5, MEDIAN, alike, [("bbr", "hybla")]),
    ("cubic-median-lower", "CUBIC's median second is slower than BBR's and Hybla's", _F5, MEDIAN, below,
     [("cubic", "bbr"), ("cubic", "hybla")]),
    ("pcc-median-lower", "PCC's median second is slower than BBR's and Hybla's", _F5, MEDIAN, below,
     [("vivace", "bbr"), ("vivace", "hybla")]),
    ("bbr-ninetieth-highest", "BBR's fast seconds (90 %) are the fastest", _F5, NINETIETH, above,
     _others("bbr")),
    ("cubic-ninetieth-alike", "CUBIC's fast seconds (90 %) are as fast as Hybla's", _F5, NINETIETH, alike,
     [("cubic", "hybla")]),
    ("pcc-ninetieth-lowest", "PCC's fast seconds (90 %) are the slowest", _F5, NINETIETH, below,
     _others("vivace")),
    ("pcc-shortest", "PCC has the shortest round trips", _IV, RTT, below, _others("vivace")),
    ("hybla-longest", "Hybla has the longest round trips", _IV, RTT, above, _others("hybla")),
    ("bbr-rtt-alike", "BBR's round trips are as long as CUBIC's", _IV, RTT, alike, [("bbr", "cubic")]),
    ("pcc-power", "PCC has the most power", _X, POWER, above, _others("vivace")),
    ("cubic-power", "CUBIC has the least power", _X, POWER, below, _others("cubic")),
    ("bbr-power-alike", "BBR has about CUBIC's power", _X, POWER, alike, [("bbr", "cubic")]),
    ("hybla-power-alike", "Hybla has about PCC's power", _X, POWER, alike, [("hybla", "vivace")]),
    ("hybla-resent", "Hybla sends the least again", _F7, RESENT, fewer, _others("hybla")),
    ("bbr-resent", "BBR sends more again than PCC", _F7, RESENT, more, [("bbr", "vivace")]),
    ("cubic-resent", "CUBIC sends more again than PCC", _F7, RESENT, more, [("cubic", "vivace")]),
)  # fmt: skip
_STEADY = (
    ("hybla-faster", "Hybla is faster than CUBIC", "Table VI", THROUGHPUT, above, [("hybla", "cubic")]),
    ("bbr-slower", "BBR is slower than CUBIC", "Table VI", THROUGHPUT, below, [("bbr", "cubic")]),
    ("pcc-slower", "PCC is slower than CUBIC", "Table VI", THROUGHPUT, below, [("vivace", "cubic")]),
    ("bbr-pcc-alike", "BBR is as fast as PCC", _V, THROUGHPUT, alike, [("bbr", "vivace")]),
    ("bbr-tenth-lowest", "BBR's slow seconds (10 %) are the slowest", _F8, TENTH, below, _others("bbr")),
    ("pcc-tenth-lower", "PCC's slow seconds (10 %) are slower than CUBIC's and Hybla's", _F8, TENTH, below,
     [("vivace", "cubic"), ("vivace", "hybla")]),
    ("medians-alike", "The median seconds of BBR, CUBIC and Hybla are as fast as each other", _F8, MEDIAN,
     alike, [("bbr", "cubic"), ("bbr", "hybla"), ("cubic", "hybla")]),
    ("pcc-median-lower", "PCC's median second is the slowest", _F8, MEDIAN, below, _others("vivace")),
    ("ninetieth-order", "Fast seconds (90 %): BBR before CUBIC, Hybla, PCC", _F8, NINETIETH, above,
     [("bbr", "cubic"), ("cubic", "hybla"), ("hybla", "vivace")]),
    ("pcc-shortest", "PCC has the shortest round trips", _VII, RTT, below, _others("vivace")),
    ("hybla-longest", "Hybla has the longest round trips", _VII, RTT, above, _others("hybla")),
    ("bbr-rtt-lower", "BBR's round trips are shorter than CUBIC's", _VII, RTT, below, [("bbr", "cubic")]),
    ("pcc-power", "PCC has the most power", _X, POWER, above, _others("vivace")),
    ("cubic-power-second", "CUBIC has more power than BBR and Hybla", _X, POWER, above,
     [("cubic", "bbr"), ("cubic", "hybla")]),
    ("cubic-resent", "CUBIC sends the most again", _F10, RESENT, more, _others("cubic")),
    ("hybla-resent", "Hybla sends the least again", _F10, RESENT, fewer, _others("hybla")),
    ("bbr-resent", "BBR sends more again than PCC", _F10, RESENT, more, [("bbr", "vivace")]),
)  # fmt: skip
_START_UP = (
    ("hybla-fastest", "Hybla has the highest throughput", _VIII, THROUGHPUT, above, _others("hybla")),
    ("bbr-faster", "BBR is faster than PCC", _VIII, THROUGHPUT, above, [("bbr", "vivace")]),
    ("pcc-faster", "PCC is faster than CUBIC", "Table IX", THROUGHPUT, above, [("vivace", "cubic")]),
    ("cubic-shortest", "CUBIC has the shortest round trips", _VIII, RTT, below, _others("cubic")),
    ("bbr-longest", "BBR has the longest round trips", _VIII, RTT, above, _others("bbr")),
    ("hybla-power", "Hybla has the most power", _X, POWER, above, _others("hybla")),
    ("pcc-resent", "PCC sends less again than BBR", "Fig. 4", RESENT, fewer, [("vivace", "bbr")]),
)

ORDERS = tuple(
    Order(
        claim_id=f"{phase.slug}-{claim_id}",
        claim=f"{phase.value.capitalize()}: {claim}",
        source=source,
        phase=phase,
        quantity=quantity,
        pairs=pairs,
        rule=rule,
    )
    for phase, claims in (
        (Phase.OVERALL, _OVERALL),
        (Phase.STEADY, _STEADY),
        (Phase.START_UP, _START_UP),
    )
    for claim_id, claim, source, quantity, rule, pairs in claims
)
