"""Every claim of the study as a pure function of runs."""

from collections.abc import Iterator, Mapping, Sequence

from bentpipe.figures.style import look
from bentpipe.stats import duplicates, mean_relative_difference, select
from bentpipe.studies import rules
from bentpipe.studies.margins import LEVEL_MARGIN_PERCENT, ROUGH_MARGIN_PERCENT, TIME_MARGIN_PERCENT
from bentpipe.studies.measure import compared, deviation, difference, nothing, share
from bentpipe.studies.rules import TOLERANCE_POINTS, Rule
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import (
    BY_OBJECTS,
    BY_SIZE,
    EAGER,
    EVERY_PAGE,
    MANY,
    MULTIPLEXED,
    ONE_AT_A_TIME,
    PAGES,
    PATHS,
    PATIENT,
    PEP,
    PROTOCOLS,
    TUNNEL,
    cell,
    page,
)
from bentpipe.studies.secchi2018.numbers import (
    rates_mbps,
    text_numbers,
    times_s,
)
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Measurement, Verdict, judge, verdict

ALWAYS_PERCENT = 95.0
MOST_PERCENT = 50.0
"""Most of a penalty is more than half of it."""

RULES: tuple[str, ...] = (
    "The study's HTTP/2 was SPDY/3 by mod_spdy: each claim about it is judged for SPDY and for HTTP/2, and "
    "agrees only when both do.",
    "Differences are relative, in percent of the second of the two, averaged over pages with equal weight; "
    "intervals are 95 % (Fieller's on one page, t by the delta method over several).",
    "A claimed direction agrees when the whole interval lies on its side of zero. It differs when the "
    "interval includes zero (no significant difference) or lies on the other side.",
    f"Alike, and not sensitive, agree when the whole interval lies within {TOLERANCE_POINTS:.0f} % of equal, "
    "differ when it lies wholly beyond, and are not testable otherwise.",
    f"A load time of table 1 agrees within {LEVEL_MARGIN_PERCENT:.0f} %, a time of the text, in whole "
    f"seconds, within {TIME_MARGIN_PERCENT:.0f} %, a rate and the product of rate and delay within "
    f"{ROUGH_MARGIN_PERCENT:.0f} %.",
    f"At most, and opens duplicates, mean {ALWAYS_PERCENT:.0f} % of the loads or more, with the whole "
    f"interval; opens none means less than {100 - ALWAYS_PERCENT:.0f} %.",
    "The start-up penalty is the load time above what the page's bytes take at 8 Mbit/s. The PEP removes "
    f"most of it when more than {MOST_PERCENT:.0f} % are gone, with the whole interval.",
    "A claim about several numbers agrees only when each does, and differs when one does.",
    "Where some pages of a comparison were not measured, the others decide and the finding says so.",
)

ASSUMPTIONS: tuple[str, ...] = (
    "The default retry timeout is 250 ms, the browser's that the study names; the initial window is 10 "
    "segments where the study varies neither.",
    "The client's receive buffer is 128 kB in all experiments; flow-control windows of HTTP/2 and SPDY do "
    "not limit.",
    "The PEP splits TCP at terminal and gateway, with CUBIC, 10 segments and its own buffers over the "
    "satellite; the study does not say what it does there.",
    "HTTPS makes a full handshake of TLS 1.2 for each object, the worst case that the study names.",
    "A rate is the page's bytes over its load time; the peak is over 100 ms, of what the link delivered.",
    "The product of rate and delay is 8 Mbit/s times a handshake of TCP past the PEP.",
    "The text's 11 to 15 s for 500 kB by HTTP/2 without the PEP are not in table 1, which has 23 to 33 s. "
    "Both are judged.",
    "HTTPS beyond 100 objects without the PEP takes minutes when 500 objects take two or more.",
)


def claims(runs: Runs) -> tuple[Verdict, ...]:
    """Judge every claim; only succeeded runs count."""
    return (
        *_one_at_a_time(runs),
        *_multiplexed(runs),
        *_objects(runs),
        *_retry(runs),
        *_start_up(runs),
        *_table_1(runs),
    )


