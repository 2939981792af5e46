"""Section 4.3: what the number of objects and the size of a page do to its load time."""

from collections.abc import Iterator, Mapping, Sequence

from bentpipe.figures.style import look
from bentpipe.stats import Interval, mean_relative_difference
from bentpipe.studies import rules
from bentpipe.studies.measure import against, difference, nothing, share
from bentpipe.studies.rules import Rule
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import (
    BY_OBJECTS,
    BY_SIZE,
    DECIDING,
    EVERY_PAGE,
    ONE_AT_A_TIME,
    PAGES,
    PATHS,
    PEP,
    PERSISTENT_PAGES,
    STUDIED,
    TUNNEL,
    Keeping,
    cell,
    page,
)
from bentpipe.studies.secchi2018.measured import cell_times_s, times_s
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Measurement, Standing, Verdict, judge, verdict

_OF_TEXT = "section 4.3"
_OF_FIGURE = "section 4.3 of Fig. 4a"
_HUNDRED_SMALL, _FIFTEEN_LARGE = page(500, 5), page(1500, 100)


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    yield from _one_at_a_time(runs)
    yield from _multiplexed(runs)
    yield _varies(runs)


def _one_at_a_time(runs: Runs) -> Iterator[Verdict]:
    for claim_id, claim, name, theirs in (
        (
            "https-100-objects",
            "100 objects of 5 kB take about 35 s over HTTPS",
            _HUNDRED_SMALL,
            published.HTTPS_100_OBJECTS,
        ),
        (
            "https-15-objects",
            "15 objects of 100 kB take about 12 s over HTTPS",
            _FIFTEEN_LARGE,
            published.HTTPS_15_OBJECTS,
        ),
    ):
        ours = times_s(runs, "h1s", name)
        yield verdict(
            claim_id, claim, [against(f"HTTPS, {name}", ours, theirs, decimals=1)], source=theirs.source
        )
    yield verdict(
        "h1-grows-with-objects",
        "HTTP/1.1: load time grows with the number of objects",
        [
            _same_cell(runs, http, pep, BY_OBJECTS, rules.above, "objects of 5 against 100 kB")
            for http in ONE_AT_A_TIME
            for pep in PATHS
        ],
        source=_OF_TEXT,
    )
    yield verdict(
        "objects-matter-more-than-size",
        "HTTP/1.1: the number of objects matters more than the size of the page",
        [
            _same_cell(
                runs,
                http,
                PEP,
                [(_HUNDRED_SMALL, _FIFTEEN_LARGE)],
                rules.above,
                "100 objects of 5 kB against 15 of 100 kB",
            )
            for http in ONE_AT_A_TIME
        ],
        source=_OF_TEXT,
    )
    yield verdict(
        "h1-faster-than-https",
        "HTTP/1.x is significantly faster than HTTPS",
        [
            judge(
                "HTTP/1.1 against HTTPS, a connection for each object",
                difference(
                    runs,
                    "plt_s",
                    sample=cell("h1", pep=PEP),
                    reference=cell("h1s", pep=PEP),
                    pages=EVERY_PAGE,
                ),
                rules.below,
            )
        ],
        source=_OF_FIGURE,
    )
    yield verdict(
        "persistence-helps",
        "HTTP/1.1 and HTTPS are faster when connections persist",
        [
            judge(
                f"{look(http).label}: persistent against not",
                difference(
                    runs,
                    "plt_s",
                    sample=cell(http, pep=PEP, keeping=Keeping.ALL),
                    reference=cell(http, pep=PEP),
                    pages=[(name, name) for name in PERSISTENT_PAGES],
                ),
                rules.below,
            )
            for http in ONE_AT_A_TIME
        ],
        source=_OF_TEXT,
        standing=Standing.PROPERTY,
        note="The paper takes it from another one; it did not measure it.",
    )


