"""A synthetic series `path`, with the columns of a record (crates/link/src/schedule/probe.rs).

Nothing is claimed about real paths: expected values of tests come from the arguments given here.
"""

import numpy as np

BIN_S = 0.1


def path_series(
    *,
    length_s=60.0,
    epoch_s=15.0,
    first_edge_s=6.25,
    silence_s=0.13,
    state="silence",
    rates_bps=(36e6, 63e6, 48e6, 40e6, 52e6),
    delays_s=(0.009, 0.017, 0.011, 0.013, 0.010),
    elevation_deg=np.nan,
):
    """The series of a path that is interrupted for a while from the edge of each epoch on.

    Rates and delays hold for an epoch each, the return direction has a fifth of the rate. A silence has no
    capacity.
    """
    rows = round(length_s / BIN_S)
    ends = np.arange(1, rows + 1) * BIN_S
    begins = ends - BIN_S
    edges = np.arange(first_edge_s, length_s, epoch_s)
    stopped = sum(
        (
            np.clip(np.minimum(ends, edge + silence_s) - np.maximum(begins, edge), 0.0, BIN_S)
            for edge in edges
        ),
        np.zeros(rows),
    )
    stopped = np.where(stopped < 1e-9, 0.0, stopped)
    handovers = sum((((begins <= edge) & (edge < ends)) * 1.0 for edge in edges), np.zeros(rows))
    epoch = np.searchsorted(edges, begins, side="right")
    silence, outage = (stopped, 0 * stopped) if state == "silence" else (0 * stopped, stopped)
    rate = np.asarray(rates_bps)[epoch % len(rates_bps)] * (1 - silence / BIN_S)
    delay = np.asarray(delays_s)[epoch % len(delays_s)]
    table = {"time_s": ends, "handovers": handovers, "elevation_deg": np.full(rows, elevation_deg)}
    for way, share in (("forward", 1.0), ("return", 0.2)):
        table |= {
            f"{way}_capacity_bps": rate * share,
            f"{way}_delay_s": delay,
            f"{way}_silence_s": silence,
            f"{way}_outage_s": outage,
        }
    return table