def _one_at_a_time(runs: Runs) -> Iterator[Verdict]:
    yield verdict("bdp", "The product of rate and delay is about 650 kB", _text(runs, "bdp"))
    most = published.H1_RATE.value
    rates = [rate * 1e3 / 8 for name in PAGES for rate in rates_mbps(runs, "h1", name)]
    bounded = share([rate <= most for rate in rates])
    yield verdict(
        "h1-rate",
        "HTTP/1.1 with six connections transfers 230 kB/s at most",
        [
            judge(f"loads at {most:.0f} kB/s or below", bounded, rules.at_least(ALWAYS_PERCENT)),
            *_text(runs, "h1-rate"),
        ],
    )
    yield verdict(
        "https-100-objects",
        "100 objects of 5 kB take about 35 s over HTTPS",
        _text(runs, "https-100-objects"),
    )
    yield verdict(
        "https-15-objects",
        "15 objects of 100 kB take about 12 s over HTTPS",
        _text(runs, "https-15-objects"),
    )
    times = times_s(runs, "h1s", page(*MANY), pep=TUNNEL)
    minutes = deviation(times, published.HTTPS_TUNNEL_LEAST.value)
    yield verdict(
        "https-tunnel-minutes",
        "Without the PEP, HTTPS takes up to minutes beyond 100 objects",
        [judge("500 objects against two minutes", minutes, rules.above)],
    )


def _multiplexed(runs: Runs) -> Iterator[Verdict]:
    for claim_id, claim in (
        ("h2-500-objects", "HTTP/2 loads 500 objects in about 12 s at 1.7 Mbit/s on average, peak 6"),
        ("h2-pep-10-to-12-s", "HTTP/2 takes 10 to 12 s whatever the number of objects"),
        ("h2-tunnel-500k", "Without the PEP, HTTP/2 takes 11 to 15 s for 500 kB"),
    ):
        yield verdict(claim_id, claim, _text(runs, claim_id))


def _objects(runs: Runs) -> Iterator[Verdict]:
    yield verdict(
        "h1-grows-with-objects",
        "HTTP/1.1: load time grows with the number of objects",
        [
            _same_cell(runs, http, pep, BY_OBJECTS, rules.above, "objects of 5 against 100 kB")
            for http in ONE_AT_A_TIME
            for pep in PATHS
        ],
    )
    yield verdict(
        "h2-grows-with-size",
        "HTTP/2: load time grows with the size of the page",
        [
            _same_cell(runs, http, pep, BY_SIZE, rules.above, "2500 against 500 kB")
            for http in MULTIPLEXED
            for pep in PATHS
        ],
    )
    yield verdict(
        "h2-not-with-objects",
        "HTTP/2: load time does not grow with the number of objects",
        [
            _same_cell(runs, http, pep, BY_OBJECTS, rules.alike, "objects of 5 against 100 kB")
            for http in MULTIPLEXED
            for pep in PATHS
        ],
    )


def _retry(runs: Runs) -> Iterator[Verdict]:
    yield verdict(
        "retry-1500-faster",
        "With a retry timeout of 1500 ms load times fall in all cases",
        [
            judge(
                f"{look(http).label} {PATHS[pep]}: 1500 against 250 ms",
                difference(
                    runs,
                    "plt_s",
                    sample=cell(http, pep=pep, retry=PATIENT),
                    reference=cell(http, pep=pep, retry=EAGER),
                    pages=EVERY_PAGE,
                ),
                rules.below,
            )
            for http in PROTOCOLS
            for pep in PATHS
        ],
    )
    yield verdict(
        "retry-1500-tunnel-as-pep",
        "With a retry timeout of 1500 ms, HTTP/2 is as fast without the PEP as with it",
        [
            judge(
                f"{look(http).label}: without against with the PEP",
                difference(
                    runs,
                    "plt_s",
                    sample=cell(http, pep=TUNNEL, retry=PATIENT),
                    reference=cell(http, pep=PEP, retry=PATIENT),
                    pages=EVERY_PAGE,
                ),
                rules.alike,
            )
            for http in MULTIPLEXED
        ],
    )
    never = rules.less_than(100 - ALWAYS_PERCENT)
    always = rules.at_least(ALWAYS_PERCENT)
    yield verdict(
        "retry-duplicates",
        "Past the PEP, a retry timeout of 250 ms opens duplicate connections, one of 1500 ms does not",
        [
            judge(
                f"{look(http).label}, {retry}: loads with a duplicate",
                _with_duplicates(runs, http, retry),
                rule,
            )
            for http in PROTOCOLS
            for retry, rule in ((EAGER, always), (PATIENT, never))
        ],
    )


