"""Section 4.4: a tunnel past the PEP."""

from collections.abc import Iterator, Sequence

import numpy as np

from bentpipe.stats import select
from bentpipe.studies import rules
from bentpipe.studies.measure import against, deviation, difference, points_of, share
from bentpipe.studies.secchi2018 import impossible, published
from bentpipe.studies.secchi2018.cells import (
    DECIDING,
    EVERY_PAGE,
    MANY,
    PAGES,
    PATHS,
    PEP,
    STUDIED,
    TUNNEL,
    cell,
    page,
)
from bentpipe.studies.secchi2018.measured import (
    cell_times_s,
    connections,
    swings_s,
    times_s,
)
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Standing, Verdict, judge, verdict

_OF_TEXT = "section 4.4"
_OF_FIGURE = "section 4.4 of Fig. 4b"


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    yield from _variation(runs)
    yield from _load_times(runs)
    yield from _resets(runs)


def _variation(runs: Runs) -> Iterator[Verdict]:
    behind, past = ([_spread_percent(times) for times in cell_times_s(runs, pep, STUDIED)] for pep in PATHS)
    yield verdict(
        "more-variable-without-pep",
        "Load times vary more without the PEP than with it",
        [
            judge(
                "standard deviation in percent of the mean, all cells: without against with the PEP",
                points_of(past, behind),
                rules.more,
            )
        ],
        source=_OF_FIGURE,
    )
    yield verdict(
        "round-trip-swings-by-seconds",
        "Without the PEP the round trip varies by seconds",
        [
            judge(
                f"SPDY, from the shortest to the longest smoothed round trip of a load against "
                f"{published.RTT_SWING_S:g} s",
                deviation(swings_s(select(runs, **cell(DECIDING, pep=TUNNEL))), published.RTT_SWING_S),
                rules.above,
            )
        ],
        source=_OF_TEXT,
    )


def _load_times(runs: Runs) -> Iterator[Verdict]:
    small = [name for name, (total, _) in PAGES.items() if total == 500]
    times = [found for name in small if (found := times_s(runs, DECIDING, name, pep=TUNNEL))]
    yield verdict(
        "h2-tunnel-500k",
        "Without the PEP, HTTP/2 takes 11 to 15 s for 500 kB",
        [
            against(
                f"SPDY, 500 kB without the PEP: the {end} page",
                pick(times, key=_mean) if times else [],
                theirs,
                decimals=1,
            )
            for end, pick, theirs in zip(
                ("fastest", "slowest"), (min, max), published.H2_TUNNEL_500K, strict=True
            )
        ],
        source=published.H2_TUNNEL_500K[0].source,
        standing=Standing.IMPOSSIBLE,
        note=impossible.table_1_note(),
    )
    minutes = times_s(runs, "h1s", page(*MANY), pep=TUNNEL)
    yield verdict(
        "https-tunnel-minutes",
        "Without the PEP, HTTPS takes up to few minutes beyond 100 objects",
        [
            judge(
                "HTTPS, 500 objects against two minutes",
                deviation(minutes, published.HTTPS_TUNNEL_LEAST_S),
                rules.above,
            ),
            judge(
                "HTTPS, 500 objects against five minutes",
                deviation(minutes, published.HTTPS_TUNNEL_MOST_S),
                rules.below,
            ),
        ],
        source=_OF_FIGURE,
    )
    yield verdict(
        "h2-faster-than-https-without-pep",
        "Without the PEP, HTTP/2 is clearly faster than HTTPS",
        [
            judge(
                "SPDY against HTTPS",
                difference(
                    runs,
                    "plt_s",
                    sample=cell(DECIDING, pep=TUNNEL),
                    reference=cell("h1s", pep=TUNNEL),
                    pages=EVERY_PAGE,
                ),
                rules.below,
            )
        ],
        source=_OF_FIGURE,
    )


def _resets(runs: Runs) -> Iterator[Verdict]:
    """What idle connections did in the study's browser, on either path."""
    loads = [run for pep in (PEP, TUNNEL) for run in select(runs, **cell(DECIDING, pep=pep))]
    yield verdict(
        "session-reset-more-than-once",
        "In some tests the session of HTTP/2 is reset more than once",
        [
            judge(
                "SPDY: loads with two connections or more in the place of others",
                share([connections(run).replacements >= 2 for run in loads]),
                rules.more,
            )
        ],
        source=_OF_TEXT,
    )
    yield verdict(
        "falls-back-to-http-1.1",
        "In some cases the client falls back from HTTP/2 to HTTP/1.1",
        [
            judge(
                "SPDY: loads that use HTTP/1.1 too",
                share([connections(run).fell_back for run in loads]),
                rules.more,
            )
        ],
        source="section 4.6",
    )


def _spread_percent(times: Sequence[float]) -> float:
    return 100 * float(np.std(times, ddof=1) / np.mean(times))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
