"""Programs of others: where they are, and their versions."""

from pathlib import Path

import pytest

from bentpipe.engine.programs.third_party import ALL, CADDY, Program, missing, missing_for
from bentpipe.scenario.hosts.programs import BROWSERS, SERVERS


@pytest.fixture
def program(tmp_path):
    """Makes a program that answers with a text, and returns what looks for it."""

    def make(script):
        file = tmp_path / "server"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return Program(
            name="Server",
            commands=("/nowhere/server", str(file)),
            version_options=("version",),
            remedy="build it",
            purpose="for a test",
        )

    return make


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ('echo "Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)"', "156.0.8078.79"),
        ('echo "Mozilla Firefox 153.7.0esr"', "153.7.0esr"),
        ('echo "nginx version: nginx/1.22.1" >&2', "1.22.1"),
        ('[ "$1" = version ] && echo "v2.11.9 h1:0="', "2.11.9"),
    ],
)
def test_the_version_is_found_in_what_each_program_prints(program, tmp_path, script, version):
    """As those of Debian 12 print it; Caddy's from its releases."""
    one = program(script)
    assert one.version() == version
    assert one.found() == f"{version}, {tmp_path / 'server'}"


def test_a_program_that_does_not_tell_is_found_without_a_version(program, tmp_path):
    one = program("exit 1")
    assert (one.version(), one.found()) == (None, str(tmp_path / "server"))


def test_a_program_that_is_nowhere_is_not_found():
    one = Program(name="None", commands=("/nowhere/server",), version_options=("-v",), remedy="", purpose="")
    assert (one.path(), one.version(), one.found()) == (None, None, None)


def test_browsers_and_servers_say_how_to_get_them():
    assert [one.name for one in ALL] == ["Chromium", "Firefox", "certutil", "nginx", "Caddy"]
    assert all(one.remedy.startswith(("apt-get install ", "make ")) for one in ALL)


def test_what_is_installed_is_not_missing(program):
    assert missing(program("exit 0")) is None


def test_all_that_are_missing_are_named_once_each_with_how_to_get_them(program):
    absent = [
        Program(name=name, commands=("/nowhere",), version_options=(), remedy=f"make {name}", purpose="")
        for name in ("A", "B")
    ]
    assert str(missing(*absent, program("exit 0"), *absent)) == "not installed: A, B; make A; make B"


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("chromium", "Chromium, certutil; apt-get install chromium; apt-get install libnss3-tools"),
        ("firefox", "Firefox, certutil; apt-get install firefox-esr; apt-get install libnss3-tools"),
        ("nginx", "nginx; apt-get install nginx-light"),
        ("caddy", "Caddy; make setup-browsers (needs go 1.26 or later)"),
    ],
)
def test_a_client_or_a_server_names_all_that_it_takes(monkeypatch, end, said):
    monkeypatch.setattr(Program, "path", lambda _: None)
    assert str(missing_for(end)) == f"not installed: {said}"


def test_every_client_and_server_of_a_scenario_is_known(monkeypatch):
    monkeypatch.setattr(Program, "path", lambda _: "/usr/bin/program")
    assert missing_for(*BROWSERS, *SERVERS) is None


def test_in_a_checkout_caddy_is_looked_for_first_where_make_puts_it():
    """`make setup-caddy`; tests/packaging has what is installed from a wheel."""
    assert CADDY.commands[0] == str(Path(__file__).parents[3] / "build/caddy/caddy")
