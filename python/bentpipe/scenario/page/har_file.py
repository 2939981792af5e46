"""What a HAR file says, read in little more memory than the file has: bodies and headers are passed over."""

import codecs
import json
import re
from typing import Never

from bentpipe import _core
from bentpipe.scenario.json_value import Json, JsonObject
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.user_file import utf8_text

LARGEST_FILE_BYTES = 200_000_000
"""Browsers write the bodies into the file."""
LARGEST_REST_BYTES = 50_000_000
"""Without them. It is all in memory at once, as text."""
MOST_VALUES = 2_000_000
"""In memory some ten times as large as in the file; an entry of Chromium's has some hundred."""
HEADERS = ("location", "referer")
"""Those that tell something of the page."""
HEADER = {"name", "value", "comment"}
"""Members of one."""
UNREAD = ("cookies", "queryString", "postData")
"""Members of a request or an answer that tell nothing of the page."""

_BODY = re.compile(rb'("(?:text|data)"\s*+:\s*+)"(?:[^"\\]++|\\.)*+"', re.DOTALL)
"""What `content` and `postData` hold, and messages over a WebSocket. A quotation mark within a string of JSON
has a backslash before it, so that this is never a part of one."""
LEAST_BODY_BYTES = 1000
"""Of one that is worth the trouble."""
_VALUE = re.compile(rb'(?:[^",\[{]++|"(?:[^"\\]++|\\.)*+")*+[,\[{]', re.DOTALL)
"""Up to what stands before a value: a comma, or the start of a list or an object."""


def without_bodies(content: bytes) -> bytes:
    """Return the content of a HAR file with empty texts in place of long bodies."""
    view, at = memoryview(content), 0
    kept: list[bytes | memoryview] = []
    for body in _BODY.finditer(content):
        if body.end() - body.start() >= LEAST_BODY_BYTES:
            kept += [view[at : body.end(1)], b'""']
            at = body.end()
    return b"".join([*kept, view[at:]]) if kept else content


def parsed(rest: bytes, where: Location) -> Json:
    """Return what a HAR file says beside its bodies.

    Parameters
    ----------
    rest : bytes
        The content `without_bodies`.
    where : Location
        The file.

    Raises
    ------
    InputError
        When it is no JSON, or would take more memory than anybody has to spare.
    """
    if len(rest) > LARGEST_REST_BYTES:
        most, found = _core.format_size(LARGEST_REST_BYTES), _core.format_size(len(rest))
        raise where.error(expected=f"at most {most} beside the bodies", found=found)
    if _has_more_values(rest, MOST_VALUES):
        raise where.error(expected=f"at most {MOST_VALUES} values beside the bodies", found="more")
    # Some programs on Windows write a byte order mark.
    text = utf8_text(rest.removeprefix(codecs.BOM_UTF8), where)
    if not text.strip():
        raise where.error(expected="JSON", found="an empty file")
    try:
        har: Json = json.loads(text, parse_constant=_no_number, object_hook=_kept)
    except RecursionError:
        raise where.error(expected="JSON", found="objects or lists nested too deeply") from None
    except ValueError as error:
        raise where.error(expected="JSON", found=str(error)) from None
    return har


def _has_more_values(rest: bytes, most: int) -> bool:
    at = 0
    for _ in range(most + 1):
        found = _VALUE.match(rest, at)
        if found is None:
            return False
        at = found.end()
    return True


def _no_number(text: str) -> Never:
    raise ValueError(f"{text}, which JSON has not")


def _kept(table: JsonObject) -> JsonObject | None:
    """Return an object without what is not read of it, or None in place of a header that tells nothing."""
    name = table.get("name")
    if isinstance(name, str) and table.keys() <= HEADER and name.lower() not in HEADERS:
        return None
    for key in UNREAD:
        table.pop(key, None)
    return table
