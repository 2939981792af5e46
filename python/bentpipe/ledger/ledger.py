"""A folder of results: an index of the attempts and Parquet files of their series.

The attempts of one commit are a pack: their series are in one file each, whatever their number, so that files
are as many as seconds of work and not as runs.

An attempt becomes visible by its row, and durable before it does: captures and the pack's series are written
under names that end in `.writing` and synced, then the rows are committed, then they get their own names. A
process killed at any instant, or a machine without power, therefore loses what was not committed and nothing
else; readers ignore what is left of it, and the next writer removes it.
"""

import json
import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from bentpipe import invoking_user, output_folder
from bentpipe.errors import InputError, StorageError
from bentpipe.ledger.attempts import Attempts, Lost
from bentpipe.ledger.entry import SUCCEEDED, Entry, judged
from bentpipe.ledger.folder import INDEX, SCENARIO, Folder, attempt_of, unsettled
from bentpipe.ledger.index import WAIT_S, Index, is_ours
from bentpipe.ledger.row import Pack, Place, Row
from bentpipe.ledger.series import Arrays, Series, SeriesOfPack, Table, read_series, rows_of, write_series
from bentpipe.ledger.tally import Tally, tally
from bentpipe.model.scenario import JsonObject
from bentpipe.refusal import refusal, said

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, kw_only=True)
class _Added:
    """An attempt that is not committed yet."""

    row: Row
    entry: Entry
    series: Series
    has_artifacts: bool


