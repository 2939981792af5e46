"""What the links were made from, measured on them: it shows that they do what they should, and no more."""

from bentpipe.stats import values_of
from bentpipe.studies.alshagri2023 import published
from bentpipe.studies.alshagri2023.cells import LAN
from bentpipe.studies.measure import against
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Standing, Verdict, verdict


def round_trips(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    """The mean round trip of small packets: TCP handshakes of all loads."""
    return (
        _round_trip(
            runs,
            satellite,
            "round-trip-satellite",
            "Mean round trip of the satellite link 530 ms",
            published.ROUND_TRIP,
            "The satellite link has 125 ms a leg (Table 2) as propagation, and frames and slots of its "
            "carriers beside; the constant-rate pipe has the 530 ms themselves.",
        ),
        _round_trip(
            runs,
            LAN,
            "round-trip-lan",
            "Round trip of the LAN 1.08 ms",
            published.ROUND_TRIP_LAN,
            "The LAN has it as propagation, so that what a packet takes to be sent comes on top.",
        ),
    )


def _round_trip(
    runs: Runs, link: str, claim_id: str, claim: str, number: PublishedNumber, note: str
) -> Verdict:
    times_ms = [
        1000 * value for http in ("h1", "h2") for value in values_of(runs, "connect_s", link=link, http=http)
    ]
    return verdict(
        claim_id,
        claim,
        [against("TCP handshakes of all loads", times_ms, number, decimals=2)],
        source=number.source,
        standing=Standing.CALIBRATED,
        note=note,
    )
