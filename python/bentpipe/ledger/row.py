"""What the index has, and what that has to be: it may be somebody else's, and its names become paths."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

from pydantic import ConfigDict, StrictInt, TypeAdapter, ValidationError

from bentpipe.errors import InputError
from bentpipe.ledger.entry import Entry
from bentpipe.model.frozen import Frozen
from bentpipe.model.record import RunRecord
from bentpipe.stats.metrics import METRICS

T = TypeVar("T")

NAME = r"[0-9A-Za-z_-]{1,64}"
"""Of a run or a series."""

PACK = r"[0-9A-Za-z_-]{1,64}-[1-9][0-9]{0,8}"
"""Of a pack: RUN_ID-ATTEMPT of its first attempt."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One attempt on its way into the index.

    Attributes
    ----------
    run_id, attempt, repetition, status
        As in `Entry`.
    seed : int
        Of its specification.
    reasons : str
        The codes of its reasons, separated by blanks.
    engine : str
        That measured it.
    factors, spec, provenance : str
        JSON that other attempts may share; `spec` is without the seed.
    series : sequence of str
        Names of the series that it has.
    metrics : sequence of float or None
        In the order of `METRICS`.
    rest : str
        JSON: the record without its specification, its provenance and its series.
    """

    run_id: str
    attempt: int
    repetition: int
    seed: int
    status: str
    reasons: str
    engine: str
    factors: str
    spec: str
    provenance: str
    series: Sequence[str]
    metrics: Sequence[float | None]
    rest: str

    @classmethod
    def of(cls, entry: Entry, series: Sequence[str]) -> Self:
        """Return the row of an attempt with series of these names."""
        record, metrics = entry.record, entry.metrics
        apart = {"spec", "provenance", "series"}
        return cls(
            run_id=entry.run_id,
            attempt=entry.attempt,
            repetition=entry.repetition,
            seed=record.spec.seed,
            status=entry.status,
            reasons=" ".join(dict.fromkeys(reason.code for reason in record.reasons)),
            engine=str(record.engine),
            factors=_json(entry.factors),
            spec=record.spec.model_dump_json(exclude_unset=True, exclude={"seed"}),
            provenance=_json(record.provenance),
            series=series,
            metrics=[metrics.get(name) for name in METRICS],
            rest=record.model_dump_json(exclude_unset=True, exclude=apart),
        )

    @property
    def name(self) -> str:
        """RUN_ID-ATTEMPT, by which its captures are called, and its pack where it is the first."""
        return f"{self.run_id}-{self.attempt}"


@dataclass(frozen=True, kw_only=True)
class Pack:
    """What one commit has written: the records of its attempts, and a file for each series that they have.

    Attributes
    ----------
    id : int
        That of its first attempt in the index.
    name : str
        RUN_ID-ATTEMPT of that attempt, by which its files are called.
    series_bytes : mapping of str to int
        The length of each file.
    """

    id: int
    name: str
    series_bytes: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Place:
    """An attempt at a run, and where its series are."""

    attempt: int
    status: str
    pack: int
    series: Sequence[str]


def pack_of(values: Sequence[object], *, shown: Path) -> Pack:
    """Return the pack of these values of the index.

    Raises
    ------
    InputError
        When Bentpipe has not written it; the index is called `shown` then.
    """
    number, name, lengths = values
    if not isinstance(number, int) or not isinstance(name, str) or not re.fullmatch(PACK, name):
        raise not_ours(shown, f"a pack {name!r}")
    found = _read(_LENGTHS, lengths, of=f"lengths of series of {name}", shown=shown)
    for kind, length in found.items():
        if not re.fullmatch(NAME, kind):
            raise not_ours(shown, f"a series {kind!r} of {length!r} bytes")
    return Pack(id=number, name=name, series_bytes=found)


def place_of(values: Sequence[object], *, shown: Path) -> Place:
    """Return the attempt of these values of the index; raises as `pack_of`."""
    attempt, status, pack, series = values
    if not isinstance(attempt, int) or not isinstance(status, str) or not isinstance(pack, int):
        raise not_ours(shown, "a row of other types")
    return Place(attempt=attempt, status=status, pack=pack, series=str(series).split())


def texts_of(text: object, *, of: str, shown: Path) -> dict[str, str]:
    """Return the factors of a cell, or a provenance, which `of` says; raises as `pack_of`."""
    return _read(_TEXTS, text, of=of, shown=shown)


def workload_of(text: object, *, shown: Path) -> str:
    """Return the kind of workload that a specification has; raises as `pack_of`."""
    return _read(_SPEC, text, of="a specification", shown=shown).workload.kind


def record_of(text: object, *, of: str, shown: Path) -> RunRecord:
    """Return the record of the attempt `of`; raises as `pack_of`."""
    return _read(_RECORD, text, of=f"a record of {of}", shown=shown)


def not_ours(shown: Path, found: str) -> InputError:
    """Return the error for a database that is no index of Bentpipe."""
    return InputError(file=str(shown), field="attempts", expected="a ledger of Bentpipe", found=found)


class _Workload(Frozen):
    model_config = ConfigDict(extra="ignore")

    kind: str


class _Spec(Frozen):
    model_config = ConfigDict(extra="ignore")

    workload: _Workload


_SPEC = TypeAdapter(_Spec)
_TEXTS = TypeAdapter(dict[str, str])
_RECORD = TypeAdapter(RunRecord)
_LENGTHS = TypeAdapter(dict[str, StrictInt])


def _json(texts: Mapping[str, str]) -> str:
    return json.dumps(dict(texts), ensure_ascii=False, separators=(",", ":"))


def _read(adapter: TypeAdapter[T], text: object, *, of: str, shown: Path) -> T:
    if not isinstance(text, str):
        raise not_ours(shown, f"{of} that are no text")
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = "".join(f", {part}" for part in first["loc"])
        raise not_ours(shown, f"{of}{place}: {first['msg']}") from None
