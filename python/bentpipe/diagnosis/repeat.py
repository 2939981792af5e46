"""The captures of a run: of a simulated one made now, by the same specification and seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bentpipe import _core
from bentpipe.engine import simulate
from bentpipe.errors import StorageError
from bentpipe.ledger import Entry
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.reason import EngineFailedReason
from bentpipe.model.record import Engine, RunRecord
from bentpipe.model.spec import CaptureSpec
from bentpipe.output_folder import staged
from bentpipe.reasons import renamed

Series = Mapping[str, NDArray[np.float64]]

HAR = "page.har"
_COMMAND = "command"
"""Of the provenance: what its user typed."""


@dataclass(frozen=True, kw_only=True)
class Captures:
    """Where the captures of a run are, or how to get them.

    Attributes
    ----------
    folder : Path or None
        Where they are; None where there are none.
    files : tuple of str
        Their names in it.
    is_repeated : bool
        Whether the run was simulated again for them.
    differing : tuple of str
        The parts of the record in which the repeated run differs from the recorded one, apart from what is
        captured: none, unless another version measured it.
    remedy : str
        The command that measures it again with captures; empty where there are some.
    """

    folder: Path | None
    files: tuple[str, ...]
    is_repeated: bool = False
    differing: tuple[str, ...] = ()
    remedy: str = ""


def captures(entry: Entry, *, made: Path, out: Path) -> Captures:
    """Return the captures of a run; of a simulated one they are written to a folder.

    Parameters
    ----------
    entry
        The run.
    made
        The folder of the captures that it has, if it has any.
    out
        Where those of a repeated one go.

    Raises
    ------
    InputError
        When `out` cannot be made.
    StorageError
        When the disk does not take them.
    """
    if entry.record.engine is Engine.SIMULATE:
        return _repeated(entry, out)
    files = _files(made)
    if files:
        return Captures(folder=made, files=files)
    return Captures(folder=None, files=(), remedy=_remedy(entry.record))


def _repeated(entry: Entry, out: Path) -> Captures:
    with staged(out, kept="--out puts the captures elsewhere") as staging:
        capture = CaptureSpec(pcapng=True, qlog=True)
        spec = entry.record.spec.model_copy(update={"capture": capture})
        record = simulate.Simulator().run(run_id=entry.run_id, spec=spec, artifacts=staging)
        _require_captures(entry.record, renamed(record, place=staging, shown=out), out)
        if isinstance(spec.workload, PageLoadWorkload) and record.objects:
            har = _core.har_of(record.to_json(), record.provenance["started"])
            (staging / HAR).write_text(har, encoding="utf-8")
        files = _files(staging)
    return Captures(folder=out, files=files, is_repeated=True, differing=_differing(entry.record, record))


def _require_captures(recorded: RunRecord, repeated: RunRecord, out: Path) -> None:
    """Raise a StorageError where a run broke that had not: all that is new are its captures."""
    broke, breaks = (
        [reason.error for reason in record.reasons if isinstance(reason, EngineFailedReason)]
        for record in (recorded, repeated)
    )
    if breaks and not broke:
        raise StorageError(str(out), breaks[0], consequence="--out puts the captures elsewhere")


def _differing(recorded: RunRecord, repeated: RunRecord) -> tuple[str, ...]:
    """Return the parts of a record that are not as they were, byte by byte."""
    alike = repeated.model_copy(update={"spec": recorded.spec, "series": {}})
    before, now = (
        record.model_dump(mode="json", exclude_unset=True, exclude={"series"}) for record in (recorded, alike)
    )
    return tuple(sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name)))


def _files(folder: Path) -> tuple[str, ...]:
    found: Sequence[Path] = sorted(folder.rglob("*")) if folder.is_dir() else ()
    return tuple(str(path.relative_to(folder)) for path in found if path.is_file() and not path.is_symlink())


def _remedy(record: RunRecord) -> str:
    command = record.provenance.get(_COMMAND, "")
    if not command:
        return ""
    program, *words = command.split(" ")
    program = program.replace("__main__.py", "bentpipe")
    if "--out" in words[:-1]:
        place = words.index("--out") + 1
        words[place] += "-captured"
    else:
        words += ["--out", "captured"]
    return " ".join([program, *words, "--set", "capture.pcapng=true"])
