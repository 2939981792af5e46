"""Claims of section 6.3: BBR against CUBIC, uniform pages."""

from bentpipe.figures.style import look
from bentpipe.stats import mean_interval, select
from bentpipe.studies import rules
from bentpipe.studies.alshagri2023 import published
from bentpipe.studies.alshagri2023.cells import LAN, PROTOCOLS, cell, page
from bentpipe.studies.alshagri2023.claims.comparisons import controls, protocols
from bentpipe.studies.loads import busiest_of_each_bps
from bentpipe.studies.measure import level, nothing
from bentpipe.studies.rules import Rule
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Measurement, Standing, Verdict, judge, verdict

FILLED_PERCENT = 90.0
FILL_PAGE = page("uniform", "2m")
ROUND_TRIP_S = published.ROUND_TRIP.value / 1000

FIRST_FLIGHT_BYTES = 10 * 1460
"""RFC 6928, and `TCP_INIT_CWND` of Linux 5.4."""
FULL_PACKET_BYTES = 1500


def never_idle_on_the_lan() -> str:
    """The arithmetic by which no congestion control can beat another over TCP on the study's LAN."""
    flight_ms = 8000 * FIRST_FLIGHT_BYTES / published.RATE_BPS
    turn_ms = published.ROUND_TRIP_LAN.value + 8000 * FULL_PACKET_BYTES / published.RATE_BPS
    return (
        "A congestion control can win what the link is idle after the first byte. The first flight, "
        f"{FIRST_FLIGHT_BYTES} B, lasts {flight_ms:.1f} ms at 10 Mbit/s, the first acknowledgement is back "
        f"after {turn_ms:.1f} ms, and TCP's small queues lose nothing before the host's own interface: the "
        "link is never idle with either, as the same section says (CUBIC manages to utilise it)."
    )


def congestion_control(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    """Every claim about congestion controls."""
    return (*_against_each_other(runs, satellite), *_filling(runs, satellite))


def _against_each_other(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    on_the_satellite = [
        verdict(
            f"satellite-bbr-beats-cubic-{http}",
            f"Uniform page, satellite, {look(http).label}: BBR beats CUBIC",
            [controls(runs, http, satellite, "bbr", "cubic", rules.below)],
            source='section 6.3, Fig. 9b: "regardless of the type of HTTP protocol"',
        )
        for http in PROTOCOLS
    ]
    on_the_lan = [
        verdict(
            f"lan-bbr-beats-cubic-{http}",
            f"Uniform page, LAN, {look(http).label}: BBR beats CUBIC",
            [controls(runs, http, LAN, "bbr", "cubic", rules.below)],
            source='section 6.3, Fig. 9a: "regardless of the type of HTTP protocol"',
            standing=Standing.IMPOSSIBLE,
            note=never_idle_on_the_lan(),
        )
        for http in ("h1", "h2")
    ]
    suffers = verdict(
        "lan-cubic-h3-suffers",
        "CUBIC with HTTP/3 also suffers on the LAN: slower than BBR",
        [controls(runs, "h3", LAN, "cubic", "bbr", rules.above)],
        source="section 6.3, Fig. 9a",
    )
    return (*on_the_satellite, *on_the_lan, suffers)


def _filling(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    missed, filled = rules.less_than(FILLED_PERCENT), rules.at_least(FILLED_PERCENT)
    return (
        verdict(
            "cubic-misses-satellite",
            "CUBIC does not fill the satellite link: in no round trip of the largest page",
            [_busiest(runs, http, satellite, "cubic", missed) for http in ("h2", "h3")],
            source="sections 6.3 and 6.5, last finding",
        ),
        verdict(
            "bbr-fills-satellite",
            "BBR fills the satellite link: in the busiest round trip of the largest page",
            [_busiest(runs, http, satellite, "bbr", filled) for http in ("h2", "h3")],
            source='sections 6.4 ("can fully utilize the channel") and 6.5, last finding',
        ),
        verdict(
            "cubic-fills-lan",
            "CUBIC fills the LAN",
            [_utilisation(runs, http, LAN, filled) for http in ("h1", "h2")],
            source="section 6.3",
            standing=Standing.PROPERTY,
            note="It cannot fail: with any algorithm a first flight is ten bandwidth-delay products.",
        ),
        verdict(
            "lan-h3-more-packets",
            "HTTP/3 transfers more packets than HTTP/1.1 and HTTP/2 (LAN, CUBIC, uniform page)",
            [
                protocols(
                    runs, "h3", other, LAN, ("uniform",), rules.above, metric="wire_packets_down", cc="cubic"
                )
                for other in ("h1", "h2")
            ],
            source='section 6.3: "many more packets"',
        ),
    )


def _busiest(runs: Runs, http: str, link: str, cc: str, rule: Rule) -> Finding:
    """The link's rate in the busiest round trip of a load, in percent of what it can carry.

    Over a whole load it would say nothing: 2 MB are 1.6 s of this link, and no load takes less than 4 s.
    """
    factors = {**cell(link, http, cc), "page": FILL_PAGE}
    rates = busiest_of_each_bps(select(runs, **factors), window_s=ROUND_TRIP_S)
    shares = [100 * rate / published.RATE_BPS for rate in rates]
    found = (
        Measurement(
            percent=sum(shares) / len(shares),
            ci=mean_interval(shares),
            basis=f"{FILL_PAGE}, {len(shares)} runs",
        )
        if shares
        else nothing(f"not measured: {link} {http} {cc} {FILL_PAGE}")
    )
    return judge(f"{look(http).label}: busiest {1000 * ROUND_TRIP_S:.0f} ms", found, rule)


def _utilisation(runs: Runs, http: str, link: str, rule: Rule) -> Finding:
    found = level(runs, "utilisation", **cell(link, http, "cubic"), page=FILL_PAGE)
    return judge(f"{look(http).label}: utilisation", found, rule)
