"""Downloads and pings of known outcome for the tests of claypool2020."""

import numpy as np

from bentpipe.studies.claypool2020.downloads import CONTROLS
from tests.support.models import record_with
from tests.support.runs import Run

MTU_BYTES = 1500
START_UP_BITS = 8 * 50e6


def download(
    cc, *, mbps=100.0, start_mbps=20.0, rtt_ms=800.0, resent_percent=0.0, status="succeeded", seconds=90
):
    """A download with one rate for the first 50 MB and another one afterwards."""
    times = np.arange(1, seconds * 10 + 1) * 0.1
    start_s = START_UP_BITS / (start_mbps * 1e6)
    rates_bps = np.where(times <= start_s + 0.001, start_mbps, mbps) * 1e6
    packets = rates_bps * 0.1 / 8 / MTU_BYTES
    spec = {"workload": {"kind": "bulk"}, "link": {"mtu_bytes": MTU_BYTES}}
    return Run(
        factors={"link": "geo-viasat2", "cc": cc, "bulk.direction": "down"},
        record=record_with(status=status, spec=spec, metrics={"completion_s": float(seconds)}),
        tables={
            "progress": {"time_s": times, "received_bytes": rates_bps * 0.1 / 8},
            "link": {"time_s": times, "forward_sent_bytes": packets * MTU_BYTES},
            "sender": {
                "time_s": times,
                "srtt_s": np.full(len(times), rtt_ms / 1e3),
                "retransmitted_packets": np.cumsum(packets) * resent_percent / 100,
            },
        },
    )


def quiet(rtts_s):
    """A run of the baseline."""
    record = record_with(status="succeeded", spec={"workload": {"kind": "ping"}})
    return Run(factors={"link": "geo-viasat2"}, record=record, tables={"ping": {"rtt_s": np.asarray(rtts_s)}})


def campaign(*, seconds=90, **quantities):
    """Three downloads of each congestion control, 1 % apart; a quantity is a number for each control."""
    return [
        download(
            cc, seconds=seconds, **{name: row[cc] * (1 + 0.01 * (n - 1)) for name, row in quantities.items()}
        )
        for cc in CONTROLS
        for n in range(3)
    ]


def baseline_runs():
    """Round trips of the published mean and deviation, normally distributed; three lost in a row."""
    rng = np.random.default_rng(597)
    runs = []
    for _ in range(4):
        rtts = rng.normal(0.5975, 0.0167, 5000)
        rtts[:3] = np.nan
        runs.append(quiet(rtts))
    return runs
