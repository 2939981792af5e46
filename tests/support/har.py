"""HAR files as programs write them, made from what a test cares about."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 1, 31, 12, tzinfo=UTC)
HTML, CSS, JS, PNG = "text/html; charset=utf-8", "text/css", "text/javascript", "image/png"


def entry(
    url: str,
    *,
    start_ms: float = 0,
    took_ms: float = 100,
    media: str = PNG,
    size: int = 1000,
    status: int = 200,
    request: Mapping[str, Any] | None = None,
    response: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return an entry with the fields that the standard requires; `more` are those of a program's own."""
    started = START + timedelta(milliseconds=start_ms)
    return {
        "startedDateTime": started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "time": took_ms,
        "request": {"method": "GET", "url": url, "headers": [], **(request or {})},
        "response": {
            "status": status,
            "headers": [],
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": size,
            "content": {"size": size, "mimeType": media},
            **(response or {}),
        },
        **more,
    }


def har(entries: Sequence[object], **log: Any) -> dict[str, Any]:
    """Return a HAR with these entries."""
    return {"log": {"version": "1.2", "creator": {"name": "test"}, "entries": list(entries), **log}}


def write(path: Path, entries: Sequence[object], **log: Any) -> Path:
    """Write a HAR with these entries and return its path."""
    path.write_text(json.dumps(har(entries, **log)))
    return path
