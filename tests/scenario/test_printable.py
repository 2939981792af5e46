"""Text of others as it may be printed: what terminals obey is in XTerm Control Sequences and Unicode."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bentpipe.printable import printable
from bentpipe.scenario.written.location import Location, quoted

OBEYED = [
    # C0, DEL and C1 (ECMA-48): ESC starts a sequence, U+009B is one character for ESC [.
    *map(chr, range(0x20)),
    *map(chr, range(0x7F, 0xA0)),
    # Marks of the bidirectional algorithm (Unicode Standard Annex 9), which turn text around.
    *"\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("geo-viasat2", "geo-viasat2"),
        ("Bücher, 衛星, 🛰", "Bücher, 衛星, 🛰"),
        ("\x1b]0;owned\x07", r"\x1b]0;owned\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("a\rb\n", r"a\rb\n"),
        ("evil\u202egnp.exe", r"evil\u202egnp.exe"),
        # Half of a character beyond U+FFFF, as a file's name may have one: no stream takes it.
        ("\udcff", r"\udcff"),
    ],
)
def test_what_shows_nothing_of_itself_stands_as_its_escape(text, escaped):
    assert printable(text) == escaped


@pytest.mark.parametrize("character", OBEYED, ids=lambda character: f"U+{ord(character):04X}")
def test_what_a_terminal_obeys_is_none_that_is_printed(character):
    assert printable(character).isascii()
    assert printable(character).startswith("\\")


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_becomes_printable_and_stays_so(text):
    once = printable(text)
    assert once.isprintable()
    assert printable(once) == once
    assert not {unicodedata.category(each) for each in once} & {"Cc", "Cf", "Cs"}


def test_lines_may_be_kept():
    assert printable("a\n\tb\x1b", kept="\n\t") == "a\n\tb\\x1b"


def test_an_error_quotes_nothing_raw():
    where = Location(file="\x1b[2J.toml").at("run").at("\x9bm")
    error = where.error(expected="a name unlike \u202e", found=quoted("\x7f\x1b"))
    assert str(error).isprintable()
    assert (error.file, error.field) == (r"\x1b[2J.toml", r"run.\x9bm")
    # What is below U+0020 has JSON's own escape in quotes.
    assert (error.expected, error.found) == (r"a name unlike \u202e", '"\\x7f\\u001b"')
