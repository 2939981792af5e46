"""Whom a server on other addresses than 127.0.0.1 answers."""

from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

import pytest

from bentpipe.workbench.guard import Guard, Refused


def guard(address, port=8080, token="t" * 32):
    return Guard(address=ip_address(address), port=port, token=token)


@pytest.mark.parametrize(
    ("address", "port", "host"),
    [
        ("127.0.0.1", 8080, "127.0.0.1:8080"),
        ("127.0.0.1", 8080, "LOCALHOST:8080"),
        ("::1", 8080, "[::1]:8080"),
        ("::1", 8080, "[0:0:0:0:0:0:0:1]:8080"),
        ("192.0.2.1", 8080, "192.0.2.1:8080"),
        ("0.0.0.0", 8080, "192.0.2.7:8080"),
        ("0.0.0.0", 8080, "localhost:8080"),
        ("127.0.0.1", 80, "127.0.0.1"),
        ("127.0.0.1", 80, "127.0.0.1:80"),
    ],
)
def test_an_address_of_the_server_is_its_own(address, port, host):
    assert guard(address, port).page({"Host": host}) is None


@pytest.mark.parametrize(
    ("address", "port", "host"),
    [
        ("::1", 8080, "[::2]:8080"),
        ("192.0.2.1", 8080, "192.0.2.2:8080"),
        ("192.0.2.1", 8080, "localhost:8080"),
        ("0.0.0.0", 8080, "evil.example:8080"),
        ("0.0.0.0", 8080, "192.0.2.7.evil.example:8080"),
        ("127.0.0.1", 80, "evil.example"),
    ],
)
def test_any_other_is_not(address, port, host):
    assert guard(address, port).page({"Host": host}) is Refused.HOST


def test_the_address_that_is_printed_has_the_token_where_no_browser_sends_it():
    assert guard("::1").url() == f"http://[::1]:8080/#token={'t' * 32}"


@pytest.mark.parametrize("token", ["a&link=lan", "a#b", "a b", "a+b/c==", "100%41", "\u00fc"])
def test_a_token_of_any_characters_comes_whole_out_of_the_address(token):
    # As the page reads it: URLSearchParams (WHATWG URL, section 5.1) takes "+" for a space, as parse_qs does.
    fragment = urlsplit(guard("127.0.0.1", token=token).url()).fragment
    assert parse_qs(fragment, strict_parsing=True) == {"token": [token]}
