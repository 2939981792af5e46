"""The numbers of the study's text, each with what our loads came to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bentpipe.figures.style import look
from bentpipe.stats import select, values_of
from bentpipe.studies.loads import busiest_bps
from bentpipe.studies.margins import ROUGH_MARGIN_PERCENT, TIME_MARGIN_PERCENT
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import (
    MANY,
    MULTIPLEXED,
    PAGES,
    PATIENT,
    PEP,
    STUDY_WINDOW,
    TUNNEL,
    cell,
    page,
)
from bentpipe.studies.secchi2018.published import Published
from bentpipe.studies.study import Runs

PEAK_WINDOW_S = 0.1
"""The study draws its rates in steps of 100 ms."""


@dataclass(frozen=True, kw_only=True)
class Number:
    """A published number, the claim that it belongs to, and ours: one value of each load."""

    claim_id: str
    label: str
    theirs: Published
    ours: Sequence[float]
    margin_percent: float = TIME_MARGIN_PERCENT
    decimals: int = 1


def text_numbers(runs: Runs) -> tuple[Number, ...]:
    """Every number of the text that ours can be put beside; `ours` is empty where nothing was measured."""
    return (*_one_at_a_time(runs), *_multiplexed(runs))


def times_s(runs: Runs, http: str, name: str, *, pep: str = PEP, window: int = STUDY_WINDOW) -> list[float]:
    """Load times of a page at the default retry timeout."""
    return values_of(runs, "plt_s", **cell(http, pep=pep, window=window), page=name)


def rates_mbps(runs: Runs, http: str, name: str) -> list[float]:
    """The page's bytes over the load time of each run through the PEP."""
    total_kb, _ = PAGES[name]
    return [total_kb * 8e-3 / seconds for seconds in times_s(runs, http, name)]


def _one_at_a_time(runs: Runs) -> Iterator[Number]:
    handshakes_s = values_of(runs, "connect_s", **cell("h1", pep=TUNNEL, retry=PATIENT))
    yield Number(
        claim_id="bdp",
        label="8 Mbit/s times a handshake of TCP",
        theirs=published.BDP,
        ours=[published.FORWARD_BPS / 8e3 * seconds for seconds in handshakes_s],
        margin_percent=ROUGH_MARGIN_PERCENT,
        decimals=0,
    )
    rates = [[rate * 1e3 / 8 for rate in rates_mbps(runs, "h1", name)] for name in PAGES]
    yield Number(
        claim_id="h1-rate",
        label="HTTP/1.1, the fastest page",
        theirs=published.H1_RATE,
        ours=max(rates, key=_mean),
        margin_percent=ROUGH_MARGIN_PERCENT,
        decimals=0,
    )
    for claim_id, theirs, name in (
        ("https-100-objects", published.HTTPS_100_OBJECTS, page(500, 5)),
        ("https-15-objects", published.HTTPS_15_OBJECTS, page(1500, 100)),
    ):
        label = f"{look('h1s').label}, {name}"
        yield Number(claim_id=claim_id, label=label, theirs=theirs, ours=times_s(runs, "h1s", name))


def _multiplexed(runs: Runs) -> Iterator[Number]:
    many = page(*MANY)
    small = [name for name, (total, _) in PAGES.items() if total == 500]
    for http in MULTIPLEXED:
        name = look(http).label
        loads = select(runs, **cell(http, pep=PEP), page=many)
        peaks = [bps / 1e6 for bps in busiest_bps(loads, window_s=PEAK_WINDOW_S)]
        for what, theirs, ours, margin, decimals in (
            ("time", published.H2_500_OBJECTS_PLT, times_s(runs, http, many), TIME_MARGIN_PERCENT, 1),
            ("average", published.H2_500_OBJECTS_RATE, rates_mbps(runs, http, many), ROUGH_MARGIN_PERCENT, 2),
            ("peak", published.H2_500_OBJECTS_PEAK, peaks, ROUGH_MARGIN_PERCENT, 1),
        ):
            yield Number(
                claim_id="h2-500-objects",
                label=f"{name}, 500 objects of 5 kB: {what}",
                theirs=theirs,
                ours=ours,
                margin_percent=margin,
                decimals=decimals,
            )
        for claim_id, where, pages, pep, ends in (
            ("h2-pep-10-to-12-s", "PEP", PAGES, PEP, published.H2_PEP_PLT),
            ("h2-tunnel-500k", "no PEP, 500 kB", small, TUNNEL, published.H2_TUNNEL_500K_PLT),
        ):
            times = [found for each in pages if (found := times_s(runs, http, each, pep=pep))]
            for end, theirs, pick in (("fastest", ends[0], min), ("slowest", ends[1], max)):
                yield Number(
                    claim_id=claim_id,
                    label=f"{name}, {where}: the {end} page",
                    theirs=theirs,
                    ours=pick(times, key=_mean) if times else [],
                )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
