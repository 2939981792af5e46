"""The index of a folder of results: one row for each attempt, in SQLite.

With a rollback journal, not a write-ahead log: between two commits the file is whole by itself, so that it
can be copied, and be read by those who may not write to it.

A million runs are a million short rows: what many attempts share (factors, specifications, provenance) stands
once in `shared`, and the records of a commit are compressed together, in `packs`.
"""

import hashlib
import json
import os
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self
from urllib.parse import quote

from bentpipe.errors import InputError, StorageError
from bentpipe.ledger.copied import copied
from bentpipe.ledger.records import packed
from bentpipe.ledger.row import Pack, Place, Row, not_ours, pack_of, place_of
from bentpipe.stats.metrics import METRICS

APPLICATION_ID = 0x62656E74
"""In the header of the file, for file(1) and for us: "bent" (PRAGMA application_id)."""

RECORD_VERSION = 3
"""Of the tables (PRAGMA user_version): since 3 attempts share what repeats, since 2 reasons are codes."""

WAIT_S = 60.0
"""For another process that reads or writes at this moment, where nobody says another time."""

_CACHE_KIB = 65_536
"""Of a writer: a million attempts have an index by run of 40 MB, any page of which may be the next."""

_ROWS_AT_ONCE = 50_000
"""That are in memory as Python's objects while attempts are read."""

