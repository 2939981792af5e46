"""Addresses of objects on the web, without their hosts."""

from urllib.parse import urlsplit


def path_of(url: str) -> str:
    """Return the path of an address with its query, as a request has it (RFC 9112 section 3.2.1)."""
    parts = urlsplit(url)
    return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
