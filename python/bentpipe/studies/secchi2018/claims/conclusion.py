"""Section 6: what the paper concludes from all of it."""

from collections.abc import Iterator

from bentpipe.figures.style import look
from bentpipe.stats import mean_relative_difference
from bentpipe.studies import rules
from bentpipe.studies.measure import deviation, difference, difference_of, nothing
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import (
    AMPLE_BUFFER,
    DECIDING,
    LARGEST_KB,
    ONE_AT_A_TIME,
    OVER_A_HUNDRED,
    PAGES,
    PEP,
    TOTALS_KB,
    TUNNEL,
    cell,
    page,
)
from bentpipe.studies.secchi2018.measured import times_s
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Measurement, Standing, Verdict, judge, verdict

MOST_PERCENT = 50.0
"""Most of a penalty is more than half of it."""
_CONCLUSION = "section 6"


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    yield verdict(
        "h1-can-outperform-h2",
        "With the PEP, HTTP/1.1 can outperform HTTP/2",
        [_best_of_large_objects(runs)],
        source=_CONCLUSION,
    )
    yield verdict(
        "h2-tens-of-seconds-earlier",
        "Beyond a hundred objects HTTP/2 is tens of seconds faster than HTTP(S)",
        [
            judge(
                f"{look(http).label} less SPDY, {name}, against {published.TENS_OF_SECONDS_S:.0f} s",
                deviation(_later_s(runs, http, name), published.TENS_OF_SECONDS_S),
                rules.above,
            )
            for http in ONE_AT_A_TIME
            for name in OVER_A_HUNDRED
        ],
        source=_CONCLUSION,
    )
    yield from _buffers(runs)
    yield verdict(
        "pep-removes-start-up",
        "The PEP removes most of the start-up penalty of HTTP/2",
        [
            judge(
                "SPDY: penalty with the PEP against that without",
                _penalties(runs),
                rules.less_than(-MOST_PERCENT),
            )
        ],
        source="section 4.5, which gives no number",
        standing=Standing.PROPERTY,
        note="The paper says that a PEP compensates for the effects of TCP's start-up. That half of "
        "it is most is ours.",
    )


def _best_of_large_objects(runs: Runs) -> Finding:
    """Of the pages of few large objects the one on which HTTP/1.1 is furthest below HTTP/2."""
    found = [
        (
            name,
            difference(
                runs,
                "plt_s",
                sample=cell("h1", pep=PEP),
                reference=cell(DECIDING, pep=PEP),
                pages=[(name, name)],
            ),
        )
        for name in (page(total, LARGEST_KB) for total in TOTALS_KB)
    ]
    name, measured = min(found, key=lambda each: 0.0 if each[1].percent is None else each[1].percent)
    return judge(f"HTTP/1.1 against SPDY, {name}", measured, rules.below)


def _later_s(runs: Runs, http: str, name: str) -> list[float]:
    return [
        one - other
        for one, other in zip(times_s(runs, http, name), times_s(runs, DECIDING, name), strict=False)
    ]


def _buffers(runs: Runs) -> Iterator[Verdict]:
    name = page(max(TOTALS_KB), LARGEST_KB)
    for claim_id, claim, pep, rule in (
        (
            "buffer-limits-without-pep",
            "Without the PEP the client's buffer limits HTTP/2",
            TUNNEL,
            rules.below,
        ),
        (
            "buffer-does-not-limit-with-pep",
            "With the PEP the client's buffer does not limit",
            PEP,
            rules.alike,
        ),
    ):
        yield verdict(
            claim_id,
            claim,
            [
                judge(
                    f"SPDY, {name}: a buffer of {AMPLE_BUFFER} against the client's",
                    difference_of(
                        times_s(runs, DECIDING, name, pep=pep, buffer=AMPLE_BUFFER),
                        times_s(runs, DECIDING, name, pep=pep),
                    ),
                    rule,
                )
            ],
            source=_CONCLUSION,
        )


def _penalties(runs: Runs) -> Measurement:
    """How far the penalty with the PEP lies above that without, mean over pages."""
    strata = []
    for name, (total_kb, _) in PAGES.items():
        ideal_s = total_kb * 8e3 / published.FORWARD_BPS
        above = [[time - ideal_s for time in times_s(runs, DECIDING, name, pep=pep)] for pep in (PEP, TUNNEL)]
        if all(above):
            strata.append((above[0], above[1]))
    if not strata:
        return nothing("not measured: SPDY with and without the PEP")
    found = mean_relative_difference(strata)
    return Measurement(
        percent=100 * found.value,
        ci=found.ci.scaled(100) if found.ci else None,
        basis=f"{len(strata)} pages",
        gap=f"only {len(strata)} of {len(PAGES)} pages measured" if len(strata) < len(PAGES) else None,
    )
