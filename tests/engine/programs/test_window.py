"""Browsers that a person starts behind the link."""

import re
import shutil
import socket
import ssl
import subprocess

import pytest

from bentpipe import invoking_user
from bentpipe.engine.programs import display, window
from bentpipe.errors import AbilityError

URL = "https://www.news.example/"

needs_certutil = pytest.mark.skipif(
    shutil.which("certutil") is None, reason="certutil is not installed: `make setup-browsers` installs it"
)


@pytest.fixture
def surroundings(tmp_path):
    """Gives those of a page of two hosts. The authority is any certificate that Python comes by."""

    def make(http="h2", user=None):
        authority = tmp_path / "authority.pem"
        certificates = ssl.create_default_context().get_ca_certs(binary_form=True)
        if not certificates:
            pytest.skip("this machine trusts no authority that could stand in for a run's")
        authority.write_text(ssl.DER_cert_to_PEM_cert(certificates[0]))
        home = tmp_path / "home"
        home.mkdir()
        hosts = ("www.news.example", "cdn.example")
        return window.Surroundings(home=home, authority=authority, http=http, hosts=hosts, url=URL, user=user)

    return make


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """Has an X display, and programs that are called as browsers are."""
    for name in ("chromium", "firefox", "firefox-esr"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    monkeypatch.setattr(display, "X_SOCKETS", tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "X7"))
        yield {"DISPLAY": ":7", "HOME": str(tmp_path)}


def trusted(database):
    """Return the trust flags of what a database holds, by nickname."""
    listed = subprocess.run(
        ["certutil", "-L", "-d", f"sql:{database}"], check=True, capture_output=True, text=True
    ).stdout
    return dict(re.findall(r"^(\S+)\s+(\S*,\S*,\S*)\s*$", listed, re.MULTILINE))


def preferences(home):
    return (home / "profile/user.js").read_text()


@needs_certutil
@pytest.mark.parametrize("name", ["firefox", "firefox-esr"])
def test_firefox_opens_the_page_in_a_fresh_profile_that_trusts_the_run(surroundings, environment, name):
    given = surroundings()
    ready = window.prepared([name], given, environment=environment)
    profile = given.home / "profile"
    assert ready.command[0] == name
    assert ready.command[-3:] == ("--profile", str(profile), URL)
    assert trusted(profile) == {"Bentpipe": "C,,"}
    assert ready.environment["HOME"] == str(given.home)


@needs_certutil
def test_chromium_opens_the_page_in_a_fresh_profile_and_home_that_trusts_the_run(surroundings, environment):
    given = surroundings()
    ready = window.prepared(["chromium"], given, environment=environment)
    assert f"--user-data-dir={given.home / 'profile'}" in ready.command
    assert ready.command[-1] == URL
    assert trusted(given.home / ".pki/nssdb") == {"Bentpipe": "C,,"}
    assert ready.environment["HOME"] == str(given.home)


@needs_certutil
@pytest.mark.parametrize("command", [["firefox", "--profile", "mine"], ["firefox", "-P", "mine"]])
def test_a_profile_of_the_user_s_is_left_as_it_is(surroundings, environment, command):
    given = surroundings()
    ready = window.prepared([*command, "https://www.news.example/sport"], given, environment=environment)
    assert ready.command[-3:] == (*command[1:], "https://www.news.example/sport")
    assert list(given.home.iterdir()) == []


@needs_certutil
@pytest.mark.parametrize(
    ("http", "switches"),
    [
        ("h1", {"--disable-quic", "--disable-http2"}),
        ("h1s", {"--disable-quic", "--disable-http2"}),
        ("h2", {"--disable-quic"}),
        ("h3", {"--enable-quic", "--origin-to-force-quic-on=www.news.example:443,cdn.example:443"}),
    ],
)
def test_chromium_has_the_switches_of_each_protocol(surroundings, environment, http, switches):
    command = window.prepared(["chromium"], surroundings(http), environment=environment).command
    about_protocols = {word for word in command if "quic" in word or "http2" in word}
    assert about_protocols == switches


@needs_certutil
@pytest.mark.parametrize("has_user_namespaces", [True, False])
def test_chromium_has_its_sandbox_where_the_kernel_lets_a_user_have_one(
    surroundings, environment, monkeypatch, has_user_namespaces
):
    monkeypatch.setattr(window.privilege, "has_user_namespaces", lambda _: has_user_namespaces)
    given = surroundings(user=invoking_user.unprivileged())
    command = window.prepared(["chromium"], given, environment=environment).command
    assert ("--no-sandbox" in command) is not has_user_namespaces


@needs_certutil
def test_chromium_has_no_sandbox_under_root(surroundings, environment):
    """It refuses to start otherwise."""
    command = window.prepared(["chromium"], surroundings(user=None), environment=environment).command
    assert "--no-sandbox" in command


@needs_certutil
@pytest.mark.parametrize(
    ("http", "http2", "http3"), [("h1", 0, 0), ("h1s", 0, 0), ("h2", 1, 0), ("h3", 1, 1)]
)
def test_firefox_has_the_preferences_of_each_protocol(surroundings, environment, http, http2, http3):
    given = surroundings(http)
    window.prepared(["firefox"], given, environment=environment)
    written = preferences(given.home)
    assert f'"network.http.http2.enabled", {["false", "true"][http2]}' in written
    assert f'"network.http.http3.enable", {["false", "true"][http3]}' in written
    assert ("alt-svc-mapping-for-testing" in written) == bool(http3)


@pytest.mark.usefixtures("environment")
def test_other_programs_are_none_of_its_business(surroundings):
    assert window.prepared(["curl", URL], surroundings(), environment={}) is None


def test_a_browser_that_is_not_installed_is_not_made_ready(surroundings, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert window.prepared(["firefox"], surroundings(), environment={}) is None


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("name", ["firefox", "chromium"])
def test_without_a_display_a_browser_is_refused(surroundings, name):
    with pytest.raises(AbilityError, match="no display: neither DISPLAY nor WAYLAND_DISPLAY is set"):
        window.prepared([name], surroundings(), environment={})


@pytest.mark.usefixtures("environment")
@needs_certutil
@pytest.mark.parametrize("command", [["chromium", "--headless=new"], ["firefox", "-headless"]])
def test_without_a_window_a_browser_needs_no_display(surroundings, command):
    assert window.prepared(command, surroundings(), environment={}) is not None


def test_without_certutil_the_message_names_its_package(surroundings, environment, tmp_path, monkeypatch):
    given = surroundings()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(AbilityError, match="libnss3-tools"):
        window.prepared(["chromium"], given, environment=environment)
