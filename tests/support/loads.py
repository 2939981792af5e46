"""Invented page loads: records and series as engines leave them, with the numbers that a test gives them."""

import numpy as np

from tests.support.models import record_with
from tests.support.runs import Run

NS = 1_000_000_000
LAYERS = ("ip", "transport", "tls", "framing", "header", "body", "uncompressed_header")


def load(
    factors,
    *,
    plt_s,
    status="succeeded",
    connect_s=0.65,
    rtt_s=0.65,
    wire_kb=500.0,
    content_kb=400.0,
    connections=1,
    duplicates=0,
    peak_bps=4e6,
):
    """A load over `connections`, the last `duplicates` of them opened beside others.

    The link delivers at `peak_bps` during the last second of the load and nothing before. `content_kb` are
    bodies, the rest of `wire_kb` are headers of IP.
    """
    opened = {"transport": "tcp", "started_ns": 0, "connected_ns": round(connect_s * NS), "secured_ns": None}
    lines = [dict(opened) for _ in range(connections)]
    for line in lines[connections - duplicates :]:
        line["purpose"] = "duplicate"
    ends = np.arange(1, round(plt_s * 10) + 1) * 0.1
    delivered = np.where(ends > plt_s - 1.0 + 0.05, peak_bps * 0.1 / 8, 0.0)
    down = {f"{layer}_bytes": 0 for layer in LAYERS}
    down |= {"body_bytes": round(content_kb * 1e3), "ip_bytes": round((wire_kb - content_kb) * 1e3)}
    record = {
        "status": status,
        "metrics": {
            "plt_s": plt_s,
            "connect_s": connect_s,
            "rtt_mean_s": rtt_s,
            "wire_bytes_down": round(wire_kb * 1e3),
            "wire_bytes_up": 0,
        },
        "spec": {"workload": {"kind": "page-load", "http": factors["http"]}},
        "objects": [{"connection": 0, "request_s": connect_s, "last_byte_s": plt_s}],
        "client_connections": lines,
        "bytes_by_layer": {"down": down, "up": {f"{layer}_bytes": 0 for layer in LAYERS}},
    }
    link = {
        "time_s": ends,
        "forward_delivered_bytes": delivered,
        "return_delivered_bytes": np.zeros_like(delivered),
    }
    return Run(factors=dict(factors), record=record_with(**record), tables={"link": link})


def repeated(factors, *, repetitions=3, plt_s, **changes):
    """Loads of a cell whose times are 1 % apart, their mean as given."""
    spread = [1 + 0.01 * (n - (repetitions - 1) / 2) for n in range(repetitions)]
    return [load(factors, plt_s=plt_s * part, **changes) for part in spread]
