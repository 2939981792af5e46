"""What a proxy on the path makes of the testbed; the same figures as crates/run/tests/tunnel.rs."""

import pytest

from bentpipe.engine.testbed import pep
from bentpipe.engine.testbed.netns import Settings
from bentpipe.model.hosts import TcpSpec
from tests.support.models import spec_with


def _settings(_tcp: TcpSpec) -> Settings:
    return Settings(route_attributes="", sysctls={})


@pytest.mark.parametrize(("header_bytes", "host_mtu_bytes"), [(60, 1440), (24, 1476)])
def test_a_tunnel_s_header_comes_on_top_of_the_hosts_packets(header_bytes: int, host_mtu_bytes: int) -> None:
    tunnel = {"kind": "tunnel", "header_bytes": header_bytes}
    middle = pep.middle(spec_with(link={"mtu_bytes": 1500}, pep=tunnel), _settings)
    assert middle is not None
    assert middle.host_mtu_bytes == host_mtu_bytes


def test_without_a_proxy_there_is_nothing_but_the_link() -> None:
    assert pep.middle(spec_with(pep=None), _settings) is None
