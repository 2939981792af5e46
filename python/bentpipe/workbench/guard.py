"""Whom the server answers: this browser alone, on the page that this server has given it.

The token stands in the fragment of the address, which no browser sends anywhere; the page keeps it for its
tab and sends it in the header `Authorization`. A cookie would go to every other port of this machine too, and
by itself.
"""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import quote

TOKEN_BYTES = 32
LEAST_TOKEN_CHARACTERS = 32

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""No script and no style but those of files of this server, also none within a page (CSP level 3)."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Server": "bentpipe",
}
"""Of every answer."""

Address = IPv4Address | IPv6Address


class Refused(Enum):
    """Why a request is not answered, with the status that says so."""

    HOST = 421, "the Host is not this server's"
    ORIGIN = 403, "the request comes from another page"
    TOKEN = 401, "the token is missing or another's; open the address that `bentpipe serve` has printed"

    @property
    def status(self) -> int:
        """The HTTP status (RFC 9110 section 15)."""
        return self.value[0]

    @property
    def words(self) -> str:
        """What is wrong."""
        return self.value[1]


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True, kw_only=True)
class Guard:
    """Judges requests by their headers.

    Attributes
    ----------
    address : Address
        On which the server listens.
    port : int
        Likewise.
    token : str
        What a request for data has to know.
    """

    address: Address
    port: int
    token: str

    def page(self, headers: Mapping[str, str]) -> Refused | None:
        """Judge a request for a file of the page, which holds no secret and to which other pages may link."""
        if not self._is_own_host(headers.get("Host", "")):
            return Refused.HOST
        return None

    def data(self, headers: Mapping[str, str]) -> Refused | None:
        """Judge a request for data."""
        if (refused := self.page(headers)) is not None:
            return refused
        origin = headers.get("Origin")
        if origin is not None and origin != f"http://{headers['Host']}":
            return Refused.ORIGIN
        # What the browser itself says of where a request comes from (Fetch Metadata); others say nothing.
        if headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            return Refused.ORIGIN
        scheme, _, given = headers.get("Authorization", "").partition(" ")
        is_known = hmac.compare_digest(given.strip().encode(), self.token.encode())
        return None if is_known and scheme.lower() == "bearer" else Refused.TOKEN

    def url(self) -> str:
        """Return the address of the page with its token, which may have characters that part an address."""
        return f"http://{self._written(self.address)}:{self.port}/#token={quote(self.token, safe='')}"

    def _is_own_host(self, host: str) -> bool:
        """Whether a Host is an address of this machine: a name of others may lead here (DNS rebinding)."""
        name, separator, port = host.rpartition(":")
        if not separator or port != str(self.port):
            # The port of the scheme is not written (RFC 9110 section 7.2).
            if self.port != 80 or port == "80":
                return False
            name = host
        if name.lower() == "localhost":
            return self.address.is_loopback or self.address.is_unspecified
        try:
            given = ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        # On all addresses at once it is reached by any of them, which are no names.
        return given == self.address or self.address.is_unspecified

    @staticmethod
    def _written(address: Address) -> str:
        return f"[{address}]" if address.version == 6 else str(address)
