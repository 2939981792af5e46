"""Invented campaigns of the study caviglione2014: every cell with loads of known outcome."""

from typing import NamedTuple

from bentpipe import studies
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import (
    BY_RATE,
    BY_SCHEME,
    BY_VOLUME,
    CONSTANT,
    MIXED,
    SCHEMES,
    VARIANTS,
)
from tests.support.loads import NS, repeated
from tests.support.models import changed

STUDY = studies.get("caviglione2014")
FIRST_GET_S = 0.65
"""When invented loads ask for their first object; load times count from then on."""
LIKE = {"h2": "spdy"}
"""Whose published numbers HTTP/2 is given."""
MIDDLE = {CONSTANT: 0.0, MIXED: 0.3, BY_RATE: 0.6, BY_VOLUME: 1.0}
"""How far between the times with CRA and with VBDC the invented ones are."""
ROUND_TRIPS_S = {CONSTANT: 0.55, MIXED: 0.8, BY_RATE: 1.4, BY_VOLUME: 1.6}
IN_BATCHES = [100] * 6 + [7] * 6
"""Objects of each connection of HTTP/1.1 where six have a hundred each, and six more the last 42."""


class Cell(NamedTuple):
    """One of the study's cells; without a scheme one of sections 4.1 to 4.3."""

    http: str
    scheme: str | None = None


def cells():
    """Every cell, with its factors."""
    for variant in VARIANTS:
        yield Cell(variant.http), variant.forward()
    for variant in BY_SCHEME:
        for scheme in SCHEMES:
            yield Cell(variant.http, scheme), variant.back(scheme)


def campaign(seconds, **changes):
    """Three loads of every cell, so long from the first GET; all quantities are functions of the cell."""
    return [
        run
        for at, factors in cells()
        for run in repeated(
            factors,
            plt_s=seconds(at) + FIRST_GET_S,
            connect_s=FIRST_GET_S,
            **{key: value(at) for key, value in changes.items()},
        )
    ]


def constant(value):
    return lambda *_: value


def published_s(at):
    """The published times: HTTP/1.1 over TLS 2 s more than in clear, HTTP with CRA as forward."""
    http = LIKE.get(at.http, at.http)
    in_clear = published.PLT["h1"].value + published.H1_TLS_SLOWER.value
    forward_s = published.PLT[http].value if http in published.PLT else in_clear
    if at.scheme is None:
        return forward_s
    fast_s = published.SPDY_CRA_PLT_S if http == "spdy" else 1.3 * forward_s
    return fast_s + MIDDLE[at.scheme] * (published.VBDC_PLT[http].value - fast_s)


def published_kb(at):
    return published.DATA[LIKE.get(at.http, at.http)].value


def published_wire_kb(at):
    """All bytes; of HTTP/1.0 what 9 kB/s come to in 131 s."""
    theirs = published.RATE_HTTP10.value * published.PLT["http10"].value
    return {"http10": theirs, "http10s": 1.5 * theirs}.get(at.http, published_kb(at) + 100.0)


def published_peak_bps(at):
    told = {"http10": 9.0, "http10s": 9.0, "h1": 205.0, "h1s": 170.0}
    return 8e3 * told.get(at.http, published.RATE_SPDY.value)


def truth():
    """Loads that are as the study prints them."""
    runs = campaign(
        published_s,
        content_kb=published_kb,
        wire_kb=published_wire_kb,
        peak_bps=published_peak_bps,
        rtt_s=lambda at: ROUND_TRIPS_S[at.scheme or MIXED],
        connections=lambda at: {"spdy": 1, "h2": 1, "h1": 12, "h1s": 12}.get(at.http, published.OBJECTS),
    )
    for run in runs:
        if run.factors["http"] in ("h1", "h1s"):
            carry(run, IN_BATCHES)
        elif run.factors["http"] in ("http10", "http10s"):
            close_first(run, after_s=2.0 if run.factors["http"] == "http10" else 3.0)
    return runs


def carry(run, objects):
    """Give the connections of a load so many objects each; those after the first six are opened at 5 s."""
    opened = [
        {"transport": "tcp", "started_ns": (0 if place < published.CONNECTIONS_AT_ONCE else 5) * NS}
        for place in range(len(objects))
    ]
    (first,) = run.record.objects
    timings = [
        changed(first, connection=place, request_s=FIRST_GET_S if place < 6 else 6.0)
        for place, number in enumerate(objects)
        for _ in range(number)
    ]
    # The last request of each of the first six is before the others are opened.
    run.record = changed(run.record, client_connections=opened, objects=timings)


def close_first(run, *, after_s):
    """Let the connection of the document end so long after its first packet."""
    first, *others = run.record.client_connections
    closed = changed(first, closed_ns=round(after_s * NS))
    run.record = changed(run.record, client_connections=[closed, *others])


def verdict(runs, claim_id):
    return next(v for v in STUDY.claims(runs) if v.claim_id == claim_id)


def agreement(runs, claim_id):
    return verdict(runs, claim_id).agreement
