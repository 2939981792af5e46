"""Synthetic ledger entries with realistic values: the form of a record without an engine.

Times follow a simple model of a page load (round trips for handshakes and slow start, then the link's rate),
so that figures look like figures. Nothing is claimed about real protocols: expected values of tests come from
the arguments given here.
"""

import math
import random
from dataclasses import replace

import numpy as np

from bentpipe.ledger import Entry, Ledger
from bentpipe.model.reason import EmulatorLateReason, ObjectMissingReason, TimedOutReason
from bentpipe.scenario.page.pages import TOTAL_BYTES, TRIANGULAR_KB
from tests.support.models import changed, record_with

RTT_S = {"geo-alshagri": 0.530, "geo-alshagri-flat": 0.530, "lan": 0.00108}
RATE_BPS = 10_000_000
HANDSHAKE_ROUND_TRIPS = {"h1": 1, "h1s": 2, "h2": 2, "h3": 1}
ALPN = {"h1": "http/1.1", "h1s": "http/1.1", "h2": "h2", "h3": "h3"}
WIRE_FACTOR = {"h1": 1.060, "h1s": 1.070, "h2": 1.068, "h3": 1.085}


def write_folder(
    folder, entries, *, cells=None, name="synthetic", title="Synthetic runs", repetitions=3, series=None
):
    """A folder of results as a campaign leaves it.

    `cells` are factors; without, those of the entries. `series` gives those of an entry.
    """
    factors = cells if cells is not None else list({str(e.factors): e.factors for e in entries}.values())
    shared = (
        set(factors[0].items()).intersection(*(f.items() for f in factors)) if len(factors) > 1 else set()
    )
    scenario = {
        "name": name,
        "title": title,
        "description": "",
        "repetitions": repetitions,
        "seed": 1,
        "constants": {key: value for key, value in factors[0].items() if (key, value) in shared},
        "cells": [{"factors": f, "spec": {"workload": {"kind": workload_of(f)}}} for f in factors],
    }
    with Ledger.claim(folder, scenario) as ledger:
        for entry in entries:
            ledger.add(entry, (series or series_of)(entry))
    return folder


def workload_of(factors):
    """The kind of workload that a cell's factors belong to."""
    if "page" in factors:
        return "page-load"
    return "bulk" if "bulk.transport" in factors else "ping"


