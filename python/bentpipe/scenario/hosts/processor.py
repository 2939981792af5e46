"""How fast the hosts are, from what is written to the run specification."""

from collections.abc import Sequence

from bentpipe.model.draft.hosts import HostSpec, HostsSpec, WakeupStep
from bentpipe.scenario import defaults
from bentpipe.scenario.written.location import Location, quoted, quoted_items
from bentpipe.scenario.written.quantity import duration_ns
from bentpipe.scenario.written.schema import HostsTable, HostTable
from bentpipe.scenario.written.table import or_default

MOST_STEPS = 100
STEP = 'a sleep and a latency such as ["20 ms", "90 us"]'


def hosts_spec(table: HostsTable, where: Location) -> HostsSpec | None:
    """Return what takes time on hosts, or None where nothing does.

    Parameters
    ----------
    table : HostsTable
        As written.
    where : Location
        Its place.

    Raises
    ------
    InputError
        When a time is none, and when sleeps do not grow from zero.
    """
    client = _host_spec(or_default(table.client, HostTable()), where.at("client"))
    server = _host_spec(or_default(table.server, HostTable()), where.at("server"))
    latency = _wakeup_latency(
        or_default(table.wakeup_latency, defaults.WAKEUP_LATENCY), where.at("wakeup_latency")
    )
    spacing_ns = duration_ns(
        or_default(table.packet_spacing, defaults.PACKET_SPACING), where.at("packet_spacing")
    )
    wakes_late = any(step["latency_ns"] for step in latency)
    # What is not in use is not in a specification.
    if not (wakes_late or spacing_ns or any((*client.values(), *server.values()))):
        return None
    hosts: HostsSpec = {"client": client, "server": server}
    if wakes_late:
        hosts["wakeup_latency"] = latency
    if spacing_ns:
        hosts["packet_spacing_ns"] = spacing_ns
    return hosts


def _host_spec(table: HostTable, where: Location) -> HostSpec:
    def time_ns(text: str | None, key: str) -> int:
        return duration_ns(or_default(text, defaults.PROCESSOR_TIME), where.at(key))

    return {
        "tls_handshake_ns": time_ns(table.tls_handshake, "tls_handshake"),
        "tls_record_ns": time_ns(table.tls_record, "tls_record"),
        "quic_packet_ns": time_ns(table.quic_packet, "quic_packet"),
    }


def _wakeup_latency(written: str | Sequence[Sequence[str]], where: Location) -> list[WakeupStep]:
    if isinstance(written, str):
        return [{"slept_ns": 0, "latency_ns": duration_ns(written, where)}]
    if not 1 <= len(written) <= MOST_STEPS:
        raise where.error(expected=f"from 1 to {MOST_STEPS} steps, each {STEP}", found=str(len(written)))
    steps: list[WakeupStep] = []
    for number, pair in enumerate(written, start=1):
        place = where.at(str(number))
        if len(pair) != 2:
            raise place.error(expected=STEP, found=quoted_items(pair))
        slept_ns, latency_ns = (duration_ns(text, place.at(str(at))) for at, text in enumerate(pair, start=1))
        if not steps and slept_ns > 0:
            raise place.at("1").error(expected='a first sleep of "0 s"', found=quoted(pair[0]))
        if steps and slept_ns <= steps[-1]["slept_ns"]:
            raise place.at("1").error(expected="a longer sleep than the one before it", found=quoted(pair[0]))
        steps.append({"slept_ns": slept_ns, "latency_ns": latency_ns})
    return steps
