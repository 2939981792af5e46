"""Small pages of one's own (`page = "dir:FOLDER"`)."""

from pathlib import Path

OUTSIDE = "<img src=https://192.0.2.1/x.png>"
"""192.0.2.1 is set aside for documentation (RFC 5737); no route leads to it."""


def page_with(markup: str, folder: Path) -> str:
    """Write a document with some markup, text and a style sheet; return what a scenario calls the page."""
    document = f"<title>t</title>{markup}<link rel=stylesheet href=a.css><p>text"
    (folder / "index.html").write_text(document)
    (folder / "a.css").write_text("p { color: green }")
    return f"dir:{folder}"
