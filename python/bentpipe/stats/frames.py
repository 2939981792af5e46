"""The pictures that a browser's window showed, as a function of time."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bentpipe.model.record import RunRecord


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A picture from an instant on; `completeness` is how much it shows of what the last one does, 0 to 1."""

    time_s: float
    completeness: float
    file: str


def frames_of(record: RunRecord) -> tuple[Frame, ...]:
    """The pictures of a run in order; none of one that no browser made."""
    seen = () if record.browser is None else record.browser.frames
    frames = [Frame(time_s=each.time_s, completeness=each.completeness, file=each.file) for each in seen]
    return tuple(sorted(frames, key=lambda frame: frame.time_s))


def visible(frames: Sequence[Frame], at_s: float) -> Frame | None:
    """The picture that the window shows at an instant; None before the first."""
    place = bisect_right(frames, at_s, key=lambda frame: frame.time_s)
    return frames[place - 1] if place else None


def settled_s(frames: Sequence[Frame]) -> float | None:
    """When the last picture of another completeness than the one before it came; None without pictures."""
    if not frames:
        return None
    changes = [
        after.time_s for before, after in pairwise(frames) if after.completeness != before.completeness
    ]
    return changes[-1] if changes else frames[0].time_s
