"""What our loads came to, by the words of the study."""

from collections.abc import Sequence

from bentpipe.stats import duplicates, select, values_of
from bentpipe.studies.secchi2018.cells import (
    CLIENT_BUFFER,
    EAGER,
    PAGES,
    PEP,
    STUDY_WINDOW,
    Keeping,
    cell,
)
from bentpipe.studies.secchi2018.line import Line, fitted
from bentpipe.studies.secchi2018.published import TABLE_1_PLT_S
from bentpipe.studies.study import Run, Runs


def times_s(
    runs: Runs,
    http: str,
    name: str,
    *,
    pep: str = PEP,
    retry: str = EAGER,
    window: int = STUDY_WINDOW,
    keeping: Keeping = Keeping.ONE,
    buffer: str = CLIENT_BUFFER,
) -> list[float]:
    """Load times of a page."""
    factors = cell(http, pep=pep, retry=retry, window=window, keeping=keeping, buffer=buffer)
    return values_of(runs, "plt_s", **factors, page=name)


def rates_bps(times: Sequence[float], name: str) -> list[float]:
    """A page's bytes over each of its load times."""
    total_kb, _ = PAGES[name]
    return [total_kb * 8e3 / seconds for seconds in times]


def first_requests_s(runs: Sequence[Run]) -> list[float]:
    """When each load asked for the first object that its document names."""
    asked = (sorted(timing.request_s for timing in run.record.objects) for run in runs)
    return [requests[1] for requests in asked if len(requests) > 1]


def handshake_round_trips(runs: Sequence[Run]) -> list[float]:
    """TCP's and TLS's handshake of each load's first connection, in round trips of TCP's."""
    metrics = (run.record.metrics for run in runs)
    return [
        (each.connect_s + each.tls_s) / each.connect_s for each in metrics if each.connect_s and each.tls_s
    ]


def swings_s(runs: Sequence[Run]) -> list[float]:
    """From the shortest to the longest smoothed round trip of each load."""
    metrics = (run.record.metrics for run in runs)
    return [
        each.rtt_max_s - each.rtt_min_s
        for each in metrics
        if each.rtt_max_s is not None and each.rtt_min_s is not None
    ]


def replacements(run: Run) -> int:
    """Connections of a load over one connection that were neither the first nor a duplicate."""
    return len(run.record.client_connections) - 1 - duplicates(run.record)


def fell_back(run: Run) -> bool:
    """Whether a load of SPDY used HTTP/1.1 too."""
    return any(each.protocol == "http/1.1" for each in run.record.client_connections)


def lines(runs: Runs, http: str, pep: str) -> list[Line]:
    """The line through each repetition of all pages of table 1 on a path; none while pages are missing."""
    windows = [column.window for column in TABLE_1_PLT_S if column.pep == pep]
    times = [
        (total / 1000, times_s(runs, http, name, pep=pep, window=window))
        for window in windows
        for name, (total, _) in PAGES.items()
    ]
    repetitions = min(len(each) for _, each in times)
    return [fitted([(size, each[n]) for size, each in times]) for n in range(repetitions)]


def cell_times_s(runs: Runs, pep: str, protocols: Sequence[str]) -> list[list[float]]:
    """Load times of each cell of a path with two loads or more."""
    found = (times_s(runs, http, name, pep=pep) for http in protocols for name in PAGES)
    return [times for times in found if len(times) > 1]


def loads(runs: Runs, http: str, name: str, *, pep: str = PEP, keeping: Keeping = Keeping.ONE) -> list[Run]:
    """The loads of a page at the default retry timeout."""
    return select(runs, **cell(http, pep=pep, keeping=keeping), page=name)
