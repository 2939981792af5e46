"""What Firefox is told before it starts."""

import json
import re

import pytest

from bentpipe.engine.programs.browser import firefox_preferences
from tools.specs import spec_of

HOSTS = ["www.news.example", "static.news.example"]
RETRY = "network.http.connection-retry-timeout"
MAPPING = "network.http.http3.alt-svc-mapping-for-testing"


def told(http, *settings):
    run = {"link": "lan", "http": http, "page": "single-100k"}
    return firefox_preferences.preferences(spec_of(run, *settings), hosts=HOSTS)


@pytest.mark.parametrize(
    ("http", "http2", "http3"),
    [("h1", False, False), ("h1s", False, False), ("h2", True, False), ("h3", False, True)],
)
def test_one_protocol_is_left(http, http2, http3):
    preferences = told(http)
    assert preferences["network.http.http2.enabled"] is http2
    assert preferences["network.http.http3.enable"] is http3
    assert (MAPPING in preferences) is http3


def test_every_host_is_known_for_its_http3():
    """The form that Firefox's own tests use: HOST;ALT-SVC, separated by commas."""
    assert told("h3")[MAPPING] == 'www.news.example;h3=":443",static.news.example;h3=":443"'


def test_there_is_a_spare_connection_only_where_the_run_wants_one():
    assert told("h1s")[RETRY] == 0
    assert told("h1s", "tcp.connect_retry=250ms")[RETRY] == 250


def test_tcp_never_races_quic():
    """Firefox's own delay is 100 ms; a run has at most 10 minutes here."""
    assert told("h3")["network.http.http3.backup_timer_delay"] > 600_000


def test_there_are_as_many_connections_as_the_run_has():
    assert told("h1s", "connections=2")["network.http.max-persistent-connections-per-server"] == 2


def test_the_file_of_a_profile_has_a_line_for_each_preference():
    """A preference is a boolean, a number or a text in JavaScript."""
    preferences = told("h3")
    lines = firefox_preferences.user_js(preferences).splitlines()
    calls = [re.fullmatch(r'user_pref\(("[\w.-]+"), (.*)\);', line) for line in lines]
    assert {json.loads(call[1]): json.loads(call[2]) for call in calls} == preferences
