"""The long round trips: how many there are, and how far Hybla's lie above the others'."""

from collections.abc import Iterator

from bentpipe.stats import Interval, Phase, absolute_difference
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.claims.orders import pair_label
from bentpipe.studies.claypool2020.downloads import (
    CONTROLS,
    Downloads,
    longest_round_trip_s,
    round_trip_percentiles_ms,
)
from bentpipe.studies.measure import against, against_number, deviation_of, difference_of, nothing, share
from bentpipe.studies.rules import Agreement, Decision, Rule, above
from bentpipe.studies.verdict import Finding, Verdict, judge, verdict

TAIL_PERCENT = 99.0
"""Where a heavy tail is looked at."""


def tail_verdicts(downloads: Downloads) -> Iterator[Verdict]:
    """Figures 6 and 9."""
    yield _heavier(
        downloads,
        "overall-tails",
        "Overall: BBR and CUBIC have the heaviest tails of round trips",
        Phase.OVERALL,
        [(heavy, light) for heavy in ("bbr", "cubic") for light in ("hybla", "vivace")],
        source="section IV.C and Fig. 6",
    )
    limit_s = published.CUBIC_LONGEST_RTT_S
    longest = [
        longest_round_trip_s(d, span) for d in downloads["cubic"] if (span := d.flow.span(Phase.OVERALL))
    ]
    yield verdict(
        "overall-cubic-above-10-s",
        f"CUBIC has round trips above {limit_s:g} s",
        [judge("downloads that have any", share([each > limit_s for each in longest]), seen)],
        source="section IV.C and Fig. 6",
    )
    yield _heavier(
        downloads,
        "steady-cubic-tail",
        "Steady state: CUBIC has the longest round trips",
        Phase.STEADY,
        [("cubic", other) for other in CONTROLS if other != "cubic"],
        source="section IV.D and Fig. 9",
    )
    found = [each for control in CONTROLS for each in downloads[control]]
    samples = (each.round_trips(Phase.STEADY) for each in found)
    shares = [100 * each.share_from(published.LONG_RTT_S) for each in samples if each and len(each.rtt_s)]
    number = published.STEADY_RTT_FROM_2_S
    yield verdict(
        "steady-above-2-s",
        "Steady state: about 5 % of all round trips are 2 s or longer",
        [against("all downloads", shares, number, decimals=2)],
        source=number.source,
    )
    yield verdict(
        "steady-hybla-200-ms-above",
        "Steady state: Hybla's round trips are typically about 200 ms above any other's",
        [_above_others(downloads)],
        source=published.HYBLA_ABOVE_OTHERS.source,
    )


def _heavier(
    downloads: Downloads,
    claim_id: str,
    claim: str,
    phase: Phase,
    pairs: list[tuple[str, str]],
    *,
    source: str,
) -> Verdict:
    findings = []
    for pair in pairs:
        sample, reference = (round_trip_percentiles_ms(downloads[cc], phase, TAIL_PERCENT) for cc in pair)
        label = f"{pair_label(pair)}, {TAIL_PERCENT:g} % of round trips"
        findings.append(judge(label, difference_of(sample, reference), above))
    return verdict(claim_id, claim, findings, source=source)


def _above_others(downloads: Downloads) -> Finding:
    """Hybla's median round trip against the longest of the others'."""
    number = published.HYBLA_ABOVE_OTHERS
    medians = {cc: round_trip_percentiles_ms(downloads[cc], Phase.STEADY, 50) for cc in CONTROLS}
    others = {cc: each for cc, each in medians.items() if cc != "hybla" and each}
    label = "Hybla's median round trip above the next one's"
    if not medians["hybla"] or not others:
        return against_number(label, nothing("not measured"), number, ours="not measured")
    longest = max(others.values(), key=lambda each: sum(each) / len(each))
    value, ci = absolute_difference(medians["hybla"], longest)
    basis = f"{len(medians['hybla'])} runs"
    return against_number(
        label, deviation_of(value, ci, number.value, basis=basis), number, ours=f"{value:.0f} {number.unit}"
    )


def _seen(percent: float, _: Interval) -> Decision:
    return (Agreement.AGREES, "seen") if percent > 0 else (Agreement.DIFFERS, "never seen")


seen = Rule(claimed="seen", low=0.0, high=100.0, decide=_seen)
"""Claimed: it happens, in one of all downloads at least."""
