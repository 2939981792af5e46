"""A page for people: its objects with hosts, sizes and what names them."""

from bentpipe import _core
from bentpipe.scenario.page.web_page import USUAL_KIND, hosts_of
from bentpipe.scenario.spec.page import ObjectSpec, PageSpec

Row = tuple[str, ...]


def described(page: PageSpec) -> tuple[str, list[Row]]:
    """Return a heading and the rows below it, an object in each.

    A page of one host has no column of hosts, and one whose document names everything none of causes.
    """
    objects = page["objects"]
    hosts = hosts_of(page)
    length = f" of {_core.format_size(page['document_bytes'])}" if "document_bytes" in page else ""
    where = f" on {page['host']}" if "host" in page else ""
    heading = f"{page['name']}: an HTML document{length}{where} that embeds, in this order"
    if len(hosts) > 1:
        total = _core.format_size(sum(item["bytes"] for item in objects))
        heading = (
            f"{page['name']}: an HTML document{length}{where} "
            f"and {len(objects)} objects of {total} from {len(hosts)} hosts"
        )
    has_causes = any("after" in item for item in objects)
    return heading, [
        (
            *((item.get("host", page.get("host", "")),) if len(hosts) > 1 else ()),
            item["path"],
            _core.format_size(item["bytes"]),
            *((item.get("kind", USUAL_KIND), _cause(item, objects)) if has_causes else ()),
        )
        for item in objects
    ]


def _cause(item: ObjectSpec, objects: list[ObjectSpec]) -> str:
    wait = f"{_core.format_duration(item['wait_ns'])} " if "wait_ns" in item else ""
    if "after" in item:
        return f"{wait}after {objects[item['after']]['path']}"
    return f"{wait}after the document" if wait else ""
