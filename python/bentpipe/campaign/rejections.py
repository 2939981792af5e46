"""Why attempts have no usable number."""

from collections.abc import Iterable
from dataclasses import dataclass

from bentpipe.ledger import Entry
from bentpipe.model.reason import Reason
from bentpipe.model.record import RunRecord
from bentpipe.reasons import causes


@dataclass(frozen=True, kw_only=True)
class Rejection:
    """The attempts that ended alike and have a reason of one code, with these reasons.

    `record` is the first of them.
    """

    status: str
    code: str
    attempts: int
    reasons: tuple[Reason, ...]
    record: RunRecord


def rejections(entries: Iterable[Entry]) -> tuple[Rejection, ...]:
    """Return the attempts that did not succeed by status and code, the most frequent first."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        if entry.status != "succeeded":
            for code in dict.fromkeys(reason.code for reason in causes(entry.record.reasons)):
                found.setdefault((entry.status, code), []).append(entry)
    each = (
        Rejection(
            status=status,
            code=code,
            attempts=len(attempts),
            reasons=tuple(
                reason for entry in attempts for reason in entry.record.reasons if reason.code == code
            ),
            record=attempts[0].record,
        )
        for (status, code), attempts in found.items()
    )
    return tuple(sorted(each, key=lambda one: -one.attempts))
