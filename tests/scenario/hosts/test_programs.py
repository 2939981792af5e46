"""`client` and `server`: what a browser or a foreign server has no part in is refused, with the reason."""

from pathlib import Path

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario import resolve_document
from tests.support.refusals import refused
from tools.specs import document_of

LOAD = {"link": "geo-alshagri-flat", "http": "h2", "page": "uniform-100k"}
BROWSERS = ("chromium", "firefox")


@pytest.mark.parametrize("server", ["nginx", "caddy"])
@pytest.mark.parametrize("client", BROWSERS)
def test_a_specification_names_them_and_is_the_same_otherwise(client, server):
    ours, theirs = document_of(LOAD), document_of(LOAD, f"client={client}", f"server={server}")
    assert theirs == {**ours, "client": client, "server": server}


def test_our_own_are_not_named():
    assert document_of(LOAD, "client=loader", "server=bentpipe") == document_of(LOAD)
    assert document_of(LOAD).keys().isdisjoint({"client", "server"})


def test_a_matrix_varies_them_and_every_cell_says_which_it_has():
    scenario = resolve_document(
        {
            "run": LOAD,
            "matrix": {"client": ["loader", "chromium", "firefox"], "server": ["bentpipe", "nginx"]},
        },
        file="test",
        folder=Path(),
        default_name="test",
    )
    ends = [(cell.factors["client"], cell.factors["server"]) for cell in scenario.cells]
    assert ends == [(c, s) for c in ("loader", "chromium", "firefox") for s in ("bentpipe", "nginx")]
    assert [(cell.spec.get("client"), cell.spec.get("server")) for cell in scenario.cells] == [
        (None if client == "loader" else client, None if server == "bentpipe" else server)
        for client, server in ends
    ]


@pytest.mark.parametrize("client", BROWSERS)
@pytest.mark.parametrize("http", ["h1", "h1s", "h2", "h3"])
def test_browsers_speak(client, http):
    assert document_of({**LOAD, "http": http}, f"client={client}")["client"] == client


@pytest.mark.parametrize(
    ("server", "http"),
    [("nginx", "h1"), ("nginx", "h1s"), ("nginx", "h2"), ("caddy", "h1"), ("caddy", "h1s"), ("caddy", "h2")],
)
def test_servers_speak_over_tcp_by_any_congestion_control(server, http):
    assert document_of({**LOAD, "http": http, "cc": "bbr"}, f"server={server}")["server"] == server


def test_caddy_speaks_h3_by_reno():
    assert document_of({**LOAD, "http": "h3", "cc": "reno"}, "server=caddy")["server"] == "caddy"


@pytest.mark.parametrize(
    "settings",
    [
        ["client=chromium", 'tcp.connect_retry="0.25 s"'],
        ["client=firefox", 'tcp.connect_retry="400 ms"'],
        ["client=firefox", "http=h1", "connections=8"],
        ["client=chromium", "http=h2", "connections=8"],
        ["client=chromium", "priorities=on"],
        ["client=chromium", 'response_header="291 B"'],
        ["client=chromium", "tcp.quick_ack=true", 'tcp.receive_buffer="1 MB"'],
        ["client=chromium", "pep=split"],
        [
            "client=chromium",
            "server=nginx",
            "tls.version=1.3",
            "push=0%",
            "requests_per_connection=unlimited",
        ],
        ["server=nginx", "tcp.initial_window=3"],
    ],
)
def test_what_they_have_or_what_stands_at_its_default_is_taken(settings):
    assert document_of(LOAD, *settings)


