"""Section 4.4: what schemes of bandwidth on demand do to load times of pages over the return link."""

from collections.abc import Iterator

from bentpipe.studies import rules
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import (
    BY_RATE,
    BY_VOLUME,
    CONSTANT,
    H1,
    HTTP10,
    MIXED,
    SCHEMES,
    SPDY,
    Variant,
)
from bentpipe.studies.caviglione2014.comparisons import number, pair, seconds_against, seconds_more
from bentpipe.studies.caviglione2014.loads import PLT, ROUND_TRIP, values
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Verdict, verdict

_SECTION = "section 4.4 of Fig. 7"
_IN_CLEAR = (HTTP10, H1)
_ON_DEMAND_ALONE = (BY_RATE, BY_VOLUME)


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    yield from _by_volume(runs)
    yield from _round_trips(runs)
    yield from _slower_on_demand(runs)
    yield from _spdy_against(runs)


def _by_volume(runs: Runs) -> Iterator[Verdict]:
    for variant in (*_IN_CLEAR, SPDY):
        theirs = published.VBDC_PLT[variant.http]
        yield verdict(
            f"vbdc-load-time-{variant.http}",
            f"{variant.label}: with VBDC the page takes about {theirs.value:g} s",
            [number(runs, PLT, variant.back(BY_VOLUME), theirs, label=f"{variant.label}, VBDC")],
            source=theirs.source,
        )
    yield verdict(
        "vbdc-spdy-above-cra",
        "SPDY: with VBDC the page takes 10 s longer than with CRA",
        [
            seconds_against(
                _times_s(runs, SPDY, BY_VOLUME),
                _times_s(runs, SPDY, CONSTANT),
                published.SPDY_VBDC_ABOVE_CRA,
                label="SPDY: VBDC above CRA",
            )
        ],
        source=published.SPDY_VBDC_ABOVE_CRA.source,
    )
    yield verdict(
        "vbdc-spdy-worst",
        "SPDY is slowest with VBDC",
        [
            pair(
                runs,
                PLT,
                SPDY.back(BY_VOLUME),
                SPDY.back(other),
                rules.above,
                label=f"SPDY: VBDC against {SCHEMES[other]}",
            )
            for other in SCHEMES
            if other != BY_VOLUME
        ],
        source=_SECTION,
    )


def _round_trips(runs: Runs) -> Iterator[Verdict]:
    yield verdict(
        "vbdc-spdy-round-trip",
        "SPDY: with VBDC the round trip is 1.6 s",
        [number(runs, ROUND_TRIP, SPDY.back(BY_VOLUME), published.VBDC_ROUND_TRIP, label="SPDY, VBDC")],
        source=published.VBDC_ROUND_TRIP.source,
    )
    for scheme in _ON_DEMAND_ALONE:
        yield verdict(
            f"round-trip-longer-{scheme}",
            f"SPDY: with {SCHEMES[scheme]} round trips are longer",
            [
                pair(
                    runs,
                    ROUND_TRIP,
                    SPDY.back(scheme),
                    SPDY.back(other),
                    rules.above,
                    label=f"SPDY, round trip: {SCHEMES[scheme]} against {SCHEMES[other]}",
                )
                for other in (CONSTANT, MIXED)
            ],
            source=_SECTION,
        )


def _slower_on_demand(runs: Runs) -> Iterator[Verdict]:
    for variant in _IN_CLEAR:
        yield verdict(
            f"vbdc-impairs-{variant.http}",
            f"{variant.label} is impaired by VBDC",
            [
                pair(
                    runs,
                    PLT,
                    variant.back(BY_VOLUME),
                    variant.back(CONSTANT),
                    rules.above,
                    label=f"{variant.label}: VBDC against CRA",
                )
            ],
            source=_SECTION,
        )
    for scheme in (BY_RATE, MIXED):
        yield verdict(
            f"slower-than-cra-{scheme}",
            f"Bandwidth on demand worsens the load time: {SCHEMES[scheme]}",
            [
                pair(
                    runs,
                    PLT,
                    variant.back(scheme),
                    variant.back(CONSTANT),
                    rules.above,
                    label=f"{variant.label}: {SCHEMES[scheme]} against CRA",
                )
                for variant in (*_IN_CLEAR, SPDY)
            ],
            source=_SECTION,
        )


def _spdy_against(runs: Runs) -> Iterator[Verdict]:
    for other in _IN_CLEAR:
        yield verdict(
            f"spdy-beats-{other.http}",
            f"SPDY is faster than {other.label} with every scheme",
            [
                pair(
                    runs,
                    PLT,
                    SPDY.back(scheme),
                    other.back(scheme),
                    rules.below,
                    label=f"SPDY against {other.label}, {name}",
                )
                for scheme, name in SCHEMES.items()
            ],
            source=_SECTION,
        )
        yield verdict(
            f"spdy-gains-with-round-trip-{other.http}",
            f"SPDY gains more seconds on {other.label} where round trips are longer",
            [
                seconds_more(
                    _gained_s(runs, other, scheme),
                    _gained_s(runs, other, CONSTANT),
                    rules.more,
                    label=f"{other.label} less SPDY: {SCHEMES[scheme]} above CRA",
                )
                for scheme in _ON_DEMAND_ALONE
            ],
            source=_SECTION,
        )
        yield verdict(
            f"vbdc-spdy-loses-less-than-{other.http}",
            f"SPDY loses less time to VBDC than {other.label}",
            [
                seconds_more(
                    _lost_s(runs, SPDY),
                    _lost_s(runs, other),
                    rules.fewer,
                    label=f"VBDC above CRA: SPDY against {other.label}",
                )
            ],
            source=_SECTION,
        )


def _times_s(runs: Runs, variant: Variant, scheme: str) -> list[float]:
    return values(runs, PLT, variant.back(scheme))


def _gained_s(runs: Runs, other: Variant, scheme: str) -> list[float]:
    """By how much each load of HTTP is longer than one of SPDY."""
    pairs = zip(_times_s(runs, other, scheme), _times_s(runs, SPDY, scheme), strict=False)
    return [theirs_s - spdy_s for theirs_s, spdy_s in pairs]


def _lost_s(runs: Runs, variant: Variant) -> list[float]:
    """By how much each load with VBDC is longer than one with CRA."""
    pairs = zip(_times_s(runs, variant, BY_VOLUME), _times_s(runs, variant, CONSTANT), strict=False)
    return [slow_s - fast_s for slow_s, fast_s in pairs]
