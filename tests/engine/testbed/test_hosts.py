"""Which hosts a run has, and where they are."""

from bentpipe.engine.testbed import hosts
from tests.support.models import spec_with


def _load(page):
    return spec_with(workload={"kind": "page-load", "page": page})


HOSTS = ("b.example", "WWW.example", "a.example", "B.example")


def test_every_host_has_an_address_and_the_page_s_own_is_the_server_s():
    objects = [{"path": "/a", "bytes": 1, "host": host} for host in HOSTS]
    page = {"name": "page", "host": "www.example", "objects": [*objects, {"path": "/b", "bytes": 1}]}
    assert list(hosts.addresses(_load(page)).items()) == [
        ("www.example", "198.18.0.2"),
        ("b.example", "198.18.1.1"),
        ("a.example", "198.18.1.2"),
    ]


def test_without_any_named_there_is_one_host():
    one = {"origin.bentpipe.test": "198.18.0.2"}
    assert hosts.addresses(_load({"name": "page", "objects": [{"path": "/a", "bytes": 1}]})) == one
    assert hosts.addresses(spec_with(workload={"kind": "ping"})) == one
