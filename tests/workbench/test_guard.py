"""Whom a server on other addresses than 127.0.0.1 answers."""

from ipaddress import ip_address

import pytest

from bentpipe.workbench.guard import Guard, Refused


def guard(address, port=8080):
    return Guard(address=ip_address(address), port=port, token="t" * 32)


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
