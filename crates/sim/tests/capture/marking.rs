//! Marks in the headers of a capture.

use std::net::Ipv4Addr;

use bentpipe_run::{
    Algorithm, BulkSpec, Direction, Dscp, FlowSpec, FlowsSpec, Http, PingSpec, RunSpec, Transport, Workload,
};
use bentpipe_units::{Bytes, Duration};

use super::packets::Packet;
use super::{CLIENT, SERVER, VERSIONS, captured, from, page_load, sample};

/// RFC 3246 section 2.7.
const EXPEDITED: u8 = 46;
/// Assured forwarding 11 (RFC 2597 section 6).
const ASSURED: u8 = 10;

fn dscp(code_point: u8) -> Option<Dscp> {
    Some(Dscp::new(code_point).unwrap())
}

/// Every kind of run by name.
fn runs() -> Vec<(String, RunSpec)> {
    let pages = VERSIONS.map(|http| (format!("page-{http:?}"), page_load(http)));
    let flows = [Transport::Tcp, Transport::Quic].map(|transport| {
        let (direction, bytes) = (Direction::Up, Some(Bytes::new(300_000)));
        let workload = Workload::Bulk(BulkSpec { transport, direction, bytes, duration_ns: None });
        (format!("flow-{}", transport.name()), RunSpec { workload, ..sample() })
    });
    let ping = PingSpec { count: 3, interval_ns: Duration::from_millis(200), payload_bytes: Bytes::new(56) };
    let ping = ("ping".to_owned(), RunSpec { workload: Workload::Ping(ping), ..sample() });
    [pages.to_vec(), flows.to_vec(), vec![ping]].concat()
}

/// What two runs have in common whose TLS draws other keys: where and when each packet was seen, its sender, its length
/// and its congestion bits.
fn outline(packets: &[Packet]) -> Vec<(u32, std::time::Duration, Ipv4Addr, usize, u8)> {
    let of = |packet: &Packet| {
        (packet.interface, packet.at, packet.source(), packet.bytes.len(), packet.bytes[1] & 0b11)
    };
    packets.iter().map(of).collect()
}

#[test]
fn every_packet_of_a_marked_run_has_its_mark_at_both_ends_and_is_else_what_it_would_be() {
    for (name, plain) in runs() {
        let marked = RunSpec { dscp: dscp(EXPEDITED), ..plain.clone() };
        let (_, plain) = captured(&format!("plain-{name}"), &plain);
        let (_, marked) = captured(&format!("marked-{name}"), &marked);
        assert!(plain.packets.iter().all(|packet| packet.dscp() == 0), "{name}");
        assert!(marked.packets.iter().all(|packet| packet.dscp() == EXPEDITED), "{name}");
        marked.packets.iter().for_each(Packet::check);
        for (sender, receiver) in [(CLIENT, SERVER), (SERVER, CLIENT)] {
            assert!(!from(&marked.packets, sender, receiver).is_empty(), "{name}");
        }
        assert_eq!(outline(&marked.packets), outline(&plain.packets), "{name}");
    }
}

#[test]
fn the_mark_of_quic_stands_beside_its_congestion_bits() {
    let spec = RunSpec { dscp: dscp(EXPEDITED), ..page_load(Http::H3) };
    let (_, contents) = captured("marked-ecn", &spec);
    // RFC 9000 section 13.4.2: ECT(0), binary 10.
    assert!(contents.packets.iter().all(|packet| packet.bytes[1] == EXPEDITED << 2 | 0b10));
}

#[test]
fn each_flow_has_its_own_mark_or_else_the_mark_of_the_run() {
    let flow = |transport, dscp| FlowSpec { cc: Algorithm::Cubic, transport, start_ns: Duration::ZERO, dscp };
    let flows = vec![
        flow(Transport::Tcp, dscp(EXPEDITED)),
        flow(Transport::Tcp, None),
        flow(Transport::Quic, dscp(EXPEDITED)),
        flow(Transport::Quic, dscp(0)),
    ];
    let (direction, bytes) = (Direction::Down, Some(Bytes::new(100_000)));
    let workload = Workload::Flows(FlowsSpec { direction, bytes, duration_ns: None, flows });
    let spec = RunSpec { workload, dscp: dscp(ASSURED), ..sample() };
    let (_, contents) = captured("marked-flows", &spec);
    // The first flow's port of the origin, and so on.
    for (port, mark) in [(5001, EXPEDITED), (5002, ASSURED), (5003, EXPEDITED), (5004, 0)] {
        for sender in [CLIENT, SERVER] {
            let packets = from(&contents.packets, sender, sender);
            let own: Vec<_> = packets.iter().filter(|packet| packet.has_port(port)).collect();
            assert!(own.len() > 5, "{port}: {} packets", own.len());
            assert!(own.iter().all(|packet| packet.dscp() == mark), "{port}");
        }
    }
}
