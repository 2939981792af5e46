"""A page for people: its objects with hosts, sizes and what names them."""

from collections.abc import Sequence

from bentpipe import _core
from bentpipe.model.page import ObjectSpec, PageSpec
from bentpipe.scenario.page.web_page import USUAL_KIND, hosts_of

Row = tuple[str, ...]


def described(page: PageSpec) -> tuple[str, list[Row]]:
    """Return a heading and the rows below it, an object in each.

    A page of one host has no column of hosts, and one whose document names everything none of causes.
    """
    objects = page.objects
    hosts = hosts_of(page)
    length = "" if page.document_bytes is None else f" of {_core.format_size(page.document_bytes)}"
    where = "" if page.host is None else f" on {page.host}"
    heading = f"{page.name}: an HTML document{length}{where} that embeds, in this order"
    if len(hosts) > 1:
        total = _core.format_size(sum(item.bytes for item in objects))
        heading = (
            f"{page.name}: an HTML document{length}{where} "
            f"and {len(objects)} objects of {total} from {len(hosts)} hosts"
        )
    has_causes = any(item.after is not None for item in objects)
    return heading, [
        (
            *((item.host or page.host or "",) if len(hosts) > 1 else ()),
            item.path,
            _core.format_size(item.bytes),
            *((item.kind or USUAL_KIND, _cause(item, objects)) if has_causes else ()),
        )
        for item in objects
    ]


def _cause(item: ObjectSpec, objects: Sequence[ObjectSpec]) -> str:
    wait = "" if item.wait_ns is None else f"{_core.format_duration(item.wait_ns)} "
    if item.after is not None:
        return f"{wait}after {objects[item.after].path}"
    return f"{wait}after the document" if wait else ""
