"""The words of the study's matrix: protocols, schemes of bandwidth on demand, and where the server is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bentpipe.figures.style import look

LINK = "geo-snep"
PAGE = "snep-642"
MIXED, CONSTANT, BY_RATE, BY_VOLUME = "mixed", "cra", "rbdc", "vbdc"
SCHEMES = {CONSTANT: "CRA", BY_RATE: "RBDC", BY_VOLUME: "VBDC", MIXED: "mixed"}
"""What they are called in print."""
OVER_FORWARD, OVER_RETURN = "gateway", "terminal"
"""Where the server is: pages come over the forward link (sections 4.1 to 4.3) or the return link (4.4)."""
PUSHES = ("0 %", "25 %", "50 %", "75 %", "100 %")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A protocol as it was measured.

    `factors` tell its runs from those of the protocol that are of something else.
    """

    http: str
    factors: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def label(self) -> str:
        """What it is called in print."""
        return look(self.http).label

    def forward(self, **others: str) -> dict[str, str]:
        """The factors of its loads in sections 4.1 to 4.3."""
        return self._cell(OVER_FORWARD, MIXED, others)

    def back(self, scheme: str) -> dict[str, str]:
        """The factors of its loads in section 4.4, whose pages come over the return link."""
        return self._cell(OVER_RETURN, scheme, {})

    def _cell(self, server_behind: str, scheme: str, others: Mapping[str, str]) -> dict[str, str]:
        cell = {"link": LINK, "http": self.http, "cc": "cubic", "page": PAGE}
        where = {"server_behind": server_behind, "link.return.dama": scheme}
        return {**cell, **where, **self.factors, **others}


HTTP10 = Variant(http="http10")
HTTP10_TLS = Variant(http="http10s")
H1 = Variant(http="h1")
H1_TLS = Variant(http="h1s")
SPDY = Variant(http="spdy", factors={"push": "0 %"})
H2 = Variant(http="h2", factors={"push": "0 %"})
STUDIED = (HTTP10, HTTP10_TLS, H1, H1_TLS, SPDY)
"""In the study's order."""
VARIANTS = (*STUDIED, H2)
"""HTTP/2, which the study could not know, stands beside them in tables and figures."""
BY_SCHEME = (HTTP10, H1, SPDY, H2)
"""What section 4.4 measures, and HTTP/2."""
