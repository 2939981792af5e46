"""Every claim of the study as a pure function of runs."""

from collections.abc import Mapping, Sequence

from bentpipe.figures.style import look
from bentpipe.studies import rules
from bentpipe.studies.alshagri2023 import published
from bentpipe.studies.alshagri2023.cells import (
    LAN,
    PROTOCOLS,
    SATELLITE,
    STRUCTURES,
    page,
    pages,
    pages_across,
)
from bentpipe.studies.measure import difference, level
from bentpipe.studies.rules import TOLERANCE_POINTS, Rule
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Verdict, judge, verdict

FILLED_PERCENT = 90.0
FILL_PAGE = page("uniform", "2m")

RULES: tuple[str, ...] = (
    "Differences are relative, in percent of the second of the two, averaged over page sizes with equal "
    "weight; intervals are 95 % (Fieller's on one page, t by the delta method over several).",
    "A claimed direction agrees when the whole interval lies on its side of zero. It differs when the "
    "interval includes zero (no significant difference) or lies on the other side.",
    f"About N % agrees when, besides, ours is within {TOLERANCE_POINTS:.0f} percentage points of N.",
    f"Alike agrees when the whole interval lies within {TOLERANCE_POINTS:.0f} % of equal, differs when it "
    "lies wholly beyond, and is not testable otherwise.",
    "Multiplexing offsets the overhead when HTTP/2 and HTTP/3 are not significantly slower than HTTP/1.1 and "
    f"the interval ends below {TOLERANCE_POINTS:.0f} %.",
    f"A link is filled when the mean utilisation over the load of the page {FILL_PAGE} is "
    f"{FILLED_PERCENT:.0f} % or more, with its whole interval.",
    "A claim about several comparisons agrees only when each does, and differs when one does.",
    "Where some pages of a comparison were not measured, the others decide and the finding says so; without "
    "any, the claim is not testable.",
)

ASSUMPTIONS: tuple[str, ...] = (
    "Table 6 does not say which cells it was measured on: ours are the uniform pages on the satellite link "
    "with BBR.",
    "The average by which HTTP/3 is better than HTTP/2 is taken over all twelve pages on the satellite link "
    "with BBR.",
    "The text gives percentages without a page size: ours are means over the four sizes of the uniform page.",
    "The claim that CUBIC fills the LAN is tested for HTTP/1.1 and HTTP/2 only, as another claim excepts "
    "HTTP/3.",
)


def claims(runs: Runs, *, satellite: str = SATELLITE) -> tuple[Verdict, ...]:
    """Judge every claim on the runs over a satellite link and the LAN; only succeeded ones count."""
    return (
        *_parallel_streams(runs, satellite),
        *_congestion_control(runs, satellite),
        *_page_structure(runs, satellite),
    )


