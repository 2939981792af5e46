"""Which run of a folder to look at: one by its id, else the one that most needs it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bentpipe.errors import InputError
from bentpipe.ledger import Entry
from bentpipe.model.metrics import Metrics
from bentpipe.reasons import causes
from bentpipe.stats import cell_key

SUCCEEDED = "succeeded"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A run, why it is this one, and how slow it was.

    Attributes
    ----------
    entry : Entry
        Its attempt to be judged.
    why : str
        Why this one; empty where its user named it.
    against_median : float or None
        Its time over the median of the succeeded runs of its cell; None without a time, or alone.
    cell_runs : int
        The runs of its cell that have succeeded.
    """

    entry: Entry
    why: str
    against_median: float | None
    cell_runs: int


def choose(entries: Sequence[Entry], run_id: str | None, *, folder: Path) -> Choice:
    """Return the run whose id starts so, the first of the most frequent failure, or the slowest.

    Parameters
    ----------
    entries
        One attempt of each run.
    run_id
        The start of an id; None to choose one.
    folder
        Of the results, for errors.

    Raises
    ------
    InputError
        When there is no such run, or more than one.
    """
    medians = _medians(entries)
    if run_id is not None:
        return _choice(_named(entries, run_id, folder), "", entries, medians)
    if not entries:
        raise InputError(file=str(folder), field="attempts", expected="at least one", found="none")
    for status in ("failed", "invalid"):
        ended = [entry for entry in entries if entry.status == status]
        if ended:
            codes = Counter(_code(entry) for entry in ended)
            code, count = codes.most_common(1)[0]
            first = next(entry for entry in ended if _code(entry) == code)
            return _choice(first, f"the first of {count} {status} by {code}", entries, medians)
    slowest = max(entries, key=lambda entry: _against(entry, medians) or 0.0)
    return _choice(slowest, f"the slowest of {len(entries)} against the median of its cell", entries, medians)


def time_of(metrics: Metrics) -> float | None:
    """Return what a run is slow or fast by, in s; of a flow the time that a bit takes."""
    if metrics.plt_s is not None:
        return metrics.plt_s
    if metrics.goodput_bps:
        return 1 / metrics.goodput_bps
    return metrics.rtt_mean_s


def _named(entries: Sequence[Entry], run_id: str, folder: Path) -> Entry:
    found = [entry for entry in entries if entry.run_id.startswith(run_id)]
    if len(found) != 1:
        count = f"{len(found)} runs" if found else "no run"
        raise InputError(
            file=str(folder),
            field="RUN_ID",
            expected="the id of one run, or its start",
            found=f"{count} with {run_id!r}",
        )
    return found[0]


def _code(entry: Entry) -> str:
    return next((reason.code for reason in causes(entry.record.reasons)), "no reason")


def _medians(entries: Sequence[Entry]) -> dict[tuple[tuple[str, str], ...], float]:
    times: dict[tuple[tuple[str, str], ...], list[float]] = {}
    for entry in entries:
        time_s = time_of(entry.record.metrics)
        if entry.status == SUCCEEDED and time_s is not None:
            times.setdefault(cell_key(entry.factors), []).append(time_s)
    return {cell: median(values) for cell, values in times.items()}


def _against(entry: Entry, medians: dict[tuple[tuple[str, str], ...], float]) -> float | None:
    time_s, middle_s = time_of(entry.record.metrics), medians.get(cell_key(entry.factors))
    return None if time_s is None or not middle_s or entry.status != SUCCEEDED else time_s / middle_s


def _choice(
    entry: Entry, why: str, entries: Sequence[Entry], medians: dict[tuple[tuple[str, str], ...], float]
) -> Choice:
    cell = cell_key(entry.factors)
    runs = sum(one.status == SUCCEEDED and cell_key(one.factors) == cell for one in entries)
    return Choice(entry=entry, why=why, against_median=_against(entry, medians), cell_runs=runs)