def _multiplexed(runs: Runs) -> Iterator[Verdict]:
    times = [found for name in PAGES if (found := times_s(runs, DECIDING, name))]
    for claim_id, end, pick, theirs in (
        ("h2-pep-fastest-10-s", "fastest", min, published.H2_PEP_FASTEST),
        ("h2-pep-slowest-12-s", "slowest", max, published.H2_PEP_SLOWEST),
    ):
        ours: Sequence[float] = pick(times, key=_mean) if times else []
        yield verdict(
            claim_id,
            f"HTTP/2 takes 10 to 12 s whatever the number of objects: the {end} page {theirs.value:.0f} s",
            [against(f"SPDY: the {end} of nine pages", ours, theirs, decimals=1)],
            source=theirs.source,
        )
    yield verdict(
        "h2-not-with-objects",
        "HTTP/2: load time does not depend on the number of objects",
        [
            _same_cell(
                runs,
                DECIDING,
                pep,
                BY_OBJECTS,
                rules.near(published.NO_DEPENDENCE_PERCENT[pep]),
                "objects of 5 against 100 kB",
            )
            for pep in PATHS
        ],
        source=f"{_OF_TEXT} of Fig. 4a and 4b",
    )
    yield verdict(
        "h2-grows-with-size",
        "HTTP/2: without the PEP load time grows with the size of the page",
        [_same_cell(runs, DECIDING, TUNNEL, BY_SIZE, rules.above, "2500 against 500 kB")],
        source=f"{_OF_TEXT} of Fig. 4b",
    )
    yield verdict(
        "h2-hardly-with-size",
        "HTTP/2: with the PEP load time depends weakly on the size of the page",
        [
            judge(
                "SPDY, 2500 kB over 500 kB: with the PEP against without",
                _growth_against_growth(runs),
                rules.below,
            )
        ],
        source=_OF_FIGURE,
    )


def _varies(runs: Runs) -> Verdict:
    cells = [times for pep in PATHS for times in cell_times_s(runs, pep, STUDIED)]
    return verdict(
        "varies-by-more-than-100-percent",
        "Loads of the same differ by more than 100 % in some cases",
        [
            judge(
                "cells whose slowest load takes twice its fastest or longer",
                share([max(times) >= 2 * min(times) for times in cells]),
                rules.more,
            )
        ],
        source=_OF_TEXT,
    )


def _same_cell(
    runs: Runs, http: str, pep: str, on: Sequence[tuple[str, str]], rule: Rule, what: str
) -> Finding:
    """The same protocol and path on two kinds of pages."""
    factors: Mapping[str, str] = cell(http, pep=pep)
    measured = difference(runs, "plt_s", sample=factors, reference=factors, pages=on)
    return judge(f"{look(http).label} {PATHS[pep]}: {what}", measured, rule)


def _growth_against_growth(runs: Runs) -> Measurement:
    """How far load time grows less with the size of the page behind the PEP than past it."""
    growths = []
    for pep in (PEP, TUNNEL):
        strata = [
            (times_s(runs, DECIDING, large, pep=pep), times_s(runs, DECIDING, small, pep=pep))
            for large, small in BY_SIZE
        ]
        if not all(large and small for large, small in strata):
            return nothing(f"not measured: SPDY {PATHS[pep]}, pages of 500 and 2500 kB")
        growths.append(mean_relative_difference(strata))
    behind, past = growths
    if behind.ci is None or past.ci is None:
        return Measurement(
            percent=100 * ((1 + behind.value) / (1 + past.value) - 1), ci=None, basis="3 pages"
        )
    # The extremes of both intervals: wider than either would have it.
    return Measurement(
        percent=100 * ((1 + behind.value) / (1 + past.value) - 1),
        ci=Interval(
            low=100 * ((1 + behind.ci.low) / (1 + past.ci.high) - 1),
            high=100 * ((1 + behind.ci.high) / (1 + past.ci.low) - 1),
        ),
        basis="3 pages each",
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
