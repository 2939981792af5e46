"""Every claim of the study as a pure function of runs."""

from collections.abc import Iterator

import numpy as np

from bentpipe.studies import rules
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import BY_NAME, BY_VOLUME, CONSTANT, SCHEMES, VARIANTS, Variant
from bentpipe.studies.caviglione2014.loads import BUSIEST, DATA, PLT, RTT, WIRE, Quantity, values
from bentpipe.studies.margins import LEVEL_MARGIN_PERCENT, ROUGH_MARGIN_PERCENT, TIME_MARGIN_PERCENT
from bentpipe.studies.measure import compared, difference_of
from bentpipe.studies.rules import Rule
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Verdict, judge, verdict

FAR_PERCENT = 100.0
"""Far above is twice as much or more."""

_OTHERS = ("http10", "h1", "h1-pipelined")
_TLS = (("http10s", "http10"), ("h1s", "h1"), ("h1s-pipelined", "h1-pipelined"))

RULES: tuple[str, ...] = (
    "Each load gives one value; means and their intervals are over loads (95 %, Student's t, of differences "
    "Fieller's). Differences are in percent of the second of the two.",
    "A claimed order agrees when, for every pair named, the whole interval of the difference lies on its "
    "side of zero. It differs when the interval includes zero (no significant difference) or lies on the "
    f"other side. Far above means {FAR_PERCENT:.0f} % or more, with the whole interval.",
    f"Data agree within {LEVEL_MARGIN_PERCENT:.0f} %, load times at a constant rate within "
    f"{TIME_MARGIN_PERCENT:.0f} %; load times and round trips on demand, and throughputs, all given as "
    f"about or above, within {ROUGH_MARGIN_PERCENT:.0f} %.",
    "HTTP/1.1 is measured one request at a time and with up to 32 pipelined. A number is judged for each on "
    "its own; an order must hold for both.",
    "A claim about several numbers agrees only when each does, and differs when one does.",
    "HTTP/2 stands beside SPDY in tables and figures; the study has no claim about it.",
)

ASSUMPTIONS: tuple[str, ...] = (
    "Transfers on the return link are page loads whose requests and acknowledgements go over it. The study's "
    "words could mean an upload as well, or a server behind the terminal.",
    "The numbers without a scheme are at a constant rate, CRA.",
    "Data are what TCP carried to the client: bodies, header fields, frames, TLS. The page's images have the "
    "size that follows from the study's data with its server's headers; ours are shorter.",
    "A throughput is that of the busiest second: those of the study are several times its data over its load "
    "times.",
    "Over TLS 1.2 connections take up the session of earlier ones. The study's HTTP/1.0 takes 198 s over TLS "
    "and 131 s without: three round trips for an object in place of two, which is a handshake of one, and "
    "0.57 kB more of each, less than a certificate.",
    "What the study does not give of the return link, such as request slots, is the link's, geo-snep.",
    "A round trip is the origin's smoothed one, averaged over the load.",
    "Repetitions differ by the phase of the superframes; links and hosts are otherwise the same.",
)


def claims(runs: Runs) -> tuple[Verdict, ...]:
    """Judge every claim; without runs it is not testable."""
    return (
        *_numbers(runs),
        *_orders(runs),
        *_on_demand(runs),
    )


def _numbers(runs: Runs) -> Iterator[Verdict]:
    for variant in VARIANTS:
        theirs = published.LOADS.get(variant.http)
        if theirs is None:
            continue
        for quantity, number, margin in (
            (DATA, theirs.data_kb, LEVEL_MARGIN_PERCENT),
            (PLT, theirs.plt_s, TIME_MARGIN_PERCENT),
            (BUSIEST, theirs.throughput_kbps, ROUGH_MARGIN_PERCENT),
        ):
            if number is not None:
                yield verdict(
                    f"{quantity.slug}-{variant.name}",
                    f"{variant.label}: {quantity.name} of {number:g} {quantity.unit}",
                    [_near(runs, quantity, variant, CONSTANT, number, margin)],
                )


