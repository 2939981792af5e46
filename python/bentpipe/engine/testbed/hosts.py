"""The hosts of a run, their addresses, which all lead to the server's end, and the ports there."""

from bentpipe import _core
from bentpipe.model.page import PageLoadWorkload, PageSpec
from bentpipe.model.spec import RunSpec

HOST = _core.ORIGIN_NAME
"""That of pages that name none, and of all other workloads."""

HTTP_PORT, HTTPS_PORT = _core.HTTP_PORT, _core.HTTPS_PORT
"""Those of our origin, and of servers that are not ours."""


def addresses(spec: RunSpec) -> dict[str, str]:
    """Return the hosts of a run with their addresses, the page's own first, then the resolver if any.

    Each has an address of its own, else browsers share a connection among hosts (RFC 9113 section 9.1.1).
    """
    page = spec.workload.page if isinstance(spec.workload, PageLoadWorkload) else None
    hosts = [HOST] if page is None else names(page)
    if spec.dns is not None:
        hosts.append(_core.RESOLVER_NAME)
    return {name: _core.host_address(number) for number, name in enumerate(hosts)}


def names(page: PageSpec) -> list[str]:
    """Return the hosts of a page in the order of their numbers.

    Names have no case (RFC 9110 section 4.2.3): a host is called as it is called first.
    """
    own = page.host or HOST
    first: dict[str, str] = {own.lower(): own}
    for item in page.objects:
        name = item.host or own
        first.setdefault(name.lower(), name)
    return list(first.values())
