"""Section 4.2: how many connections of TCP each protocol opens, and for what."""

from collections.abc import Iterator

from bentpipe.stats import select
from bentpipe.studies import rules
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import H1, H1_TLS, HTTP10, HTTP10_TLS, SPDY
from bentpipe.studies.caviglione2014.comparisons import number, pair
from bentpipe.studies.caviglione2014.loads import CONNECTIONS, FIRST_CONNECTION
from bentpipe.studies.caviglione2014.one_load import load
from bentpipe.studies.measure import against
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Standing, Verdict, verdict

_SECTION = "section 4.2 of Fig. 3"
_LIMIT = published.REQUESTS_PER_CONNECTION


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Judge them."""
    yield from _one_for_each_object(runs)
    yield from _persistent(runs)
    yield verdict(
        "connections-spdy",
        "SPDY: all objects come over one connection",
        [number(runs, CONNECTIONS, SPDY.forward(), published.CONNECTIONS_SPDY, label="SPDY")],
        source=published.CONNECTIONS_SPDY.source,
    )


def _one_for_each_object(runs: Runs) -> Iterator[Verdict]:
    theirs = published.CONNECTIONS_HTTP10
    for variant in (HTTP10, HTTP10_TLS):
        yield verdict(
            f"connections-{variant.http}",
            f"{variant.label}: a connection for each object, {theirs.value:g} in all",
            [number(runs, CONNECTIONS, variant.forward(), theirs, label=variant.label)],
            source=theirs.source,
        )
    yield verdict(
        "tls-first-connection-longer",
        "HTTP/1.0: over TLS the first connection lasts longer",
        [
            pair(
                runs,
                FIRST_CONNECTION,
                HTTP10_TLS.forward(),
                HTTP10.forward(),
                rules.above,
                label=f"{HTTP10_TLS.label} against {HTTP10.label}: {FIRST_CONNECTION.name}",
            )
        ],
        source=_SECTION,
    )


def _persistent(runs: Runs) -> Iterator[Verdict]:
    loads = [load(run) for run in select(runs, **H1.forward())]
    more = [float(each.late_connections) for each in loads]
    first = [each.connections - each.late_connections for each in loads]
    last = [float(each.late_objects) for each in loads]
    yield verdict(
        "connections-h1-first",
        "HTTP/1.1: six connections at first",
        [
            against(
                f"{H1.label}: connections until one has had {_LIMIT} requests",
                first,
                published.CONNECTIONS_FIRST,
                decimals=0,
            )
        ],
        source=published.CONNECTIONS_FIRST.source,
        standing=Standing.CALIBRATED,
        note="The setting connections = 6 of the scenario, which Firefox has by itself.",
    )
    yield verdict(
        "connections-h1-more",
        f"HTTP/1.1: six more connections once the first ones have had {_LIMIT} requests",
        [against(f"{H1.label}: connections from then on", more, published.CONNECTIONS_MORE, decimals=0)],
        source=published.CONNECTIONS_MORE.source,
    )
    yield verdict(
        "connections-h1-last-objects",
        "HTTP/1.1: these are for the last 42 objects alone",
        [against(f"{H1.label}: objects over those", last, published.LAST_OBJECTS, decimals=0)],
        source=published.LAST_OBJECTS.source,
    )
    yield verdict(
        "connections-h1s",
        "HTTP/1.1: over TLS connections are managed similarly",
        [
            pair(
                runs,
                CONNECTIONS,
                H1_TLS.forward(),
                H1.forward(),
                rules.alike,
                label=f"{H1_TLS.label} against {H1.label}: connections",
            )
        ],
        source=_SECTION,
    )
