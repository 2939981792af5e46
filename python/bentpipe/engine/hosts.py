"""The hosts of a run and their addresses, which all lead to the server's end."""

from collections.abc import Mapping
from ipaddress import IPv4Address
from typing import Any

from bentpipe.engine.netns import SERVER_ADDRESS

HOST = "origin.bentpipe.test"
"""That of pages that name none, and of all other workloads (crates/web/src/hosts.rs)."""

_FURTHER = IPv4Address("198.18.1.0")
"""Before the address of host number one (crates/web/src/hosts.rs)."""


def addresses(spec: Mapping[str, Any]) -> dict[str, str]:
    """Return the hosts of a run (JSON of its spec) with their addresses, the page's own first.

    Each has an address of its own, else browsers share a connection among hosts (RFC 9113 section 9.1.1).
    """
    page: Mapping[str, Any] = spec["workload"].get("page", {})
    own: str = page.get("host", HOST)
    names = dict.fromkeys([own, *(item.get("host", own) for item in page.get("objects", ()))])
    return {name: SERVER_ADDRESS if k == 0 else str(_FURTHER + k) for k, name in enumerate(names)}
