"""What an object of a page is, by its media type or the extension of its name."""

from pathlib import PurePosixPath
from typing import Final

from bentpipe.scenario.written.vocabulary import ObjectKind

HTML_TYPES = ("text/html", "application/xhtml+xml")
SCRIPT_WORDS = ("javascript", "ecmascript")
"""Of media types with several names (RFC 9239 section 6)."""
FONT_TYPES = ("font/", "application/font", "application/x-font", "application/vnd.ms-fontobject")
UNTOLD_TYPES = ("", "application/octet-stream", "binary/octet-stream", "x-unknown", "text/plain")
"""What servers and browsers say of files that they do not know, fonts above all."""

BY_EXTENSION: dict[str, ObjectKind] = {
    **dict.fromkeys((".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg", ".ico", ".bmp"), "image"),
    **dict.fromkeys((".js", ".mjs"), "script"),
    ".css": "style",
    **dict.fromkeys((".woff2", ".woff", ".ttf", ".otf", ".eot"), "font"),
}
OTHER: Final = "other"


def media_type(text: str) -> str:
    """Return a media type without its parameters."""
    return text.partition(";")[0].strip().lower()


def is_html(media: str) -> bool:
    """Whether a media type is that of an HTML document."""
    return media in HTML_TYPES


def of_media_type(media: str, path: str) -> ObjectKind:
    """Return the kind of an object; where its media type tells nothing, the extension does."""
    if media.startswith("image/"):
        return "image"
    if media == "text/css":
        return "style"
    if any(word in media for word in SCRIPT_WORDS):
        return "script"
    if media.startswith(FONT_TYPES):
        return "font"
    return of_name(path) if media in UNTOLD_TYPES else OTHER


def of_name(path: str) -> ObjectKind:
    """Return the kind of a file by the extension of its name."""
    return BY_EXTENSION.get(PurePosixPath(path).suffix.lower(), OTHER)
