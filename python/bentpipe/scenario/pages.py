"""The built-in pages: those of Alshagri, Mutairi, Network 2023, 3(3), table 3 (1 kB = 1000 B)."""

import re
from collections.abc import Sequence
from typing import Any

from bentpipe.scenario.where import Where, closest, shown

SOURCE = "Alshagri, Mutairi, Network 2023, 3(3), 451-468, doi 10.3390/network3030019, table 3"

TRIANGULAR_KB = {
    "100k": (3, 8, 14, 20, 22, 16, 11, 6),
    "500k": (20, 40, 70, 100, 110, 80, 50, 30),
    "1m": (5, 50, 135, 230, 270, 200, 100, 10),
    "2m": (10, 100, 270, 450, 540, 400, 200, 20),
}
"""Sizes in page order, as printed; those of the largest add up to 1990 kB."""

TOTAL_BYTES = {"100k": 100_000, "500k": 500_000, "1m": 1_000_000, "2m": 2_000_000}
UNIFORM_OBJECTS = 8

PLANNED = re.compile(r"objects-(500|1500|2500)k-(5|20|100)k|snep-642|(har|dir):.*", re.DOTALL)
"""Pages of secchi2018 and caviglione2014, and pages from files."""


def page_spec(name: str, sizes_bytes: Sequence[int]) -> dict[str, Any]:
    """Return a page of embedded objects of these sizes, in document order."""
    objects = [{"path": f"/object-{n}.jpg", "bytes": size} for n, size in enumerate(sizes_bytes, start=1)]
    return {"name": name, "objects": objects}


def _sizes_bytes() -> dict[str, tuple[int, ...]]:
    single = {f"single-{size}": (total,) for size, total in TOTAL_BYTES.items()}
    uniform = {
        f"uniform-{size}": (total // UNIFORM_OBJECTS,) * UNIFORM_OBJECTS
        for size, total in TOTAL_BYTES.items()
    }
    triangular = {
        f"triangular-{size}": tuple(kilobytes * 1000 for kilobytes in sizes)
        for size, sizes in TRIANGULAR_KB.items()
    }
    return single | uniform | triangular


PAGES: dict[str, dict[str, Any]] = {name: page_spec(name, sizes) for name, sizes in _sizes_bytes().items()}


def page(name: str, where: Where) -> dict[str, Any]:
    """Return a built-in page.

    Raises
    ------
    InputError
        When there is no such page, or not yet.
    """
    if name in PAGES:
        return PAGES[name]
    expected = f"one of {', '.join(PAGES)}"
    if PLANNED.fullmatch(name):
        raise where.error(expected=expected, found=f"{shown(name)}, not available yet")
    raise where.error(expected=expected, found=shown(name), suggestion=closest(name, PAGES))
