"""The study's table and the line through it with ours beside them, and all load times and connections."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bentpipe.figures.style import look
from bentpipe.stats import select, values_of
from bentpipe.studies.columns import Filled, count, filled, headings, mean_and_reach, rows
from bentpipe.studies.measure import mean_of, reach_of
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import (
    DECIDING,
    EAGER,
    MULTIPLEXED,
    PAGES,
    PATHS,
    PATIENT,
    PEP,
    PROTOCOLS,
    STUDIED,
    cell,
    objects,
    page,
)
from bentpipe.studies.secchi2018.line import published_line
from bentpipe.studies.secchi2018.measured import connections, lines, times_s
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
class _Line:
    """Intercept or slope of a path."""

    path: str
    part: str
    theirs: PublishedNumber
    ours: Sequence[float]


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


_TABLE_1: tuple[Filled[_InTable1], ...] = (
    filled("path", "Path", lambda item: "PEP" if item.column.pep == PEP else "no PEP"),
    filled("window", "Initial window", lambda item: item.column.window, decimals=0),
    filled("total_kb", "Page in kB", lambda item: item.total_kb, decimals=0),
    filled("object_kb", "Objects of kB", lambda item: item.object_kb, decimals=0),
    filled("published_s", "Study in s", lambda item: item.theirs_s, decimals=1),
    *(each for http in MULTIPLEXED for each in _times(http)),
    count(lambda item: len(item.times_s[DECIDING])),
)
_LINES: tuple[Filled[_Line], ...] = (
    filled("path", "Path", lambda item: item.path),
    filled("part", "Part", lambda item: item.part),
    filled("unit", "Unit", lambda item: item.theirs.unit),
    filled("published", "Study", lambda item: item.theirs.value, decimals=1),
    filled("margin_percent", "Margin in %", lambda item: item.theirs.margin_percent, decimals=0),
    filled("ours", "Ours, SPDY", lambda item: mean_of(item.ours), decimals=1),
    filled("ours_ci", "±", lambda item: reach_of(item.ours), decimals=1),
    count(lambda item: len(item.ours)),
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
    return (_table_1(runs), _lines(runs), _load_times(runs), _connections(runs))


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


def _lines(runs: Runs) -> StudyTable:
    items = [
        _Line(path=where, part=part, theirs=theirs, ours=ours)
        for pep, where in PATHS.items()
        for ours_on_path in [lines(runs, DECIDING, pep)]
        for part, theirs, ours in zip(
            ("intercept", "slope"),
            published_line(pep),
            (
                [line.intercept_s for line in ours_on_path],
                [line.slope_s_per_mb for line in ours_on_path],
            ),
            strict=True,
        )
    ]
    judged = [
        abs(ours / item.theirs.value - 1) <= item.theirs.margin_percent / 100
        for item in items
        if (ours := mean_of(item.ours)) is not None
    ]
    return StudyTable(
        name="lines",
        title="Table 1 as a line over the size of the page",
        columns=headings(_LINES),
        rows=rows(_LINES, items),
        conclusion=f"{sum(judged)} of {len(judged)} lie within the margin of the study's own line."
        if judged
        else NOTHING_MEASURED,
        note="Least squares through both columns of a path. 1 s/MB is 8 Mbit/s.",
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
        conclusion="Ours alone: the study draws these and prints a few.",
        note="Means with what the 95 % interval reaches on either side. Initial window 10; HTTP/1.1 "
        "and HTTPS with a "
        "connection for each object.",
    )


def _connections(runs: Runs) -> StudyTable:
    items = []
    for pep, retry in _paths():
        for http in PROTOCOLS:
            loads = [connections(run) for run in select(runs, **cell(http, pep=pep, retry=retry))]
            if not loads and http not in STUDIED:
                continue
            items.append(
                _Connections(
                    path=PATHS[pep],
                    retry=retry,
                    http=http,
                    connections=[each.opened for each in loads],
                    duplicates=[each.duplicates for each in loads],
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
