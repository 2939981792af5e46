"""Claims of section 6.2 and 6.5: HTTP versions with BBR, over the satellite link and the LAN."""

from bentpipe.figures.style import look
from bentpipe.studies import rules
from bentpipe.studies.alshagri2023 import published
from bentpipe.studies.alshagri2023.cells import LAN, STRUCTURES, pages
from bentpipe.studies.alshagri2023.claims.comparisons import measured, points_between, protocols
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Verdict, judge, verdict

_UNIFORM, _SINGLE = ("uniform",), ("single",)
_OTHERS = ("h2", "h3")


def parallel_streams(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    """Every claim about parallel streams."""
    return (*_on_the_satellite(runs, satellite), *_on_the_lan(runs), *_gains(runs, satellite))


def _on_the_satellite(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    h3_h1, h3_h2 = published.PLT_H3_AGAINST_H1, published.PLT_H3_AGAINST_H2
    average = published.PLT_H3_AGAINST_H2_ON_AVERAGE
    h2_h1 = published.h2_against_h1_percent()
    return (
        verdict(
            "uniform-satellite-h3-h1",
            "Uniform page, satellite, BBR: PLT of HTTP/3 about 55 % below HTTP/1.1",
            [protocols(runs, "h3", "h1", satellite, _UNIFORM, rules.about(h3_h1.percent))],
            source=h3_h1.source,
        ),
        verdict(
            "uniform-satellite-h3-h2",
            "Uniform page, satellite, BBR: PLT of HTTP/3 about 30 % below HTTP/2",
            [protocols(runs, "h3", "h2", satellite, _UNIFORM, rules.about(h3_h2.percent))],
            source=h3_h2.source,
        ),
        verdict(
            "uniform-satellite-h2-h1",
            "Uniform page, satellite, BBR: PLT of HTTP/2 about 36 % below HTTP/1.1 (from 55 and 30 %)",
            [protocols(runs, "h2", "h1", satellite, _UNIFORM, rules.about(h2_h1))],
            source='section 6.2 on Fig. 7: "significantly reduces the PLT", and 0.45 / 0.70',
        ),
        verdict(
            "uniform-satellite-h1-slowest",
            "Uniform page, satellite, BBR: HTTP/1.1 has the longest PLT",
            [protocols(runs, http, "h1", satellite, _UNIFORM, rules.below) for http in _OTHERS],
            source="section 6.2, Fig. 7b",
        ),
        verdict(
            "average-satellite-h3-h2",
            "Satellite, BBR: on average HTTP/3 is 35 % better than HTTP/2",
            [protocols(runs, "h3", "h2", satellite, STRUCTURES, rules.about(average.percent))],
            source=average.source,
        ),
        verdict(
            "single-satellite-h2-worse",
            "Single object, satellite, BBR: HTTP/2 is worse than HTTP/1.1",
            [protocols(runs, "h2", "h1", satellite, _SINGLE, rules.above)],
            source="section 6.2, Fig. 8b",
        ),
        verdict(
            "single-satellite-h3-best",
            "Single object, satellite, BBR: HTTP/3 is the best of all",
            [protocols(runs, "h3", other, satellite, _SINGLE, rules.below) for other in ("h1", "h2")],
            source="section 6.2, Fig. 8b",
        ),
    )


def _on_the_lan(runs: Runs) -> tuple[Verdict, ...]:
    return (
        verdict(
            "single-lan-h1-best",
            "Single object, LAN, BBR: HTTP/1.1 is the best",
            [protocols(runs, "h1", other, LAN, _SINGLE, rules.below) for other in _OTHERS],
            source="section 6.2, Fig. 8a",
        ),
        verdict(
            "uniform-lan-h1-slowest",
            "Uniform page, LAN, BBR: HTTP/1.1 has the longest PLT",
            [protocols(runs, http, "h1", LAN, _UNIFORM, rules.below) for http in _OTHERS],
            source="section 6.2, Fig. 7a",
        ),
        verdict(
            "uniform-lan-multiplexing",
            "Uniform page, LAN, BBR: multiplexing offsets the overhead of HTTP/2 and HTTP/3",
            [protocols(runs, http, "h1", LAN, _UNIFORM, rules.not_above) for http in _OTHERS],
            source="section 6.2, Fig. 7a",
        ),
        verdict(
            "uniform-lan-h1-similar",
            "Uniform page, LAN, BBR: HTTP/1.1 performs similar to HTTP/2 and HTTP/3",
            [protocols(runs, http, "h1", LAN, _UNIFORM, rules.alike) for http in _OTHERS],
            source="section 6.5, second finding",
        ),
    )


def _gains(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    return (
        verdict(
            "multiplexing-gain-satellite-lan",
            "Uniform page, BBR: multiplexing gains more against HTTP/1.1 over the satellite than on the LAN",
            [_gain_by_link(runs, http, satellite) for http in _OTHERS],
            source="sections 6.2 and 6.5, first finding",
        ),
        verdict(
            "gain-is-multiplexing",
            "Satellite, BBR: most of the gain against HTTP/1.1 is multiplexing; a single object has less "
            "than half of it",
            [_gain_by_structure(runs, http, satellite) for http in _OTHERS],
            source="section 6.5, first finding",
        ),
    )


def _gain_by_link(runs: Runs, http: str, satellite: str) -> Finding:
    there, here = (
        measured(runs, "plt_s", link, (http, "bbr"), ("h1", "bbr"), pages("uniform"))
        for link in (satellite, LAN)
    )
    label = f"{look(http).label} against HTTP/1.1: satellite less LAN"
    return judge(label, points_between(there, here), rules.fewer)


def _gain_by_structure(runs: Runs, http: str, satellite: str) -> Finding:
    single, uniform = (
        measured(runs, "plt_s", satellite, (http, "bbr"), ("h1", "bbr"), pages(structure))
        for structure in ("single", "uniform")
    )
    label = f"{look(http).label} against HTTP/1.1: single object less half of uniform"
    return judge(label, points_between(single, uniform, weight=0.5), rules.more)
