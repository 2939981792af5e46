"""Settings of the hosts that chance chooses: TCP, QUIC, HTTP/2, TLS, proxies; most stay as they are."""

from collections.abc import Sequence

from bentpipe.scenario.written.toml import TomlTable
from bentpipe.scenario.written.vocabulary import LOSS_BASED
from tools.agreement_random.draw import Draw, size_text

OF_TCP: tuple[str, ...] = ("reno", "cubic", "bbr", "hybla", "vivace")
"""Of the kernel's TCP and of the simulator's; BBRv3 has no kernel here."""
OF_QUIC = (*OF_TCP, "bbr3")


def congestion_control(draw: Draw, *, over: str) -> str:
    """Return a congestion control that both engines have over "tcp" or "quic"."""
    choices = OF_TCP if over == "tcp" else OF_QUIC
    return draw.one_of(*choices)


def settings(draw: Draw, *, transports: Sequence[str], cc: str | None) -> TomlTable:
    """Return tables `tcp`, `quic` and `bbr`, and `slow_start`, as far as they differ from the defaults.

    Parameters
    ----------
    draw : Draw
    transports : sequence of str
        Those in use, "tcp" or "quic" or both.
    cc : str or None
        The congestion control, where all senders have one.
    """
    found: TomlTable = {}
    if "tcp" in transports:
        found["tcp"] = _tcp(draw)
    if "quic" in transports:
        found["quic"] = _quic(draw)
    if list(transports) == ["quic"]:
        if cc in LOSS_BASED and draw.happens(0.25):
            found["slow_start"] = draw.one_of("hystart++", "loss")
        if cc == "bbr" and draw.happens(0.15):
            found["bbr"] = {"extra_acked": False}
    return {key: value for key, value in found.items() if value != {}}


def _tcp(draw: Draw) -> TomlTable:
    return _some(
        draw,
        {
            "initial_window": (0.15, draw.count(1, 100)),
            "initial_receive_window": (0.05, 20),
            "receive_buffer": (0.1, size_text(draw.log_between(64e3, 4e6))),
            "send_buffer": (0.05, size_text(draw.log_between(64e3, 4e6))),
            "slow_start_after_idle": (0.1, False),
            "fast_open": (0.1, True),
            "nagle": (0.05, True),
            "timestamps": (0.1, False),
            "quick_ack": (0.08, True),
            "pacing": (0.1, True),
        },
    )


def _quic(draw: Draw) -> TomlTable:
    return _some(
        draw,
        {
            "initial_window": (0.12, size_text(draw.log_between(3e3, 100e3))),
            "initial_rtt": (0.12, draw.duration(0.05, 1)),
            "stream_receive_window": (0.06, size_text(draw.log_between(64e3, 4e6))),
            "receive_window": (0.06, size_text(draw.log_between(64e3, 4e6))),
            "send_window": (0.06, size_text(draw.log_between(64e3, 4e6))),
            "udp_payload": (0.06, "1200 B"),
            "max_concurrent_streams": (0.05, draw.count(1, 30)),
            "cwnd_validation": (0.08, False),
        },
    )


def http2(draw: Draw) -> TomlTable:
    """Return a table `http2`, as far as it differs from the defaults."""
    return _some(
        draw,
        {
            "stream_window": (0.1, size_text(draw.log_between(64e3, 1e6))),
            "connection_window": (0.07, size_text(draw.log_between(64e3, 4e6))),
            "max_concurrent_streams": (0.07, draw.count(1, 50)),
            "header_table": (0.05, draw.one_of("0 B", "1024 B")),
        },
    )


def tls(draw: Draw, *, http: str) -> TomlTable:
    """Return a table `tls` for an HTTP over TLS, as far as it differs from the defaults."""
    version = "1.2" if http != "h3" and draw.happens(0.25) else "1.3"
    resumption = draw.weighted({"none": 5, "ticket": 2, "early-data": 2 if version == "1.3" else 0})
    older = {"version": version} if version == "1.2" else {}
    return {**older, "resumption": resumption} if resumption != "none" else dict(older)


def clients_connections(draw: Draw, *, http: str) -> TomlTable:
    """Return the settings of `tcp` that are those of a page's client, as far as they differ."""
    found: TomlTable = {}
    if draw.happens(0.07):
        found["connect_retry"] = draw.one_of("250 ms", draw.duration(0.1, 1))
        if draw.happens(0.3):
            found["connect_retries"] = draw.count(2, 3)
    if draw.happens(0.05):
        found["idle_reset"] = draw.duration(0.3, 3)
        if http in ("h2", "spdy") and draw.happens(0.5):
            found["idle_fallback"] = True
    return found


def proxy(draw: Draw, *, has_http: bool) -> TomlTable | None:
    """Return a table `pep`, or none; `has_http` says whether a client makes requests over TCP."""
    kind = draw.weighted({"none": 13, "split": 4, "tunnel": 1.5, "proxy": 1.5 if has_http else 0})
    if kind == "none":
        return None
    found: TomlTable = {"kind": kind}
    if kind == "tunnel":
        return found
    if draw.happens(0.5):
        found["cc"] = draw.one_of(*OF_TCP)
    if draw.happens(0.2):
        found["relay_buffer"] = draw.one_of("64 KiB", "128 KiB", "1 MiB")
    if draw.happens(0.3):
        found["tcp"] = {"initial_window": draw.count(10, 100)}
    if kind == "split":
        found["place"] = draw.one_of("both", "both", "terminal", "gateway")
        if found["place"] == "both" and draw.happens(0.25):
            found["standing"] = True
    return found


def _some(draw: Draw, values: dict[str, tuple[float, object]]) -> TomlTable:
    """Return the values that are drawn; each stands behind its probability."""
    return {key: value for key, (p, value) in values.items() if draw.happens(p)}
