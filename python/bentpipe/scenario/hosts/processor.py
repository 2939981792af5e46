"""How fast the hosts are, from what is written to the run specification."""

from bentpipe.model.draft.hosts import HostSpec, HostsSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.quantity import duration_ns
from bentpipe.scenario.written.schema import HostsTable, HostTable
from bentpipe.scenario.written.table import or_default


def hosts_spec(table: HostsTable, where: Location) -> HostsSpec | None:
    """Return what the processors at both ends take for things, or None where that is nothing.

    Parameters
    ----------
    table : HostsTable
        As written.
    where : Location
        Its place.

    Raises
    ------
    InputError
        When a time is none.
    """
    client = _host_spec(or_default(table.client, HostTable()), where.at("client"))
    server = _host_spec(or_default(table.server, HostTable()), where.at("server"))
    # What is not in use is not in a specification.
    if not any((*client.values(), *server.values())):
        return None
    return {"client": client, "server": server}


def _host_spec(table: HostTable, where: Location) -> HostSpec:
    def time_ns(text: str | None, key: str) -> int:
        return duration_ns(or_default(text, defaults.PROCESSOR_TIME), where.at(key))

    return {
        "tls_handshake_ns": time_ns(table.tls_handshake, "tls_handshake"),
        "tls_record_ns": time_ns(table.tls_record, "tls_record"),
        "quic_packet_ns": time_ns(table.quic_packet, "quic_packet"),
    }
