"""The study's tables with ours beside them."""

from collections.abc import Sequence

import numpy as np

from bentpipe.figures.style import control_label
from bentpipe.stats import Phase, t_test
from bentpipe.stats.significance import ALPHA
from bentpipe.studies.claypool2020 import baseline, published
from bentpipe.studies.claypool2020.downloads import (
    CONTROLS,
    RESENT,
    RTT,
    THROUGHPUT,
    Downloads,
    downloads,
    echoes,
    object_times_s,
    values,
)
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.study import NOTHING_MEASURED, RUNS, Column, Row, Runs, StudyTable

REFERENCE = "cubic"
"""What every other is tested against."""

_AS_CAPTIONED = {Phase.FIRST_30_S: Phase.START_UP}
"""Whose numbers a phase is compared with, where they are another's."""

OBJECT_SIZES_MB = (1, 5, 10, 20, 30, 50, 100, 500, 1000)

_CELL = (Column(key="phase", heading="Phase"), Column(key="control", heading="Congestion control"))
_BOTH = {"published": "study", "ours": "ours"}


def tables(runs: Runs) -> tuple[StudyTable, ...]:
    """Every table; what was not measured is left open in it."""
    found = downloads(runs)
    return (
        _means(found),
        _tests(found),
        _power(found),
        _resent(found),
        _object_times(found),
        baseline.table(echoes(runs)),
    )


def _means(downloads: Downloads) -> StudyTable:
    rows: list[Row] = []
    for phase in Phase:
        for control in CONTROLS:
            row: dict[str, str | float | None] = _cell(phase, control)
            for quantity, key, table in (
                (THROUGHPUT, "throughput_mbps", published.THROUGHPUT_MBPS),
                (RTT, "rtt_ms", published.RTT_MS),
            ):
                theirs = table[_AS_CAPTIONED.get(phase, phase)][control]
                ours = values(downloads[control], phase, quantity)
                row |= {f"published_{key}": theirs.value, f"published_{key}_sd": theirs.sd}
                row |= {f"ours_{key}": _mean(ours), f"ours_{key}_sd": _sd(ours), "n": len(ours)}
            rows.append(row)
    kinds = (("throughput_mbps", "Throughput in Mbit/s", 1), ("rtt_ms", "Round trip in ms", 0))
    columns = [
        Column(key=f"{whose}_{key}{end}", heading=f"{label}{spread}, {name}", decimals=decimals)
        for key, label, decimals in kinds
        for whose, name in _BOTH.items()
        for end, spread in (("", ""), ("_sd", ", sd"))
    ]
    return StudyTable(
        name="means",
        title="Throughput and round trip: means and standard deviations over downloads",
        columns=(*_CELL, *columns, RUNS),
        rows=tuple(rows),
        conclusion=_nearness(rows),
        note="Overall: from the first packet to the last byte. Steady state: the last half of the bytes. "
        "Start-up: the first 50 MB. First 30 s: the same numbers of the study, as the caption of its table "
        "reads them; a shorter download has none. Our round trips are smoothed, and count by bytes.",
    )


def _nearness(rows: Sequence[Row]) -> str:
    deviations = [
        abs(float(ours) / float(row[f"published_{key}"] or 1) - 1)
        for row in rows
        if row["phase"] not in {phase.value for phase in _AS_CAPTIONED}
        for key in ("throughput_mbps", "rtt_ms")
        if (ours := row[f"ours_{key}"]) is not None
    ]
    if not deviations:
        return "Not testable: no download was measured."
    return (
        f"Ours deviate from {len(deviations)} means of the study by "
        f"{100 * float(np.median(deviations)):.0f} % in the median and {100 * max(deviations):.0f} % at most."
    )


def _tests(downloads: Downloads) -> StudyTable:
    rows: list[Row] = []
    alike, known = 0, 0
    for phase, row in published.TESTS.items():
        for control, theirs in row.items():
            samples = [values(downloads[cc], phase, THROUGHPUT) for cc in (control, REFERENCE)]
            ours = t_test(*samples, comparisons=len(row))
            is_theirs = theirs.p is None or theirs.p < ALPHA / len(row)
            if ours is not None:
                known += 1
                alike += is_theirs == ours.is_significant
            rows.append(
                {
                    **_cell(phase, control),
                    "published_t": theirs.t,
                    "published_p": _written_p(theirs.p),
                    "published_d": theirs.d,
                    "published_significant": _yes(is_theirs),
                    "ours_t": ours.t if ours else None,
                    "ours_p": _written_p(ours.p) if ours else None,
                    "ours_d": ours.d if ours else None,
                    "ours_significant": _yes(ours.is_significant) if ours else None,
                }
            )
    columns = [
        Column(key=f"{whose}_{key}", heading=f"{heading}, {name}", decimals=decimals)
        for whose, name in _BOTH.items()
        for key, heading, decimals in (("t", "t", 2), ("p", "p", None), ("d", "d", 2),
                                       ("significant", "Significant", None))
    ]  # fmt: skip
    return StudyTable(
        name="tests",
        title="Throughput against CUBIC: t tests and effect sizes",
        columns=(*_CELL, *columns),
        rows=tuple(rows),
        conclusion=f"In {alike} of {known} comparisons both are significant or neither is.",
        note="Two-tailed independent t test, Cohen's d with the pooled standard deviation. Significant: p "
        "below 0.05 / 3, Bonferroni's correction for three comparisons in a phase. Ours are negative where "
        "CUBIC is faster; the study gives sizes alone.",
    )


