"""What a server is given to serve: files, where on the web they are, and the certificates of the hosts."""

import base64
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bentpipe import _core
from bentpipe.engine.process.configuration import Identity
from bentpipe.engine.process.part import PartError
from bentpipe.engine.testbed import hosts
from bentpipe.model.page import PageSpec

CONTENT = "www"
KEY = "key.pem"
"""Names in the folder of a server."""


@dataclass(frozen=True, kw_only=True)
class File:
    """One resource.

    Attributes
    ----------
    name : str
        Of the file below `CONTENT`; its ending stands for the media type.
    host, target : str
        What is asked for: the host, the path and the query.
    content_type : str
        Media type.
    body : bytes
        The content.
    """

    name: str
    host: str
    target: str
    content_type: str
    body: bytes

    @property
    def key(self) -> str:
        """What tells it from the others: host and target."""
        return self.host + self.target

    @property
    def key_with_any_query(self) -> str | None:
        """A regular expression of what is meant to be it, too; None when it has a query of its own."""
        return None if "?" in self.target else rf"^{re.escape(self.key)}\?"

    @property
    def ending(self) -> str:
        """What stands behind the last dot of the name."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, kw_only=True)
class Site:
    """All resources of a page, and what its hosts prove with who they are.

    Files have numbers for names: what is asked for may have a query, be too long for a file system, or be the
    folder of something else.

    Attributes
    ----------
    files : tuple of File
        The resources.
    certificates_pem : mapping of str to str
        The certificate of each host.
    key_pem : str
        The private key of all of them.
    """

    files: tuple[File, ...]
    certificates_pem: Mapping[str, str]
    key_pem: str

    @classmethod
    def of(cls, page: PageSpec, identity: Identity) -> Self:
        """Make what a page's servers have, by its spec and the run's identity.

        Raises
        ------
        PartError
            When the page cannot be made, as when a file of it is another now.
        """
        try:
            resources = _core.site_files(page.to_json())
        except ValueError as error:
            raise PartError(str(error)) from error
        types = list(dict.fromkeys(content_type for _, _, content_type, _ in resources))
        return cls(
            files=tuple(
                File(
                    name=f"{number}.type{types.index(content_type)}",
                    host=host,
                    target=target,
                    content_type=content_type,
                    body=body,
                )
                for number, (host, target, content_type, body) in enumerate(resources)
            ),
            certificates_pem={
                host: _pem("CERTIFICATE", bytes(der))
                # That of a browser's warm-up comes after those of the page's hosts.
                for host, der in zip(hosts.names(page), identity.certificates_der, strict=False)
            },
            key_pem=_pem("PRIVATE KEY", bytes(identity.key_der)),
        )

    def content_types(self) -> dict[str, str]:
        """Return the media type of each ending."""
        return {file.ending: file.content_type for file in self.files}

    def certificates(self) -> dict[str, str]:
        """Return the name of each host's certificate in the folder of a server."""
        return {host: f"certificate-{number}.pem" for number, host in enumerate(self.certificates_pem)}

    def write(self, folder: Path) -> None:
        """Put everything into a server's folder."""
        (folder / CONTENT).mkdir()
        for file in self.files:
            (folder / CONTENT / file.name).write_bytes(file.body)
        for host, name in self.certificates().items():
            (folder / name).write_text(self.certificates_pem[host])
        (folder / KEY).write_text(self.key_pem)


def _pem(label: str, der: bytes) -> str:
    """Write DER as text (RFC 7468 section 3)."""
    lines = textwrap.wrap(base64.b64encode(der).decode(), 64)
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])
