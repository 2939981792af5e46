"""Pages by name: those of the published studies (1 kB = 1000 B), our own, HAR files and folders."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bentpipe.model.draft.page import ObjectSpec, PageSpec
from bentpipe.scenario.page import own as own_pages
from bentpipe.scenario.page.folder import folder_page
from bentpipe.scenario.page.har import har_page
from bentpipe.scenario.written.location import Location, closest, quoted

SOURCES = {
    "alshagri2023": "Alshagri, Mutairi, Network 2023, 3(3), 451-468, doi 10.3390/network3030019, table 3",
    "secchi2018": "Secchi, Mohideen, Fairhurst, Int. J. Satell. Commun. Netw. 36(1), 29-43, 2018, "
    "doi 10.1002/sat.1201: pages of 500, 1500 and 2500 kB of objects of about 5, 20 and 100 kB",
    "caviglione2014": "Caviglione, Gotta, Abdel Salam, Luglio, Roseti, Zampognaro, PSATS 2014: main.html of "
    "24.8 kB and 640 small images, 642 objects in all; the images' size follows from the bytes that the "
    "paper counts (docs/studies/caviglione2014.md)",
    "own": own_pages.SOURCE,
}
"""By the name of the study, and of those that are of none."""

TRIANGULAR_KB = {
    "100k": (3, 8, 14, 20, 22, 16, 11, 6),
    "500k": (20, 40, 70, 100, 110, 80, 50, 30),
    "1m": (5, 50, 135, 230, 270, 200, 100, 10),
    "2m": (10, 100, 270, 450, 540, 400, 200, 20),
}
"""Sizes in page order, as printed; those of the largest add up to 1990 kB."""

TOTAL_BYTES = {"100k": 100_000, "500k": 500_000, "1m": 1_000_000, "2m": 2_000_000}
UNIFORM_OBJECTS = 8

EQUAL_TOTAL_KB = (500, 1500, 2500)
EQUAL_OBJECT_KB = (5, 20, 100)
"""Of secchi2018: every total of every size."""

SNEP_DOCUMENT_BYTES = 24_800
SNEP_OBJECTS = 641
"""The 640 images and one more: of the 642 it is neither image nor document, probably the icon that a browser
asks for. It is as large as the others."""
SNEP_OBJECT_BYTES = 460
"""Over HTTP/1.1 the 642 objects took 508 kB: the document, and 754 B for each other object, of which a
response header of Apache 2.2 takes 291 B. Over SPDY they took 416 kB, 610 B for each, of which 150 B are what
frames, records and a compressed header take."""

HAR, FOLDER = "har:", "dir:"
"""What the names of pages from files start with."""


def page_spec(name: str, sizes_bytes: Sequence[int], *, document_bytes: int | None = None) -> PageSpec:
    """Return a page of embedded objects of these sizes, in document order.

    Parameters
    ----------
    name : str
        Of the page.
    sizes_bytes : sequence of int
        One for each object.
    document_bytes : int, optional
        Length of the HTML document, where it is to be more than its markup.
    """
    objects: list[ObjectSpec] = [
        {"path": f"/object-{n}.jpg", "bytes": size} for n, size in enumerate(sizes_bytes, start=1)
    ]
    page: PageSpec = {"name": name, "objects": objects}
    if document_bytes is not None:
        page["document_bytes"] = document_bytes
    return page


def _of_alshagri2023() -> dict[str, PageSpec]:
    single = {f"single-{size}": (total,) for size, total in TOTAL_BYTES.items()}
    uniform = {
        f"uniform-{size}": (total // UNIFORM_OBJECTS,) * UNIFORM_OBJECTS
        for size, total in TOTAL_BYTES.items()
    }
    triangular = {
        f"triangular-{size}": tuple(kilobytes * 1000 for kilobytes in sizes)
        for size, sizes in TRIANGULAR_KB.items()
    }
    return {name: page_spec(name, sizes) for name, sizes in (single | uniform | triangular).items()}


def _of_secchi2018() -> dict[str, PageSpec]:
    pages = (
        page_spec(f"objects-{total}k-{size}k", (size * 1000,) * (total // size))
        for total in EQUAL_TOTAL_KB
        for size in EQUAL_OBJECT_KB
    )
    return {page["name"]: page for page in pages}


def _of_caviglione2014() -> dict[str, PageSpec]:
    sizes_bytes = (SNEP_OBJECT_BYTES,) * SNEP_OBJECTS
    return {"snep-642": page_spec("snep-642", sizes_bytes, document_bytes=SNEP_DOCUMENT_BYTES)}


PAGES_OF: Mapping[str, Mapping[str, PageSpec]] = {
    "alshagri2023": _of_alshagri2023(),
    "secchi2018": _of_secchi2018(),
    "caviglione2014": _of_caviglione2014(),
    "own": {name: own_pages.own_page(name) for name in own_pages.NAMES},
}
"""By the keys of `SOURCES`."""

PAGES: dict[str, PageSpec] = {name: page for pages in PAGES_OF.values() for name, page in pages.items()}


def page(name: str, where: Location, *, folder: Path) -> PageSpec:
    """Return a page by name.

    Parameters
    ----------
    name : str
        Of a built-in page, `har:FILE` or `dir:FOLDER`.
    where : Location
        The place of the name.
    folder : Path
        Where relative paths start.

    Raises
    ------
    InputError
        When there is no such page, or its file cannot be used.
    """
    if name.startswith((HAR, FOLDER)) and not name.isprintable():
        raise where.error(expected="a path of printable characters", found=quoted(name))
    if name in (HAR, FOLDER):
        raise where.error(expected=f"{HAR}FILE or {FOLDER}FOLDER", found=quoted(name))
    if name.startswith(HAR):
        return har_page(folder / name.removeprefix(HAR), name=name)
    if name.startswith(FOLDER):
        return folder_page(folder / name.removeprefix(FOLDER), where, name=name)
    if name in PAGES:
        return PAGES[name]
    expected = f"one of {', '.join(PAGES)}, {HAR}FILE or {FOLDER}FOLDER"
    raise where.error(expected=expected, found=quoted(name), suggestion=closest(name, PAGES))


def source_of(name: str) -> str:
    """Return where a page is from: a key of `SOURCES`, or its own name where that says it."""
    return next((source for source, pages in PAGES_OF.items() if name in pages), name)
