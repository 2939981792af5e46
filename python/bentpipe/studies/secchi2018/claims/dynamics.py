"""Sections 4.1 and 4.2: 500 objects over HTTPS and over HTTP/2, and what opening connections costs."""

from collections.abc import Iterator

from bentpipe.stats import select, values_of
from bentpipe.studies import rules
from bentpipe.studies.loads import busiest_of_each_bps
from bentpipe.studies.measure import against, difference_of
from bentpipe.studies.secchi2018 import impossible, published
from bentpipe.studies.secchi2018.cells import DECIDING, MANY, PATIENT, TUNNEL, Keeping, cell, page
from bentpipe.studies.secchi2018.measured import (
    first_requests_s,
    handshake_round_trips,
    loads,
    rates_bps,
    times_s,
)
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Standing, Verdict, judge, verdict

PEAK_WINDOW_S = 0.1
"""The study samples its rates every 100 ms."""
_MANY = page(*MANY)


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    yield _product_of_rate_and_delay(runs)
    yield from _one_at_a_time(runs)
    yield from _multiplexed(runs)
    handshakes = select(runs, **cell(DECIDING, pep=TUNNEL, retry=PATIENT))
    yield verdict(
        "handshake-three-round-trips",
        "Opening HTTP/2 takes three round trips: one of TCP, two of TLS",
        [
            against(
                "TCP and TLS, in handshakes of TCP",
                handshake_round_trips(handshakes),
                published.HANDSHAKE,
                decimals=1,
            )
        ],
        source=published.HANDSHAKE.source,
    )


def _product_of_rate_and_delay(runs: Runs) -> Verdict:
    handshakes_s = values_of(runs, "connect_s", **cell("h1", pep=TUNNEL, retry=PATIENT))
    product_kb = [published.FORWARD_BPS / 8e3 * seconds for seconds in handshakes_s]
    return verdict(
        "bdp",
        "The product of rate and delay is about 650 kB",
        [against("8 Mbit/s times a handshake of TCP", product_kb, published.BDP, decimals=0)],
        source=published.BDP.source,
        standing=Standing.CALIBRATED,
        note="Became the queue and, less the access, the propagation of the link geo-hylas2. A handshake in "
        "the tunnel waits for capacity besides.",
    )


def _one_at_a_time(runs: Runs) -> Iterator[Verdict]:
    six = loads(runs, "h1s", _MANY, keeping=Keeping.ALL)
    peaks = [bps / 8e3 for bps in busiest_of_each_bps(six, window_s=PEAK_WINDOW_S)]
    average = [bps / 8e3 for bps in rates_bps(times_s(runs, "h1s", _MANY, keeping=Keeping.ALL), _MANY)]
    yield verdict(
        "h1-rate",
        "HTTP/1.1 over six connections transfers 500 objects at 230 kB/s on average",
        [against("HTTPS, six persistent connections: average", average, published.H1_RATE, decimals=0)],
        source=published.H1_RATE.source,
        standing=Standing.IMPOSSIBLE,
        note=impossible.average_rate_note(),
    )
    yield verdict(
        "h1-peak-rate",
        "HTTP/1.1 over six connections peaks at 230 kB/s in 100 ms",
        [against("HTTPS, six persistent connections: peak", peaks, published.H1_RATE, decimals=0)],
        source=published.H1_RATE.source,
    )
    multiplexed = busiest_of_each_bps(loads(runs, DECIDING, _MANY), window_s=PEAK_WINDOW_S)
    yield verdict(
        "h1-peak-below-h2",
        "The peak of HTTP/1.1 over six connections is below that of HTTP/2",
        [
            judge(
                "HTTPS against SPDY, 500 objects of 5 kB: peak in 100 ms",
                difference_of([kb * 8e3 for kb in peaks], multiplexed),
                rules.below,
            )
        ],
        source="section 4.1 of Fig. 2 and 3",
    )


def _multiplexed(runs: Runs) -> Iterator[Verdict]:
    many = loads(runs, DECIDING, _MANY)
    times = times_s(runs, DECIDING, _MANY)
    for claim_id, claim, label, ours, theirs, decimals in (
        (
            "h2-500-objects-time",
            "HTTP/2 loads 500 objects in about 12 s",
            "time",
            times,
            published.H2_500_OBJECTS_PLT,
            1,
        ),
        (
            "h2-500-objects-rate",
            "HTTP/2 loads 500 objects at 1.7 Mbit/s on average",
            "average rate",
            [bps / 1e6 for bps in rates_bps(times, _MANY)],
            published.H2_500_OBJECTS_RATE,
            2,
        ),
        (
            "h2-500-objects-peak",
            "HTTP/2 peaks at 6 Mbit/s with 500 objects",
            "peak in 100 ms",
            [bps / 1e6 for bps in busiest_of_each_bps(many, window_s=PEAK_WINDOW_S)],
            published.H2_500_OBJECTS_PEAK,
            1,
        ),
        (
            "h2-requests-at-4-s",
            "The requests of HTTP/2 leave at 4 s",
            "first object asked for",
            first_requests_s(many),
            published.H2_FIRST_REQUESTS,
            1,
        ),
    ):
        yield verdict(
            claim_id,
            claim,
            [against(f"SPDY, 500 objects of 5 kB: {label}", ours, theirs, decimals=decimals)],
            source=theirs.source,
        )
