"""What became of a page load from one version of a site to the next: by which objects, and by what of them.

A load ends with its last byte. The way there leads from the document over what names what: each object on it
is asked for, waited for and received until it names the next one. These parts add up to the load time, and
their changes to its change, as far as the way was the same before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bentpipe.check.load import Load, LoadedObject
from bentpipe.check.same_object import pairs

LATER_SHARE = 0.01
"""Of the load time, from which an object counts as discovered later."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """An object on the way to the end of a load, and how much longer its parts take than before, in s.

    Attributes
    ----------
    now : LoadedObject
        As it is.
    before : LoadedObject or None
        As it was; None of a new one, whose parts count whole.
    asked_s : float
        From being known to being asked for.
    waited_s : float
        From there to its first byte.
    received_s : float
        From there until it names the next object on the way, or until it is complete.
    """

    now: LoadedObject
    before: LoadedObject | None
    asked_s: float
    waited_s: float
    received_s: float

    @property
    def total_s(self) -> float:
        """All three."""
        return self.asked_s + self.waited_s + self.received_s


@dataclass(frozen=True, kw_only=True)
class Pair:
    """An object of both versions."""

    now: LoadedObject
    before: LoadedObject

    @property
    def delay_s(self) -> float:
        """How much later it becomes known."""
        return self.now.discovered_s - self.before.discovered_s


@dataclass(frozen=True, kw_only=True)
class LoadChange:
    """The difference of two loads.

    Attributes
    ----------
    now, before : Load
        The loads.
    steps : sequence of Step
        The way to the last byte now, from the document on.
    elsewhere_s : float
        What the steps do not explain: the way to the last byte before was another one.
    added, removed : sequence of LoadedObject
        The largest first.
    resized : sequence of Pair
        Those of other sizes, the greatest change first.
    later : sequence of Pair
        Those that become known later, the greatest delay first.
    pairs : sequence of Pair
        All that both have, in the order in which they are known now.
    """

    now: Load
    before: Load
    steps: Sequence[Step]
    elsewhere_s: float
    added: Sequence[LoadedObject]
    removed: Sequence[LoadedObject]
    resized: Sequence[Pair]
    later: Sequence[Pair]
    pairs: Sequence[Pair]

    @property
    def change_s(self) -> float:
        """How much later the last byte comes."""
        return self.now.last.last_byte_s - self.before.last.last_byte_s

    @property
    def is_one(self) -> bool:
        """Whether anything is not what it was."""
        return self.change_s != 0 or bool(self.added or self.removed or self.resized)


def load_change(now: Load, before: Load) -> LoadChange:
    """Return what became of a load."""
    same = pairs(now.objects, before.objects)
    both = [Pair(now=each, before=same[each.url]) for each in now.objects if each.url in same]
    kept = {each.url for each in same.values()}
    steps = _steps(now, same)
    change_s = now.last.last_byte_s - before.last.last_byte_s
    noticeable_s = LATER_SHARE * before.last.last_byte_s
    return LoadChange(
        now=now,
        before=before,
        steps=steps,
        elsewhere_s=change_s - sum(step.total_s for step in steps),
        added=_largest(each for each in now.objects if each.url not in same),
        removed=_largest(each for each in before.objects if each.url not in kept),
        resized=sorted(
            (pair for pair in both if pair.now.bytes != pair.before.bytes),
            key=lambda pair: -abs(pair.now.bytes - pair.before.bytes),
        ),
        later=sorted((pair for pair in both if pair.delay_s > noticeable_s), key=lambda pair: -pair.delay_s),
        pairs=both,
    )


def way(load: Load) -> tuple[LoadedObject, ...]:
    """Return the objects on the way to the last byte, from the document on."""
    by_url = {each.url: each for each in load.objects}
    found = [load.last]
    while (parent := found[-1].named_by) is not None and parent in by_url:
        found.append(by_url[parent])
    return tuple(reversed(found))


def _steps(now: Load, same: Mapping[str, LoadedObject]) -> list[Step]:
    found = way(now)
    return [_step(each, after, same) for each, after in zip(found, (*found[1:], None), strict=True)]


def _step(now: LoadedObject, after: LoadedObject | None, same: Mapping[str, LoadedObject]) -> Step:
    before = same.get(now.url)
    received_s = (now.last_byte_s if after is None else after.discovered_s) - now.first_byte_s
    if before is None:
        return Step(
            now=now,
            before=None,
            asked_s=now.request_s - now.discovered_s,
            waited_s=now.first_byte_s - now.request_s,
            received_s=received_s,
        )
    return Step(
        now=now,
        before=before,
        asked_s=(now.request_s - now.discovered_s) - (before.request_s - before.discovered_s),
        waited_s=(now.first_byte_s - now.request_s) - (before.first_byte_s - before.request_s),
        received_s=_longer_s(received_s, before, after, same),
    )


def _longer_s(
    received_s: float, before: LoadedObject, after: LoadedObject | None, same: Mapping[str, LoadedObject]
) -> float:
    """Return how much longer it takes to come to the next object; 0 where it did not name that before."""
    if after is None:
        return received_s - (before.last_byte_s - before.first_byte_s)
    named = same.get(after.url)
    if named is None or named.named_by != before.url:
        return 0.0
    return received_s - (named.discovered_s - before.first_byte_s)


def _largest(objects: Iterable[LoadedObject]) -> list[LoadedObject]:
    return sorted(objects, key=lambda each: -each.bytes)
