"""The study's tables of means, and what follows from them: one claim for each number."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bentpipe.figures.style import control_label
from bentpipe.stats import Phase, jackknife_interval
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.claims.arithmetic import needed_after_30_s
from bentpipe.studies.claypool2020.downloads import (
    RTT,
    THROUGHPUT,
    Download,
    Downloads,
    Quantity,
    values,
)
from bentpipe.studies.measure import against, against_number, deviation_of, nothing
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.verdict import Finding, Standing, Verdict, verdict

SLUGS = {"bbr": "bbr", "cubic": "cubic", "hybla": "hybla", "vivace": "pcc"}
"""What a congestion control is called in the name of a claim."""

_TABLES: tuple[tuple[str, Quantity, Mapping[Phase, published.Row]], ...] = (
    ("throughput", THROUGHPUT, published.THROUGHPUT_MBPS),
    ("round-trip", RTT, published.RTT_MS),
)


def level_verdicts(downloads: Downloads) -> Iterator[Verdict]:
    """Tables II, IV, V, VII and VIII, the last read as the first 50 MB."""
    for name, quantity, table in _TABLES:
        for phase, row in table.items():
            for control, number in row.items():
                yield verdict(
                    f"{phase.slug}-{name}-{SLUGS[control]}",
                    f"{phase.value.capitalize()}: mean {quantity.name} of {control_label(control)}",
                    [_level(downloads[control], phase, quantity, number, control_label(control))],
                    source=number.source,
                )


def caption_verdicts(downloads: Downloads) -> Iterator[Verdict]:
    """Table VIII as its caption reads it: the first 30 s, which most of its rows cannot be."""
    for name, quantity, table in _TABLES:
        for control, number in table[Phase.START_UP].items():
            needed = needed_after_30_s(control)
            is_impossible = quantity is THROUGHPUT and needed.least_mbps > published.PAYLOAD_MBPS
            yield verdict(
                f"{Phase.FIRST_30_S.slug}-{name}-{SLUGS[control]}",
                f"First 30 s: mean {quantity.name} of {control_label(control)}",
                [_level(downloads[control], Phase.FIRST_30_S, quantity, number, control_label(control))],
                source="Table VIII, as captioned",
                standing=Standing.IMPOSSIBLE if is_impossible else Standing.PROPERTY,
                note=needed.text
                if is_impossible
                else "The rows that cannot be the first 30 s show that none is; judged as the first 50 MB.",
            )


def power_verdicts(downloads: Downloads) -> Iterator[Verdict]:
    """Table X: the quotient of the means of throughput and round trip."""
    for phase, row in published.POWER.items():
        for control, number in row.items():
            is_misprint = (phase, control) == (Phase.START_UP, "bbr")
            yield verdict(
                f"{phase.slug}-power-{SLUGS[control]}",
                f"{phase.value.capitalize()}: power of {control_label(control)}",
                [_power(downloads[control], phase, number, control_label(control))],
                source=number.source,
                standing=Standing.IMPOSSIBLE if is_misprint else Standing.CLAIM,
                note="Table VIII has 23.1 Mbit/s and 0.917 s: 25.2, not 35. The other eleven are the "
                "quotients of their means."
                if is_misprint
                else "",
            )


def _level(
    found: Sequence[Download], phase: Phase, quantity: Quantity, number: PublishedNumber, label: str
) -> Finding:
    return against(label, values(found, phase, quantity), number, decimals=quantity.decimals)


def _power(found: Sequence[Download], phase: Phase, number: PublishedNumber, label: str) -> Finding:
    rows = [
        np.asarray([THROUGHPUT.of(each.phases[phase]), each.phases[phase].rtt_s])
        for each in found
        if phase in each.phases
    ]
    if not rows:
        return against_number(label, nothing("not measured"), number, ours="not measured")
    power = _quotient(rows)
    ci = jackknife_interval(rows, _quotient)
    measured = deviation_of(power, ci, number.value, basis=f"{len(rows)} runs")
    reach = f" ({ci.low:.0f} to {ci.high:.0f})" if ci else ""
    return against_number(label, measured, number, ours=f"{power:.0f}{reach} {number.unit}")


def _quotient(rows: Sequence[NDArray[np.float64]]) -> float:
    throughput, rtt = np.mean(np.asarray(rows), axis=0)
    return float(throughput / rtt)
