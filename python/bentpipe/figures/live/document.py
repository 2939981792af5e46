"""An interactive figure as JSON that BokehJS reads; the same figure gives the same bytes."""

import json
import re
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

_ID = re.compile(r"p\d+")


def document_json(figure: "LayoutDOM", *, name: str) -> str:
    """Return what `Bokeh.embed.embed_item` takes, fit to stand within a `<script>` of an HTML page.

    Bokeh counts its objects over the whole process; here they are numbered from the start of each figure,
    under its `name`, which tells it from others of the page.
    """
    from bokeh.embed import json_item

    item: Json = json_item(figure)  # type: ignore[assignment]
    assert isinstance(item, dict)
    item.pop("target_id")
    numbers: dict[str, str] = {}
    text = json.dumps(_numbered(item, numbers, name), ensure_ascii=False, separators=(",", ":"))
    # Nothing in it may end the element, whatever names users gave.
    return text.replace("<", "\\u003c")


def _numbered(value: Json, numbers: dict[str, str], name: str) -> Json:
    if isinstance(value, list):
        return [_numbered(each, numbers, name) for each in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Json] = {}
    for key, below in value.items():
        if key in ("id", "root_id") and isinstance(below, str) and _ID.fullmatch(below):
            found[key] = numbers.setdefault(below, f"{name}-{len(numbers)}")
        else:
            found[key] = _numbered(below, numbers, name)
    return found
