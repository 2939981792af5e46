"""The words of the study's matrix: protocols with their variants, and schemes of bandwidth on demand."""

from collections.abc import Mapping
from dataclasses import dataclass

from bentpipe.figures.style import look

LINK = "geo-snep"
PAGE = "snep-642"
SCHEMES = {"cra": "CRA", "rbdc": "RBDC", "vbdc": "VBDC", "mixed": "CRA, RBDC, VBDC"}
"""What they are called in print."""
CONSTANT, BY_VOLUME = "cra", "vbdc"
PUSHES = ("0 %", "25 %", "50 %", "75 %", "100 %")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A protocol as it was measured.

    `published` is the study's word for it, none for HTTP/2, which it did not know. `factors` tell its runs
    from those of the protocol's other variants.
    """

    name: str
    http: str
    published: str
    suffix: str
    factors: Mapping[str, str]

    @property
    def label(self) -> str:
        """What it is called in print."""
        return look(self.http).label + self.suffix

    @property
    def is_pipelined(self) -> bool:
        """Whether several requests of a connection wait for their responses."""
        return self.factors.get("pipelining", "1") != "1"

    def cell(self, scheme: str, **others: str) -> dict[str, str]:
        """The factors of its runs with a scheme."""
        cell = {"link": LINK, "http": self.http, "cc": "cubic", "page": PAGE, "link.return.dama": scheme}
        return {**cell, **self.factors, **others}


VARIANTS = tuple(
    Variant(name=name, http=http, published=published, suffix=suffix, factors=factors)
    for name, http, published, suffix, factors in (
        ("http10", "http10", "HTTP/1.0", "", {}),
        ("http10s", "http10s", "TLS HTTP/1.0", "", {"tls.resumption": "ticket"}),
        ("h1", "h1", "HTTP/1.1", ", one at a time", {"pipelining": "1"}),
        ("h1-pipelined", "h1", "HTTP/1.1", ", pipelined", {"pipelining": "32"}),
        ("h1s", "h1s", "TLS HTTP/1.1", ", one at a time", {"pipelining": "1"}),
        ("h1s-pipelined", "h1s", "TLS HTTP/1.1", ", pipelined", {"pipelining": "32"}),
        ("spdy", "spdy", "SPDY", "", {"push": "0 %"}),
        ("h2", "h2", "", "", {"push": "0 %"}),
    )
)
"""In the study's order. Whether its HTTP/1.1 was pipelined the study leaves open: "up to 32"."""
BY_NAME = {variant.name: variant for variant in VARIANTS}
FULL_HANDSHAKES = Variant(
    name="http10s-full",
    http="http10s",
    published="TLS HTTP/1.0",
    suffix=", full handshakes",
    factors={"tls.resumption": "none"},
)
"""Measured at a constant rate alone."""