def _power(downloads: Downloads) -> StudyTable:
    rows: list[Row] = []
    most: list[str] = []
    for phase, row in published.POWER.items():
        ours = {control: _power_of(downloads, phase, control) for control in row}
        theirs = {control: number.value for control, number in row.items()}
        rows += [
            {**_cell(phase, control), "published_power": theirs[control], "ours_power": ours[control]}
            for control in row
        ]
        known = {control: power for control, power in ours.items() if power is not None}
        if known:
            first = [control_label(max(table, key=lambda cc: table[cc])) for table in (theirs, known)]
            most.append(f"{phase.value}: {first[0]} in the study, {first[1]} in ours")
    unit = "Mbit/s per s"
    return StudyTable(
        name="power",
        title="Power: mean throughput over mean round trip",
        columns=(
            *_CELL,
            Column(key="published_power", heading=f"Study in {unit}", decimals=0),
            Column(key="ours_power", heading=f"Ours in {unit}", decimals=0),
        ),
        rows=tuple(rows),
        conclusion=f"The most power, {'; '.join(most)}." if most else NOTHING_MEASURED,
        note="The means are those of the table of throughput and round trip. The study's start-up of BBR "
        "does not follow from its own means, which give 25.",
    )


def _power_of(downloads: Downloads, phase: Phase, control: str) -> float | None:
    throughput, rtt = (_mean(values(downloads[control], phase, quantity)) for quantity in (THROUGHPUT, RTT))
    return None if throughput is None or rtt is None else throughput / (rtt / 1e3)


def _resent(downloads: Downloads) -> StudyTable:
    rows: list[Row] = []
    for phase in Phase:
        for control in CONTROLS:
            ours = values(downloads[control], phase, RESENT)
            rows.append(
                {
                    **_cell(phase, control),
                    "mean_percent": _mean(ours),
                    "median_percent": float(np.median(ours)) if ours else None,
                    "most_percent": max(ours, default=None),
                    "n": len(ours),
                }
            )
    return StudyTable(
        name="retransmissions",
        title="Packets retransmitted, of those sent",
        columns=(
            *_CELL,
            Column(key="mean_percent", heading="Mean in %", decimals=2),
            Column(key="median_percent", heading="Median in %", decimals=2),
            Column(key="most_percent", heading="Most in %", decimals=2),
            RUNS,
        ),
        rows=tuple(rows),
        conclusion="Study: Hybla lowest, nearly always below 1 %; PCC about 0.5 %, at most 4 %; BBR and "
        "CUBIC highest.",
        note="Over downloads. The study draws its distributions and prints no table.",
    )


def _object_times(downloads: Downloads) -> StudyTable:
    rows: list[Row] = []
    for size in OBJECT_SIZES_MB:
        row: dict[str, str | float | None] = {"size_mb": size}
        for control in CONTROLS:
            row[f"published_{control}_s"] = _value(published.OBJECT_TIMES_S.get(size, {}).get(control))
            row[f"ours_{control}_s"] = _mean(object_times_s(downloads[control], size))
        rows.append(row)
    columns = [
        Column(key=f"{whose}_{control}_s", heading=f"{control_label(control)} in s, {name}", decimals=1)
        for control in CONTROLS
        for whose, name in _BOTH.items()
    ]
    return StudyTable(
        name="object-times",
        title="Time to download the first megabytes",
        columns=(Column(key="size_mb", heading="Size in MB", decimals=0), *columns),
        rows=tuple(rows),
        conclusion="Study, 30 MB: BBR and PCC about twice as long as Hybla, CUBIC about three times; beyond "
        "20 MB BBR ahead of PCC.",
        note="Means over downloads from the first packet of the handshake.",
    )


def _cell(phase: Phase, control: str) -> dict[str, str | float | None]:
    return {"phase": phase.value, "control": control_label(control)}


def _value(number: PublishedNumber | None) -> float | None:
    return None if number is None else number.value


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _sd(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def _written_p(p: float | None) -> str:
    """A probability with four decimals; those below, and the study's "< .0001", as such."""
    return "< 0.0001" if p is None or p < 0.0001 else f"{p:.4f}"


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"
