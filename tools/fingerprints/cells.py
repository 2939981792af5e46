"""Every protocol by every congestion control over a lossy, jittery link, and some runs over satellites."""

from typing import Any

from bentpipe.model.spec import RunSpec
from bentpipe.scenario.written import vocabulary
from tools.specs import spec_of

DIRECTION = {
    "jitter": "2 ms",
    "queue": "60 packets",
    # One packet in a hundred, in bursts of two.
    "loss": {"p": 0.005, "r": 0.5, "h": 0.0, "k": 1.0},
}
LINK = {
    "rtt": "120 ms",
    "forward": {"rate": "8 Mbit/s", **DIRECTION},
    "return": {"rate": "2 Mbit/s", **DIRECTION, "loss": {"ber": 1e-6}},
}
PAGE = {"name": "mixed", "objects": ["3 kB", "40 kB", "12 kB", "90 kB", "500 B", "60 kB"]}

WORKLOADS: dict[str, dict[str, Any]] = {
    **{http: {"page": PAGE, "http": http} for http in ("h1", "h1s", "h2", "h3")},
    **{
        f"{transport}-{direction}": {
            "bulk": {"transport": transport, "direction": direction, "size": "400 kB"}
        }
        for transport in ("tcp", "quic")
        for direction in ("down", "up")
    },
    "tcp-down-2s": {"bulk": {"transport": "tcp", "direction": "down", "duration": "2 s"}},
    "quic-up-2s": {"bulk": {"transport": "quic", "direction": "up", "duration": "2 s"}},
    "ping": {"ping": {"count": 200, "interval": "20 ms"}},
}

FADE = {"depth": "18 dB", "start": "1 s", "rise": "1 s", "lasting": "1 s", "fall": "1 s"}
"""Down to where frames are lost, and back."""

SATELLITES: dict[str, dict[str, Any]] = {
    "adaptive-h3": {
        "link": {"base": "geo-alshagri", "forward": {"attenuation": {"down": FADE}}},
        "page": PAGE,
        "http": "h3",
    },
    "by-volume-h2": {
        "link": {"base": "geo-snep", "return": {"dama": "vbdc"}},
        "page": PAGE,
        "http": "h2",
    },
    "shared-tcp-up": {
        "link": {
            "base": "geo-hylas2",
            "return": {"background": [{"count": 3, "mix": "vbdc", "load": "64 kbit/s"}]},
        },
        "bulk": {"direction": "up", "size": "200 kB"},
        "dscp": "AF41",
    },
}
"""Frames lost in a fade; slots by request; slots that others ask for as well."""

WEB: dict[str, dict[str, Any]] = {
    **{http: {"page": PAGE, "http": http} for http in ("http10", "http10s", "h2c", "spdy")},
    "pipelined-h1": {"page": PAGE, "http": "h1", "pipelining": 4, "requests_per_connection": 3},
    "pushed-h2": {"page": PAGE, "http": "h2", "push": "50 %", "priorities": "on"},
    "resumed-h1s": {
        "page": PAGE,
        "http": "h1s",
        "visit": "repeat",
        "tls": {"version": "1.2", "resumption": "ticket"},
        "tcp": {"fast_open": True, "connect_retry": "100 ms"},
    },
    "early-h2": {"page": PAGE, "http": "h2", "visit": "repeat", "tls": {"resumption": "early-data"}},
    "early-h3": {"page": PAGE, "http": "h3", "visit": "repeat", "tls": {"resumption": "early-data"}},
    **{f"{pep}-h2": {"page": PAGE, "http": "h2", "pep": pep} for pep in ("split", "tunnel", "proxy")},
    "masque-h3": {"page": PAGE, "http": "h3", "pep": "masque"},
}
"""Other protocols, handshakes and proxies."""

_CODEL = {"limit": "90 kB", "target": "5 ms", "interval": "100 ms", "ecn": True}
_DUALPI2 = {"limit": "90 kB", "aqm": "dualpi2"}

TRANSPORTS: dict[str, dict[str, Any]] = {
    "l4s": {
        "link": {
            "rtt": "120 ms",
            "forward": {"rate": "8 Mbit/s", "queue": _DUALPI2},
            "return": {"rate": "2 Mbit/s"},
        },
        "bulk": {"transport": "quic", "size": "2 MB"},
    },
    "marked-tcp": {
        "link": {
            "rtt": "120 ms",
            "forward": {"rate": "8 Mbit/s", "queue": _CODEL},
            "return": {"rate": "2 Mbit/s"},
        },
        "tcp": {"ecn": True},
        "bulk": {"transport": "tcp", "size": "2 MB"},
    },
    "search": {"slow_start": "search", "bulk": {"transport": "quic", "size": "2 MB"}},
    "careful": {"resume": {"saved_capacity": "1 x"}, "bulk": {"transport": "quic", "size": "2 MB"}},
    "few-acks": {
        "quic": {"ack_frequency": {"ack_eliciting_threshold": 9}},
        "bulk": {"transport": "quic", "size": "400 kB"},
    },
    "hybrid-h2": {"page": PAGE, "http": "h2", "tls": {"key_exchange": "x25519mlkem768"}},
    "names-h3": {"page": PAGE, "http": "h3", "dns": "doh"},
}
"""Marks, other starts, fewer acknowledgements, another key exchange, names."""

CELLS = [
    *(f"{workload} {cc}" for workload in WORKLOADS for cc in vocabulary.OVER_TCP),
    *(f"{workload} prague" for workload in ("h3", "quic-up", "l4s")),
    *(f"{workload} cubic" for workload in (*SATELLITES, *WEB, *TRANSPORTS)),
]


def spec(cell: str, *, seed: int = 1) -> RunSpec:
    """Return the run specification of a cell."""
    workload, cc = cell.split()
    own = {**WORKLOADS, **SATELLITES, **WEB, **TRANSPORTS}[workload]
    run = {"link": LINK, "cc": cc, **own, "capture": {"pcapng": True}}
    return spec_of(run, seed=seed)
