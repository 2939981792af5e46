"""What a document declares as its icons, by the rules of the HTML standard."""

import pytest

from bentpipe.engine.programs.browser import icons

DOCUMENT = "https://www.test/"
GUESSED = "https://www.test/favicon.ico"


@pytest.mark.parametrize(
    ("html", "declared"),
    [
        ("<title>t</title>", []),
        ('<link rel="icon" href="x.png">', ["https://www.test/x.png"]),
        ("<LINK REL='Shortcut ICON' HREF='/a/x.ico'>", ["https://www.test/a/x.ico"]),
        ("<link rel=icon href=//cdn.test/x.svg#dark>", ["https://cdn.test/x.svg"]),
        ("<link rel=icon href=a.png><link rel=icon href=b.png>", [f"{DOCUMENT}a.png", f"{DOCUMENT}b.png"]),
        ("<base href=/sub/><base href=/no/><link rel=icon href=x.png>", ["https://www.test/sub/x.png"]),
        ("<link rel=icon href=x.png?v=1&amp;w=2>", ["https://www.test/x.png?v=1&w=2"]),
        ("<!-- <link rel=icon href=x.png> -->", []),
        ("<link rel=stylesheet href=icon.css><link rel=icon><link href=x.png>", []),
        ("<link rel=icon href=/favicon.ico>", []),
    ],
)
def test_icons_are_those_declared_and_the_one_that_is_guessed(html, declared):
    assert icons.of(DOCUMENT, html) == [GUESSED, *declared]
