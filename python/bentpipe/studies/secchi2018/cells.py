"""The words of the study's matrix."""

from enum import Enum

from bentpipe.scenario.page.pages import EQUAL_OBJECT_KB, EQUAL_TOTAL_KB

LINK = "geo-hylas2"
PEP, TUNNEL = "split", "tunnel"
PATHS = {PEP: "through the PEP", TUNNEL: "through a tunnel past the PEP"}
EAGER, PATIENT = "250 ms", "1500 ms"
"""Time after which the client opens a second connection beside one that has not come."""
STUDY_WINDOW = 10
"""Segments; Linux 3.8 has as many. Table 1 has three too."""
CLIENT_BUFFER, AMPLE_BUFFER = "128 kB", "4 MB"
"""The client's receive buffer in the study, and one that does not limit."""


class Keeping(Enum):
    """For how many requests a connection of HTTP/1.1 is kept."""

    ONE = "1"
    """Not persistent: the load times of Fig. 4 and 5 (section 4.3)."""
    ALL = "unlimited"
    """Persistent: the six connections of Fig. 2 (section 4.1)."""


DECIDING = "spdy"
"""The study's HTTP/2 was SPDY/3 by mod_spdy: claims about HTTP/2 are judged on SPDY."""
MULTIPLEXED = (DECIDING, "h2")
"""HTTP/2 of today is reported beside it."""
ONE_AT_A_TIME = ("h1", "h1s")
STUDIED = (*ONE_AT_A_TIME, DECIDING)
"""What the study compares."""
PROTOCOLS = (*ONE_AT_A_TIME, *MULTIPLEXED)

TOTALS_KB = EQUAL_TOTAL_KB
SIZES_KB = EQUAL_OBJECT_KB
SMALLEST_KB, LARGEST_KB = min(SIZES_KB), max(SIZES_KB)
MANY = (2500, 5)
"""The page of 500 objects of 5 kB."""


def page(total_kb: int, size_kb: int) -> str:
    """A page's name."""
    return f"objects-{total_kb}k-{size_kb}k"


def objects(total_kb: int, size_kb: int) -> int:
    """How many objects a page has."""
    return total_kb // size_kb


PAGES = {page(total, size): (total, size) for total in TOTALS_KB for size in SIZES_KB}
EVERY_PAGE = [(name, name) for name in PAGES]
"""Each page paired with itself, for comparisons on the same page."""
BY_OBJECTS = [(page(total, SMALLEST_KB), page(total, LARGEST_KB)) for total in TOTALS_KB]
"""Pages of one size: of many small objects and of few large ones."""
BY_SIZE = [(page(max(TOTALS_KB), size), page(min(TOTALS_KB), size)) for size in SIZES_KB]
"""Pages of objects of one size: large and small."""
OVER_A_HUNDRED = [name for name, (total, size) in PAGES.items() if objects(total, size) > 100]
PERSISTENT_PAGES = (page(500, 5), page(1500, 100), page(*MANY))
"""Pages that are loaded over persistent connections of HTTP/1.1 too."""


def cell(
    http: str,
    *,
    pep: str,
    retry: str = EAGER,
    window: int = STUDY_WINDOW,
    keeping: Keeping = Keeping.ONE,
    buffer: str = CLIENT_BUFFER,
) -> dict[str, str]:
    """What the runs of one protocol on one path have in common."""
    kept = {"requests_per_connection": keeping.value} if http in ONE_AT_A_TIME else {}
    return {
        "link": LINK,
        "http": http,
        "cc": "cubic",
        "pep": pep,
        "tcp.connect_retry": retry,
        "tcp.initial_window": str(window),
        "tcp.receive_buffer": buffer,
        **kept,
    }
