"""Claims of section 6.4: when the first, the largest and all objects are complete, by page structure."""

from collections.abc import Sequence

from bentpipe.stats import mean_interval, select
from bentpipe.studies import rules
from bentpipe.studies.alshagri2023 import published
from bentpipe.studies.alshagri2023.cells import cell, page
from bentpipe.studies.alshagri2023.claims.comparisons import LCP, protocols, structures
from bentpipe.studies.alshagri2023.paint import embedded
from bentpipe.studies.measure import nothing
from bentpipe.studies.rules import Rule
from bentpipe.studies.study import Run, Runs
from bentpipe.studies.verdict import Finding, Measurement, Standing, Verdict, judge, verdict

_MULTIPLEXED = ("h2", "h3")
_PAGE = page("uniform", "100k")
_ROUND_TRIP_S = published.ROUND_TRIP.value / 1000


def page_structure(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    """Every claim about the structure of pages."""
    return (
        *_painting(runs, satellite, "fcp_s", "FCP", "first object complete", "Fig. 10"),
        *_painting(runs, satellite, LCP, "LCP", "largest object complete", "Fig. 12"),
        verdict(
            "plt-triangular-uniform",
            "PLT, satellite, BBR: uniform and triangular alike for HTTP/2 and HTTP/3",
            [structures(runs, http, satellite, "plt_s", rules.alike) for http in _MULTIPLEXED],
            source="section 6.4, Fig. 13",
        ),
        *_round_trips(runs, satellite),
    )


def _painting(
    runs: Runs, satellite: str, metric: str, name: str, what: str, figure: str
) -> tuple[Verdict, ...]:
    return (
        verdict(
            f"{name.lower()}-h3-h2",
            f"{name} ({what}), satellite, BBR: HTTP/3 below HTTP/2",
            [
                protocols(runs, "h3", "h2", satellite, (each,), rules.below, metric=metric, where=each)
                for each in ("uniform", "triangular")
            ],
            source=f"section 6.4, {figure}",
        ),
        verdict(
            f"{name.lower()}-triangular-uniform",
            f"{name} ({what}), satellite, BBR: triangular below uniform for HTTP/2 and HTTP/3",
            [structures(runs, http, satellite, metric, rules.below) for http in _MULTIPLEXED],
            source=f"section 6.4, {figure}",
        ),
    )


def _round_trips(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    """What RFC 9000 and RFC 8446 have, over a round trip that is propagation: it cannot fail."""
    return (
        verdict(
            "handshake-h3-one-round-trip-less",
            "HTTP/3 has its connection a round trip or more before HTTP/2",
            [_later(runs, satellite)],
            source="section 6.4, Fig. 11",
            standing=Standing.PROPERTY,
            note="RFC 9000 section 7 and RFC 8446 section 2 have it so.",
        ),
        verdict(
            "page-needs-two-round-trips",
            "Document and first object take two round trips or more after the handshake",
            [_requests(runs, http, satellite) for http in _MULTIPLEXED],
            source="section 6.4, Fig. 11",
            standing=Standing.PROPERTY,
            note="A request and its answer are a round trip; the document alone names the first object.",
        ),
    )


def _later(runs: Runs, satellite: str) -> Finding:
    means = [_ready_s(select(runs, **cell(satellite, http, "bbr"), page=_PAGE)) for http in _MULTIPLEXED]
    http2, http3 = means
    if not (http2 and http3):
        return judge("HTTP/2 less HTTP/3", _nothing(satellite), rules.at_least(90.0))
    shares = [100 * (one - sum(http3) / len(http3)) / _ROUND_TRIP_S for one in http2]
    return _share("HTTP/2 less HTTP/3, of 530 ms", shares, rules.at_least(90.0), satellite)


def _requests(runs: Runs, http: str, satellite: str) -> Finding:
    loads = select(runs, **cell(satellite, http, "bbr"), page=_PAGE)
    shares = [
        100 * (answered_s - ready_s) / _ROUND_TRIP_S
        for load, ready_s in zip(loads, _ready_s(loads), strict=True)
        if (answered_s := load.derived(_answered_s)) is not None
    ]
    return _share(f"{http}: of 530 ms", shares, rules.at_least(180.0), satellite)


def _ready_s(loads: Sequence[Run]) -> list[float]:
    """When requests could be sent first."""
    return [load.derived(_connected_s) for load in loads]


def _connected_s(load: Run) -> float:
    connection = load.record.client_connections[0]
    return (connection.secured_ns or connection.connected_ns or 0) / 1e9


def _answered_s(load: Run) -> float | None:
    """When the first byte of the first object beside the document came."""
    return min((each.first_byte_s for each in embedded(load.record)), default=None)


def _share(label: str, shares: Sequence[float], rule: Rule, satellite: str) -> Finding:
    if not shares:
        return judge(label, _nothing(satellite), rule)
    found = Measurement(
        percent=sum(shares) / len(shares), ci=mean_interval(shares), basis=f"{_PAGE}, {len(shares)} runs"
    )
    return judge(label, found, rule)


def _nothing(satellite: str) -> Measurement:
    return nothing(f"not measured: {satellite} bbr {_PAGE}")
