"""Why runs have no usable number."""

from collections.abc import Iterable
from dataclasses import dataclass

from bentpipe.ledger import Entry
from bentpipe.model.reason import Reason


@dataclass(frozen=True, kw_only=True)
class Rejection:
    """The reasons of one code, of runs that ended alike."""

    status: str
    code: str
    reasons: tuple[Reason, ...]


def rejections(judged: Iterable[Entry]) -> tuple[Rejection, ...]:
    """Return the reasons of the runs that did not succeed by status and code, the most frequent first."""
    found: dict[tuple[str, str], list[Reason]] = {}
    for entry in judged:
        if entry.status != "succeeded":
            for reason in entry.record.reasons:
                found.setdefault((entry.status, reason.code), []).append(reason)
    each = (
        Rejection(status=status, code=code, reasons=tuple(reasons))
        for (status, code), reasons in found.items()
    )
    return tuple(sorted(each, key=lambda one: -len(one.reasons)))