_SCHEMA = f"""
CREATE TABLE shared (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, json TEXT NOT NULL) STRICT;
CREATE TABLE packs (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, series_bytes TEXT NOT NULL, records BLOB NOT NULL
) STRICT;
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    repetition INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    status TEXT NOT NULL,
    reasons TEXT NOT NULL,
    engine TEXT NOT NULL,
    factors INTEGER NOT NULL REFERENCES shared,
    spec INTEGER NOT NULL REFERENCES shared,
    provenance INTEGER NOT NULL REFERENCES shared,
    pack INTEGER NOT NULL REFERENCES packs,
    series TEXT NOT NULL,
    {", ".join(f"{name} REAL" for name in METRICS)},
    UNIQUE (run_id, attempt)
) STRICT;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {RECORD_VERSION};
"""
TEXTS = ("run_id", "status", "reasons", "engine", "series")
"""Columns of attempts that are texts."""
NUMBERS = ("id", "attempt", "repetition", "seed", "factors", "spec", "provenance", "pack")
"""Columns of attempts that are whole numbers; all others are metrics."""
_INSERT = (
    f"INSERT INTO attempts (id, run_id, attempt, repetition, seed, status, reasons, engine, factors, spec, "
    f"provenance, pack, series, {', '.join(METRICS)}) VALUES ({', '.join('?' * (13 + len(METRICS)))})"
)
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
            self._columns = [row[1] for row in connection.execute("PRAGMA table_info(attempts)")]
            self._refuse_other_versions()
            if not {*TEXTS, *NUMBERS} <= set(self._columns):
                raise not_ours(shown, "another database" if self._columns else "a database without attempts")

    @classmethod
    def open(cls, path: Path, *, shown: Path, wait_s: float = WAIT_S) -> Self:
        """Open an index for reading; the right to write is not needed.

        Each time that it is read, another process that writes is waited for so long.

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
                connection = _reading(path, wait_s=wait_s)
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
            if connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
                connection.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
            index = cls(connection, shown)
            connection.execute("PRAGMA journal_mode = DELETE")
            # A committed row outlasts a power failure, and so does the end of its journal.
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            for name in set(METRICS) - set(index._columns):
                # Of a metric that records have since.
                connection.execute(f"ALTER TABLE attempts ADD COLUMN {name} REAL")
                index._columns.append(name)
        return index

    def add(self, rows: Sequence[Row], *, series_bytes: Mapping[str, int]) -> None:
        """Write a pack of attempts, all or none of them.

        Parameters
        ----------
        rows
            The attempts, at least one.
        series_bytes
            The length of the pack's file of each series.

        Raises
        ------
        sqlite3.IntegrityError
            When one of the attempts is there already.
        StorageError
            When the disk does not take them.
        """
        with self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            first = self._connection.execute("SELECT coalesce(max(id), 0) + 1 FROM attempts").fetchone()[0]
            shared = {
                text: self._share(text) for row in rows for text in (row.factors, row.spec, row.provenance)
            }
            pack = (first, rows[0].name, json.dumps(dict(series_bytes)), packed(row.rest for row in rows))
            self._connection.execute("INSERT INTO packs VALUES (?, ?, ?, ?)", pack)
            self._connection.executemany(
                _INSERT,
                (
                    (
                        number,
                        row.run_id,
                        row.attempt,
                        row.repetition,
                        row.seed,
                        row.status,
                        row.reasons,
                        row.engine,
                        shared[row.factors],
                        shared[row.spec],
                        shared[row.provenance],
                        first,
                        " ".join(row.series),
                        *row.metrics,
                    )
                    for number, row in enumerate(rows, start=first)
                ),
            )

    @property
    def has_attempts(self) -> bool:
        """Whether there is any attempt."""
        return self.last_id > 0

    @property
    def last_id(self) -> int:
        """The greatest id of an attempt; zero without any."""
        with self._errors():
            last: int = self._connection.execute("SELECT coalesce(max(id), 0) FROM attempts").fetchone()[0]
        return last

    def attempts(self, run_id: str) -> int:
        """Return the number of attempts at a run."""
        return len(self.places(run_id))

    def has(self, name: str) -> bool:
        """Whether there is an attempt of a name, RUN_ID-ATTEMPT."""
        run_id, _, attempt = name.rpartition("-")
        return any(str(place.attempt) == attempt for place in self.places(run_id))

    def places(self, run_id: str) -> list[Place]:
        """Return the attempts at a run in the order in which they ended."""
        query = "SELECT attempt, status, pack, series FROM attempts WHERE run_id = ? ORDER BY id"
        with self._errors():
            found = self._connection.execute(query, (run_id,)).fetchall()
        return [place_of(values, shown=self._shown) for values in found]

    def runs(self, status: str, *, without: Iterable[tuple[int, str]] = ()) -> set[str]:
        """Return the runs that have an attempt of a status.

        Attempts of a (pack, series) in `without` do not count.
        """
        lost = set(without)
        query = "SELECT run_id, pack, series FROM attempts WHERE status = ?"
        with self._errors():
            found = self._connection.execute(query, (status,))
            if not lost:
                return {row[0] for row in found}
            return {
                run_id
                for run_id, pack, series in found
                if not any((pack, name) in lost for name in series.split())
            }

    def packs(self) -> list[Pack]:
        """Return every pack in the order of their commits."""
        with self._errors():
            found = self._connection.execute(
                "SELECT id, name, series_bytes FROM packs ORDER BY id"
            ).fetchall()
        return [pack_of(values, shown=self._shown) for values in found]

    def pack(self, number: int) -> Pack:
        """Return one pack."""
        query = "SELECT id, name, series_bytes FROM packs WHERE id = ?"
        with self._errors():
            found = self._connection.execute(query, (number,)).fetchone()
        if found is None:
            raise not_ours(self._shown, f"no pack {number}")
        return pack_of(found, shown=self._shown)

    def records(self, pack: int) -> bytes:
        """Return the records of a pack as they were written."""
        with self._errors():
            found = self._connection.execute("SELECT records FROM packs WHERE id = ?", (pack,)).fetchone()
        if found is None or not isinstance(found[0], bytes):
            raise not_ours(self._shown, f"no records of pack {pack}")
        return found[0]

    def shared(self, number: int) -> str:
        """Return a text that attempts share."""
        with self._errors():
            found = self._connection.execute("SELECT json FROM shared WHERE id = ?", (number,)).fetchone()
        if found is None or not isinstance(found[0], str):
            raise not_ours(self._shown, f"no shared text {number}")
        return found[0]

    def metrics(self, *, last_id: int) -> tuple[str, ...]:
        """Return the metrics that any attempt up to `last_id` has."""
        names = [name for name in METRICS if name in self._columns]
        counts = ", ".join(f"count({name})" for name in names)
        with self._errors():
            query = f"SELECT {counts} FROM attempts WHERE id <= ?"
            found = self._connection.execute(query, (last_id,)).fetchone()
        return tuple(name for name, count in zip(names, found, strict=True) if count)

    def columns(
        self, names: Sequence[str], *, last_id: int, where: str = "TRUE", rows_at_once: int = _ROWS_AT_ONCE
    ) -> Iterator[list[tuple[object, ...]]]:
        """Yield the attempts up to `last_id` as rows of some columns, in the order in which they ended.

        Of them `rows_at_once` are in memory.
        """
        query = f"SELECT {', '.join(names)} FROM attempts WHERE id <= ? AND ({where}) ORDER BY id"
        with self._errors():
            cursor = self._connection.execute(query, (last_id,))
            while rows := cursor.fetchmany(rows_at_once):
                yield rows

    def close(self) -> None:
        """Close it."""
        with self._copy or nullcontext():
            self._connection.close()

    def _share(self, text: str) -> int:
        """Return the id of a text that attempts share, which is written where there is none like it."""
        digest = hashlib.sha256(text.encode()).digest()
        find = "SELECT id FROM shared WHERE digest = ?"
        found = self._connection.execute(find, (digest,)).fetchone()
        if found is None:
            write = "INSERT INTO shared (digest, json) VALUES (?, ?) RETURNING id"
            found = self._connection.execute(write, (digest, text)).fetchone()
        number: int = found[0]
        return number

    def _refuse_other_versions(self) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if self._columns and version != RECORD_VERSION:
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


def _connect(path: Path, how: str, *, wait_s: float = WAIT_S) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(path.absolute()))}?{how}"
    return sqlite3.connect(uri, uri=True, timeout=wait_s, isolation_level=None, check_same_thread=False)


def _reading(path: Path, *, wait_s: float) -> sqlite3.Connection:
    connection = _connect(path, "mode=ro", wait_s=wait_s)
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
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        # The former the caller expects; the latter is a defect, such as reading what has been closed.
        raise
    except sqlite3.DatabaseError as error:
        if _result(error) in (None, *_OUT_OF_ORDER):
            raise not_ours(shown, str(error)) from None
        raise StorageError(str(shown), f"{error} ({error.sqlite_errorname})") from None
