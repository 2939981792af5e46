//! What a tunnel takes from the hosts' packets; the same figures as tests/engine/testbed/test_pep.py.

use bentpipe_run::{PepSpec, RunSpec, TunnelSpec};
use bentpipe_units::Bytes;

use crate::common::spec;

#[test]
fn a_tunnel_s_header_comes_on_top_of_the_hosts_packets() {
    let mut spec: RunSpec = spec();
    spec.link.mtu_bytes = Bytes::new(1500);
    spec.pep = None;
    assert_eq!((spec.tunnel_header(), spec.host_mtu()), (Bytes::ZERO, Bytes::new(1500)));
    spec.pep = Some(PepSpec::Tunnel(TunnelSpec { header_bytes: Bytes::new(60) }));
    assert_eq!((spec.tunnel_header(), spec.host_mtu()), (Bytes::new(60), Bytes::new(1440)));
}
