"""Pages of our own making, from recipes in presets/pages: published sizes, structure by hand.

Sizes of a kind are log-normal, as files of the Web are (Downey, Computer Communications 28(7), 790-801, 2005,
doi 10.1016/j.comcom.2004.11.001). Its parameters follow from two figures of the HTTP Archive, the mean and
the median of a response: with E = exp(mu + sigma^2/2) and M = exp(mu), sigma = sqrt(2 ln(E/M)).
"""

import importlib.resources
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist, median

from pydantic import Field

from bentpipe.model.draft.page import PageSpec
from bentpipe.scenario.page.web_page import MOST_OBJECTS, PageObject, page_of
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import count, duration_ns, size_bytes
from bentpipe.scenario.written.table import COUNT, DURATION, SIZE, TABLES, Table, validated
from bentpipe.scenario.written.toml import parse_toml

NAMES = ("news-front", "web-shop")

SOURCE = (
    "made for Bentpipe: sizes after the HTTP Archive (Web Almanac 2022, Page Weight, desktop), log-normal; "
    "structure by hand (docs/pages.md)"
)

KIBIBYTE = 1024
"""The Almanac's KB (`/ 1024` in sql/2022/page-weight/bytes_per_type.sql of its repository)."""
FONT_BYTES = 20 * KIBIBYTE
"""Its median response. The fonts of a page are cuts of one family: all are as large."""
GOLDEN = (math.sqrt(5) - 1) / 2
"""Its multiples, less their whole parts, lie evenly, however many there are: large and small take turns."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """What is published of the responses of a kind, in units of 1024 bytes."""

    page_kib: int
    """Median of what a page has of the kind."""
    requests: int
    """Median of how many of the kind a page asks for."""
    median_kib: int
    """Median of a response."""

    def mean_bytes(self) -> float:
        """Return the mean of a response, for which the quotient of the two medians of pages is taken."""
        return self.page_kib / self.requests * KIBIBYTE

    def sigma(self) -> float:
        """Return the standard deviation of the logarithm."""
        return math.sqrt(2 * math.log(self.mean_bytes() / (self.median_kib * KIBIBYTE)))

    def of(self, number: int) -> list[int]:
        """Return so many sizes in bytes whose mean is that of a response, in no order.

        Each is the mean of one of so many equally likely slices of the distribution: between the quantiles
        a and b of the normal distribution that is number * E * (F(b - sigma) - F(a - sigma)).
        """
        normal, sigma = NormalDist(), self.sigma()
        below = [0.0, *(normal.cdf(normal.inv_cdf(n / number) - sigma) for n in range(1, number)), 1.0]
        slices = [round(number * self.mean_bytes() * (high - low)) for low, high in pairwise(below)]
        turns = sorted(range(number), key=lambda n: (n + 1) * GOLDEN % 1)
        return [slices[turns.index(n)] for n in range(number)]


PUBLISHED = {
    "image": Sizes(page_kib=1026, requests=25, median_kib=7),
    "script": Sizes(page_kib=509, requests=22, median_kib=4),
    "style": Sizes(page_kib=72, requests=7, median_kib=2),
}
"""Web Almanac 2022, Page Weight, desktop: "Median page weight by content type", "Median number of requests by
content type", "Median response size by content type"."""


class GroupTable(Table):
    """Objects that differ in nothing but their number and size."""

    kind: str = Field(description='a kind such as "image"')
    host: str = Field(description="a host")
    path: str = Field(description='a path, with "{n}" for the number of the object')
    count: int = Field(default=1, description=COUNT)
    size: str | None = Field(default=None, description=SIZE)
    after: str | None = Field(default=None, description="the path of an object above")
    wait: str | None = Field(default=None, description=DURATION)


class RecipeTable(Table):
    """A page."""

    title: str = Field(description="a line of text")
    host: str = Field(description="a host")
    document: str = Field(description=SIZE)
    objects: list[GroupTable] = Field(description=TABLES)


def own_page(name: str) -> PageSpec:
    """Return a page of our own by name."""
    file = importlib.resources.files("bentpipe.scenario") / "presets" / "pages" / f"{name}.toml"
    where = Location(file=f"page {name}")
    return from_recipe(parse_toml(file.read_bytes(), where), where, name=name)


def from_recipe(written: Mapping[str, object], where: Location, *, name: str) -> PageSpec:
    """Return the page that a recipe describes.

    Raises
    ------
    InputError
        When it cannot be understood.
    """
    recipe = validated(RecipeTable, written, where)
    sizes, causes = _sizes(recipe, where), _causes(recipe)
    position_of: dict[str, int] = {}
    objects: list[PageObject] = []
    for number, group in enumerate(recipe.objects, start=1):
        place = where.at(f"objects.{number}")
        if group.after is not None and group.after not in position_of:
            raise place.at("after").error(expected="the path of an object above", found=quoted(group.after))
        after = None if group.after is None else position_of[group.after]
        wait_ns = 0 if group.wait is None else duration_ns(group.wait, place.at("wait"))
        kind = vocabulary.OBJECT_KIND.checked(group.kind, place.at("kind"))
        for path in _paths(group):
            if path in position_of:
                raise place.at("path").error(expected="each path once", found=quoted(path))
            position_of[path] = len(objects)
            if group.size is None:
                size = next(sizes[group.kind, path in causes])
            else:
                size = size_bytes(group.size, place.at("size"))
            objects.append(
                PageObject(host=group.host, path=path, bytes=size, kind=kind, after=after, wait_ns=wait_ns)
            )
    document_bytes = size_bytes(recipe.document, where.at("document"))
    return page_of(name, objects, where, host=recipe.host, document_bytes=document_bytes)


def _sizes(recipe: RecipeTable, where: Location) -> dict[tuple[str, bool], Iterator[int]]:
    """Return the sizes of objects that have none written, by kind and by whether they name others.

    Those that do are of the larger half of their kind: what an object names must fit into it.
    """
    causes = _causes(recipe)
    numbers: Counter[tuple[str, bool]] = Counter()
    for number, group in enumerate(recipe.objects, start=1):
        place = where.at(f"objects.{number}")
        vocabulary.OBJECT_KIND.checked(group.kind, place.at("kind"))
        count(group.count, place.at("count"), least=1, most=MOST_OBJECTS)
        if group.size is None:
            if group.kind not in (*PUBLISHED, "font"):
                expected = f"a size, as {group.kind} has none published"
                raise place.at("size").error(expected=expected, found="nothing")
            numbers.update((group.kind, path in causes) for path in _paths(group))
    found: dict[tuple[str, bool], Iterator[int]] = {}
    for kind in {kind for kind, _ in numbers}:
        naming = numbers[kind, True]
        number = naming + numbers[kind, False]
        sizes = [FONT_BYTES] * number if kind == "font" else PUBLISHED[kind].of(number)
        middle = median(sizes)
        larger = [place for place, size in enumerate(sizes) if size >= middle]
        smaller = [place for place, size in enumerate(sizes) if size < middle]
        taken = [*larger, *smaller][:naming]
        found[kind, True] = iter([sizes[place] for place in taken])
        found[kind, False] = iter([size for place, size in enumerate(sizes) if place not in taken])
    return found


def _causes(recipe: RecipeTable) -> set[str | None]:
    return {group.after for group in recipe.objects}


def _paths(group: GroupTable) -> list[str]:
    return [group.path.replace("{n}", str(n)) for n in range(1, group.count + 1)]
