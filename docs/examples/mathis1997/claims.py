"""Every claim of the study as a pure function of runs."""

from bentpipe.stats import values_of
from bentpipe.studies.mathis1997 import published
from bentpipe.studies.measure import difference_of
from bentpipe.studies.rules import TOLERANCE_POINTS, about
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Verdict, judge, verdict

RULES: tuple[str, ...] = (
    "A change agrees when it is significant, has the equation's direction and is within "
    f"{TOLERANCE_POINTS:.0f} points of it.",
)
ASSUMPTIONS: tuple[str, ...] = ("The rate is the goodput of 600 s, slow start included.",)

REFERENCE = {"link.rtt": "100 ms", "link.forward.loss": "0.1 %"}
LOSSY = {**REFERENCE, "link.forward.loss": "0.4 %"}
NEAR = {**REFERENCE, "link.rtt": "50 ms"}


def claims(runs: Runs) -> tuple[Verdict, ...]:
    """Judge every claim; without runs it is not testable."""
    loss, rtt = published.FOUR_TIMES_THE_LOSS_PERCENT, published.HALF_THE_ROUND_TRIP_PERCENT
    return (
        verdict(
            "loss-times-four",
            "Four times the loss halves the rate",
            [_change(runs, "0.4 % against 0.1 %", LOSSY, loss)],
            source=published.EQUATION,
        ),
        verdict(
            "rtt-halved",
            "Half the round trip doubles the rate",
            [_change(runs, "50 ms against 100 ms", NEAR, rtt)],
            source=published.EQUATION,
        ),
    )


def _change(runs: Runs, label: str, cell: dict[str, str], published_percent: float) -> Finding:
    rates, reference = (values_of(runs, "goodput_bps", **each) for each in (cell, REFERENCE))
    return judge(label, difference_of(rates, reference), about(published_percent))
