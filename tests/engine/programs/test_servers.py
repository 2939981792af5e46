"""What servers that are not ours are told."""

import json
import re

import pytest

from bentpipe.engine.process.configuration import Identity
from bentpipe.engine.programs.server.caddy import CADDY
from bentpipe.engine.programs.server.nginx import NGINX
from bentpipe.engine.programs.server.site import File, Site
from bentpipe.engine.testbed import congestion_control
from bentpipe.model.cc import SlowStartChoice
from bentpipe.model.page import ObjectSpec, PageSpec
from tools.specs import spec_of


def load(http, cc="cubic", **programs):
    return spec_of({"link": "lan", "http": http, "cc": cc, "page": "single-100k"}).model_copy(update=programs)


HTML = "text/html; charset=utf-8"


def site(*targets):
    files = [
        File(name=f"{n}.type0", host="www.test", target=target, content_type=HTML, body=b"")
        for n, target in enumerate(targets)
    ]
    return Site(files=tuple(files), certificates_pem={"www.test": "", "images.test": ""}, key_pem="")


@pytest.mark.parametrize(("http", "cc", "expected"), [("h2", "bbr", "bbr"), ("h1", "vivace", "bp_vivace")])
def test_routes_ask_for_the_congestion_control_of_a_program_that_is_not_ours(http, cc, expected):
    spec = load(http, cc, server="nginx")
    assert congestion_control.by_route(spec, "server") == expected
    # Ours asks by itself.
    assert congestion_control.by_route(spec, "client") is None


def test_routes_ask_for_the_cubic_with_search_that_is_loaded():
    spec = load("h2", server="nginx", slow_start=SlowStartChoice.SEARCH)
    assert congestion_control.by_route(spec, "server") == "bp_cubic_search"
    assert congestion_control.loaded_for(spec) == ("bp_cubic_search",)


def test_routes_ask_for_none_where_the_load_is_quic_s():
    assert congestion_control.by_route(load("h3", "bbr3", server="caddy"), "server") is None


def test_nginx_is_told_targets_whatever_characters_they_have():
    _, text = NGINX.configuration("h2", site('/a"b\\c', "/$x;y z?q={1}"))
    assert '"www.test/a\\"b\\\\c" 0.type0;' in text
    assert '"www.test/$x;y z?q={1}" 1.type0;' in text
    assert '"text/html; charset=utf-8" type0;' in text


def test_a_map_of_nginx_has_room_for_the_longest_target():
    """Else nginx does not start: `could not build map_hash`."""
    _, text = NGINX.configuration("h1", site("/" + 3000 * "x"))
    room_bytes = int(text.partition("map_hash_bucket_size ")[2].partition(";")[0])
    assert room_bytes > len("www.test/") + 3000


@pytest.mark.parametrize(("http", "said"), [("h1s", []), ("h2", []), ("h3", ['h3=":443"; ma=86400'])])
def test_caddy_says_over_http_3_that_there_is_http_3_and_over_nothing_else(http, said):
    """As our origin does (crates/web/src/origin/h3.rs)."""
    _, text = CADDY.configuration(http, site("/"))
    found = []
    json.loads(text, object_hook=lambda table: found.extend(table.get("Alt-Svc", [])))
    assert found == said


def test_nginx_shows_each_host_s_own_certificate():
    _, text = NGINX.configuration("h2", site("/"))
    shown = re.findall(r'server_name "(\S+)"; ssl_certificate \S+/(\S+);', text)
    assert shown == [("www.test", "certificate-0.pem"), ("images.test", "certificate-1.pem")]
    assert len(re.findall(r"listen 443 ssl http2;", text)) == len(shown)


def test_caddy_has_each_host_s_own_certificate():
    _, text = CADDY.configuration("h2", site("/"))
    pairs = json.loads(text)["apps"]["tls"]["certificates"]["load_files"]
    assert [pair["certificate"].rpartition("/")[2] for pair in pairs] == [
        "certificate-0.pem",
        "certificate-1.pem",
    ]


def test_a_site_has_a_certificate_of_each_host_and_none_of_the_warm_up():
    page = PageSpec(name="page", objects=[ObjectSpec(path="/a.jpg", bytes=1000, host="cdn.test")])
    identity = Identity(authority_der=[0], certificates_der=[[1], [2], [3]], key_der=[4])
    told = Site.of(page, identity).certificates_pem
    assert list(told) == ["origin.bentpipe.test", "cdn.test"]
    assert ["AQ==" in told["origin.bentpipe.test"], "Ag==" in told["cdn.test"]] == [True, True]


@pytest.mark.parametrize("program", [NGINX, CADDY])
def test_a_target_without_a_query_is_meant_with_any_and_one_with_its_own_is_not(program):
    """As our origin answers (crates/web/src/page/site.rs)."""
    _, text = program.configuration("h1", site("/a.woff", "/b?v=1"))
    patterns = [file.key_with_any_query for file in site("/a.woff", "/b?v=1").files]
    assert patterns == [r"^www\.test/a\.woff\?", None]
    assert json.dumps(patterns[0])[1:-1] in text


@pytest.mark.parametrize(
    ("http", "protocols", "alpn"),
    [("h1s", ["h1"], ["http/1.1"]), ("h2", ["h1", "h2"], ["h2"]), ("h3", ["h3"], ["h3"])],
)
def test_caddy_offers_the_protocol_of_the_run_alone(http, protocols, alpn):
    _, text = CADDY.configuration(http, site("/"))
    (told,) = json.loads(text)["apps"]["http"]["servers"].values()
    assert told["protocols"] == protocols
    assert told["tls_connection_policies"] == [{"alpn": alpn}]
