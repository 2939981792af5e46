"""The study's table and the numbers of its text with ours beside them, and all load times."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bentpipe.figures.style import look
from bentpipe.stats import duplicates, select, values_of
from bentpipe.studies.columns import Filled, count, filled, headings, mean_and_reach, rows
from bentpipe.studies.measure import mean_of
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
from bentpipe.studies.secchi2018.numbers import Number, text_numbers, times_s
from bentpipe.studies.study import NOTHING_MEASURED, Runs, StudyTable


@dataclass(frozen=True, kw_only=True)
class _Times:
    """Load times of a page by protocol."""

    times_s: Mapping[str, Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class _InTable1(_Times):
    """A cell of the study's table 1."""

    column: published.Column
    total_kb: int
    object_kb: int
    theirs_s: float


@dataclass(frozen=True, kw_only=True)
class _Page(_Times):
    """A page over a path, on which the client opens a second connection after `retry`."""

    path: str
    retry: str
    page: str
    objects: int


@dataclass(frozen=True, kw_only=True)
class _Connections:
    """Connections of each load of a protocol over a path, and the duplicates among them."""

    path: str
    retry: str
    http: str
    connections: Sequence[int]
    duplicates: Sequence[int]


def _times(http: str) -> tuple[Filled[_Times], Filled[_Times]]:
    return mean_and_reach(f"{http}_s", f"{look(http).label} in s", lambda item: item.times_s[http])


def _difference_percent(number: Number) -> float | None:
    ours = mean_of(number.ours)
    return None if ours is None else 100 * (ours / number.theirs.value - 1)


_TABLE_1: tuple[Filled[_InTable1], ...] = (
    filled("path", "Path", lambda item: "PEP" if item.column.pep == PEP else "no PEP"),
    filled("window", "Initial window", lambda item: item.column.window, decimals=0),
    filled("total_kb", "Page in kB", lambda item: item.total_kb, decimals=0),
    filled("object_kb", "Objects of kB", lambda item: item.object_kb, decimals=0),
    filled("published_s", "Study in s", lambda item: item.theirs_s, decimals=1),
    *(each for http in MULTIPLEXED for each in _times(http)),
    count(lambda item: len(item.times_s[MULTIPLEXED[-1]])),
)
_TEXT: tuple[Filled[Number], ...] = (
    filled("quantity", "Quantity", lambda number: number.label),
    filled("unit", "Unit", lambda number: number.theirs.unit),
    filled("published", "Study", lambda number: number.theirs.value, decimals=1),
    filled("ours", "Ours", lambda number: mean_of(number.ours), decimals=1),
    filled("difference_percent", "Difference in %", _difference_percent, decimals=0),
    filled("margin_percent", "Margin in %", lambda number: number.margin_percent, decimals=0),
    count(lambda number: len(number.ours)),
)
_LOAD_TIMES: tuple[Filled[_Page], ...] = (
    filled("path", "Path", lambda item: item.path),
    filled("retry", "Retry timeout", lambda item: item.retry),
    filled("page", "Page", lambda item: item.page),
    filled("objects", "Objects", lambda item: item.objects, decimals=0),
    *(each for http in PROTOCOLS for each in _times(http)),
    count(lambda item: max(len(times) for times in item.times_s.values())),
)
_CONNECTIONS: tuple[Filled[_Connections], ...] = (
    filled("path", "Path", lambda item: item.path),
    filled("retry", "Retry timeout", lambda item: item.retry),
    filled("protocol", "Protocol", lambda item: look(item.http).label),
    filled("connections", "Connections", lambda item: mean_of(item.connections), decimals=1),
    filled("duplicates", "Duplicates", lambda item: mean_of(item.duplicates), decimals=1),
    filled(
        "loads_percent",
        "Loads with a duplicate in %",
        lambda item: mean_of([100.0 if extra else 0.0 for extra in item.duplicates]),
        decimals=0,
    ),
    count(lambda item: len(item.connections)),
)


def tables(runs: Runs) -> tuple[StudyTable, ...]:
    """Every table; what was not measured is left open in it."""
    return (_table_1(runs), _text(runs), _load_times(runs), _connections(runs))


