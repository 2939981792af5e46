"""What Chromium is told, by the run."""

import pytest

from bentpipe.engine.programs.browser.chromium_switches import (
    BACKUP_CONNECTIONS,
    arguments,
    of_run,
    preferences,
)
from tools.specs import spec_of

ADDRESSES = {"www.test": "198.18.0.2", "cdn.test": "198.18.1.1"}


def switches(http="h2", *, has_sandbox=True, **run):
    spec = spec_of({"link": "lan", "page": "single-100k", "http": http, **run})
    return of_run(spec, addresses=ADDRESSES, has_sandbox=has_sandbox)


def test_hosts_of_the_page_have_their_addresses_and_all_others_are_unknown():
    assert switches()["host-resolver-rules"] == (
        "MAP www.test 198.18.0.2,MAP cdn.test 198.18.1.1,"
        "MAP * ~NOTFOUND,EXCLUDE 198.18.0.2,EXCLUDE 198.18.1.1"
    )


@pytest.mark.parametrize(
    ("http", "told"),
    [
        ("h1", {"disable-http2", "disable-quic"}),
        ("h1s", {"disable-http2", "disable-quic"}),
        ("h2", {"disable-quic"}),
        ("h3", {"enable-quic", "origin-to-force-quic-on"}),
    ],
)
def test_one_version_of_http_is_left(http, told):
    named = {"disable-http2", "disable-quic", "enable-quic", "origin-to-force-quic-on"}
    assert named & set(switches(http)) == told


def test_http_3_is_forced_for_every_host():
    assert switches("h3")["origin-to-force-quic-on"] == "www.test:443,cdn.test:443"


def test_backup_connections_are_off_unless_the_scenario_studies_them():
    assert BACKUP_CONNECTIONS in switches()["disable-features"]
    assert BACKUP_CONNECTIONS not in switches(tcp={"connect_retry": "250 ms"})["disable-features"]


@pytest.mark.parametrize("has_sandbox", [True, False])
def test_the_sandbox_is_left_out_where_the_kernel_has_none(has_sandbox):
    assert ("no-sandbox" in switches(has_sandbox=has_sandbox)) is not has_sandbox


def test_a_command_line_has_two_hyphens_and_an_equals_sign():
    assert arguments({"headless": "new", "no-pings": None}) == ["--headless=new", "--no-pings"]


def test_preferences_are_nested_by_the_dots_of_their_names():
    assert preferences({"a.b": 1, "a.c.d": False}) == {"a": {"b": 1, "c": {"d": False}}}
