"""What a run does, from what is written to the run specification: a page, bulk flows or pings."""

from pathlib import Path
from typing import TypedDict

from bentpipe.model.draft.flow import BulkWorkload, Direction, FlowsWorkload
from bentpipe.model.draft.spec import PingWorkload, Workload
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts import http
from bentpipe.scenario.hosts.flows import flow_specs
from bentpipe.scenario.hosts.tcp import refuse_client_settings
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import count, duration_ns, size_bytes
from bentpipe.scenario.written.schema import BulkTable, PingTable, RunTable, TcpTable
from bentpipe.scenario.written.table import or_default, refuse


class Extent(TypedDict):
    """In which direction flows send, and how much or how long."""

    direction: Direction
    bytes: int | None
    duration_ns: int | None


def workload_spec(run: RunTable, where: Location, *, folder: Path, most_ping_bytes: int) -> Workload:
    """Return the workload of a run, and refuse settings that are for another.

    Raises
    ------
    InputError
        When there is none, or more than one, or a value that it cannot have.
    """
    kinds = {"page": run.page, "bulk": run.bulk, "ping": run.ping}
    written = [key for key, value in kinds.items() if value is not None]
    if len(written) != 1:
        found = " and ".join(written) or "none of them"
        raise where.error(expected="one workload: page, bulk or ping", found=found)
    if run.page is not None:
        return http.page_load_spec(run, run.page, where, folder=folder)
    why = f"{written[0]} does not use it"
    refuse(run, http.KEYS, where, why=why)
    refuse_client_settings(or_default(run.tcp, TcpTable()), where.at("tcp"), why=why)
    if run.bulk is not None:
        if run.bulk.flows is not None and run.cc is not None:
            expected = "nothing, as each of several flows has its own"
            raise where.at("cc").error(expected=expected, found=quoted(run.cc))
        return _bulk(run.bulk, where.at("bulk"))
    assert run.ping is not None
    return _ping(run.ping, where.at("ping"), most_bytes=most_ping_bytes)


def _bulk(table: BulkTable, where: Location) -> BulkWorkload | FlowsWorkload:
    if (table.size is None) == (table.duration is None):
        found = "neither" if table.size is None else "both"
        raise where.error(expected="either size or duration", found=found)
    transport = vocabulary.TRANSPORT.checked(
        or_default(table.transport, defaults.BULK_TRANSPORT), where.at("transport")
    )
    extent: Extent = {
        "direction": vocabulary.DIRECTION.checked(
            or_default(table.direction, defaults.BULK_DIRECTION), where.at("direction")
        ),
        "bytes": None if table.size is None else size_bytes(table.size, where.at("size")),
        "duration_ns": None
        if table.duration is None
        else duration_ns(table.duration, where.at("duration"), least_ns=1),
    }
    if table.flows is None:
        return {"kind": "bulk", "transport": transport, **extent}
    flows = flow_specs(
        table.flows,
        where.at("flows"),
        transport=transport,
        start=defaults.FLOW_START,
        end_ns=extent["duration_ns"],
    )
    return {"kind": "flows", **extent, "flows": flows}


def _ping(table: PingTable, where: Location, *, most_bytes: int) -> PingWorkload:
    requests = or_default(table.count, defaults.PING_COUNT)
    return {
        "kind": "ping",
        "count": count(requests, where.at("count"), least=1, most=1_000_000),
        "interval_ns": duration_ns(
            or_default(table.interval, defaults.PING_INTERVAL), where.at("interval"), least_ns=1
        ),
        "payload_bytes": size_bytes(
            or_default(table.size, defaults.PING_SIZE), where.at("size"), least=20, most=most_bytes
        ),
    }
