"""What a reason says where it is shown: what happened, how far the run had come, and what helps."""

from collections.abc import Sequence
from pathlib import Path

from bentpipe import _core
from bentpipe.model.reason import OriginFailedReason, Reason, TimedOutReason
from bentpipe.model.record import RunRecord
from bentpipe.reasons.progress import progress
from bentpipe.reasons.remedies import remedy

__all__ = ["causes", "remedy", "renamed", "sentence", "told"]


def sentence(reason: Reason) -> str:
    """Return why a run failed or is invalid, in words."""
    return _core.reason_sentence(reason.to_json())


def told(reason: Reason, record: RunRecord) -> str:
    """Return the sentence of a reason of a record, how far the run had come by then, and what helps."""
    # Of objects the sentence counts those that came, and progress out of how many.
    words = sentence(reason.model_copy(update={"loaded_objects": None}) if _timed_out(reason) else reason)
    return "; ".join(filter(None, (words, progress(reason, record), remedy(reason, record))))


def causes(reasons: Sequence[Reason]) -> list[Reason]:
    """Return the reasons without those that only follow from another.

    A client that gives up at its time limit resets its connections, which the origin reports as broken.
    """
    if any(map(_timed_out, reasons)):
        return [reason for reason in reasons if not isinstance(reason, OriginFailedReason)]
    return list(reasons)


def renamed(record: RunRecord, *, place: Path, shown: Path) -> RunRecord:
    """Return a record whose reasons call a folder as its user does, not by how it was reached."""
    reasons = [_renamed(reason, str(place), str(shown)) for reason in record.reasons]
    return record.model_copy(update={"reasons": reasons}) if reasons != list(record.reasons) else record


def _renamed(reason: Reason, place: str, shown: str) -> Reason:
    error = getattr(reason, "error", None)
    if not isinstance(error, str) or place not in error:
        return reason
    return reason.model_copy(update={"error": error.replace(place, shown)})


def _timed_out(reason: Reason) -> bool:
    return isinstance(reason, TimedOutReason)
