"""Who shares a link, from what is written to the run specification: customers forward, terminals back."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from bentpipe.model.draft.dvbs2 import CustomerSpec, LoadSpec, TraceLoadSpec, TracePacketSpec
from bentpipe.model.draft.rcs2 import BackgroundSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.link.mix import MixByName
from bentpipe.scenario.link.queue import ByteLimit
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import count, duration_ns, rate_bps, size_bytes
from bentpipe.scenario.written.samples import read_samples
from bentpipe.scenario.written.satellite_schema import (
    BackgroundTable,
    ForwardBackgroundTable,
    ReturnBackgroundTable,
)
from bentpipe.scenario.written.table import or_default, refuse

MOST_OTHERS = 1000
SHORTEST_PERIOD_NS = 1_000_000
COLUMNS = ("time_s", "bytes")

AnyBackground = TypeVar("AnyBackground", bound=BackgroundTable)


def background_specs(
    tables: Sequence[ReturnBackgroundTable],
    where: Location,
    *,
    mix: MixByName,
    default_limit: Callable[[ByteLimit], None],
    mtu_bytes: int,
) -> list[BackgroundSpec]:
    """Return every terminal besides the one that is measured.

    Parameters
    ----------
    tables : sequence of ReturnBackgroundTable
        As written.
    where : Location
        Their place.
    mix : MixByName
        Finds a mix by its name.
    default_limit : callable
        Puts in what waits at most in a terminal that does not say.
    mtu_bytes : int
        The longest packet.

    Raises
    ------
    InputError
        When there are too many, or what one sends is none.
    """
    terminals: list[BackgroundSpec] = []
    for table, place, several in _counted(tables, where, of="terminals"):
        if table.mix is None:
            raise place.at("mix").error(expected='the name of a mix such as "cra"', found="nothing")
        terminal: BackgroundSpec = {
            "mix": mix(table.mix, place.at("mix")),
            "limit_bytes": mtu_bytes,
            "load": _load(table, place, mtu_bytes=mtu_bytes),
        }
        _limit(table, terminal, place, default_limit=default_limit, mtu_bytes=mtu_bytes)
        terminals += [terminal] * several
    return terminals


def customer_specs(
    tables: Sequence[ForwardBackgroundTable],
    where: Location,
    *,
    default_limit: Callable[[ByteLimit], None],
    mtu_bytes: int,
) -> list[CustomerSpec]:
    """Return every customer of a forward carrier besides the one that is measured; see `background_specs`.

    Raises
    ------
    InputError
        When there are too many, or what one is sent is nothing.
    """
    customers: list[CustomerSpec] = []
    for table, place, several in _counted(tables, where, of="customers"):
        customer: CustomerSpec = {
            "limit_bytes": mtu_bytes,
            "load": _load(table, place, mtu_bytes=mtu_bytes),
        }
        _limit(table, customer, place, default_limit=default_limit, mtu_bytes=mtu_bytes)
        customers += [customer] * several
    return customers


def _counted(
    tables: Sequence[AnyBackground], where: Location, *, of: str
) -> Iterator[tuple[AnyBackground, Location, int]]:
    """Each table with its place, and how many it stands for."""
    total = 0
    for number, table in enumerate(tables, start=1):
        place = where.at(str(number))
        wanted = or_default(table.count, defaults.BACKGROUND_COUNT)
        several = count(wanted, place.at("count"), least=1, most=MOST_OTHERS)
        total += several
        if total > MOST_OTHERS:
            raise where.error(expected=f"at most {MOST_OTHERS} {of}", found=f"{total} {of}")
        yield table, place, several


def _limit(
    table: BackgroundTable,
    spec: ByteLimit,
    where: Location,
    *,
    default_limit: Callable[[ByteLimit], None],
    mtu_bytes: int,
) -> None:
    """Put in what waits at most."""
    if table.queue is None:
        default_limit(spec)
    else:
        spec["limit_bytes"] = size_bytes(table.queue, where.at("queue"), least=mtu_bytes)


def _load(table: BackgroundTable, where: Location, *, mtu_bytes: int) -> LoadSpec:
    if table.file is not None:
        refuse(table, ("load", "packet", "on", "off"), where, why="file says what is sent")
        return _trace(table, table.file, where, mtu_bytes=mtu_bytes)
    if table.load is None:
        expected = 'a rate such as "256 kbit/s", or file'
        raise where.at("load").error(expected=expected, found="nothing")
    refuse(table, ("every",), where, why="a load at random has no end")
    packet = or_default(table.packet, defaults.BACKGROUND_PACKET)
    rate = rate_bps(table.load, where.at("load"))
    packet_bytes = size_bytes(packet, where.at("packet"), most=mtu_bytes)
    if table.on is None and table.off is None:
        return {"kind": "poisson", "rate_bps": rate, "packet_bytes": packet_bytes}
    for key, period in (("on", table.on), ("off", table.off)):
        if period is None:
            raise where.at(key).error(expected='a mean duration such as "10 s"', found="nothing")
    on_ns, off_ns = (
        duration_ns(or_default(period, ""), where.at(key), least_ns=SHORTEST_PERIOD_NS)
        for key, period in (("on", table.on), ("off", table.off))
    )
    return {
        "kind": "on-off",
        "rate_bps": rate,
        "packet_bytes": packet_bytes,
        "on_ns": on_ns,
        "off_ns": off_ns,
    }


def _trace(table: BackgroundTable, file: str, where: Location, *, mtu_bytes: int) -> TraceLoadSpec:
    samples = read_samples(Path(file), COLUMNS, where.at("file"))
    for at_ns, size in samples:
        if size != int(size) or not 1 <= size <= mtu_bytes:
            found = f"{size:g} at {at_ns / 1e9:g} s"
            raise Location(file=file).error(expected=f"whole bytes from 1 to {mtu_bytes}", found=found)
    period_ns = None if table.every is None else duration_ns(table.every, where.at("every"), least_ns=1)
    if period_ns is not None and period_ns <= samples[-1][0]:
        raise where.at("every").error(expected="more than up to its last packet", found=quoted(table.every))
    packets: list[TracePacketSpec] = [{"at_ns": at_ns, "bytes": int(size)} for at_ns, size in samples]
    return {"kind": "trace", "packets": packets, "period_ns": period_ns}
