"""The index of a folder of results: one row for each attempt, in SQLite.

With a rollback journal, not a write-ahead log: between two commits the file is whole by itself, so that it
can be copied, and be read by those who may not write to it.
"""

import json
import os
import sqlite3
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self
from urllib.parse import quote

from bentpipe.errors import InputError, StorageError
from bentpipe.ledger.copied import copied
from bentpipe.ledger.row import Row, checked, not_ours

APPLICATION_ID = 0x62656E74
"""In the header of the file, for file(1) and for us: "bent" (PRAGMA application_id)."""

RECORD_VERSION = 2
"""Of the records in it (PRAGMA user_version): since 2 reasons are codes, before they were text."""

_WAIT_S = 60.0
"""For another process that reads or writes at this moment."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS attempts (
    run_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    status TEXT NOT NULL,
    factors TEXT NOT NULL,
    repetition INTEGER NOT NULL,
    record TEXT NOT NULL,
    series TEXT,
    PRIMARY KEY (run_id, attempt)
) STRICT
"""
_COLUMNS = ("run_id", "attempt", "status", "factors", "repetition", "record", "series")
_OUT_OF_ORDER = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH)
"""Results that speak of what is in the file; all others speak of the disk and of rights."""
_MAGIC = b"SQLite format 3\0"
_HEADER = struct.Struct(">16s52xI")
"""Magic string, and the application id at offset 68 (sqlite.org/fileformat.html, section 1.3)."""
_WRITE_VERSION = slice(18, 20)
_WAL = b"\x02\x02"
"""Of a file in WAL mode (section 1.3.3 there)."""
_PRIMARY_RESULT = 0xFF
"""The part of a result code that extended ones share (sqlite.org/rescode.html)."""


class Index:
    """An open index. `shown` is the file as the user knows it, for errors."""

    def __init__(
        self, connection: sqlite3.Connection, shown: Path, *, copy: TemporaryDirectory[str] | None = None
    ) -> None:
        self._connection, self._shown, self._copy = connection, shown, copy
        with self._errors():
            columns = [row[1] for row in connection.execute("PRAGMA table_info(attempts)")]
            # Before there were lengths of series there was no version.
            if tuple(columns) not in (_COLUMNS, _COLUMNS[:-1]):
                raise not_ours(shown, "another database" if columns else "a database without attempts")
            self._refuse_other_versions()

    @classmethod
    def open(cls, path: Path, *, shown: Path) -> Self:
        """Open an index for reading; the right to write is not needed.

        Raises
        ------
        InputError
            When it is no index of Bentpipe.
        StorageError
            When it cannot be read.
        """
        with _errors(shown):
            if _is_wal(path) and not any(map(os.path.lexists, _helpers(path))):
                # Left by an early version: opened in the usual way, it would get helper files.
                return cls(_connect(path, "immutable=1"), shown)
            try:
                connection = _reading(path)
            except sqlite3.OperationalError as error:
                if not _is_refused_write(error) or not any(map(os.path.lexists, _helpers(path))):
                    raise
                # A commit was cut short. Only a writer may undo it in place, but anybody in a copy.
                copy = copied(path, _helpers(path))
                try:
                    return cls(_connect(Path(copy.name, path.name), "mode=rw"), shown, copy=copy)
                except BaseException:
                    copy.cleanup()
                    raise
        return cls(connection, shown)

    @classmethod
    def claim(cls, path: Path, *, shown: Path) -> Self:
        """Open an index for writing; make it where there is none, or an empty file."""
        with _errors(shown):
            connection = _connect(path, "mode=rwc")
            connection.execute(_SCHEMA)
            index = cls(connection, shown)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {RECORD_VERSION}")
            connection.execute("PRAGMA journal_mode = DELETE")
            # A committed row outlasts a power failure, and so does the end of its journal.
            connection.execute("PRAGMA synchronous = EXTRA")
        return index

    def add(self, rows: Iterable[Row]) -> None:
        """Write rows, all or none of them.

        Raises
        ------
        sqlite3.IntegrityError
            When one of the attempts is there already.
        StorageError
            When the disk does not take them.
        """
        values = [
            (
                row.run_id,
                row.attempt,
                row.status,
                row.factors,
                row.repetition,
                row.record,
                json.dumps(dict(row.series_bytes)),
            )
            for row in rows
        ]
        with self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def rows(self, *, run_id: str | None = None) -> list[Row]:
        """Return the attempts, all or those of one run, in the order in which they ended."""
        where, values = ("", ()) if run_id is None else ("WHERE run_id = ?", (run_id,))
        columns = ", ".join(_COLUMNS)
        with self._errors():
            found = self._connection.execute(
                f"SELECT {columns} FROM attempts {where} ORDER BY rowid", values
            ).fetchall()
        return [checked(values, shown=self._shown) for values in found]

    def attempts(self, run_id: str) -> int:
        """Return the number of attempts at a run."""
        with self._errors():
            query = "SELECT count(*) FROM attempts WHERE run_id = ?"
            count: int = self._connection.execute(query, (run_id,)).fetchone()[0]
        return count

    def close(self) -> None:
        """Close it."""
        with self._copy or nullcontext():
            self._connection.close()

    def _refuse_other_versions(self) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        has_attempts = self._connection.execute("SELECT 1 FROM attempts LIMIT 1").fetchone() is not None
        if has_attempts and version != RECORD_VERSION:
            raise InputError(
                file=str(self._shown),
                field="attempts",
                expected=f"records of version {RECORD_VERSION}",
                found=f"version {version}, of another Bentpipe: read them with the one that wrote them, "
                "or measure into another --out",
            )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with _errors(self._shown):
            yield


def is_ours(path: Path, *, shown: Path) -> bool:
    """Whether a file is an index of Bentpipe; nothing is changed."""
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
    # Also where a commit was interrupted, which only a writer can undo.
    if len(header) == _HEADER.size and _HEADER.unpack(header) == (_MAGIC, APPLICATION_ID):
        return True
    try:
        # Else SQLite makes files beside a foreign database.
        with _errors(shown):
            Index(_connect(path, "immutable=1"), shown).close()
    except InputError:
        return False
    return True


def _helpers(path: Path) -> list[Path]:
    """Return the files that SQLite may need beside an index to read it."""
    return [path.with_name(f"{path.name}-{kind}") for kind in ("wal", "journal")]


def _is_wal(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(_WRITE_VERSION.stop)[_WRITE_VERSION] == _WAL


def _is_refused_write(error: sqlite3.Error) -> bool:
    return _result(error) in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def _result(error: sqlite3.Error) -> int | None:
    """Return SQLite's result; None for what Python's module refuses by itself, as text that is no UTF-8."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY_RESULT


def _connect(path: Path, how: str) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(path.absolute()))}?{how}"
    return sqlite3.connect(uri, uri=True, timeout=_WAIT_S, isolation_level=None)


def _reading(path: Path) -> sqlite3.Connection:
    connection = _connect(path, "mode=ro")
    try:
        # Only now SQLite looks whether it may read.
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _errors(shown: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        if _result(error) in (None, *_OUT_OF_ORDER):
            raise not_ours(shown, str(error)) from None
        raise StorageError(str(shown), f"{error} ({error.sqlite_errorname})") from None
