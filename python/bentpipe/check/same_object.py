"""Which object of one version of a site is which of another: by address, also without a build's hash."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from bentpipe.check.load import LoadedObject

_HASH = re.compile(r"(?<=[.\-_])(?=[A-Za-z0-9_\-]*[0-9])[A-Za-z0-9_\-]{6,64}(?=\.[A-Za-z0-9]{1,8}(?:\?|$))")
"""What bundlers put before the suffix, such as app.3f2a1c9e.js or index-BxK2f0aQ.css."""


def pairs(now: Sequence[LoadedObject], before: Sequence[LoadedObject]) -> Mapping[str, LoadedObject]:
    """Return, by the address of each object of `now` that `before` has too, which one that is.

    The documents are one. Those of equal addresses are one; of the rest, those whose addresses without a hash
    in the file's name are equal and nobody else's.
    """
    by_url = {each.url: each for each in before}
    found = {each.url: by_url[each.url] for each in now if each.url in by_url}
    documents = [next((each for each in objects if each.named_by is None), None) for objects in (now, before)]
    if documents[0] is not None and documents[1] is not None:
        found[documents[0].url] = documents[1]
    taken = {each.url for each in found.values()}
    left_now, left_before = (
        _by_stem(each for each in objects if each.url not in used)
        for objects, used in ((now, found.keys()), (before, taken))
    )
    for stem, (one, *others) in left_now.items():
        candidates = left_before.get(stem, [])
        if not others and len(candidates) == 1:
            found[one.url] = candidates[0]
    return found


def _by_stem(objects: Iterable[LoadedObject]) -> dict[str, list[LoadedObject]]:
    stems: dict[str, list[LoadedObject]] = defaultdict(list)
    for each in objects:
        stems[stem_of(each.url)].append(each)
    return stems


def stem_of(url: str) -> str:
    """Return an address without a hash in its file's name."""
    return _HASH.sub("*", url)