def _start_up(runs: Runs) -> Iterator[Verdict]:
    yield verdict(
        "pep-removes-start-up",
        "The PEP removes most of the start-up penalty of HTTP/2",
        [
            judge(
                f"{look(http).label}: penalty with the PEP against that without",
                _penalties(runs, http),
                rules.less_than(-MOST_PERCENT),
            )
            for http in MULTIPLEXED
        ],
    )


def _table_1(runs: Runs) -> Iterator[Verdict]:
    for column, totals in published.TABLE_1_PLT_S.items():
        where = "PEP" if column.pep == PEP else "no PEP"
        yield verdict(
            f"table-1-{column.pep}-iw{column.window}",
            f"Table 1: HTTP/2, {where}, initial window {column.window}",
            [
                compared(
                    f"{look(http).label}, {total} kB in objects of {size} kB",
                    times_s(runs, http, page(total, size), pep=column.pep, window=column.window),
                    seconds,
                    margin_percent=LEVEL_MARGIN_PERCENT,
                    unit="s",
                    decimals=1,
                )
                for http in MULTIPLEXED
                for total, sizes in totals.items()
                for size, seconds in sizes.items()
            ],
        )


def _with_duplicates(runs: Runs, http: str, retry: str) -> Measurement:
    loads = select(runs, **cell(http, pep=TUNNEL, retry=retry))
    return share([duplicates(load.record) > 0 for load in loads])


def _penalties(runs: Runs, http: str) -> Measurement:
    """How far the penalty with the PEP lies above that without, mean over pages."""
    strata = []
    for name, (total_kb, _) in PAGES.items():
        ideal_s = total_kb * 8e3 / published.FORWARD_BPS
        above = [[time - ideal_s for time in times_s(runs, http, name, pep=pep)] for pep in (PEP, TUNNEL)]
        if all(above):
            strata.append((above[0], above[1]))
    if not strata:
        return nothing(f"not measured: {look(http).label} with and without the PEP")
    found = mean_relative_difference(strata)
    return Measurement(
        percent=100 * found.value,
        ci=found.ci.scaled(100) if found.ci else None,
        basis=f"{len(strata)} pages",
        gap=f"only {len(strata)} of {len(PAGES)} pages measured" if len(strata) < len(PAGES) else None,
    )


def _text(runs: Runs, claim_id: str) -> list[Finding]:
    """The numbers of the text that belong to a claim."""
    return [
        compared(
            number.label,
            number.ours,
            number.theirs.value,
            margin_percent=number.margin_percent,
            unit=number.theirs.unit,
            decimals=number.decimals,
        )
        for number in text_numbers(runs)
        if number.claim_id == claim_id
    ]


def _same_cell(
    runs: Runs, http: str, pep: str, on: Sequence[tuple[str, str]], rule: Rule, what: str
) -> Finding:
    """The same protocol and path on two kinds of pages."""
    factors: Mapping[str, str] = cell(http, pep=pep)
    measured = difference(runs, "plt_s", sample=factors, reference=factors, pages=on)
    return judge(f"{look(http).label} {PATHS[pep]}: {what}", measured, rule)
