"""A folder of results: an SQLite index of the attempts and Parquet files of their series.

A run becomes visible by one SQLite transaction, after its series stand in the folder under their names. A
process killed at any instant therefore loses the run that it was writing and nothing else; what it left
without a row is ignored by readers and removed by the next writer.
"""

import fcntl
import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bentpipe.errors import InputError
from bentpipe.ledger.entry import Entry
from bentpipe.ledger.series import Series, read_series, series_files, series_path, write_series

INDEX = "ledger.sqlite"
SCENARIO = "scenario.json"
LOCK = "ledger.lock"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS attempts (
    run_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    status TEXT NOT NULL,
    factors TEXT NOT NULL,
    repetition INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (run_id, attempt)
) STRICT
"""


class Ledger:
    """The attempts of one campaign.

    `Ledger(folder)` opens an existing one for reading, also while a campaign is writing to it;
    `Ledger.claim` opens one for writing. Each instance belongs to the thread that made it.

    Raises
    ------
    InputError
        When the folder holds no ledger, or its files are not a ledger's.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: Any = None
        if not (folder / INDEX).is_file():
            found = "none" if folder.is_dir() else "no such folder"
            raise InputError(file=str(folder), field=INDEX, expected="a folder of results", found=found)
        self._index = sqlite3.connect(folder / INDEX, isolation_level=None)
        with self._readable():
            self._index.execute("SELECT run_id FROM attempts LIMIT 1").fetchone()

    @classmethod
    def claim(cls, folder: Path, scenario: Mapping[str, Any]) -> Self:
        """Open a folder for writing; make it when it does not exist.

        Parameters
        ----------
        folder : Path
            Where the results go.
        scenario : Mapping
            The resolved scenario as JSON. A folder belongs to one scenario for good.

        Raises
        ------
        InputError
            When it holds another scenario's results, another process is writing to it, or it cannot be made.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = (folder / LOCK).open("w")
        except OSError as error:
            raise InputError(
                file=str(folder), field="--out", expected="a folder to write to", found=str(error.strerror)
            ) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            found = "another process that is writing to it"
            raise InputError(
                file=str(folder), field=LOCK, expected="a folder of this process", found=found
            ) from None
        try:
            _keep_scenario(folder, scenario)
            _create_index(folder / INDEX)
            ledger = cls(folder)
        except BaseException:
            lock.close()
            raise
        ledger._lock = lock
        ledger._remove_leftovers()
        return ledger

    def append(self, entry: Entry, series: Series) -> None:
        """Add one attempt with its series.

        Raises
        ------
        sqlite3.IntegrityError
            When the ledger has this attempt already: it is write-once.
        """
        assert self._lock is not None, "opened for reading"
        for name, columns in series.items():
            write_series(self._series_path(name, entry.run_id, entry.attempt), columns)
        self._index.execute(
            "INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?)",
            (
                entry.run_id,
                entry.attempt,
                entry.status,
                json.dumps(dict(entry.factors)),
                entry.repetition,
                json.dumps(entry.record, allow_nan=False),
            ),
        )

    def scenario(self) -> dict[str, Any]:
        """Return the resolved scenario as JSON."""
        return _read_json(self.folder / SCENARIO)

    def succeeded(self) -> set[str]:
        """Return the runs that have an attempt that succeeded."""
        rows = self._rows("SELECT DISTINCT run_id FROM attempts WHERE status = 'succeeded'")
        return {run_id for (run_id,) in rows}

    def attempts(self, run_id: str) -> int:
        """Return the number of attempts at a run."""
        return len(self._rows("SELECT attempt FROM attempts WHERE run_id = ?", run_id))

    def entries(self) -> list[Entry]:
        """Return all attempts in the order in which they ended."""
        columns = "run_id, attempt, factors, repetition, record"
        rows = self._rows(f"SELECT {columns} FROM attempts ORDER BY rowid")
        with self._readable():
            return [
                Entry(
                    run_id=run_id,
                    attempt=attempt,
                    factors=json.loads(factors),
                    repetition=repetition,
                    record=json.loads(record),
                )
                for run_id, attempt, factors, repetition, record in rows
            ]

    def best(self) -> list[Entry]:
        """Return one attempt per run, the one to be judged: the first that succeeded, else the last."""
        best: dict[str, Entry] = {}
        for entry in self.entries():
            former = best.get(entry.run_id)
            if former is None or former.status != "succeeded":
                best[entry.run_id] = entry
        return list(best.values())

    def series(self, run_id: str, name: str) -> dict[str, NDArray[np.float64]]:
        """Return the columns of a series of the attempt to be judged; none where there is no such series."""
        rows = self._rows("SELECT attempt, status FROM attempts WHERE run_id = ? ORDER BY rowid", run_id)
        if not rows:
            return {}
        judged = next((attempt for attempt, status in rows if status == "succeeded"), rows[-1][0])
        return read_series(self._series_path(name, run_id, judged))

    def artifacts(self, run_id: str, attempt: int) -> Path:
        """Return the folder of an attempt's captures and logs."""
        return self.folder / "artifacts" / f"{run_id}-{attempt}"

    def close(self) -> None:
        """Close the index and give the folder free."""
        self._index.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _series_path(self, name: str, run_id: str, attempt: int) -> Path:
        return series_path(self.folder, name=name, run_id=run_id, attempt=attempt)

    def _rows(self, query: str, *values: object) -> list[Any]:
        with self._readable():
            return self._index.execute(query, values).fetchall()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, json.JSONDecodeError) as error:
            file = str(self.folder / INDEX)
            raise InputError(
                file=file, field="attempts", expected="a ledger of Bentpipe", found=str(error)
            ) from None

    def _remove_leftovers(self) -> None:
        """Remove the series and artifacts of attempts that were in flight when a process was killed."""
        rows = self._rows("SELECT run_id, attempt FROM attempts")
        known = {f"{run_id}-{attempt}" for run_id, attempt in rows}
        for path in series_files(self.folder):
            if path.suffix != ".parquet" or path.stem not in known:
                path.unlink()
        for path in (self.folder / "artifacts").glob("*"):
            if path.name not in known:
                shutil.rmtree(path)


def _create_index(path: Path) -> None:
    index = sqlite3.connect(path, isolation_level=None)
    try:
        # A reader never blocks the writer, nor the other way round; each commit survives a kill.
        index.execute("PRAGMA journal_mode = WAL")
        index.execute(_SCHEMA)
    except sqlite3.DatabaseError as error:
        raise InputError(
            file=str(path), field="attempts", expected="a ledger of Bentpipe", found=str(error)
        ) from None
    finally:
        index.close()


def _keep_scenario(folder: Path, scenario: Mapping[str, Any]) -> None:
    path = folder / SCENARIO
    text = json.dumps(scenario, indent=1, allow_nan=False)
    if not path.exists():
        temporary = path.with_suffix(".writing")
        temporary.write_text(text)
        temporary.replace(path)
    elif _read_json(path) != json.loads(text):
        found = f"the results of another one ({_read_json(path).get('name', 'unnamed')}, or other settings)"
        raise InputError(
            file=str(folder),
            field=SCENARIO,
            expected=f"the scenario {scenario.get('name')!r}, or an empty folder given by --out",
            found=found,
        )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise InputError(
            file=str(path), field="the whole file", expected="a resolved scenario", found=str(error)
        ) from None
    if not isinstance(content, dict):
        raise InputError(
            file=str(path), field="the whole file", expected="a JSON object", found="another value"
        )
    return content
