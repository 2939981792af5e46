"""The words of the study's matrix."""

SATELLITE = "geo-alshagri"
PIPE = "geo-alshagri-flat"
"""The satellite link as a constant-rate pipe."""
LAN = "lan"
LINKS = {
    LAN: "LAN, RTT 1.08 ms",
    SATELLITE: "GEO: DVB-S2, DVB-RCS2",
    PIPE: "GEO: constant-rate pipe",
}
"""In the order of the study's panels; it had no pipe."""
PROTOCOLS = ("h1", "h2", "h3")
SIZES_BYTES = {"100k": 100_000, "500k": 500_000, "1m": 1_000_000, "2m": 2_000_000}
STRUCTURES = ("single", "uniform", "triangular")


def page(structure: str, size: str) -> str:
    """A page's name."""
    return f"{structure}-{size}"


def pages(structure: str) -> list[tuple[str, str]]:
    """Each page of a structure paired with itself, for comparisons on the same page."""
    return [(page(structure, size), page(structure, size)) for size in SIZES_BYTES]


def pages_across(sample: str, reference: str) -> list[tuple[str, str]]:
    """The pages of two structures paired by size."""
    return [(page(sample, size), page(reference, size)) for size in SIZES_BYTES]


def cell(link: str, http: str, cc: str) -> dict[str, str]:
    """The cell of a link, a protocol and a congestion control, of all pages."""
    return {"link": link, "http": http, "cc": cc}
