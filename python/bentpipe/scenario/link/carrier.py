"""The symbols of a carrier, from what is written to the run specification."""

from fractions import Fraction

from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import FASTEST_SYMBOLS_PER_S, hertz, symbols_per_s
from bentpipe.scenario.written.satellite_schema import CarrierTable
from bentpipe.scenario.written.table import refuse

ROLL_OFFS = {0.35: Fraction(35, 100), 0.25: Fraction(25, 100), 0.2: Fraction(20, 100)}
"""EN 302 307-1 clause 5.6; EN 301 545-2 has the last of them."""

UNKNOWN_BPS = 0
"""Stands for the rate of a carrier until the link says it; what waits is one full packet until then."""


def symbol_rate(table: CarrierTable, where: Location) -> int:
    """Return the symbols per second of a carrier.

    Raises
    ------
    InputError
        When neither a symbol rate nor a bandwidth with its roll-off is written, or both are.
    """
    if table.symbol_rate is not None:
        refuse(table, ("bandwidth", "roll_off"), where, why="symbol_rate says how many symbols there are")
        return symbols_per_s(table.symbol_rate, where.at("symbol_rate"))
    if table.bandwidth is None:
        expected = 'a symbol rate such as "4 Msym/s", or bandwidth and roll_off'
        raise where.at("symbol_rate").error(expected=expected, found="nothing")
    bandwidth = hertz(table.bandwidth, where.at("bandwidth"))
    roll_off = ROLL_OFFS.get(table.roll_off) if table.roll_off is not None else None
    if roll_off is None:
        found = "nothing" if table.roll_off is None else quoted(table.roll_off)
        raise where.at("roll_off").error(expected="0.35, 0.25 or 0.20", found=found)
    # Rs = floor(B / (1 + roll-off)), docs/models/dvbs2.md.
    rate = int(bandwidth / (1 + roll_off))
    if not 1 <= rate <= FASTEST_SYMBOLS_PER_S:
        raise where.at("bandwidth").error(
            expected="a bandwidth for 1 sym/s to 1000 Msym/s", found=quoted(table.bandwidth)
        )
    return rate
