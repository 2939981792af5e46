"""All attempts of a ledger at one moment, as columns: a million take seconds, and some hundred bytes each."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bentpipe.ledger.entry import UNUSABLE, Entry
from bentpipe.ledger.index import NUMBERS, TEXTS, Index
from bentpipe.ledger.records import Records
from bentpipe.ledger.row import NAME, not_ours, texts_of, workload_of
from bentpipe.model.reason import SeriesLostReason
from bentpipe.model.record import RunRecord, Status
from bentpipe.stats.metrics import BROWSER_METRICS, COUNTS, METRICS

if TYPE_CHECKING:
    import polars

Lost = Mapping[int, Mapping[str, tuple[int, int | None]]]
"""By pack and series, where its file is not as it was written: its length then and now; None: it is gone."""

_RUN_ID = re.compile(NAME)


class Attempts:
    """Attempts of an index, in the order in which they ended.

    Parameters
    ----------
    index
        It stays open as long as contents are asked for.
    lost
        Series that are not as they were written: attempts that have them are invalid here, and say so.
    shown
        The index as the user knows it.
    where
        A condition on columns of the index, for some of the attempts only.

    Raises
    ------
    InputError
        When Bentpipe has not written what is in the index.
    """

    def __init__(self, index: Index, *, lost: Lost, shown: Path, where: str = "TRUE") -> None:
        self._index, self._lost, self._shown, self._where = index, lost, shown, where
        self._last_id = index.last_id
        self._records = Records(index, shown=shown)
        self._workloads: dict[int, str] = {}
        texts: dict[str, list[str]] = {name: [] for name in TEXTS}
        numbers: dict[str, list[NDArray[np.int64]]] = {name: [] for name in NUMBERS}
        metrics: dict[str, list[NDArray[np.float64]]] = {
            name: [] for name in index.metrics(last_id=self._last_id)
        }
        same: dict[str, str] = {}
        for name, values in self._read((*texts, *numbers, *metrics)):
            if name in texts:
                # Most are the same few texts, which are kept once.
                texts[name] += [same.setdefault(text, text) for text in map(str, values)]
            elif name in numbers:
                numbers[name].append(np.array(values, dtype=np.int64))
            else:
                # None becomes NaN.
                metrics[name].append(np.array(values, dtype=np.float64))
        self._texts = texts
        self._numbers = {name: np.concatenate(parts or [_NONE]) for name, parts in numbers.items()}
        self._metrics = {name: np.concatenate(parts) for name, parts in metrics.items() if parts}
        self._refuse_other_names()
        self._tell_what_is_lost()

    def entries(self) -> list[Entry]:
        """Return them one by one; their contents are read when they are asked for."""
        factors = self._factors
        columns = (
            self._texts["run_id"],
            self._texts["status"],
            *(self._numbers[name].tolist() for name in ("attempt", "repetition", "factors")),
        )
        return [
            Entry(
                run_id=run_id,
                attempt=attempt,
                factors=factors[cell],
                repetition=repetition,
                status=status,
                contents=_Kept(self, row),
            )
            for row, (run_id, status, attempt, repetition, cell) in enumerate(zip(*columns, strict=True))
        ]

    def runs(self) -> "polars.DataFrame":
        """Return them as a table, one row each.

        Columns are `run_id`, `attempt`, `repetition`, `status`, `reasons` (codes, separated by blanks),
        `engine`, `factor_NAME` of each factor (null in cells that do not have it), and every metric under its
        own name, Float64, null where there is none.
        """
        import polars

        told = {
            "run_id": polars.Series(self._texts["run_id"], dtype=polars.String),
            "attempt": self._numbers["attempt"],
            "repetition": self._numbers["repetition"],
            **{
                name: polars.Series(self._texts[name], dtype=polars.String)
                for name in ("status", "reasons", "engine")
            },
        }
        cells, place = np.unique(self._numbers["factors"], return_inverse=True)
        names = dict.fromkeys(name for factors in self._factors.values() for name in factors)
        factors = {
            f"factor_{name}": polars.Series(
                [self._factors[cell].get(name) for cell in cells.tolist()], dtype=polars.String
            )[place]
            for name in names
        }
        rows = len(self._texts["run_id"])
        metrics = {
            name: polars.Series(values, nan_to_null=True)
            if (values := self._metrics.get(name)) is not None
            else polars.repeat(None, rows, dtype=polars.Float64, eager=True)
            for name in METRICS
        }
        return polars.DataFrame({**told, **factors, **metrics})

    def provenances(self) -> list[dict[str, str]]:
        """Return what their provenances are, equal ones once, in the order in which they came."""
        numbers, firsts = np.unique(self._numbers["provenance"], return_index=True)
        in_order = numbers[np.argsort(firsts)].tolist()
        return [texts_of(self._index.shared(one), of="provenance", shown=self._shown) for one in in_order]

    def workload(self, row: int) -> str:
        """Return the kind of workload of the attempt in a row."""
        spec = int(self._numbers["spec"][row])
        if spec not in self._workloads:
            self._workloads[spec] = workload_of(self._index.shared(spec), shown=self._shown)
        return self._workloads[spec]

    def metric(self, row: int, name: str) -> float | None:
        """Return a metric of the attempt in a row."""
        values = self._metrics.get(name)
        if values is None or np.isnan(value := values[row]):
            return None
        return int(value) if name in COUNTS else float(value)

    def record(self, row: int) -> RunRecord:
        """Return the record of the attempt in a row."""
        number = {name: int(values[row]) for name, values in self._numbers.items()}
        place = {name: number[name] for name in ("pack", "spec", "seed", "provenance")}
        record = self._records.record(number["id"], **place)
        lost = self._lost_of(number["pack"], self._texts["series"][row])
        if lost is None:
            return record
        name, expected, found = lost
        reason = SeriesLostReason(
            series=name, attempt=number["attempt"], expected_bytes=expected, found_bytes=found
        )
        changes = {"status": Status.INVALID, "reasons": [*record.reasons, reason]}
        return record.model_copy(update=changes)

    @cached_property
    def _factors(self) -> dict[int, dict[str, str]]:
        """The factors of each cell by their number in the index."""
        numbers = np.unique(self._numbers["factors"]).tolist()
        return {one: texts_of(self._index.shared(one), of="factors", shown=self._shown) for one in numbers}

    def _read(self, names: Sequence[str]) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Yield columns of the index with some of their values, which have the types of ours."""
        for rows in self._index.columns(names, last_id=self._last_id, where=self._where):
            for name, values in zip(names, zip(*rows, strict=True), strict=True):
                kinds = {str} if name in TEXTS else {int} if name in NUMBERS else {float, type(None)}
                if not kinds.issuperset(map(type, values)):
                    raise not_ours(self._shown, "a row of other types")
                yield name, values

    def _refuse_other_names(self) -> None:
        """Raise an InputError where something is no name of ours, for names become paths."""
        attempts = self._numbers["attempt"]
        for run_id, attempt in zip(self._texts["run_id"], attempts.tolist(), strict=True):
            if attempt < 1 or not _RUN_ID.fullmatch(run_id):
                raise not_ours(self._shown, f"attempt {attempt} at a run {run_id!r}")

    def _tell_what_is_lost(self) -> None:
        """Have attempts invalid whose series are not as they were written."""
        code = SeriesLostReason.model_fields["code"].default
        reasons, statuses = self._texts["reasons"], self._texts["status"]
        for row in np.flatnonzero(np.isin(self._numbers["pack"], list(self._lost))).tolist():
            if self._lost_of(int(self._numbers["pack"][row]), self._texts["series"][row]) is not None:
                statuses[row], reasons[row] = UNUSABLE, f"{reasons[row]} {code}".strip()

    def _lost_of(self, pack: int, series: str) -> tuple[str, int, int | None] | None:
        """Return the first series of an attempt that is not as it was written."""
        lost = self._lost.get(pack, {})
        return next(((name, *lost[name]) for name in series.split() if name in lost), None)


_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Kept:
    """The contents of the attempt in a row."""

    attempts: Attempts
    row: int

    @property
    def workload(self) -> str:
        return self.attempts.workload(self.row)

    @property
    def metrics(self) -> "_Metrics":
        return _Metrics(self.attempts, self.row)

    @property
    def record(self) -> RunRecord:
        return self.attempts.record(self.row)


class _Metrics(Mapping[str, float | None]):
    """The metrics of the attempt in a row; a browser's are absent where it has not told them."""

    __slots__ = ("_attempts", "_row")

    def __init__(self, attempts: Attempts, row: int) -> None:
        self._attempts, self._row = attempts, row

    def __getitem__(self, name: str) -> float | None:
        value = self._attempts.metric(self._row, name)
        if value is None and (name in BROWSER_METRICS or name not in METRICS):
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name in METRICS if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)
