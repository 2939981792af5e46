"""Which object of one version of a site is which of another: by address, also without a build's hash."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bentpipe.check.load import LoadedObject

_SUFFIX = r"(?=(?:\.(?:bundle|chunk|min|module|prod))?\.[A-Za-z0-9]{1,8}(?:\?|$))"
_HEX = rf"(?:(?<=\.)[0-9a-f]{{6,64}}|(?<=[/_-])[0-9a-f]{{8,64}}){_SUFFIX}"
"""Of webpack (20 digits, often shortened to 8), Parcel (8), Django (12), Rails (64): app.3f2a1c9e.js."""
_BASE64 = rf"(?<=[/._-])[A-Za-z0-9_-]{{8}}{_SUFFIX}"
"""Of Vite and Rollup in base64url (RFC 4648, section 5), of esbuild in base32 (section 6): a-BxK2f0aQ.css."""
_HASH = re.compile(f"(?P<hex>{_HEX})|(?P<base64>{_BASE64})")
_LEAST_CHANGES = 3
"""Between letters, capitals and digits, from which eight characters are no word, version or date.

So are 77 of 100 hashes in base64url; of two of them both look like words in 5 of 100 cases.
"""


@dataclass(frozen=True, kw_only=True)
class Stem:
    """An address without what may be a hash in its file's name.

    Attributes
    ----------
    text : str
        The rest, with a star in its place.
    is_hashed : bool
        Whether what was there cannot but be a hash.
    """

    text: str
    is_hashed: bool


def pairs(now: Sequence[LoadedObject], before: Sequence[LoadedObject]) -> Mapping[str, LoadedObject]:
    """Return, by the address of each object of `now` that `before` has too, which one that is.

    The documents are one. Those of equal addresses are one; of the rest, those whose addresses without a hash
    in the file's name are equal and nobody else's, where the name of one of them has a hash beyond doubt.
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
    for text, (one, *others) in left_now.items():
        candidates = left_before.get(text, [])
        if not others and len(candidates) == 1:
            (other,) = candidates
            if stem_of(one.url).is_hashed or stem_of(other.url).is_hashed:
                found[one.url] = other
    return found


def _by_stem(objects: Iterable[LoadedObject]) -> dict[str, list[LoadedObject]]:
    stems: dict[str, list[LoadedObject]] = defaultdict(list)
    for each in objects:
        stems[stem_of(each.url).text].append(each)
    return stems


def stem_of(url: str) -> Stem:
    """Return an address without a hash in its file's name."""
    found = _HASH.search(url)
    if found is None:
        return Stem(text=url, is_hashed=False)
    text, word = f"{url[: found.start()]}*{url[found.end() :]}", found[0]
    if found["hex"] is not None:
        # Of dates and numbers there are digits alone, of words letters alone.
        has_both = any(each.isdigit() for each in word) and any(each.isalpha() for each in word)
        return Stem(text=text, is_hashed=has_both)
    changes = _changes(word)
    # A word of eight letters is one, whatever stands in its place elsewhere.
    return Stem(text=text if changes else url, is_hashed=changes >= _LEAST_CHANGES)


def _changes(word: str) -> int:
    """Return how often the kind of character changes, as it does not within Capitalised words."""
    kinds = ["d" if each.isdigit() else "u" if each.isupper() else "l" for each in word if each.isalnum()]
    return sum(one != other and (one, other) != ("u", "l") for one, other in pairwise(kinds))
