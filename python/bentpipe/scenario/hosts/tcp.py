"""TCP at both ends of a connection, from what is written to the run specification."""

from typing import Any

from bentpipe.scenario import defaults
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import count, duration_ns, size_bytes_or
from bentpipe.scenario.written.schema import TcpTable
from bentpipe.scenario.written.table import or_default

MOST_INITIAL_WINDOW = 10_000
OFF = "off"
CLIENT_KEYS = ("connect_retry", "idle_reset")
"""What a page's client does with its connections."""


def tcp_spec(table: TcpTable, where: Location, *, buffer_bytes: int) -> dict[str, Any]:
    """Return the settings of TCP.

    Parameters
    ----------
    table : TcpTable
        As written.
    where : Location
        Its place.
    buffer_bytes : int
        Of either buffer that is not written.
    """
    window = or_default(table.initial_window, defaults.INITIAL_WINDOW_SEGMENTS)
    return {
        "initial_window": count(window, where.at("initial_window"), least=1, most=MOST_INITIAL_WINDOW),
        "receive_buffer_bytes": size_bytes_or(table.receive_buffer, buffer_bytes, where.at("receive_buffer")),
        "send_buffer_bytes": size_bytes_or(table.send_buffer, buffer_bytes, where.at("send_buffer")),
        "slow_start_after_idle": or_default(table.slow_start_after_idle, defaults.SLOW_START_AFTER_IDLE),
        **_in_use("fast_open", or_default(table.fast_open, defaults.FAST_OPEN)),
        **_in_use("nagle", or_default(table.nagle, defaults.NAGLE)),
        **_in_use("quick_ack", or_default(table.quick_ack, defaults.QUICK_ACK)),
        **_time("connect_retry", or_default(table.connect_retry, defaults.CONNECT_RETRY), where),
        **_time("idle_reset", or_default(table.idle_reset, defaults.IDLE_RESET), where),
    }


def refuse_client_settings(table: TcpTable, where: Location, *, why: str) -> None:
    """Raise an InputError when TCP has settings of a page's client where there is none."""
    for key in CLIENT_KEYS:
        written = getattr(table, key)
        if written not in (None, OFF):
            raise where.at(key).error(expected=f'"{OFF}", as {why}', found=quoted(written))


def _in_use(key: str, is_on: bool) -> dict[str, str]:
    """Return a setting, or nothing: what is not in use is not in a specification."""
    return {key: "on"} if is_on else {}


def _time(key: str, written: str, where: Location) -> dict[str, int]:
    if written == OFF:
        return {}
    return {f"{key}_ns": duration_ns(written, where.at(key), least_ns=1)}
