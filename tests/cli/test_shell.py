"""What `bentpipe shell` refuses before anything is started."""

import pytest


@pytest.fixture
def browser(tmp_path, monkeypatch):
    """A program that is called as a browser is."""
    program = tmp_path / "bin" / "firefox"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    return "firefox"


@pytest.mark.parametrize("http", ["http10", "h2c", "spdy"])
def test_a_protocol_that_no_browser_speaks_is_refused_with_those_that_it_does(bentpipe, browser, http):
    errors = bentpipe("shell", "--link", "lan", "--http", http, "--", browser, expect=2).stderr
    assert f'--http: expected one of h1, h1s, h2, h3 for firefox, found "{http}"' in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--page", "no-such-page"), "--page: expected one of"),
        (("--server", "no-such-server"), "--server: expected one of"),
        (("--set", "link.return.dama=cra"), 'expected "none"'),
        (("--set", "nonsense=1"), "--set nonsense: expected a key that starts with one of"),
        (("--set", "capture.pcapng=true"), "--set capture: expected no captures of a shell"),
        (("--set", "client=chromium"), "--set client: expected no client of a shell but its command"),
        (("--set", "client=firefox"), "--set client: expected no client of a shell but its command"),
    ],
)
def test_what_cannot_be_served_is_refused_with_its_place(bentpipe, arguments, message):
    assert message in bentpipe("shell", "--link", "lan", *arguments, "--", "true", expect=2).stderr


def test_an_option_in_front_of_the_command_that_does_not_exist_is_refused(bentpipe):
    errors = bentpipe("shell", "--lnik", "lan", "--", "true", expect=2).stderr
    assert "No such option" in errors