class Ledger:
    """The attempts of one campaign.

    `Ledger(path)` opens an existing one for reading, also while a campaign is writing to it and without the
    right to write; `Ledger.claim` opens one for writing. Each instance is used by one thread at a time.

    Parameters
    ----------
    path : Path
        The folder.
    wait_s : float
        For another process that writes at this moment; it is a StorageError where that takes longer.

    Attributes
    ----------
    set_aside : int
        How many packs and attempts `claim` found the series or artifacts of, though the index does not have
        them. They are in the folder `unindexed` now.

    Raises
    ------
    InputError
        When the folder holds no ledger, or its files are not a ledger's.
    StorageError
        When the disk, or the rights of this user, do not let it be read.
    """

    _waiting: list[_Added]
    _started: set[str]
    """Attempts whose folder for captures has been made."""
    _read_last: dict[str, tuple[int, SeriesOfPack]]
    """The pack that a series was last read from."""

    def __init__(self, path: Path, *, wait_s: float = WAIT_S) -> None:
        self._reset()
        with _storing(path):
            self._folder = Folder.open(path)
            try:
                self._index = Index.open(self._folder.root / INDEX, shown=path / INDEX, wait_s=wait_s)
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
        ledger._reset()
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
            name = f"{run_id}-{attempt}"
            place = unsettled(self._folder.artifacts(name))
            self._started.add(name)
            if os.path.lexists(place):
                self._folder.remove(place)
            return self._folder.made(place)

    def add(self, entry: Entry, series: Series) -> None:
        """Take an attempt with its series; `commit` makes it visible and durable.

        Raises
        ------
        StorageError
            When the disk does not take it.
        """
        assert self._folder.is_locked, "opened for reading"
        tables = {name: columns for name, columns in series.items() if rows_of(columns)}
        row = Row.of(entry, list(tables))
        with _storing(self.folder):
            has_artifacts = row.name in self._started and self._has_artifacts(row)
        self._waiting.append(_Added(row=row, entry=entry, series=tables, has_artifacts=has_artifacts))

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
        pack = self._waiting[0].row.name
        with _storing(self.folder):
            series_bytes = self._write_series(pack)
            self._folder.sync()
            # Whatever interrupts it, rows that may be in the index are not added again by `close`.
            added, self._waiting = self._waiting, []
            try:
                self._index.add([each.row for each in added], series_bytes=series_bytes)
            except (StorageError, OSError):
                self._waiting = added
                raise
            self._folder.settle(
                pack, series_bytes, artifacts=[each.row.name for each in added if each.has_artifacts]
            )
        return [each.entry for each in added]

    def scenario(self) -> JsonObject:
        """Return the resolved scenario as JSON."""
        return self._read_scenario()

    def succeeded(self) -> set[str]:
        """Return the runs that have an attempt that succeeded and whose series are there."""
        with _storing(self.folder):
            lost = ((pack, name) for pack, series in self._lost().items() for name in series)
            return self._index.runs(SUCCEEDED, without=lost)

    def attempts(self, run_id: str) -> int:
        """Return the number of attempts at a run."""
        return self._index.attempts(run_id)

    def all_attempts(self) -> Attempts:
        """Return all attempts of this moment as columns.

        One whose series are lost or cut off is invalid there, and says so.
        """
        return self._attempts()

    def runs(self) -> "polars.DataFrame":
        """Return all attempts as a table: see `Attempts.runs`."""
        return self.all_attempts().runs()

    def entries(self) -> list[Entry]:
        """Return all attempts one by one, in the order in which they ended.

        Their records are read when they are asked for, so keep the ledger open meanwhile.
        """
        return self.all_attempts().entries()

    def best(self) -> list[Entry]:
        """Return one attempt per run, the one to be judged: the first that succeeded, else the last."""
        return judged(self.entries())

    def unsuccessful(self) -> list[Entry]:
        """Return what `best` has that did not succeed, without looking at what did."""
        with _storing(self.folder):
            lost = self._lost()
            packs = ", ".join(map(str, lost))
            found = self._attempts(lost, where=f"status <> '{SUCCEEDED}' OR pack IN ({packs})")
            entries = [entry for entry in found.entries() if entry.status != SUCCEEDED]
            return [
                entry
                for entry in judged(entries)
                if not self._is_success(self._judged(entry.run_id, lost), lost)
            ]

    def tally(self, metrics: Sequence[str]) -> Tally:
        """Return how runs ended by cell, and these metrics of those that succeeded; no file is looked at."""
        with _storing(self.folder):
            return tally(self._index, metrics=metrics, shown=self.folder / INDEX)

    def numbered(self, ids: Iterable[int]) -> list[Entry]:
        """Return the attempts of these ids, as `tally` tells of some, with their records at hand."""
        some = ", ".join(str(int(one)) for one in ids)
        return [entry.in_memory() for entry in self._attempts(where=f"id IN ({some})").entries()]

    def series(self, run_id: str, name: str) -> Arrays:
        """Return the columns of a series of the attempt to be judged; none where there is no such series.

        Each is of shape (rows,).

        Raises
        ------
        InputError
            When its file is no table.
        """
        with _storing(self.folder):
            place = self._judged(run_id, self._lost_of(run_id))
            if place is None or name not in place.series:
                return {}
            table = self._table(name, self._index.pack(place.pack))
            return {} if table is None else table.of(run_id, place.attempt)

    def every_series(self, name: str) -> Iterator[tuple[str, int, Arrays]]:
        """Yield run id, attempt and columns of a series for each attempt that has it, pack by pack.

        Raises as `series`.
        """
        with _storing(self.folder):
            for pack in self._index.packs():
                table = self._table(name, pack) if name in pack.series_bytes else None
                if table is not None:
                    for run_id, attempt in table.attempts:
                        yield run_id, attempt, table.of(run_id, attempt)

    def artifacts(self, run_id: str, attempt: int) -> Path:
        """Return the folder of an attempt's captures and logs."""
        place = self._folder.artifacts(f"{run_id}-{attempt}")
        between = unsettled(place)
        with _storing(self.folder):
            return between if between.exists() and not place.exists() else place

    def close(self) -> None:
        """Commit what is still waiting, close the index and give the folder free."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, StorageError | sqlite3.Error):
            # What the disk has not taken it does not take now.
            self._waiting = []
            self.close()
        else:
            self._close(is_failed=error is not None)

    def _close(self, *, is_failed: bool = False) -> None:
        """Close; a folder that was empty is so again after a failure before any attempt."""
        is_void = False
        try:
            self.commit()
            is_void = is_failed and not self._index.has_attempts
        finally:
            self._index.close()
            if is_void:
                self._folder.discard()
            self._folder.close()

    def _reset(self) -> None:
        self.set_aside, self._waiting, self._started, self._read_last = 0, [], set(), {}

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
                    has_results = opened.has_attempts
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
                found=f"the results of {_other(found, scenario)}",
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
        packs = {pack.name for pack in self._index.packs()}

        def has_row(path: Path) -> bool:
            name = attempt_of(path)
            return name in packs if self._folder.is_series(path) else self._index.has(name)

        unindexed: dict[str, list[Path]] = {}
        for path in self._folder.settled():
            if not has_row(path):
                unindexed.setdefault(attempt_of(path), []).append(path)
        if unindexed and not packs:
            raise InputError(
                file=str(self.folder),
                field=INDEX,
                expected="the index of the attempts in it",
                found=f"one without attempts, beside {len(unindexed)} such as {min(unindexed)}: is it a copy "
                "made during a measurement? Move them away, or give another --out",
            )
        for path in self._folder.unfinished():
            self._folder.settle_or_remove(path, has_row=has_row(path))
        for paths in unindexed.values():
            for path in paths:
                self._folder.set_aside(path)
        self.set_aside = len(unindexed)

    def _has_artifacts(self, row: Row) -> bool:
        """Whether an attempt has left anything; the folder of one that has not is removed."""
        self._started.discard(row.name)
        artifacts = unsettled(self._folder.artifacts(row.name))
        if not artifacts.exists():
            return False
        if any(artifacts.iterdir()):
            invoking_user.give_all(artifacts)
            return True
        artifacts.rmdir()
        return False

    def _write_series(self, pack: str) -> dict[str, int]:
        """Write a file for each series of what is waiting; return their lengths."""
        tables: dict[str, list[Table]] = {}
        for each in self._waiting:
            for name, columns in each.series.items():
                table = Table(run_id=each.row.run_id, attempt=each.row.attempt, columns=columns)
                tables.setdefault(name, []).append(table)
        lengths = {}
        for name, parts in tables.items():
            place = unsettled(self._folder.series(name, pack))
            self._folder.made(place.parent)
            lengths[name] = write_series(place, parts)
        return lengths

    def _attempts(self, lost: Lost | None = None, *, where: str = "TRUE") -> Attempts:
        with _storing(self.folder):
            known = self._lost() if lost is None else lost
            return Attempts(self._index, lost=known, shown=self.folder / INDEX, where=where)

    def _lost(self) -> Lost:
        """Return the series that are not as they were written."""
        found = {pack.id: self._lost_in(pack) for pack in self._index.packs()}
        return {number: lost for number, lost in found.items() if lost}

    def _lost_in(self, pack: Pack) -> dict[str, tuple[int, int | None]]:
        lost = {}
        for name, length in pack.series_bytes.items():
            found = self._present(name, pack)
            found_bytes = None if found is None else found[1]
            if found_bytes != length:
                lost[name] = length, found_bytes
        return lost

    def _lost_of(self, run_id: str) -> Lost:
        """Return the series of a run that are not as they were written."""
        packs = {place.pack for place in self._index.places(run_id)}
        return {number: self._lost_in(self._index.pack(number)) for number in packs}

    def _judged(self, run_id: str, lost: Lost) -> Place | None:
        """Return the attempt at a run that is judged."""
        places = self._index.places(run_id)
        succeeded = (place for place in places if self._is_success(place, lost))
        return next(succeeded, places[-1] if places else None)

    def _is_success(self, place: Place | None, lost: Lost) -> bool:
        return (
            place is not None
            and place.status == SUCCEEDED
            and not any(name in lost.get(place.pack, {}) for name in place.series)
        )

    def _table(self, name: str, pack: Pack) -> SeriesOfPack | None:
        """Return a series of a pack, which neighbours in it are read from next; None where it is gone."""
        last = self._read_last.get(name)
        if last is not None and last[0] == pack.id:
            return last[1]
        try:
            table = self._read_series(name, pack)
        except FileNotFoundError:
            # It got its own name at this moment.
            table = self._read_series(name, pack)
        if table is not None:
            self._read_last[name] = pack.id, table
        return table

    def _read_series(self, name: str, pack: Pack) -> SeriesOfPack | None:
        found = self._present(name, pack)
        if found is None:
            return None
        return read_series(found[0], shown=self.folder / found[0].relative_to(self._folder.root))

    def _present(self, name: str, pack: Pack) -> tuple[Path, int] | None:
        """Return the file of a series, which may get its own name at this moment, and its length."""
        place = self._folder.series(name, pack.name)
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


@contextmanager
def _storing(folder: Path) -> Iterator[None]:
    """Have what the disk refuses said in one line, by the names that the user knows."""
    try:
        yield
    except OSError as error:
        raise refusal(error, shown=folder) from None


def _other(found: Mapping[str, object], wanted: Mapping[str, object]) -> str:
    """Return what tells the scenario of a folder from the one that is to be measured into it."""
    if found.get("name") != wanted.get("name"):
        return f"the scenario {found.get('name', 'unnamed')!r}"
    for key in ("engine", "repetitions", "seed"):
        if found.get(key) != wanted.get(key):
            return f"other settings: {key} {found.get(key)} there, {wanted.get(key)} here"
    return "other settings of its runs"
