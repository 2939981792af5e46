"""What our loads came to, by the words of the study."""

from collections.abc import Sequence
from dataclasses import dataclass

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
    asked = (run.derived(_first_request_s) for run in runs)
    return [each for each in asked if each is not None]


def handshake_round_trips(runs: Sequence[Run]) -> list[float]:
    """TCP's and TLS's handshake of each load's first connection, in round trips of TCP's."""
    handshakes_s = ((run.metrics.get("connect_s"), run.metrics.get("tls_s")) for run in runs)
    return [(tcp_s + tls_s) / tcp_s for tcp_s, tls_s in handshakes_s if tcp_s and tls_s]


def swings_s(runs: Sequence[Run]) -> list[float]:
    """From the shortest to the longest smoothed round trip of each load."""
    ends_s = ((run.metrics.get("rtt_min_s"), run.metrics.get("rtt_max_s")) for run in runs)
    return [
        longest_s - shortest_s
        for shortest_s, longest_s in ends_s
        if shortest_s is not None and longest_s is not None
    ]


@dataclass(frozen=True, kw_only=True)
class Connections:
    """How many connections a load opened, how many of them as duplicates, and whether any was of HTTP/1.1."""

    opened: int
    duplicates: int
    fell_back: bool

    @property
    def replacements(self) -> int:
        """Those of a load over one connection that were neither the first nor a duplicate."""
        return self.opened - 1 - self.duplicates


def connections(run: Run) -> Connections:
    """Return the connections of a load."""
    return run.derived(_connections)


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


def _first_request_s(run: Run) -> float | None:
    requests = sorted(timing.request_s for timing in run.record.objects)
    return requests[1] if len(requests) > 1 else None


def _connections(run: Run) -> Connections:
    record = run.record
    return Connections(
        opened=len(record.client_connections),
        duplicates=duplicates(record),
        fell_back=any(each.protocol == "http/1.1" for each in record.client_connections),
    )
