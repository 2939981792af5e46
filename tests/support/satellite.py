"""Synthetic series of a satellite link, with the columns of a record and numbers of a plausible size.

Nothing is claimed about real carriers: expected values of tests come from the arguments given here.
"""

import numpy as np

from bentpipe.model.dvbs2 import Dvbs2CapacitySpec
from bentpipe.scenario.link.description import modcods

BIN_S = 0.1
DVBS2 = {
    "kind": "dvbs2",
    "nominal_bps": 9_900_000,
    "symbols_per_s": 4_400_000,
    "fecframe": "normal",
    "pilots": "on",
    "idle": "dummy-frames",
    "closing_timeout_ns": 10_000_000,
    "encapsulation": {"kind": "gse", "label_bytes": 3},
    "modulation": {
        "kind": "adaptive",
        "margin_db": 1.0,
        "hysteresis_db": 0.5,
        "report_period_ns": 500_000_000,
        "report_delay_ns": 280_000_000,
    },
    "es_n0": {
        "up": {"clear_sky_db": 25.0, "attenuation": {"points": [], "period_ns": None}},
        "down": {
            "clear_sky_db": 13.5,
            "attenuation": {
                "points": [
                    {"at_ns": 10_000_000_000, "db": 0.0},
                    {"at_ns": 20_000_000_000, "db": 10.0},
                    {"at_ns": 30_000_000_000, "db": 0.0},
                ],
                "period_ns": None,
            },
        },
    },
    "classes": [],
}
CLEAR_SKY = {"clear_sky_db": 20.0, "attenuation": {"points": [], "period_ns": None}}
MIX = {
    "cra": {"slots": 18, "superframes": 1},
    "rbdc": {"max": {"slots": 105, "superframes": 1}, "timeout_superframes": 4},
    "volume": {"kind": "vbdc", "max_slots": 105},
    "free": "none",
}
RCS2 = {
    "kind": "rcs2",
    "nominal_bps": 1_000_000,
    "layout": {
        "symbols_per_s": 1_300_000,
        "carriers": 1,
        "frames": 4,
        "request_slots": 1,
        "traffic_slots": 57,
        "request_symbols": 536,
        "burst_symbols": 536,
        "guard_symbols": 4,
        "idle_symbols": 0,
    },
    "burst": {"kind": "waveform", "id": 4},
    "encapsulation": {"kind": "rle", "protocol_bytes": 2, "label_bytes": 0, "protection": "sequence"},
    "request_delay_ns": 260_000_000,
    "lead_ns": 260_000_000,
    "signalling": {"kind": "request-slot", "period": 1},
    "placement": "spread",
    "order": "oldest-first",
    "es_n0": {"up": CLEAR_SKY, "down": CLEAR_SKY},
    "mix": MIX,
    "classes": [],
    "background": [],
}


def direction(capacity, *, delay_ns=260_000_000):
    """A direction with that capacity."""
    return {
        "capacity": capacity,
        "delay_ns": delay_ns,
        "jitter": {"kind": "none"},
        "queue": {"kind": "bytes", "limit_bytes": 260_000},
        "loss": {"kind": "none"},
    }


def classified(name):
    """A class of service of a few packets."""
    return {"name": name, "dscp": [46], "queue": {"kind": "packets", "limit_packets": 9}}


def constant(rate_bps):
    return {"kind": "constant", "rate_bps": rate_bps}


def link_spec(*, forward=DVBS2, back=RCS2):
    """A satellite link."""
    return {
        "name": "synthetic",
        "mtu_bytes": 1500,
        "forward": direction(forward),
        "return": direction(back),
    }


def faded(*, length_s=40.0, clear_sky_db=13.2, depth_db=10.0, report_s=1.0, delay_s=0.78):
    """The series `acm` and `link` of a carrier through a fade in the middle half of the run.

    The gateway goes by what was measured up to `report_s` + `delay_s` ago; frames are lost 0.4 dB below the
    threshold.
    """
    known = list(modcods(Dvbs2CapacitySpec.model_validate(DVBS2)).values())
    time = np.arange(1, round(length_s / BIN_S) + 1) * BIN_S

    def es_n0(at):
        return clear_sky_db - depth_db * np.interp(at / length_s, [0.25, 0.5, 0.75], [0.0, 1.0, 0.0])

    measured_at = np.floor((time - delay_s) / report_s) * report_s
    reported = np.where(measured_at >= 0, es_n0(measured_at), np.nan)
    reach = np.where(np.isnan(reported), -2.35, reported - 1.0)
    chosen = [
        max((m for m in known if m.threshold_db <= db), key=lambda m: m.spectral_efficiency) for db in reach
    ]
    threshold = np.array([modcod.threshold_db for modcod in chosen])
    frames = np.round([DVBS2["symbols_per_s"] * BIN_S / modcod.symbols for modcod in chosen])
    lost = np.where(es_n0(time) < threshold - 0.4, frames, 0.0)
    acm = {
        "time_s": time,
        "es_n0_db": es_n0(time),
        "reported_es_n0_db": reported,
        "modcod": np.array([float(modcod.number) for modcod in chosen]),
        "threshold_db": threshold,
        "frames": frames,
        "frames_lost": lost,
        "dummy_frames": np.zeros(len(time)),
        "fill": np.full(len(time), 0.98),
    }
    bits = frames * np.array([modcod.bits for modcod in chosen])
    delivered = np.round(0.96 * np.where(lost > 0, 0.0, bits) / 8)
    link = {
        "time_s": time,
        "forward_sent_bytes": delivered,
        "forward_delivered_bytes": delivered,
        "forward_queue_bytes": np.round(120_000 * (1 - bits / bits.max())),
        "forward_drops": (lost > 0) * 4.0,
    }
    return {"acm": acm, "link": link}


