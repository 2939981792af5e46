"""Which displays can be reached from another network namespace."""

import socket

import pytest

from bentpipe.engine.programs import display


@pytest.fixture
def listening(tmp_path, monkeypatch):
    """Makes a socket file; X servers have theirs in the same folder."""
    monkeypatch.setattr(display, "X_SOCKETS", tmp_path)
    made = []

    def listen(name):
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(tmp_path / name))
        made.append(server)

    yield listen
    for server in made:
        server.close()


@pytest.mark.parametrize("name", [":7", ":7.0", "unix:7"])
def test_an_x_display_with_a_socket_file_is_one(listening, name):
    listening("X7")
    assert display.obstacle({"DISPLAY": name}) is None


def test_a_wayland_display_with_a_socket_file_is_one(listening, tmp_path):
    listening("wayland-0")
    assert display.obstacle({"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)}) is None
    assert display.obstacle({"WAYLAND_DISPLAY": str(tmp_path / "wayland-0")}) is None


@pytest.mark.parametrize(
    ("environment", "missing"),
    [
        ({}, "neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ({"DISPLAY": ""}, "neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ({"DISPLAY": ":8"}, "X8"),
        ({"DISPLAY": "localhost:10.0"}, "localhost:10.0 is reached by TCP"),
        ({"WAYLAND_DISPLAY": "wayland-3", "XDG_RUNTIME_DIR": "/nowhere"}, "no socket wayland-3"),
    ],
)
def test_without_one_the_message_says_what_is_missing_and_what_to_do(listening, environment, missing):
    listening("X7")
    obstacle = display.obstacle(environment)
    assert missing in obstacle.missing
    assert "sudo --preserve-env" in obstacle.remedy


def test_the_cookie_is_named_where_the_home_will_change(tmp_path):
    assert display.authority({"HOME": str(tmp_path)}) == {}
    (tmp_path / ".Xauthority").touch()
    assert display.authority({"HOME": str(tmp_path)}) == {"XAUTHORITY": str(tmp_path / ".Xauthority")}
    assert display.authority({"HOME": str(tmp_path), "XAUTHORITY": "/run/cookie"}) == {}
