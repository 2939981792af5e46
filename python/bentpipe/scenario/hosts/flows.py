"""Several bulk flows at once: "cubic", "quic:bbr", "hybla@10s", as written and as resolved."""

from collections.abc import Sequence

from bentpipe import _core
from bentpipe.model import flow as model
from bentpipe.model.draft.flow import FlowSpec
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.dscp import code_point, code_point_name
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.quantity import duration_ns
from bentpipe.scenario.written.schema import FlowTable

MOST = 100
"""Each has a port of the origin; a link's terminal has hardly more connections at work."""


def flow_specs(
    tables: Sequence[FlowTable], where: Location, *, transport: str, start: str, end_ns: int | None
) -> list[FlowSpec]:
    """Return the flows that a list of tables describes.

    Parameters
    ----------
    tables : sequence of FlowTable
        As written.
    where : Location
        The list's place.
    transport, start : str
        Of flows that name none.
    end_ns : int or None
        The end that they have in common, before which each must start.

    Raises
    ------
    InputError
        When there are none or too many, or one has no congestion control or starts too late.
    """
    if not 1 <= len(tables) <= MOST:
        raise where.error(expected=f"from 1 to {MOST} flows", found=f"{len(tables)} flows")
    return [
        _flow_spec(table, where.at(str(n)), transport=transport, start=start, end_ns=end_ns)
        for n, table in enumerate(tables, start=1)
    ]


def flow_label(flow: model.FlowSpec) -> str:
    """Write a resolved flow in one word, as it may be written in a scenario."""
    start = f"@{_core.format_duration(flow.start_ns).replace(' ', '')}" if flow.start_ns else ""
    mark = "" if flow.dscp is None else f"#{code_point_name(flow.dscp)}"
    return f"{sender_label(flow.transport, flow.cc)}{start}{mark}"


def sender_label(transport: model.Transport, cc: str) -> str:
    """Write a transport and its congestion control in one word, as they may be written in a scenario."""
    return cc if transport is model.Transport.TCP else f"{transport}:{cc}"


def _flow_spec(
    table: FlowTable, where: Location, *, transport: str, start: str, end_ns: int | None
) -> FlowSpec:
    if table.cc is None:
        expected = vocabulary.one_of(vocabulary.CONGESTION_CONTROL.available)
        raise where.at("cc").error(expected=expected, found="nothing")
    written_start = start if table.start is None else table.start
    start_ns = duration_ns(written_start, where.at("start"))
    if end_ns is not None and start_ns >= end_ns:
        end = _core.format_duration(end_ns)
        raise where.at("start").error(
            expected=f"a flow that starts before all of them end at {end}", found=written_start
        )
    spec: FlowSpec = {
        "cc": vocabulary.CONGESTION_CONTROL.checked(table.cc, where.at("cc")),
        "transport": vocabulary.TRANSPORT.checked(table.transport or transport, where.at("transport")),
        "start_ns": start_ns,
    }
    # A flow without a mark is the flow that it was before there were marks.
    if table.dscp is not None:
        spec["dscp"] = code_point(table.dscp, where.at("dscp"))
    return spec
