"""What the path did to a run: proxies, weather, waits for capacity; to an emulated one the machine, too."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bentpipe.model.channel import NoneLossSpec
from bentpipe.model.record import Engine, RunRecord
from bentpipe.stats import FORWARD_PARTS, RETURN_PARTS, Way, delay_means, path_summary
from bentpipe.stats.path import WAYS

Series = Mapping[str, NDArray[np.float64]]

_NOTICEABLE_S = 0.01
_NS = 1e-9
_HOST = (
    "link_scheduling",
    "idle_cores",
    "load_average_1min",
    "waited_for_a_core_ms",
    "timer_late_max_ms",
)
"""Of the provenance, what tells whether the machine kept up (docs/models/emulation.md)."""


def path_facts(record: RunRecord, series: Mapping[str, Series]) -> tuple[str, ...]:
    """Return what a reader should know of the path, a sentence each; nothing of a plain pipe.

    Parameters
    ----------
    record
        The run's record.
    series
        `acm`, `delays`, `path` and `link` of it, where it has them; each with columns of shape (rows,).
    """
    found = (*_proxies(record), *_channel(record), *_modcods(series.get("acm", {})))
    found = (*found, *_waits(series.get("delays", {})))
    found = (*found, *_interruptions(series.get("path", {}), series.get("link", {})))
    return (*found, *_host(record)) if record.engine is Engine.EMULATE else found


def _proxies(record: RunRecord) -> list[str]:
    pep = record.spec.pep
    if pep is None:
        return []
    place = f" at {pep.place}" if pep.kind == "split" else ""
    return [f"a proxy is on the path ({pep.kind}{place}): captures show the ends of the satellite link"]


def _channel(record: RunRecord) -> list[str]:
    link = record.spec.link
    return [
        f"the {name} channel loses packets by design (link.{name}.loss: {direction.loss.kind})"
        for name, direction in (("forward", link.forward), ("return", link.return_))
        if not isinstance(direction.loss, NoneLossSpec)
    ]


def _modcods(acm: Series) -> list[str]:
    if not {"modcod", "es_n0_db", "threshold_db", "frames_lost"} <= acm.keys() or not len(acm["modcod"]):
        return []
    modcods = acm["modcod"]
    changes = int(np.count_nonzero(np.diff(modcods)))
    below_s = 0.1 * int(np.count_nonzero(acm["es_n0_db"] < acm["threshold_db"]))
    lost = int(np.nansum(acm["frames_lost"]))
    found = []
    if changes:
        found.append(
            f"the MODCOD changed {changes} times, between {modcods.min():.0f} and {modcods.max():.0f}"
        )
    if below_s or lost:
        found.append(f"Es/N0 was below the MODCOD's threshold for {below_s:.1f} s: {lost} frames were lost")
    return found


def _waits(delays: Series) -> list[str]:
    if not {*FORWARD_PARTS, *RETURN_PARTS} <= delays.keys():
        return []
    means = delay_means(delays)
    words = {
        "return_request_s": "waited for capacity that the terminal had to ask for",
        "return_queue_s": "waited in the terminal's queue",
        "forward_queue_s": "waited in the gateway's queue",
    }
    return [
        f"packets {words[name]}: {seconds * 1e3:.0f} ms in the mean"
        for name in words
        if (seconds := means[name]) is not None and seconds >= _NOTICEABLE_S
    ]


def _interruptions(path: Series, link: Series) -> list[str]:
    """What silences and outages cost: waits for the path, and packets that were lost meanwhile."""
    summary = path_summary(path) if "time_s" in path else None
    if summary is None:
        return []
    found, silences, outages = [], summary.silences, summary.outages
    if silences.count:
        total = f"{silences.total_s:.2f} s in all"
        waits = f"packets waited for up to {silences.longest_s * 1e3:.0f} ms at a time"
        found.append(f"the path was silent {_times(silences.count)}, {total}: {waits}")
    if outages.count:
        lost = ", ".join(words for way in WAYS if (words := _lost_in_outages(path, link, way)))
        cost = f": then it lost {lost}" if lost else ""
        found.append(f"the path was out {_times(outages.count)}, {outages.total_s:.2f} s in all{cost}")
    if summary.handovers and not (silences.count or outages.count):
        found.append(f"the path was handed over {_times(summary.handovers)}, without an interruption")
    return found


def _lost_in_outages(path: Series, link: Series, way: Way) -> str:
    """The packets of a direction lost in rows in which it had an outage, of all; nothing where none was."""
    drops = link.get(f"{way}_drops")
    if drops is None or not drops.any():
        return ""
    rows = min(len(drops), len(path["time_s"]))
    is_out = np.nan_to_num(path[f"{way}_outage_s"][:rows]) > 0
    return f"{drops[:rows][is_out].sum():.0f} of the {drops.sum():.0f} packets lost {way}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _host(record: RunRecord) -> list[str]:
    late_s, bound_s = record.metrics.lateness_p999_s, record.spec.validity.lateness_p999_ns * _NS
    found = []
    if late_s is not None:
        allowed = f"{bound_s * 1e3:g} ms are allowed"
        found.append(f"99.9 % of packets were released at most {late_s * 1e3:.2f} ms late; {allowed}")
    told = [f"{name} {record.provenance[name]}" for name in _HOST if name in record.provenance]
    return [*found, f"the machine: {', '.join(told)}"] if told else found
