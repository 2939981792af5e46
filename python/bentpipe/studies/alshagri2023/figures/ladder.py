"""The study's figure 11: handshakes and first requests of HTTP/2 and HTTP/3, from the median loads."""

from bentpipe.figures import request_ladder
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.request_ladder import Exchange, Ladder
from bentpipe.model.record import RunRecord
from bentpipe.studies.alshagri2023.cells import SATELLITE, cell, page
from bentpipe.studies.alshagri2023.paint import embedded
from bentpipe.studies.alshagri2023.published import ROUND_TRIP
from bentpipe.studies.loads import median_load
from bentpipe.studies.study import Runs

_PAGE = page("uniform", "100k")


def drawing(runs: Runs) -> Drawing | None:
    """Both protocols side by side; None where one was not measured."""
    ladders = []
    for http in ("h2", "h3"):
        load = median_load(runs, {**cell(SATELLITE, http, "bbr"), "page": _PAGE})
        if load is None:
            return None
        ladders.append(_ladder(http, load.record))
    return request_ladder.draw(
        name="request-ladder",
        title=f"Handshakes and first requests over the satellite link: {_PAGE}, BBR",
        caption="The loads of median PLT. The server's instants are taken halfway. Dashed: the published "
        f"mean round trip of {ROUND_TRIP.value:.0f} ms; the study draws one for the connection, another for "
        "TLS over TCP, and two for document and first object.",
        ladders=ladders,
        round_trip_s=ROUND_TRIP.value / 1000,
    )


def _ladder(http: str, record: RunRecord) -> Ladder:
    connection = record.client_connections[0]
    started_s, connected_s = connection.started_ns / 1e9, (connection.connected_ns or 0) / 1e9
    name = "QUIC with TLS 1.3" if connection.transport == "quic" else "TCP"
    exchanges = [Exchange(name=name, asked_s=started_s, answered_s=connected_s)]
    if connection.secured_ns is not None:
        exchanges.append(Exchange(name="TLS", asked_s=connected_s, answered_s=connection.secured_ns / 1e9))
    document = min(record.objects, key=lambda each: each.discovered_s)
    first = min(embedded(record), key=lambda each: each.last_byte_s)
    exchanges += [
        Exchange(name=name, asked_s=each.request_s, answered_s=each.first_byte_s)
        for name, each in (("document", document), ("first object", first))
    ]
    return Ladder(protocol=http, exchanges=exchanges, first_object_s=first.last_byte_s)