def _orders(runs: Runs) -> Iterator[Verdict]:
    far = rules.at_least(FAR_PERCENT)
    for quantity, first in ((WIRE, rules.above), (PLT, far)):
        words = "above" if first is rules.above else "far above"
        yield verdict(
            f"order-{quantity.slug}",
            f"{quantity.name.capitalize()}: HTTP/1.0 {words} HTTP/1.1, HTTP/1.1 above SPDY",
            [
                *(_pair(runs, quantity, "http10", other, first) for other in _OTHERS[1:]),
                *(_pair(runs, quantity, other, "spdy", rules.above) for other in _OTHERS[1:]),
            ],
        )
    yield verdict(
        "order-throughput",
        "Throughput: SPDY above HTTP/1.1, over TLS HTTP/1.1 below that in clear, HTTP/1.0 lowest",
        [
            *(_pair(runs, BUSIEST, "spdy", other, rules.above) for other in _OTHERS[1:]),
            *(_pair(runs, BUSIEST, *pair, rules.below) for pair in _TLS[1:]),
            *(_pair(runs, BUSIEST, "http10", other, rules.below) for other in _OTHERS[1:]),
        ],
    )
    yield verdict(
        "tls-more-bytes",
        "TLS costs more bytes everywhere",
        [_pair(runs, WIRE, *pair, rules.above, scheme=scheme) for scheme in SCHEMES for pair in _TLS],
    )
    yield verdict(
        "tls-slower",
        "Over TLS, HTTP/1.0 and HTTP/1.1 take longer",
        [_pair(runs, PLT, *pair, rules.above) for pair in _TLS],
    )


def _on_demand(runs: Runs) -> Iterator[Verdict]:
    for variant in VARIANTS:
        number = published.VBDC_PLT_S.get(variant.http)
        if number is not None:
            yield verdict(
                f"vbdc-load-time-{variant.name}",
                f"{variant.label}: about {number:g} s with VBDC",
                [_near(runs, PLT, variant, BY_VOLUME, number, ROUGH_MARGIN_PERCENT)],
            )
    spdy = BY_NAME["spdy"]
    yield verdict(
        "vbdc-spdy-round-trip",
        "SPDY with VBDC: round trips of 1.6 s",
        [_near(runs, RTT, spdy, BY_VOLUME, published.SPDY_VBDC_RTT_S, ROUGH_MARGIN_PERCENT)],
    )
    yield verdict(
        "vbdc-spdy-above-cra",
        "SPDY with VBDC: load time about 10 s above that with CRA",
        [
            compared(
                "VBDC above CRA",
                _lost_s(runs, spdy),
                published.SPDY_VBDC_ABOVE_CRA_S,
                margin_percent=ROUGH_MARGIN_PERCENT,
                unit="s",
                decimals=1,
            )
        ],
    )
    yield verdict(
        "vbdc-spdy-worst",
        "SPDY is slowest with VBDC",
        [_schemes(runs, PLT, BY_VOLUME, other, rules.above) for other in SCHEMES if other != BY_VOLUME],
    )
    yield verdict(
        "round-trips-on-demand",
        "RBDC and VBDC have the longest round trips",
        [
            _schemes(runs, RTT, scheme, other, rules.above)
            for scheme in ("rbdc", "vbdc")
            for other in ("cra", "mixed")
        ],
    )
    yield verdict(
        "spdy-beats-both",
        "SPDY beats HTTP/1.0 and HTTP/1.1 with every scheme",
        [
            _pair(runs, PLT, "spdy", other, rules.below, scheme=scheme)
            for scheme in SCHEMES
            for other in _OTHERS
        ],
    )
    yield verdict(
        "vbdc-spdy-suffers-least",
        "SPDY loses the least time to VBDC",
        [
            judge(
                f"seconds above CRA: SPDY against {BY_NAME[other].label}",
                difference_of(_lost_s(runs, spdy), _lost_s(runs, BY_NAME[other])),
                rules.below,
            )
            for other in _OTHERS
        ],
    )


def _near(
    runs: Runs, quantity: Quantity, variant: Variant, scheme: str, theirs: float, margin_percent: float
) -> Finding:
    return compared(
        SCHEMES[scheme],
        values(runs, quantity, variant, scheme),
        theirs,
        margin_percent=margin_percent,
        unit=quantity.unit,
        decimals=quantity.decimals,
    )


def _pair(
    runs: Runs, quantity: Quantity, sample: str, reference: str, rule: Rule, *, scheme: str = CONSTANT
) -> Finding:
    variants = (BY_NAME[sample], BY_NAME[reference])
    label = f"{' against '.join(variant.label for variant in variants)}; {SCHEMES[scheme]}"
    return judge(label, difference_of(*(values(runs, quantity, each, scheme) for each in variants)), rule)


def _schemes(runs: Runs, quantity: Quantity, sample: str, reference: str, rule: Rule) -> Finding:
    found = [values(runs, quantity, BY_NAME["spdy"], scheme) for scheme in (sample, reference)]
    return judge(f"{SCHEMES[sample]} against {SCHEMES[reference]}", difference_of(*found), rule)


def _lost_s(runs: Runs, variant: Variant) -> list[float]:
    """How far each load by volume is above the mean load at a constant rate."""
    constant = values(runs, PLT, variant, CONSTANT)
    if not constant:
        return []
    return [time - float(np.mean(constant)) for time in values(runs, PLT, variant, BY_VOLUME)]
