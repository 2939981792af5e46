"""A folder of results: an index of the attempts and Parquet files of their series.

An attempt becomes visible by its row, and durable before it does: its series and captures are written under
names that end in `.writing` and synced, then its row is committed, then they get their own names. A process
killed at any instant, or a machine without power, therefore loses what was not committed and nothing else;
readers ignore what is left of it, and the next writer removes it.
"""

import json
import os
import sqlite3
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bentpipe import invoking_user, output_folder
from bentpipe.errors import InputError, StorageError
from bentpipe.ledger.entry import Entry
from bentpipe.ledger.folder import INDEX, SCENARIO, Folder, attempt_of, unsettled
from bentpipe.ledger.index import Index, is_ours
from bentpipe.ledger.row import Row, factors_of, record_of
from bentpipe.ledger.series import Series, read_series, write_series
from bentpipe.model.reason import SeriesLostReason
from bentpipe.model.scenario import JsonObject
from bentpipe.refusal import refusal, said

_SUCCEEDED = "succeeded"
_UNUSABLE = "invalid"


class Ledger:
    """The attempts of one campaign.

    `Ledger(path)` opens an existing one for reading, also while a campaign is writing to it and without the
    right to write; `Ledger.claim` opens one for writing. Each instance belongs to the thread that made it.

    Attributes
    ----------
    set_aside : int
        How many attempts `claim` found the series or artifacts of, though the index does not have them. They
        are in the folder `unindexed` now.

    Raises
    ------
    InputError
        When the folder holds no ledger, or its files are not a ledger's.
    StorageError
        When the disk, or the rights of this user, do not let it be read.
    """

    def __init__(self, path: Path) -> None:
        self.set_aside = 0
        self._waiting: list[tuple[Row, Entry]] = []
        with _storing(path):
            self._folder = Folder.open(path)
            try:
                self._index = Index.open(self._folder.root / INDEX, shown=path / INDEX)
            except BaseException:
                self._folder.close()
                raise

    @classmethod
    def claim(cls, path: Path, scenario: Mapping[str, object], *, is_resumed: bool = True) -> Self:
        """Open a folder for writing; make it when it does not exist.

        Parameters
        ----------
        path
            Where the results go: a folder of its own.
        scenario
            The resolved scenario as JSON. A folder belongs to one scenario for good.
        is_resumed
            Whether the folder may have results already; else it must be empty.

        Raises
        ------
        InputError
            When it has something that is not a ledger's, or another scenario's results, or attempts whose
            index is lost; when another process is writing to it, or it cannot be made.
        StorageError
            When the disk does not take what has to be written.
        """
        ledger = cls.__new__(cls)
        ledger.set_aside, ledger._waiting = 0, []
        with _storing(path):
            ledger._folder = folder = Folder.claim(path, is_resumed=is_resumed)
            try:
                # Everything is looked at before anything is made.
                ledger._refuse_others(scenario)
                folder.lock()
                # Whoever had the lock until now may have made them.
                ledger._refuse_others(scenario)
                ledger._make_what_is_missing(scenario)
                ledger._index = Index.claim(folder.root / INDEX, shown=path / INDEX)
            except BaseException:
                folder.close()
                raise
            try:
                ledger._recover()
            except BaseException:
                ledger.close()
                raise
        return ledger

    @property
    def folder(self) -> Path:
        """The folder as the user named it."""
        return self._folder.path

    def start(self, run_id: str, attempt: int) -> Path:
        """Return a new folder for an attempt's captures and logs.

        Raises
        ------
        StorageError
            When it cannot be made.
        """
        with _storing(self.folder):
            place = unsettled(self._folder.artifacts(f"{run_id}-{attempt}"))
            if os.path.lexists(place):
                self._folder.remove(place)
            return self._folder.made(place)

    def add(self, entry: Entry, series: Series) -> None:
        """Write an attempt with its series; `commit` makes it visible and durable.

        Raises
        ------
        StorageError
            When the disk does not take it.
        """
        assert self._folder.is_locked, "opened for reading"
        name = f"{entry.run_id}-{entry.attempt}"
        with _storing(self.folder):
            lengths = {}
            for kind, columns in series.items():
                place = unsettled(self._folder.series(kind, name))
                self._folder.made(place.parent)
                lengths[kind] = write_series(place, columns)
            artifacts = unsettled(self._folder.artifacts(name))
            if artifacts.exists():
                if any(artifacts.iterdir()):
                    invoking_user.give_all(artifacts)
                else:
                    artifacts.rmdir()
        self._waiting.append((_row(entry, lengths), entry))

    def commit(self) -> list[Entry]:
        """Make the attempts added since the last time visible and durable; return them.

        Raises
        ------
        sqlite3.IntegrityError
            When the ledger has one of them already: it is write-once.
        StorageError
            When the disk does not take them: none of them is in the ledger then, and they may be committed
            again.
        """
        if not self._waiting:
            return []
        with _storing(self.folder):
            self._folder.sync()
            # Whatever interrupts it, rows that may be in the index are not added again by `close`.
            added, self._waiting = self._waiting, []
            try:
                self._index.add(row for row, _ in added)
            except (StorageError, OSError):
                self._waiting = added
                raise
            for row, _ in added:
                self._folder.settle(row.name, row.series_bytes or ())
        return [entry for _, entry in added]

    def append(self, entry: Entry, series: Series) -> None:
        """Add one attempt with its series and commit it; raises as `add` and `commit`."""
        self.add(entry, series)
        self.commit()

    def scenario(self) -> JsonObject:
        """Return the resolved scenario as JSON."""
        return self._read_scenario()

    def succeeded(self) -> set[str]:
        """Return the runs that have an attempt that succeeded and whose series are there."""
        with _storing(self.folder):
            return {row.run_id for row in self._index.rows() if self._status(row) == _SUCCEEDED}

    def attempts(self, run_id: str) -> int:
        """Return the number of attempts at a run."""
        return self._index.attempts(run_id)

    def entries(self) -> list[Entry]:
        """Return all attempts in the order in which they ended.

        One whose series are lost or cut off is invalid here, and says so.
        """
        with _storing(self.folder):
            return [self._entry(row) for row in self._index.rows()]

    def best(self) -> list[Entry]:
        """Return one attempt per run, the one to be judged: the first that succeeded, else the last."""
        best: dict[str, Entry] = {}
        for entry in self.entries():
            former = best.get(entry.run_id)
            if former is None or former.status != _SUCCEEDED:
                best[entry.run_id] = entry
        return list(best.values())

    def series(self, run_id: str, name: str) -> dict[str, NDArray[np.float64]]:
        """Return the columns of a series of the attempt to be judged; none where there is no such series.

        Each is of shape (rows,).

        Raises
        ------
        InputError
            When its file is no table.
        """
        rows = self._index.rows(run_id=run_id)
        if not rows:
            return {}
        with _storing(self.folder):
            judged = next((row for row in rows if self._status(row) == _SUCCEEDED), rows[-1])
            try:
                return self._read_series(name, judged)
            except FileNotFoundError:
                # It got its own name at this moment.
                return self._read_series(name, judged)

    def artifacts(self, run_id: str, attempt: int) -> Path:
        """Return the folder of an attempt's captures and logs."""
        place = self._folder.artifacts(f"{run_id}-{attempt}")
        between = unsettled(place)
        with _storing(self.folder):
            return between if between.exists() and not place.exists() else place

    def close(self) -> None:
        """Commit what is still waiting, close the index and give the folder free."""
        try:
            self.commit()
        finally:
            self._index.close()
            self._folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, StorageError | sqlite3.Error):
            # What the disk has not taken it does not take now.
            self._waiting = []
        self.close()

    def _refuse_others(self, scenario: Mapping[str, object]) -> None:
        """Refuse a folder of something else or of another scenario; nothing is changed."""
        root, path = self._folder.root, self.folder
        index, has_index = root / INDEX, self._folder.has_index
        if has_index and not is_ours(index, shown=path / INDEX):
            raise InputError(
                file=str(path / INDEX),
                field="attempts",
                expected="a ledger of Bentpipe",
                found="something else",
            )
        if not self._folder.has_scenario:
            if has_index:
                with closing(Index.open(index, shown=path / INDEX)) as opened:
                    has_results = bool(opened.rows())
                if has_results:
                    expected = "that of its results"
                    raise InputError(file=str(path), field=SCENARIO, expected=expected, found="none")
            return
        found = self._read_scenario()
        if found != json.loads(json.dumps(scenario, allow_nan=False)):
            raise InputError(
                file=str(path),
                field=SCENARIO,
                expected=f"the scenario {scenario.get('name')!r}, or an empty folder given by --out",
                found=f"the results of another one ({found.get('name', 'unnamed')}, or other settings)",
            )

    def _make_what_is_missing(self, scenario: Mapping[str, object]) -> None:
        """Put scenario and index there, each complete or not at all."""
        root = self._folder.root
        with output_folder.staged_in(root, shown=self.folder) as staging:
            if not self._folder.has_scenario:
                (staging / SCENARIO).write_text(json.dumps(scenario, indent=1, allow_nan=False))
            if not self._folder.has_index:
                Index.claim(staging / INDEX, shown=self.folder / INDEX).close()
            # Before they get their names, which may outlast a power failure when their contents do not.
            self._folder.sync()
        self._folder.sync()

    def _recover(self) -> None:
        """Bring to an end what a killed process has started: settle what has a row, remove what has none."""
        rows = {row.name: row for row in self._index.rows()}
        unindexed = {name: paths for name, paths in self._folder.attempts().items() if name not in rows}
        if unindexed and not rows:
            raise InputError(
                file=str(self.folder),
                field=INDEX,
                expected="the index of the attempts in it",
                found=f"one without attempts, beside {len(unindexed)} such as {min(unindexed)}: is it a copy "
                "made during a measurement? Move them away, or give another --out",
            )
        for path in self._folder.unfinished():
            self._folder.settle_or_remove(path, has_row=attempt_of(path) in rows)
        for paths in unindexed.values():
            for path in paths:
                self._folder.set_aside(path)
        self.set_aside = len(unindexed)

    def _entry(self, row: Row) -> Entry:
        record = record_of(row, shown=self.folder / INDEX)
        lost = self._lost(row)
        if lost is not None:
            record = record.model_copy(update={"status": _UNUSABLE, "reasons": [*record.reasons, lost]})
        return Entry(
            run_id=row.run_id,
            attempt=row.attempt,
            factors=factors_of(row, shown=self.folder / INDEX),
            repetition=row.repetition,
            record=record,
        )

    def _status(self, row: Row) -> str:
        return row.status if self._lost(row) is None else _UNUSABLE

    def _lost(self, row: Row) -> SeriesLostReason | None:
        """Return what of an attempt's series is not as it was written; None when all is."""
        for name, length in row.series_bytes.items():
            found = self._present(name, row)
            found_bytes = None if found is None else found[1]
            if found_bytes != length:
                return SeriesLostReason(
                    series=name, attempt=row.attempt, expected_bytes=length, found_bytes=found_bytes
                )
        return None

    def _read_series(self, name: str, row: Row) -> dict[str, NDArray[np.float64]]:
        found = self._present(name, row)
        if found is None:
            return {}
        return read_series(found[0], shown=self.folder / found[0].relative_to(self._folder.root))

    def _present(self, name: str, row: Row) -> tuple[Path, int] | None:
        """Return the file of a series, which may get its own name at this moment, and its length."""
        place = self._folder.series(name, row.name)
        for path in (place, unsettled(place), place):
            with suppress(FileNotFoundError, NotADirectoryError):
                status = path.stat()
                if stat.S_ISREG(status.st_mode):
                    return path, status.st_size
        return None

    def _read_scenario(self) -> JsonObject:
        file = self.folder / SCENARIO
        try:
            content = json.loads((self._folder.root / SCENARIO).read_text())
        except (OSError, ValueError) as error:
            found = said(error) if isinstance(error, OSError) else str(error)
            raise InputError(
                file=str(file), field="the whole file", expected="a resolved scenario", found=found
            ) from None
        if not isinstance(content, dict):
            raise InputError(
                file=str(file), field="the whole file", expected="a JSON object", found="another value"
            )
        return content


def _row(entry: Entry, lengths: Mapping[str, int]) -> Row:
    return Row(
        run_id=entry.run_id,
        attempt=entry.attempt,
        status=entry.status,
        factors=json.dumps(dict(entry.factors)),
        repetition=entry.repetition,
        record=entry.record.model_dump_json(exclude_unset=True, exclude={"series"}),
        series_bytes=lengths,
    )


@contextmanager
def _storing(folder: Path) -> Iterator[None]:
    """Have what the disk refuses said in one line, by the names that the user knows."""
    try:
        yield
    except OSError as error:
        raise refusal(error, shown=folder) from None
