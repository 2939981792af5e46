"""TCP at both ends of a connection, from what is written to the run specification."""

from bentpipe.model.draft.hosts import TcpSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import count, duration_ns, rate_bps, size_bytes_or
from bentpipe.scenario.written.schema import TcpTable
from bentpipe.scenario.written.table import or_default, refuse

MOST_INITIAL_WINDOW = 10_000
OFF = "off"
MOST_CONNECT_RETRIES = 16
"""Three times what secchi2018 saw."""
NO_ACK_FREQUENCY = (
    "Linux acknowledges every second segment of TCP or, by tcp.quick_ack, each one,"
    " and offers no other frequency"
)
CLIENT_SETTINGS = (
    ("connect_retry", defaults.CONNECT_RETRY),
    ("connect_retries", defaults.CONNECT_RETRIES),
    ("idle_reset", defaults.IDLE_RESET),
    ("idle_fallback", defaults.IDLE_FALLBACK),
)
"""What a page's client does with its connections, and what it does unless told."""


def tcp_spec(table: TcpTable, where: Location, *, buffer_bytes: int) -> TcpSpec:
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
    spec: TcpSpec = {
        "initial_window": count(window, where.at("initial_window"), least=1, most=MOST_INITIAL_WINDOW),
        "receive_buffer_bytes": size_bytes_or(table.receive_buffer, buffer_bytes, where.at("receive_buffer")),
        "send_buffer_bytes": size_bytes_or(table.send_buffer, buffer_bytes, where.at("send_buffer")),
        "slow_start_after_idle": or_default(table.slow_start_after_idle, defaults.SLOW_START_AFTER_IDLE),
    }
    # What is not in use is not in a specification.
    if table.initial_receive_window is not None:
        place = where.at("initial_receive_window")
        spec["initial_receive_window"] = count(
            table.initial_receive_window, place, least=1, most=MOST_INITIAL_WINDOW
        )
    if or_default(table.fast_open, defaults.FAST_OPEN):
        spec["fast_open"] = "on"
    if or_default(table.nagle, defaults.NAGLE):
        spec["nagle"] = "on"
    if or_default(table.pacing, defaults.PACING):
        spec["pacing"] = "on"
    if table.max_pacing_rate is not None:
        place = where.at("max_pacing_rate")
        if table.pacing is False:
            raise place.error(expected="none, as pacing is false", found=quoted(table.max_pacing_rate))
        spec["max_pacing_rate_bps"] = rate_bps(table.max_pacing_rate, place)
    if not or_default(table.timestamps, defaults.TIMESTAMPS):
        spec["timestamps"] = "off"
    if or_default(table.ecn, defaults.TCP_ECN):
        spec["ecn"] = "on"
    if or_default(table.quick_ack, defaults.QUICK_ACK):
        spec["quick_ack"] = "on"
    refuse(table, ("ack_frequency",), where, why=NO_ACK_FREQUENCY)
    connect_retry = or_default(table.connect_retry, defaults.CONNECT_RETRY)
    if connect_retry != OFF:
        spec["connect_retry_ns"] = duration_ns(connect_retry, where.at("connect_retry"), least_ns=1)
        connect_retries = or_default(table.connect_retries, defaults.CONNECT_RETRIES)
        place = where.at("connect_retries")
        connect_retries = count(connect_retries, place, least=1, most=MOST_CONNECT_RETRIES)
        if connect_retries != defaults.CONNECT_RETRIES:
            spec["connect_retries"] = connect_retries
    idle_reset = or_default(table.idle_reset, defaults.IDLE_RESET)
    if idle_reset != OFF:
        spec["idle_reset_ns"] = duration_ns(idle_reset, where.at("idle_reset"), least_ns=1)
        if or_default(table.idle_fallback, defaults.IDLE_FALLBACK):
            spec["idle_fallback"] = "on"
    return spec


def refuse_client_settings(table: TcpTable, where: Location, *, why: str) -> None:
    """Raise an InputError when TCP has settings of a page's client where there is none."""
    for key, usual in CLIENT_SETTINGS:
        written = getattr(table, key)
        if written not in (None, usual):
            raise where.at(key).error(expected=f"{quoted(usual)}, as {why}", found=quoted(written))