REFUSED = {
    "HTTP/1.0": (
        ["client=firefox", "http=http10"],
        "http",
        "one of h1, h1s, h2, h3, as the client is firefox",
        '"http10"',
    ),
    "HTTP/2 in clear text": (["client=chromium", "http=h2c"], "http", "as the client is chromium", '"h2c"'),
    "SPDY": (["client=chromium", "http=spdy"], "http", "as the client is chromium", '"spdy"'),
    "HTTP/3 by nginx": (
        ["server=nginx", "http=h3"],
        "http",
        "one of h1, h1s, h2, as the server is nginx",
        '"h3"',
    ),
    "SPDY by caddy": (["server=caddy", "http=spdy"], "http", "as the server is caddy", '"spdy"'),
    "CUBIC by quic-go": (
        ["server=caddy", "http=h3", "cc=cubic"],
        "cc",
        '"reno", as the QUIC of caddy',
        '"cubic"',
    ),
    "pipelining": (
        ["client=firefox", "http=h1", "pipelining=4"],
        "pipelining",
        "1, as the client is firefox",
        "4",
    ),
    "optimistic pipelining": (
        ["client=firefox", "http=h1", "optimistic_pipelining=4"],
        "optimistic_pipelining",
        "nothing, as the client is firefox",
        "4",
    ),
    "response headers": (
        ["server=nginx", 'response_header="291 B"'],
        "response_header",
        "nothing, as the server is nginx",
        '"291 B"',
    ),
    "a key exchange of a browser": (
        ["client=chromium", "tls.key_exchange=x25519mlkem768"],
        "tls.key_exchange",
        '"x25519", as the client is chromium',
        '"x25519mlkem768"',
    ),
    "a key exchange of a server": (
        ["server=nginx", "tls.key_exchange=x25519mlkem768"],
        "tls.key_exchange",
        '"x25519", as the server is nginx',
        '"x25519mlkem768"',
    ),
    "acknowledgements of a browser": (
        ["client=firefox", "http=h3", "quic.ack_frequency.ack_eliciting_threshold=9"],
        "quic.ack_frequency.ack_eliciting_threshold",
        "nothing, as the client is firefox",
        "9",
    ),
    "acknowledgements of quic-go": (
        ["server=caddy", "http=h3", "cc=reno", "quic.ack_frequency.ack_eliciting_threshold=9"],
        "quic.ack_frequency.ack_eliciting_threshold",
        "nothing, as the server is caddy",
        "9",
    ),
    "push": (["client=chromium", "push=50 %"], "push", '"0 %", as the client is chromium', '"50 %"'),
    "short connections": (
        ["client=chromium", "http=h1", "requests_per_connection=1"],
        "requests_per_connection",
        '"unlimited", as the client',
        "1",
    ),
    "a second visit": (["client=firefox", "visit=repeat"], "visit", '"first", as the client', '"repeat"'),
    "a slow browser": (
        ["client=chromium", "host.client.tls_handshake=1 ms"],
        "host.client.tls_handshake",
        '"0 s", as the client is chromium',
        '"1 ms"',
    ),
    "a slow server": (
        ["server=nginx", "host.server.tls_handshake=1 ms"],
        "host.server.tls_handshake",
        '"0 s", as the server is nginx',
        '"1 ms"',
    ),
    "an older TLS": (["client=chromium", "tls.version=1.2"], "tls.version", '"1.3", as the client', "1.2"),
    "tickets": (
        ["server=nginx", "tls.resumption=ticket"],
        "tls.resumption",
        '"none", as the server',
        '"ticket"',
    ),
    "Fast Open": (["client=chromium", "tcp.fast_open=true"], "tcp.fast_open", "false, as the client", "true"),
    "Nagle": (["server=nginx", "tcp.nagle=true"], "tcp.nagle", "false, as the server is nginx", "true"),
    "pacing": (["server=nginx", "tcp.pacing=true"], "tcp.pacing", "false, as the server is nginx", "true"),
    "a rate": (
        ["server=caddy", 'tcp.max_pacing_rate="5 Mbit/s"'],
        "tcp.max_pacing_rate",
        "nothing, as the server is caddy",
        '"5 Mbit/s"',
    ),
    "resets": (["client=firefox", 'tcp.idle_reset="1 s"'], "tcp.idle_reset", '"off", as the client', '"1 s"'),
    "several retries": (
        ["client=firefox", 'tcp.connect_retry="250 ms"', "tcp.connect_retries=4"],
        "tcp.connect_retries",
        "1, as the client is firefox",
        "4",
    ),
    "a fallback": (
        ["client=chromium", "tcp.idle_fallback=true"],
        "tcp.idle_fallback",
        "false, as the client is chromium",
        "true",
    ),
    "windows of the client": (
        ["client=firefox", 'http2.stream_window="1 MB"'],
        "http2.stream_window",
        "nothing, as the client is firefox",
        '"1 MB"',
    ),
    "QUIC of the server": (
        ["server=caddy", "http=h3", "cc=reno", 'quic.initial_rtt="100 ms"'],
        "quic.initial_rtt",
        "nothing, as the server is caddy",
        '"100 ms"',
    ),
    "priorities": (["server=nginx", "priorities=on"], "priorities", '"off", as the server is nginx', '"on"'),
    "requests of a browser without priorities": (
        ["client=chromium", "priorities=unstated"],
        "priorities",
        "one of off, on, as the client is chromium",
        '"unstated"',
    ),
    "a mark": (["client=chromium", "dscp=EF"], "dscp", "which marks no packets", '"EF"'),
    "a proxy": (
        ["client=chromium", "pep=proxy"],
        "pep",
        "one of none, split, tunnel, as the client",
        '"proxy"',
    ),
    "a proxy for UDP": (
        ["client=chromium", "http=h3", "pep=masque"],
        "pep",
        "one of none, split, tunnel, as the client",
        '"masque"',
    ),
    "eight connections of Chromium": (
        ["client=chromium", "http=h1", "connections=8"],
        "connections",
        "6, as",
        "8",
    ),
    "a retry of Firefox that its setting rounds": (
        ["client=firefox", 'tcp.connect_retry="100 us"'],
        "tcp.connect_retry",
        '"off" or whole milliseconds, as the client is firefox',
        '"100 us"',
    ),
    "another retry of Chromium": (
        ["client=chromium", 'tcp.connect_retry="1 s"'],
        "tcp.connect_retry",
        '"off" or "250 ms", as the client is chromium',
        '"1 s"',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_they_have_no_part_in_is_refused(case):
    settings, field, expected, found = REFUSED[case]
    with refused(f"--set {field}", expected=expected) as caught:
        document_of(LOAD, *settings)
    assert caught.value.found == found


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("client=chromium", "one of loader, iperf3, as chromium is for pages"),
        ("server=nginx", "one of bentpipe, iperf3, as nginx is for pages"),
    ],
)
@pytest.mark.parametrize("workload", [{"bulk": {"size": "1 MB"}}, {"ping": {}}])
def test_they_are_for_pages_alone(workload, setting, expected):
    with pytest.raises(InputError) as caught:
        document_of({"link": "lan", **workload}, setting)
    assert (caught.value.field, caught.value.expected) == (f"--set {setting.partition('=')[0]}", expected)


def test_iperf3_takes_no_browser_at_the_other_end():
    with pytest.raises(InputError, match='"iperf3" at both ends or at neither'):
        document_of(LOAD, "client=chromium", "server=iperf3")
