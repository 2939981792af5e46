"""What a browser is to load, by a run's specification."""

from bentpipe.engine.programs.browser.page import Page
from tools.specs import spec_of


def page_of(folder, html):
    (folder / "index.html").write_text(html)
    (folder / "x.png").write_bytes(b"an image")
    return Page.of(spec_of({"link": "lan", "http": "h2", "page": f"dir:{folder}"}))


def test_an_icon_that_the_document_declares_is_left_out_of_the_load(tmp_path):
    """As it is left out of the page (docs/pages.md)."""
    page = page_of(tmp_path, "<title>t</title><link rel=icon href=x.png>")
    assert list(page.bytes_of) == [page.document]
    assert page.left_out == [f"{page.document}favicon.ico", f"{page.document}x.png"]


def test_an_icon_that_the_page_also_shows_is_of_the_page(tmp_path):
    page = page_of(tmp_path, "<title>t</title><link rel=icon href=x.png><img src=x.png>")
    assert page.bytes_of[f"{page.document}x.png"] == len("an image")
    assert page.left_out == [f"{page.document}favicon.ico"]