def demanded(*, superframes=200, length_s=0.097, others=0, capacity=228, seed=1):
    """The series `dama` of a terminal with 18 constant slots and up to 105 and 105 on demand.

    It sends a burst of data every 4.2 s; what it asks for is given six superframes later. `others` are the
    slots of all other terminals.
    """
    noise = np.random.default_rng(seed)
    backlog, log = 0.0, []
    asked_rate, asked_volume = np.zeros(superframes + 8), np.zeros(superframes + 8)
    slot = 59.0
    for k in range(superframes):
        backlog += 30_000 if k % 43 == 10 else float(noise.poisson(1.5)) * 84
        waiting = backlog / slot
        asked_rate[k + 6] = min(105.0, np.ceil(waiting / 4)) if waiting > 18 else 0.0
        asked_volume[k + 6] = min(105.0, np.ceil(waiting - asked_rate[k + 6])) if waiting > 40 else 0.0
        given = 18 + asked_rate[k] + asked_volume[k]
        used = min(given, np.ceil(waiting))
        backlog = max(0.0, backlog - used * slot)
        log.append((k * length_s, given, asked_rate[k], asked_volume[k], used, backlog, waiting))
    time, given, rate, volume, used, backlogs, waits = np.array(log).T
    return {
        "time_s": time,
        "capacity_slots": np.full(superframes, float(capacity)),
        "allocated_slots": np.minimum(given + others, capacity),
        "requested_rate_slots": np.minimum(105.0, np.where(waits > 18, np.ceil(waits / 4), 0.0)),
        "requested_volume_slots": np.where(waits > 40, np.ceil(waits * 0.75), 0.0),
        "granted_cra_slots": np.full(superframes, 18.0),
        "granted_rbdc_slots": rate,
        "granted_volume_slots": volume,
        "granted_free_slots": np.zeros(superframes),
        "used_slots": used,
        "backlog_bytes": backlogs,
        "es_n0_db": np.full(superframes, 17.0),
    }


def queued(*, length_s=20.0, names=("voice", "assured", "other")):
    """The series `classes`: each class holds ten times as much as the one before it."""
    time = np.arange(1, round(length_s / BIN_S) + 1) * BIN_S
    columns = {"time_s": time}
    for direction, scale in (("forward", 1.0), ("return", 0.3)):
        for place, name in enumerate(names):
            wave = 0.5 - 0.5 * np.cos(time * (5 - place))
            columns[f"{direction}_{name}_queue_bytes"] = np.round(scale * 400 * 10**place * wave)
    return columns


DELAY_PARTS_S = {
    "forward_queue_s": 0.020,
    "forward_framing_s": 0.012,
    "forward_propagation_s": 0.260,
    "return_queue_s": 0.030,
    "return_request_s": 0.620,
    "return_slot_s": 0.040,
    "return_burst_s": 0.010,
    "return_propagation_s": 0.260,
}


def delayed(*, length_s=20.0, silent=(12.0, 15.0)):
    """The series `delays`: each part swings about its mean by a tenth of it, but for propagation.

    A packet arrives in every other bin, and none during the silence.
    """
    time = np.arange(1, round(length_s / BIN_S) + 1) * BIN_S
    is_quiet = (np.arange(len(time)) % 2 == 1) | ((time > silent[0]) & (time <= silent[1]))
    columns = {"time_s": time}
    for place, (name, value) in enumerate(DELAY_PARTS_S.items()):
        swing = 0.0 if "propagation" in name else 0.1 * np.sin(2 * np.pi * time + place)
        columns[name] = np.where(is_quiet, np.nan, value * (1 + swing))
    return columns
