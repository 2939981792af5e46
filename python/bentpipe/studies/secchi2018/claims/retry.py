"""Section 4.6: a client that opens a second connection after 250 ms, and one that waits for 1500 ms."""

from collections.abc import Iterator, Sequence

from bentpipe.figures.style import look
from bentpipe.stats import mean_relative_difference, select
from bentpipe.studies import rules
from bentpipe.studies.measure import difference, nothing, points_of, share
from bentpipe.studies.rules import Rule
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import (
    DECIDING,
    EAGER,
    EVERY_PAGE,
    LARGEST_KB,
    PAGES,
    PATHS,
    PATIENT,
    PEP,
    SMALLEST_KB,
    STUDIED,
    TOTALS_KB,
    TUNNEL,
    cell,
    page,
)
from bentpipe.studies.secchi2018.measured import connections, times_s
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Measurement, Verdict, judge, verdict

ALWAYS_PERCENT = 95.0
_AT_START = "section 4.6"
_IN_FIGURES = "section 4.6 of Fig. 5a and 5b"


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    yield from _connections(runs)
    yield from _load_times(runs)


def _connections(runs: Runs) -> Iterator[Verdict]:
    always, never = rules.at_least(ALWAYS_PERCENT), rules.less_than(100 - ALWAYS_PERCENT)
    yield verdict(
        "retry-duplicates",
        "Past the PEP, a retry timeout of 250 ms opens duplicate connections, one of 1500 ms does not",
        [
            _with_duplicates(runs, http, retry, rule)
            for http in STUDIED
            for retry, rule in ((EAGER, always), (PATIENT, never))
        ],
        source=_AT_START,
    )
    least, most = published.CONNECTIONS_AT_START
    loads = select(runs, **cell(DECIDING, pep=TUNNEL, retry=EAGER))
    opened = [1 + connections(run).duplicates for run in loads]
    yield verdict(
        "three-to-five-connections",
        "A retry timeout of 250 ms opens three to five connections at the start of HTTP/2",
        [
            judge(
                f"SPDY without the PEP: loads with {least} to {most} connections at the start",
                share([least <= number <= most for number in opened]),
                always,
            )
        ],
        source=_AT_START,
    )


def _load_times(runs: Runs) -> Iterator[Verdict]:
    yield verdict(
        "retry-1500-faster",
        "With a retry timeout of 1500 ms load times fall, with and without the PEP",
        [
            judge(f"all protocols {where}: 1500 against 250 ms", _of_all(runs, pep), rules.below)
            for pep, where in PATHS.items()
        ],
        source=_IN_FIGURES,
    )
    yield verdict(
        "retry-1500-https-pep",
        "With the PEP, HTTPS is faster with 1500 ms across the range of objects",
        [_patient(runs, "h1s", PEP, [(name, name)], f": {name}") for name in PAGES],
        source="section 4.6 of Fig. 5a",
    )
    yield verdict(
        "retry-1500-h1-many-objects",
        "With the PEP, HTTP/1.1 gains more from 1500 ms with many objects than with few",
        [
            judge(
                "HTTP/1.1: gain in percent, objects of 5 kB against 100 kB",
                points_of(*(_gains_percent(runs, "h1", size) for size in (SMALLEST_KB, LARGEST_KB))),
                rules.more,
            )
        ],
        source="section 4.6 of Fig. 5a",
    )
    yield verdict(
        "retry-1500-tunnel-all-cases",
        "Without the PEP, load times fall substantially with 1500 ms in all cases",
        [_patient(runs, http, TUNNEL, EVERY_PAGE, "") for http in STUDIED],
        source="section 4.6 of Fig. 5b",
    )
    yield verdict(
        "retry-1500-tunnel-as-pep",
        "With a retry timeout of 1500 ms, HTTP/2 is as fast without the PEP as with it",
        [
            judge(
                "SPDY: without against with the PEP",
                difference(
                    runs,
                    "plt_s",
                    sample=cell(DECIDING, pep=TUNNEL, retry=PATIENT),
                    reference=cell(DECIDING, pep=PEP, retry=PATIENT),
                    pages=EVERY_PAGE,
                ),
                rules.near(published.LOAD_MARGIN_PERCENT[TUNNEL]),
                published="the same",
            )
        ],
        source=_IN_FIGURES,
    )


def _with_duplicates(runs: Runs, http: str, retry: str, rule: Rule) -> Finding:
    loads = select(runs, **cell(http, pep=TUNNEL, retry=retry))
    measured = share([connections(load).duplicates > 0 for load in loads])
    return judge(f"{look(http).label}, {retry}: loads with a duplicate", measured, rule)


def _patient(runs: Runs, http: str, pep: str, pages: Sequence[tuple[str, str]], told: str) -> Finding:
    measured = difference(
        runs,
        "plt_s",
        sample=cell(http, pep=pep, retry=PATIENT),
        reference=cell(http, pep=pep, retry=EAGER),
        pages=pages,
    )
    return judge(f"{look(http).label} {PATHS[pep]}, 1500 against 250 ms{told}", measured, rules.below)


def _of_all(runs: Runs, pep: str) -> Measurement:
    """Mean over protocols and pages: load times with the long timeout against those with the short."""
    cells = [
        [times_s(runs, http, name, pep=pep, retry=retry) for retry in (PATIENT, EAGER)]
        for http in STUDIED
        for name in PAGES
    ]
    strata = [(patient, eager) for patient, eager in cells if patient and eager]
    if not strata:
        return nothing(f"not measured: either timeout {PATHS[pep]}")
    found = mean_relative_difference(strata)
    return Measurement(
        percent=100 * found.value,
        ci=found.ci.scaled(100) if found.ci else None,
        basis=f"{len(strata)} cells each",
        gap=f"only {len(strata)} of {len(cells)} cells measured" if len(strata) < len(cells) else None,
    )


def _gains_percent(runs: Runs, http: str, size_kb: int) -> list[float]:
    """What each pair of loads gains from the long timeout, on pages of objects of one size."""
    return [
        100 * (1 - patient / eager)
        for total in TOTALS_KB
        for patient, eager in zip(
            times_s(runs, http, page(total, size_kb), retry=PATIENT),
            times_s(runs, http, page(total, size_kb), retry=EAGER),
            strict=False,
        )
    ]
