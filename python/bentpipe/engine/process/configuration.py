"""What every part of an emulated run is told first (crates/emu/src/parts/mod.rs)."""

from collections.abc import Sequence

from bentpipe.model.frozen import Frozen
from bentpipe.model.spec import RunSpec


class Identity(Frozen):
    """Certificates of the authority and of each host, and the private key of all hosts (PKCS #8)."""

    authority_der: Sequence[int]
    certificates_der: Sequence[Sequence[int]]
    key_der: Sequence[int]


class Configuration(Frozen):
    """A run as its parts see it.

    `devices` are the descriptors of the link's TUN devices, at the client's and the origin's end, `link_core`
    the core that the link keeps to. `client`, `terminal`, `gateway` and `origin` are addresses of hosts;
    `artifacts` is a folder for captures and logs.
    """

    spec: RunSpec
    devices: tuple[int, int] | None = None
    link_core: int | None = None
    client: str
    terminal: str
    gateway: str
    origin: str
    identity: Identity
    artifacts: str | None = None
