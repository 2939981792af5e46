"""Names as written: what they come to, and what is refused.

Expected values: the keys and values of crates/run/src/dns.rs.
"""

import pytest

from tests.support.refusals import refused
from tools.specs import document_of

LINK = "geo-alshagri-flat"
PAGE = {"link": LINK, "page": "single-100k", "http": "h2"}
USUAL = {"resolver": "gateway", "cache": "warm", "connection": "cold"}


def dns_of(dns):
    return document_of({**PAGE, "dns": dns}).get("dns")


def test_a_run_that_does_not_speak_of_names_has_a_specification_without_them():
    assert "dns" not in document_of(PAGE)
    assert dns_of("none") is None
    assert dns_of({"protocol": "none"}) is None


@pytest.mark.parametrize("protocol", ["do53", "dot", "doh", "doq"])
def test_a_protocol_in_one_word_is_asked_of_a_warm_resolver_beyond_the_satellite(protocol):
    assert dns_of(protocol) == {"protocol": protocol, **USUAL}
    assert dns_of({"protocol": protocol}) == {"protocol": protocol, **USUAL}


def test_place_cache_and_connection_are_kept():
    at_terminal = {"protocol": "doq", "resolver": "terminal", "cache": "cold", "connection": "warm"}
    assert dns_of(at_terminal) == at_terminal
    cold = dns_of({"protocol": "do53", "cache": "cold", "recursion": "120 ms"})
    assert cold == {**USUAL, "protocol": "do53", "cache": "cold", "recursion_ns": 120_000_000}


# Settings of a run that has a page over h2 if they say nothing else; the field; what is expected and found.
REFUSED = {
    "a protocol that is none": (
        {"dns": "dns"},
        "run.dns.protocol",
        "one of none, do53, dot, doh, doq",
        '"dns"',
    ),
    "a place that is none": (
        {"dns": {"protocol": "dot", "resolver": "origin"}},
        "run.dns.resolver",
        "one of gateway, terminal",
        '"origin"',
    ),
    "a cache that is none": (
        {"dns": {"protocol": "dot", "cache": "hot"}},
        "run.dns.cache",
        "one of warm, cold",
        '"hot"',
    ),
    "a connection over UDP": (
        {"dns": {"protocol": "do53", "connection": "warm"}},
        "run.dns.connection",
        'nothing or "cold", as do53 has no connection',
        '"warm"',
    ),
    "a cold cache that takes no time": (
        {"dns": {"protocol": "do53", "cache": "cold"}},
        "run.dns.recursion",
        'such as "100 ms"',
        "nothing",
    ),
    "a warm cache that takes time": (
        {"dns": {"protocol": "do53", "recursion": "100 ms"}},
        "run.dns.recursion",
        "nothing, as a warm cache asks nobody",
        '"100 ms"',
    ),
    "a time of a resolver that asks over the satellite": (
        {"dns": {"protocol": "do53", "resolver": "terminal", "cache": "cold", "recursion": "100 ms"}},
        "run.dns.recursion",
        "nothing, as one at the terminal asks over the satellite",
        '"100 ms"',
    ),
    "a recursion that is no time": (
        {"dns": {"protocol": "do53", "cache": "cold", "recursion": "fast"}},
        "run.dns.recursion",
        "a duration",
        '"fast"',
    ),
    "a resolver that nobody asks": (
        {"dns": {"resolver": "terminal"}},
        "run.dns.resolver",
        'nothing, as protocol is "none"',
        '"terminal"',
    ),
    "names of a flow": (
        {"page": None, "http": None, "bulk": {"size": "1 MB"}, "dns": "doh"},
        "run.dns.protocol",
        '"none", as bulk has no names',
        '"doh"',
    ),
    "names of pings": (
        {"page": None, "http": None, "ping": {"count": 3}, "dns": "doh"},
        "run.dns.protocol",
        '"none", as ping has no names',
        '"doh"',
    ),
    "names of a browser": (
        {"client": "chromium", "dns": "doh"},
        "run.dns.protocol",
        "as the client is chromium, which is told the addresses",
        '"doh"',
    ),
    "names of nginx": (
        {"server": "nginx", "dns": "doh"},
        "run.dns.protocol",
        "as the server is nginx, which is told the addresses",
        '"doh"',
    ),
    "names through an HTTP proxy": (
        {"pep": "proxy", "dns": "doh"},
        "run.dns.protocol",
        'as pep is "proxy", which finds the addresses',
        '"doh"',
    ),
    "names through a proxy for UDP": (
        {"http": "h3", "pep": "masque", "dns": "doh"},
        "run.dns.protocol",
        'as pep is "masque", which finds the addresses',
        '"doh"',
    ),
    "names of a server behind the terminal": (
        {"server_behind": "terminal", "dns": "doh"},
        "run.dns.protocol",
        "as the server is behind the terminal",
        '"doh"',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_where_it_is_written(case):
    run, field, expected, found = REFUSED[case]
    with refused(field, expected=expected, found=found):
        document_of({key: value for key, value in {**PAGE, **run}.items() if value is not None})
