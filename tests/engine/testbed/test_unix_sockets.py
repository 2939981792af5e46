"""Which sockets of the machine lead out of a network namespace."""

import os
import socket
from contextlib import closing

import pytest

from bentpipe.engine.testbed import unix_sockets


@pytest.fixture
def folder(tmp_path_factory):
    """A short one: a path of a socket has 107 bytes (unix(7))."""
    return tmp_path_factory.mktemp("s")


def listening_at(name):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(name)
    listener.listen()
    return closing(listener)


def test_a_socket_that_somebody_listens_at_is_found_but_for_those_left_out(folder):
    bus, display = folder / "bus", folder / "X11" / "X0"
    display.parent.mkdir()
    with listening_at(str(bus)), listening_at(str(display)):
        assert {str(bus), str(display)} <= set(unix_sockets.listening())
        assert str(display) not in unix_sockets.listening(but=[display.parent])
    assert str(bus) not in unix_sockets.listening()


def test_a_socket_that_has_been_renamed_is_found_where_it_is_now(folder):
    """As ssh does it for a shared session: bound by a random name, linked, and the first name removed."""
    made, shared = folder / "master.AbCdEf", folder / "master"
    with listening_at(str(made)):
        os.link(made, shared)
        made.unlink()
        assert str(shared) in unix_sockets.listening()


@pytest.mark.parametrize(
    "name", [b"\0\xff\xfe", b"\0a\n1 2 3 zz 5 6 7 /x", b"\0a\n1: 2 3 00010000 5 6 7 /dev/null"]
)
def test_names_that_are_no_text_or_look_like_lines_disturb_nobody(folder, name):
    """Everybody may bind abstract names, of any bytes."""
    with listening_at(name), listening_at(str(folder / "bus")):
        found = unix_sockets.listening()
        assert str(folder / "bus") in found
        assert "/dev/null" not in found
