"""The study's claims about which congestion control has more of something than which."""

from collections.abc import Sequence
from dataclasses import dataclass

from bentpipe.stats import Phase
from bentpipe.studies.claypool2020.downloads import CONTROLS, POWER, RESENT, RTT, THROUGHPUT, Quantity
from bentpipe.studies.rules import Rule, above, alike, below, fewer, more


@dataclass(frozen=True, kw_only=True)
class Order:
    """For every pair the rule holds of the first against the second."""

    claim_id: str
    claim: str
    phase: Phase
    quantity: Quantity
    pairs: Sequence[tuple[str, str]]
    rule: Rule


def _others(control: str) -> list[tuple[str, str]]:
    """The congestion control against every other."""
    return [(control, other) for other in CONTROLS if other != control]


_OVERALL = (
    ("hybla-fastest", "Hybla has the highest throughput", THROUGHPUT, above, _others("hybla")),
    ("bbr-faster", "BBR is faster than CUBIC", THROUGHPUT, above, [("bbr", "cubic")]),
    ("pcc-alike", "PCC is as fast as CUBIC", THROUGHPUT, alike, [("vivace", "cubic")]),
    ("pcc-shortest", "PCC has the shortest round trips", RTT, below, _others("vivace")),
    ("hybla-longest", "Hybla has the longest round trips", RTT, above, _others("hybla")),
    ("pcc-power", "PCC has the most power", POWER, above, _others("vivace")),
    ("hybla-resent", "Hybla sends the least again", RESENT, fewer, _others("hybla")),
    ("bbr-resent", "BBR sends more again than PCC", RESENT, more, [("bbr", "vivace")]),
    ("cubic-resent", "CUBIC sends more again than PCC", RESENT, more, [("cubic", "vivace")]),
)
_STEADY = (
    ("hybla-faster", "Hybla is faster than CUBIC", THROUGHPUT, above, [("hybla", "cubic")]),
    ("bbr-slower", "BBR is slower than CUBIC", THROUGHPUT, below, [("bbr", "cubic")]),
    ("pcc-slower", "PCC is slower than CUBIC", THROUGHPUT, below, [("vivace", "cubic")]),
    ("pcc-shortest", "PCC has the shortest round trips", RTT, below, _others("vivace")),
    ("hybla-longest", "Hybla has the longest round trips", RTT, above, _others("hybla")),
    ("pcc-power", "PCC has the most power", POWER, above, _others("vivace")),
)
_START_UP = (
    ("hybla-fastest", "Hybla has the highest throughput", THROUGHPUT, above, _others("hybla")),
    ("bbr-faster", "BBR is faster than PCC", THROUGHPUT, above, [("bbr", "vivace")]),
    ("pcc-faster", "PCC is faster than CUBIC", THROUGHPUT, above, [("vivace", "cubic")]),
    ("cubic-shortest", "CUBIC has the shortest round trips", RTT, below, _others("cubic")),
    ("bbr-longest", "BBR has the longest round trips", RTT, above, _others("bbr")),
    ("hybla-power", "Hybla has the most power", POWER, above, _others("hybla")),
)

ORDERS = tuple(
    Order(
        claim_id=f"{phase.slug}-{claim_id}",
        claim=f"{phase.value.capitalize()}: {claim}",
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
    for claim_id, claim, quantity, rule, pairs in claims
)
