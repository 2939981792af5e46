"""Every claim of the study as a pure function of its downloads and echoes."""

from bentpipe.studies.claypool2020 import baseline, published
from bentpipe.studies.claypool2020.claims.levels import caption_verdicts, level_verdicts, power_verdicts
from bentpipe.studies.claypool2020.claims.object_times import object_time_verdicts
from bentpipe.studies.claypool2020.claims.orders import order_verdicts
from bentpipe.studies.claypool2020.claims.representative import OFTEN_PERCENT, representative_verdicts
from bentpipe.studies.claypool2020.claims.retransmissions import (
    ALWAYS_PERCENT,
    NEARLY_ALWAYS_PERCENT,
    retransmission_verdicts,
)
from bentpipe.studies.claypool2020.claims.spreads import effect_size_verdicts, spread_verdicts
from bentpipe.studies.claypool2020.claims.tails import TAIL_PERCENT, tail_verdicts
from bentpipe.studies.claypool2020.downloads import downloads, echoes
from bentpipe.studies.margins import LEVEL_MARGIN_PERCENT, ROUGH_MARGIN_PERCENT, TIME_MARGIN_PERCENT
from bentpipe.studies.rules import SMALLEST_EFFECT_PERCENT, TOLERANCE_POINTS
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Verdict

RULES: tuple[str, ...] = (
    "Each download gives one value; means and their intervals are over downloads (95 %, Student's t, of "
    "differences Fieller's). Differences are in percent of the second of the two; those of packets "
    "retransmitted in points, with Welch's interval.",
    "A claimed order agrees when, for every pair named, the whole interval of the difference lies on its "
    f"side of zero, and the difference is {SMALLEST_EFFECT_PERCENT:g} % or more. It differs when the "
    "interval includes zero (no significant difference) or lies on the other side.",
    f"As fast agrees when the whole interval lies within {TOLERANCE_POINTS:.0f} % of equal.",
    f"A published mean agrees when ours lies within {LEVEL_MARGIN_PERCENT:.0f} % of it, and differs when it "
    "lies further away than that and both intervals.",
    "Times in whole seconds and the ten seconds between BBR's dips agree within "
    f"{TIME_MARGIN_PERCENT:.0f} %; what is said to be about a number, and what one representative download "
    f"has, within {ROUGH_MARGIN_PERCENT:.0f} %; small numbers of one digit within "
    f"{published.SMALL_MARGIN_PERCENT:.0f} %.",
    f"Nearly always means {NEARLY_ALWAYS_PERCENT:.0f} % of the downloads or more, at most "
    f"{ALWAYS_PERCENT:.0f} % or more of them, typical {OFTEN_PERCENT:.0f} % or more, with the whole "
    f"interval; three quarters and one fifth agree within {TOLERANCE_POINTS:.0f} points.",
    "Spreads are standard deviations over downloads, their ratios with Fisher's interval. An effect size "
    "agrees when it is of the class that the study gives it (below 0.2, 0.5, 0.8 or above), or within the "
    "interval of the study's own.",
    f"A heavy tail is a long round trip at {TAIL_PERCENT:g} %.",
    f"The baseline's round trips agree within {baseline.RTT_MARGIN_PERCENT:.0f} %, its losses within "
    f"{baseline.LOSS_MARGIN_PERCENT:.0f} %, the share of single losses within "
    f"{baseline.SINGLE_MARGIN_PERCENT:g} %, all runs together; the intervals are a jackknife's over runs. "
    "The link was made from them, so that they do not count.",
    "A claim about several numbers agrees only when each does, and differs when one does.",
)

ASSUMPTIONS: tuple[str, ...] = (
    "Start-up is the first 50 MB: Table VIII cannot be the first 30 s, as its caption says, and section IV.E "
    "takes the two for the same. Its numbers are judged as both.",
    "The study's PCC is a kernel module of Compira Labs with Vivace's utility function that minds latency; "
    "ours is Vivace built from its paper.",
    "Round trips are the sender's smoothed ones every 100 ms, each counted by the bytes that came in its "
    "interval; the study's are of each ACK.",
    "Packets retransmitted are in percent of those sent. A download is one value of their distribution: the "
    "study does not say what its distributions are over.",
    "Start-up and object times count from the first packet of the handshake.",
    "A phase's throughput is its bytes over its length; percentiles are of its whole seconds. Bytes count "
    "when the application gets them, so that those behind a lost packet come at once when it has come.",
    "A cycle has no pause: each run has a world of its own, in which nothing of the last one is left. There "
    "is no time of day.",
    "The study's standard deviations are the uncertainty of its means, and no claims by themselves; what it "
    "says of them is.",
)


def claims(runs: Runs) -> tuple[Verdict, ...]:
    """Judge every claim; without runs it is not testable."""
    found = downloads(runs)
    return (
        *baseline.verdicts(echoes(runs)),
        *representative_verdicts(found),
        *level_verdicts(found),
        *caption_verdicts(found),
        *power_verdicts(found),
        *order_verdicts(found),
        *spread_verdicts(found),
        *effect_size_verdicts(found),
        *tail_verdicts(found),
        *retransmission_verdicts(found),
        *object_time_verdicts(found),
    )