def _table_1(runs: Runs) -> StudyTable:
    cells = [
        _InTable1(
            column=column,
            total_kb=total,
            object_kb=size,
            theirs_s=theirs,
            times_s={
                http: times_s(runs, http, page(total, size), pep=column.pep, window=column.window)
                for http in MULTIPLEXED
            },
        )
        for column, totals in published.TABLE_1_PLT_S.items()
        for total, sizes in totals.items()
        for size, theirs in sizes.items()
    ]
    told = []
    for http in MULTIPLEXED:
        found = [
            abs(float(np.mean(item.times_s[http])) / item.theirs_s - 1)
            for item in cells
            if item.times_s[http]
        ]
        if found:
            told.append(
                f"{look(http).label} by {100 * float(np.median(found)):.0f} % in the median and "
                f"{100 * max(found):.0f} % at most, over {len(found)} of {len(cells)} cells"
            )
    return StudyTable(
        name="table-1",
        title="Load time of HTTP/2: the study's table 1 and ours",
        columns=headings(_TABLE_1),
        rows=rows(_TABLE_1, cells),
        conclusion=f"Ours deviate: {'; '.join(told)}." if told else NOTHING_MEASURED,
        note="The study's HTTP/2 was SPDY/3. Through the PEP the initial window of the server is that of its "
        "connection to the gateway; over the satellite the PEP has its own.",
    )


def _text(runs: Runs) -> StudyTable:
    numbers = text_numbers(runs)
    judged = [
        abs(difference) <= number.margin_percent
        for number in numbers
        if (difference := _difference_percent(number)) is not None
    ]
    return StudyTable(
        name="text",
        title="The numbers of the study's text and ours",
        columns=headings(_TEXT),
        rows=rows(_TEXT, numbers),
        conclusion=f"{sum(judged)} of {len(judged)} numbers lie within their margins."
        if judged
        else NOTHING_MEASURED,
        note="Through the PEP with a retry timeout of 250 ms, where not said otherwise.",
    )


def _load_times(runs: Runs) -> StudyTable:
    pages = [
        _Page(
            path=PATHS[pep],
            retry=retry,
            page=name,
            objects=objects(total, size),
            times_s={
                http: values_of(runs, "plt_s", **cell(http, pep=pep, retry=retry), page=name)
                for http in PROTOCOLS
            },
        )
        for pep, retry in _paths()
        for name, (total, size) in PAGES.items()
    ]
    return StudyTable(
        name="load-times",
        title="Load times of all pages",
        columns=headings(_LOAD_TIMES),
        rows=rows(_LOAD_TIMES, pages),
        conclusion="Ours alone: the study draws these and prints a few, which the table of its text has.",
        note="Means with what the 95 % interval reaches on either side. Initial window 10.",
    )


def _connections(runs: Runs) -> StudyTable:
    items = []
    for pep, retry in _paths():
        for http in PROTOCOLS:
            loads = [run.record for run in select(runs, **cell(http, pep=pep, retry=retry))]
            items.append(
                _Connections(
                    path=PATHS[pep],
                    retry=retry,
                    http=http,
                    connections=[len(record.client_connections) for record in loads],
                    duplicates=[duplicates(record) for record in loads],
                )
            )
    most = {
        retry: max((mean_of(item.duplicates) or 0.0 for item in items if item.retry == retry), default=0.0)
        for retry in (EAGER, PATIENT)
        if any(item.connections for item in items if item.retry == retry)
    }
    return StudyTable(
        name="connections",
        title="Connections and duplicates of a load",
        columns=headings(_CONNECTIONS),
        rows=rows(_CONNECTIONS, items),
        conclusion="The most duplicates of a load on average: "
        + ", ".join(f"{duplicates_each:.1f} at {retry}" for retry, duplicates_each in most.items())
        + "."
        if most
        else NOTHING_MEASURED,
        note="Means over all pages. A duplicate is opened beside a connection that has not come within the "
        "retry timeout. The study prints no numbers of them.",
    )


def _paths() -> Iterator[tuple[str, str]]:
    return ((pep, retry) for pep in PATHS for retry in (EAGER, PATIENT))