def object_sizes(page):
    structure, size = page.split("-")
    if structure == "triangular":
        return [kilobytes * 1000 for kilobytes in TRIANGULAR_KB[size]]
    count = 8 if structure == "uniform" else 1
    return [TOTAL_BYTES[size] // count] * count


def page_load(
    *, link="geo-alshagri", http="h2", cc="bbr", page="uniform-100k", repetition=0, scale=1.0, **changes
):
    """One succeeded page load. `scale` stretches its times; `changes` replace fields of the record."""
    noise = random.Random(f"{link} {http} {cc} {page} {repetition}")
    stretch = scale * (1 + noise.gauss(0, 0.01)) * (1.25 if cc == "cubic" else 1.0)
    objects, connection = _timeline(RTT_S[link], http, object_sizes(page), stretch)
    payload = sum(o["bytes"] for o in objects)
    down = round(payload * WIRE_FACTOR[http] + 2000 * HANDSHAKE_ROUND_TRIPS[http])
    up = round(payload * 0.012 + 900)
    plt = max(o["last_byte_s"] for o in objects)
    metrics = {
        "plt_s": plt,
        "fcp_s": min(o["last_byte_s"] for o in objects[1:]),
        "lcp_s": max(objects[1:], key=lambda o: (o["bytes"], -o["last_byte_s"]))["last_byte_s"],
        "ttfb_s": objects[0]["first_byte_s"],
        "connect_s": connection["connected_ns"] / 1e9,
        "tls_s": connection["secured_ns"] and (connection["secured_ns"] - connection["connected_ns"]) / 1e9,
        "completion_s": None,
        "goodput_bps": None,
        "payload_bytes": payload,
        "wire_bytes_down": down,
        "wire_bytes_up": up,
        "wire_packets_down": math.ceil(down / 1500),
        "wire_packets_up": math.ceil(up / 60),
        "overhead_percent": ((down + up) / payload - 1) * 100,
        "overhead_forward_percent": (down / payload - 1) * 100,
        "retransmitted_packets": 0,
        "drops": _no_drops(),
        "first_flight_bytes": 14_600,
        "queue_mean_bytes_down": 4_000.0,
        "queue_max_bytes_down": 60_000,
        "utilisation": min(0.97, payload * 8 / RATE_BPS / plt),
        "rtt_mean_s": RTT_S[link] * 1.05,
        "rtt_sd_s": RTT_S[link] * 0.02,
        "lateness_p50_s": 2e-5,
        "lateness_p99_s": 1.5e-4,
        "lateness_p999_s": 3.2e-4 + abs(noise.gauss(0, 1e-4)),
        "lateness_max_s": 9e-4,
    }
    workload = {"kind": "page-load", "http": http, "connections": 1, "page": {"name": page, "objects": []}}
    factors = {"link": link, "http": http, "cc": cc, "page": page, "client": "loader", "server": "bentpipe"}
    record = {
        **_envelope(link, cc, workload, metrics),
        "objects": objects,
        "client_connections": [{**connection, "congestion_control": cc}],
        "origin_connections": [{**connection, "congestion_control": cc}],
    }
    return _entry(factors, repetition, record, changes)


def bulk(*, link="geo-alshagri", transport="tcp", cc="cubic", repetition=0, goodput_bps=9.4e6, **changes):
    """One succeeded bulk flow."""
    metrics = {"completion_s": 8e7 / goodput_bps, "goodput_bps": goodput_bps, "payload_bytes": 10_000_000,
               "wire_bytes_down": 10_500_000, "wire_bytes_up": 200_000, "lateness_p999_s": 4e-4}  # fmt: skip
    workload = {"kind": "bulk", "transport": transport, "direction": "down", "bytes": 10_000_000}
    factors = {"link": link, "bulk.transport": transport, "cc": cc}
    record = {**_envelope(link, cc, workload, metrics), "objects": [], "client_connections": [],
              "origin_connections": []}  # fmt: skip
    return _entry(factors, repetition, record, changes)


LOST_PINGS = (3, 4, 11)
"""Two in a row and a single one."""


def pings(count=20):
    """The series of a run of `ping`: every ping half a millisecond later than the one before."""
    rtts = 0.530 + 0.0005 * np.arange(count)
    rtts[list(LOST_PINGS)] = np.nan
    return {"sequence": np.arange(count, dtype=float), "rtt_s": rtts}


def ping(*, repetition=0, **changes):
    """One succeeded series of pings."""
    metrics = {"rtt_mean_s": 0.5301, "rtt_sd_s": 1e-4, "ping_loss_fraction": 0.0, "lateness_p999_s": 4e-4}
    workload = {"kind": "ping", "count": 20, "interval_ns": 200_000_000, "payload_bytes": 20}
    record = {
        **_envelope("geo-alshagri", "cubic", workload, metrics),
        "objects": [],
        "client_connections": [],
        "origin_connections": [],
    }
    return _entry({"link": "geo-alshagri"}, repetition, record, changes)


TIMED_OUT = TimedOutReason(timeout_ns=60_000_000_000, loaded_objects=2)


def failed(entry, *, attempt=1, status="failed", reasons=(TIMED_OUT,)):
    """The same run as a failed or invalid attempt."""
    record = changed(entry.record, status=status, reasons=list(reasons))
    if status == "failed":
        record = changed(record, metrics={}, objects=[])
    return replace(entry, attempt=attempt).with_record(record)


def again(entry, *, attempt):
    """The same run as a later attempt."""
    return replace(entry, attempt=attempt)


def study_cells():
    """The cells of alshagri2023's table 4, as factors."""
    structures = ("single", "uniform", "triangular")
    cells = [
        (link, http, "bbr", f"{structure}-{size}")
        for link in RTT_S
        for http in ("h1", "h2", "h3")
        for structure in structures
        for size in TOTAL_BYTES
    ]
    cells += [(link, http, "cubic", f"uniform-{size}")
              for link in RTT_S for http in ("h1", "h2", "h3") for size in TOTAL_BYTES]  # fmt: skip
    return [dict(zip(("link", "http", "cc", "page"), cell, strict=True)) for cell in cells]


def full_study(*, repetitions=3):
    """A whole study with a repeated attempt and a run that stayed invalid."""
    entries = [page_load(**cell, repetition=r) for r in range(repetitions) for cell in study_cells()]
    late = [EmulatorLateReason(p999_ns=2_300_000, bound_ns=1_000_000)]
    entries[5:6] = [failed(entries[5], status="invalid", reasons=late), again(entries[5], attempt=2)]
    entries[40] = failed(entries[40], reasons=[ObjectMissingReason(object="/object-3.jpg")])
    return entries


def series_of(entry):
    """Link and sender series at 100 ms that fit the run's length; none of a run that failed."""
    if entry.status == "failed":
        return {}
    if workload_of(entry.factors) == "ping":
        return {"ping": pings()}
    link = entry.factors["link"]
    plt = entry.record.metrics.plt_s or 8.0
    ends = np.arange(1, math.ceil(plt / 0.1) + 1) * 0.1
    shape = np.clip((ends - 2 * RTT_S[link]) / max(plt / 2, 0.1), 0, 1)
    delivered = np.round(shape * RATE_BPS / 8 * 0.1 * 0.95)
    queue = np.round(shape**2 * 120_000)
    drops = (queue > 100_000) * (np.arange(len(ends)) % 7 == 0) * 3.0
    link_series = {
        "time_s": ends,
        "forward_sent_bytes": delivered,
        "forward_delivered_bytes": delivered,
        "forward_queue_bytes": queue,
        "forward_drops": drops,
    }
    sender = {
        "time_s": ends,
        "client_port": np.full(len(ends), 40_000.0),
        "cwnd_bytes": 14_600 + shape * 600_000,
        "srtt_s": RTT_S[link] + queue * 8 / RATE_BPS,
        "in_flight_bytes": shape * 500_000,
    }
    return {"link": link_series, "sender": sender}


def _timeline(rtt, http, sizes, stretch):
    connected = rtt * stretch
    secured = connected + rtt * stretch if http in ("h1s", "h2") else None
    ready = secured or connected
    html = _object("/", 900, ready, ready, ready + rtt * stretch, ready + rtt * stretch + 0.001, 0)
    objects, clock = [html], html["last_byte_s"]
    known = clock
    window, sent = 14_600, 0
    for index, size in enumerate(sizes, start=1):
        asked = clock if http.startswith("h1") else known
        first = asked + rtt * stretch if http.startswith("h1") or index == 1 else clock + 0.002
        sent += size
        rounds = max(0.0, math.log2(1 + sent / window) - math.log2(1 + (sent - size) / window))
        last = first + size * 8 / RATE_BPS * stretch + rounds * rtt * stretch * 0.5
        objects.append(_object(f"/object-{index}.jpg", size, known, asked, first, last, 0))
        clock = last
    connection = {
        "transport": "quic" if http == "h3" else "tcp",
        "protocol": ALPN[http],
        "client_port": 40_000,
        "started_ns": 0,
        "connected_ns": round(connected * 1e9),
        "secured_ns": secured and round(secured * 1e9),
        "retransmitted_packets": 0,
        "srtt_ns": round(rtt * 1e9),
        "min_rtt_ns": round(rtt * 1e9),
        "initial_cwnd_bytes": 14_600,
    }
    return objects, connection


def _object(path, size, discovered, request, first, last, connection):
    return {
        "url": f"https://origin.test{path}",
        "bytes": size,
        "connection": connection,
        "discovered_s": discovered,
        "request_s": request,
        "first_byte_s": first,
        "last_byte_s": last,
        "status": 200,
        "response_header_bytes": 120,
        "request_header_bytes": 60,
    }


def _envelope(link, cc, workload, metrics):
    direction = {"capacity": {"kind": "constant", "rate_bps": RATE_BPS}, "loss": {"kind": "none"}}
    return {
        "status": "succeeded",
        "reasons": [],
        "engine": "emulate",
        "spec": {
            "seed": 1,
            "cc": cc,
            "link": {"name": link, "forward": direction, "return": direction},
            "workload": workload,
            "validity": {"lateness_p999_ns": 1_000_000, "timeout_ns": 120_000_000_000},
        },
        "provenance": {
            "bentpipe": "0.1.0",
            "kernel": "6.1.0-18-amd64",
            "host": "bench-2",
            "python": "3.11.2",
            "started": "2025-01-01T10:00:00Z",
        },
        "metrics": metrics,
    }


def _no_drops():
    none = {"queue": 0, "channel": 0, "oversize": 0}
    return {"forward": none, "return": none}


def _entry(factors, repetition, record, changes):
    name = " ".join([*factors.values(), str(repetition)])
    run_id = f"{random.Random(name).getrandbits(64):016x}"
    return Entry.of(
        changed(record_with(run_id=run_id, **record), **changes),
        run_id=run_id,
        attempt=1,
        factors=factors,
        repetition=repetition,
    )
