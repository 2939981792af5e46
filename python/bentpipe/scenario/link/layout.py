"""The superframe of a return link, from what is written to the run specification."""

from bentpipe import _core
from bentpipe.model.draft.rcs2 import BurstSpec, LayoutSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.link.carrier import symbol_rate
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import count, decibels, symbols
from bentpipe.scenario.written.satellite_schema import BurstTable, Rcs2Table
from bentpipe.scenario.written.table import or_default, refuse

MOST_SLOTS = 100_000
MOST_PACKETS = 1000


def layout_spec(table: Rcs2Table, where: Location) -> LayoutSpec:
    """Return how a superframe is divided.

    Raises
    ------
    InputError
        When there are no slots, too many, or lengths that are none.
    """
    request_symbols = defaults.REQUEST_SYMBOLS
    if table.request_length is not None:
        request_symbols = symbols(table.request_length, where.at("request_length"), least=1)
    guard_symbols, idle_symbols = defaults.GUARD_SYMBOLS, defaults.SILENT_SYMBOLS
    if table.guard is not None:
        guard_symbols = symbols(table.guard, where.at("guard"))
    if table.silence is not None:
        idle_symbols = symbols(table.silence, where.at("silence"))
    if table.traffic_slots is None:
        raise where.at("traffic_slots").error(expected="the traffic slots of a frame", found="nothing")

    def number(key: str, written: int, *, least: int) -> int:
        return count(written, where.at(key), least=least, most=MOST_SLOTS)

    layout: LayoutSpec = {
        "symbols_per_s": symbol_rate(table, where),
        "carriers": number("carriers", or_default(table.carriers, defaults.CARRIERS), least=1),
        "frames": number("frames", or_default(table.frames, defaults.FRAMES), least=1),
        "request_slots": number(
            "request_slots", or_default(table.request_slots, defaults.REQUEST_SLOTS), least=0
        ),
        "traffic_slots": number("traffic_slots", table.traffic_slots, least=1),
        "request_symbols": request_symbols,
        "burst_symbols": _burst_symbols(table, where),
        "guard_symbols": guard_symbols,
        "idle_symbols": idle_symbols,
    }
    slots = layout["carriers"] * layout["frames"] * layout["traffic_slots"]
    if slots > MOST_SLOTS:
        found = f"{slots} slots"
        raise where.at("traffic_slots").error(expected=f"at most {MOST_SLOTS} in a superframe", found=found)
    return layout


def burst_spec(table: Rcs2Table, where: Location) -> BurstSpec:
    """Return what one burst of a traffic slot carries.

    Raises
    ------
    InputError
        When neither a waveform nor a burst of MPEG packets is written, or both are.
    """
    if table.waveform is not None:
        refuse(table, ("burst",), where, why="waveform says what a burst carries")
        return {"kind": "waveform", "id": _waveform(table.waveform, where)["id"]}
    burst, place = _written_burst(table, where), where.at("burst")
    if burst.packets is None:
        raise place.at("packets").error(expected="the MPEG packets of a burst", found="nothing")
    if burst.threshold is None:
        expected = 'the Es/N0 at which one burst of 100 000 is lost, such as "4.5 dB"'
        raise place.at("threshold").error(expected=expected, found="nothing")
    return {
        "kind": "mpeg",
        "packets": count(burst.packets, place.at("packets"), least=1, most=MOST_PACKETS),
        "threshold_db": decibels(burst.threshold, place.at("threshold")),
    }


def _burst_symbols(table: Rcs2Table, where: Location) -> int:
    if table.waveform is not None:
        return _waveform(table.waveform, where)["symbols"]
    length, place = _written_burst(table, where).length, where.at("burst.length")
    if length is None:
        raise place.error(expected='the length of a burst such as "1504 sym"', found="nothing")
    return symbols(length, place, least=1)


def _written_burst(table: Rcs2Table, where: Location) -> BurstTable:
    if table.burst is None:
        expected = "a waveform from 3 to 22, or the table burst of packets, length and threshold"
        raise where.at("waveform").error(expected=expected, found="nothing")
    return table.burst


def _waveform(number: int, where: Location) -> "_core._Waveform":
    known = {row["id"]: row for row in _core.waveforms()}
    if number not in known:
        expected = f"the id of a waveform, from {min(known)} to {max(known)}"
        raise where.at("waveform").error(expected=expected, found=quoted(number))
    return known[number]
