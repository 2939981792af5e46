"""Our rates by cell."""

from collections.abc import Mapping

from bentpipe.stats import values_of
from bentpipe.studies.columns import count, filled, headings, mean_and_reach, rows
from bentpipe.studies.mathis1997.claims import LOSSY, NEAR, REFERENCE
from bentpipe.studies.study import NOTHING_MEASURED, Runs, StudyTable

Cell = Mapping[str, str]


def tables(runs: Runs) -> tuple[StudyTable, ...]:
    """Every table; what was not measured is left open in it."""

    def rates_mbps(cell: Cell) -> list[float]:
        return [rate / 1e6 for rate in values_of(runs, "goodput_bps", **cell)]

    def loss(cell: Cell) -> str:
        return cell["link.forward.loss"]

    def rtt(cell: Cell) -> str:
        return cell["link.rtt"]

    def measured(cell: Cell) -> int:
        return len(rates_mbps(cell))

    columns = (
        filled("loss", "Loss", loss),
        filled("rtt", "Round trip", rtt),
        *mean_and_reach("rate_mbps", "Mbit/s", rates_mbps),
        count(measured),
    )
    return (
        StudyTable(
            name="rates",
            title="Rates by loss and round trip",
            columns=headings(columns),
            rows=rows(columns, (REFERENCE, LOSSY, NEAR)),
            conclusion="" if runs else NOTHING_MEASURED,
            note="Means with 95 % intervals.",
        ),
    )