def _parallel_streams(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    every_page = [pair for structure in STRUCTURES for pair in pages(structure)]
    uniform, single = pages("uniform"), pages("single")
    h3_h1, h3_h2 = published.PLT_H3_AGAINST_H1, published.PLT_H3_AGAINST_H2
    average = published.PLT_H3_AGAINST_H2_ON_AVERAGE
    return (
        verdict(
            "uniform-satellite-h3-h1",
            "Uniform page, satellite, BBR: PLT of HTTP/3 about 55 % below HTTP/1.1",
            [_protocols(runs, "h3", "h1", satellite, uniform, rules.about(h3_h1.percent))],
        ),
        verdict(
            "uniform-satellite-h3-h2",
            "Uniform page, satellite, BBR: PLT of HTTP/3 about 30 % below HTTP/2",
            [_protocols(runs, "h3", "h2", satellite, uniform, rules.about(h3_h2.percent))],
        ),
        verdict(
            "average-satellite-h3-h2",
            "Satellite, BBR: on average HTTP/3 is 35 % better than HTTP/2",
            [_protocols(runs, "h3", "h2", satellite, every_page, rules.about(average.percent))],
        ),
        verdict(
            "single-satellite-h2-worse",
            "Single object, satellite, BBR: HTTP/2 is worse than HTTP/1.1",
            [_protocols(runs, "h2", "h1", satellite, single, rules.above)],
        ),
        verdict(
            "single-satellite-h3-best",
            "Single object, satellite, BBR: HTTP/3 is the best of all",
            [_protocols(runs, "h3", other, satellite, single, rules.below) for other in ("h1", "h2")],
        ),
        verdict(
            "single-lan-h1-best",
            "Single object, LAN, BBR: HTTP/1.1 is the best",
            [_protocols(runs, "h1", other, LAN, single, rules.below) for other in ("h2", "h3")],
        ),
        verdict(
            "uniform-lan-multiplexing",
            "Uniform page, LAN, BBR: multiplexing offsets the overhead of HTTP/2 and HTTP/3",
            [_protocols(runs, http, "h1", LAN, uniform, rules.not_above) for http in ("h2", "h3")],
        ),
    )


def _congestion_control(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    filled, missed = rules.at_least(FILLED_PERCENT), rules.less_than(FILLED_PERCENT)
    return (
        verdict(
            "satellite-bbr-beats-cubic",
            "Uniform page, satellite: BBR beats CUBIC for every HTTP version",
            [_controls(runs, http, satellite, "bbr", "cubic", rules.below) for http in PROTOCOLS],
        ),
        verdict(
            "cubic-fills-lan",
            "CUBIC fills the LAN",
            [_utilisation(runs, http, LAN, filled) for http in ("h1", "h2")],
        ),
        verdict(
            "cubic-misses-satellite",
            "CUBIC does not fill the satellite link",
            [_utilisation(runs, http, satellite, missed) for http in PROTOCOLS],
        ),
        verdict(
            "lan-cubic-h3-suffers",
            "CUBIC with HTTP/3 also suffers on the LAN",
            [_controls(runs, "h3", LAN, "cubic", "bbr", rules.above)],
        ),
    )


def _page_structure(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    verdicts = []
    for metric, name, what in (
        ("fcp_s", "FCP", "first object complete"),
        ("lcp_s", "LCP", "largest object complete"),
    ):
        verdicts += [
            verdict(
                f"{name.lower()}-h3-h2",
                f"{name} ({what}), satellite, BBR: HTTP/3 below HTTP/2",
                [
                    _protocols(runs, "h3", "h2", satellite, pages(s), rules.below, metric=metric, where=s)
                    for s in ("uniform", "triangular")
                ],
            ),
            verdict(
                f"{name.lower()}-triangular-uniform",
                f"{name} ({what}), satellite, BBR: triangular below uniform for HTTP/2 and HTTP/3",
                [_structures(runs, http, satellite, metric, rules.below) for http in ("h2", "h3")],
            ),
        ]
    verdicts.append(
        verdict(
            "plt-triangular-uniform",
            "PLT, satellite, BBR: uniform and triangular alike for HTTP/2 and HTTP/3",
            [_structures(runs, http, satellite, "plt_s", rules.alike) for http in ("h2", "h3")],
        )
    )
    return tuple(verdicts)


def _protocols(
    runs: Runs,
    sample: str,
    reference: str,
    link: str,
    on: Sequence[tuple[str, str]],
    rule: Rule,
    *,
    metric: str = "plt_s",
    where: str = "",
) -> Finding:
    label = f"{look(sample).label} against {look(reference).label}" + (f", {where}" if where else "")
    cells = [_cell(link, http, "bbr") for http in (sample, reference)]
    return judge(label, difference(runs, metric, sample=cells[0], reference=cells[1], pages=on), rule)


def _controls(runs: Runs, http: str, link: str, sample: str, reference: str, rule: Rule) -> Finding:
    label = f"{look(http).label}: {sample.upper()} against {reference.upper()}"
    cells = [_cell(link, http, cc) for cc in (sample, reference)]
    measured = difference(runs, "plt_s", sample=cells[0], reference=cells[1], pages=pages("uniform"))
    return judge(label, measured, rule)


def _structures(runs: Runs, http: str, satellite: str, metric: str, rule: Rule) -> Finding:
    cell = _cell(satellite, http, "bbr")
    on = pages_across("triangular", "uniform")
    measured = difference(runs, metric, sample=cell, reference=cell, pages=on)
    return judge(f"{look(http).label}: triangular against uniform", measured, rule)


def _utilisation(runs: Runs, http: str, link: str, rule: Rule) -> Finding:
    measured = level(runs, "utilisation", **_cell(link, http, "cubic"), page=FILL_PAGE)
    return judge(f"{look(http).label}: utilisation", measured, rule)


def _cell(link: str, http: str, cc: str) -> Mapping[str, str]:
    return {"link": link, "http": http, "cc": cc}
