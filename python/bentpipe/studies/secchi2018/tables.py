"""The study's table and the numbers of its text with ours beside them, and all load times."""

from collections.abc import Iterator, Sequence

import numpy as np

from bentpipe.figures.style import look
from bentpipe.stats import duplicates, select, values_of
from bentpipe.studies.measure import mean_of, reach_of
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import (
    EAGER,
    MULTIPLEXED,
    PAGES,
    PATHS,
    PATIENT,
    PEP,
    PROTOCOLS,
    cell,
    objects,
    page,
)
from bentpipe.studies.secchi2018.numbers import text_numbers, times_s
from bentpipe.studies.study import NOTHING_MEASURED, RUNS, Column, Row, Runs, StudyTable

_PATH = Column(key="path", heading="Path")
_RETRY = Column(key="retry", heading="Retry timeout")


def tables(runs: Runs) -> tuple[StudyTable, ...]:
    """Every table; what was not measured is left open in it."""
    return (_table_1(runs), _text(runs), _load_times(runs), _connections(runs))


def _table_1(runs: Runs) -> StudyTable:
    rows: list[Row] = []
    deviations: dict[str, list[float]] = {http: [] for http in MULTIPLEXED}
    for column, totals in published.TABLE_1_PLT_S.items():
        for total, sizes in totals.items():
            for size, theirs in sizes.items():
                row: dict[str, str | float | None] = {
                    "path": "PEP" if column.pep == PEP else "no PEP",
                    "window": column.window,
                    "total_kb": total,
                    "object_kb": size,
                    "published_s": theirs,
                }
                for http in MULTIPLEXED:
                    times = times_s(runs, http, page(total, size), pep=column.pep, window=column.window)
                    row |= {f"{http}_s": mean_of(times), f"{http}_ci_s": reach_of(times), "n": len(times)}
                    if times:
                        deviations[http].append(abs(float(np.mean(times)) / theirs - 1))
                rows.append(row)
    told = [
        f"{look(http).label} by {100 * float(np.median(found)):.0f} % in the median and "
        f"{100 * max(found):.0f} % at most, over {len(found)} of {len(rows)} cells"
        for http, found in deviations.items()
        if found
    ]
    return StudyTable(
        name="table-1",
        title="Load time of HTTP/2: the study's table 1 and ours",
        columns=(
            _PATH,
            Column(key="window", heading="Initial window", decimals=0),
            Column(key="total_kb", heading="Page in kB", decimals=0),
            Column(key="object_kb", heading="Objects of kB", decimals=0),
            Column(key="published_s", heading="Study in s", decimals=1),
            *_means(MULTIPLEXED),
            RUNS,
        ),
        rows=tuple(rows),
        conclusion=f"Ours deviate: {'; '.join(told)}." if told else NOTHING_MEASURED,
        note="The study's HTTP/2 was SPDY/3. Through the PEP the initial window of the server is that of its "
        "connection to the gateway; over the satellite the PEP has its own.",
    )


def _text(runs: Runs) -> StudyTable:
    rows: list[Row] = []
    for number in text_numbers(runs):
        ours = mean_of(number.ours)
        rows.append(
            {
                "quantity": number.label,
                "unit": number.theirs.unit,
                "published": number.theirs.value,
                "ours": ours,
                "difference_percent": None if ours is None else 100 * (ours / number.theirs.value - 1),
                "margin_percent": number.margin_percent,
                "n": len(number.ours),
            }
        )
    judged = [row for row in rows if row["difference_percent"] is not None]
    near = sum(
        abs(float(row["difference_percent"] or 0)) <= float(row["margin_percent"] or 0) for row in judged
    )
    return StudyTable(
        name="text",
        title="The numbers of the study's text and ours",
        columns=(
            Column(key="quantity", heading="Quantity"),
            Column(key="unit", heading="Unit"),
            Column(key="published", heading="Study", decimals=1),
            Column(key="ours", heading="Ours", decimals=1),
            Column(key="difference_percent", heading="Difference in %", decimals=0),
            Column(key="margin_percent", heading="Margin in %", decimals=0),
            RUNS,
        ),
        rows=tuple(rows),
        conclusion=f"{near} of {len(judged)} numbers lie within their margins."
        if judged
        else NOTHING_MEASURED,
        note="Through the PEP with a retry timeout of 250 ms, where not said otherwise.",
    )


def _load_times(runs: Runs) -> StudyTable:
    rows: list[Row] = []
    for pep, retry in _paths():
        for name, (total, size) in PAGES.items():
            row: dict[str, str | float | None] = {
                "path": PATHS[pep],
                "retry": retry,
                "page": name,
                "objects": objects(total, size),
            }
            counts = []
            for http in PROTOCOLS:
                times = values_of(runs, "plt_s", **cell(http, pep=pep, retry=retry), page=name)
                row |= {f"{http}_s": mean_of(times), f"{http}_ci_s": reach_of(times)}
                counts.append(len(times))
            rows.append({**row, "n": max(counts)})
    return StudyTable(
        name="load-times",
        title="Load times of all pages",
        columns=(
            _PATH,
            _RETRY,
            Column(key="page", heading="Page"),
            Column(key="objects", heading="Objects", decimals=0),
            *_means(PROTOCOLS),
            RUNS,
        ),
        rows=tuple(rows),
        conclusion="Ours alone: the study draws these and prints a few, which the table of its text has.",
        note="Means with what the 95 % interval reaches on either side. Initial window 10.",
    )


def _connections(runs: Runs) -> StudyTable:
    rows: list[Row] = []
    for pep, retry in _paths():
        for http in PROTOCOLS:
            loads = [run.record for run in select(runs, **cell(http, pep=pep, retry=retry))]
            extra = [duplicates(record) for record in loads]
            rows.append(
                {
                    "path": PATHS[pep],
                    "retry": retry,
                    "protocol": look(http).label,
                    "connections": mean_of([len(record.client_connections) for record in loads]),
                    "duplicates": mean_of(extra),
                    "loads_percent": mean_of([100.0 if count else 0.0 for count in extra]),
                    "n": len(loads),
                }
            )
    eager = [row["duplicates"] for row in rows if row["retry"] == EAGER and row["n"]]
    patient = [row["duplicates"] for row in rows if row["retry"] == PATIENT and row["n"]]
    told = [
        f"{max(float(value or 0) for value in found):.1f} at {retry}"
        for retry, found in ((EAGER, eager), (PATIENT, patient))
        if found
    ]
    return StudyTable(
        name="connections",
        title="Connections and duplicates of a load",
        columns=(
            _PATH,
            _RETRY,
            Column(key="protocol", heading="Protocol"),
            Column(key="connections", heading="Connections", decimals=1),
            Column(key="duplicates", heading="Duplicates", decimals=1),
            Column(key="loads_percent", heading="Loads with a duplicate in %", decimals=0),
            RUNS,
        ),
        rows=tuple(rows),
        conclusion=f"The most duplicates of a load on average: {', '.join(told)}."
        if told
        else NOTHING_MEASURED,
        note="Means over all pages. A duplicate is opened beside a connection that has not come within the "
        "retry timeout. The study prints no numbers of them.",
    )


def _paths() -> Iterator[tuple[str, str]]:
    return ((pep, retry) for pep in PATHS for retry in (EAGER, PATIENT))


def _means(protocols: Sequence[str]) -> Iterator[Column]:
    for http in protocols:
        yield Column(key=f"{http}_s", heading=f"{look(http).label} in s", decimals=1)
        yield Column(key=f"{http}_ci_s", heading="±", decimals=1)
