//! Hosts whose processors take time: what they add, by the closed form.

use crate::common;
use crate::sample::{half_of, sample};
use bentpipe_run::{
    BulkSpec, Direction, HostSpec, HostsSpec, Http, ObjectSpec, PageLoadSpec, PageSpec, RunRecord, RunSpec,
    Status, Transport, Workload,
};
use bentpipe_sim::Content;
use bentpipe_units::{Bytes, Duration, Rate};

const ROUND_TRIP: Duration = Duration::from_millis(500);
const CONNECTIONS: u32 = 6;
/// Handshakes of the client and of the server.
const CLIENT: Duration = Duration::from_millis(7);
const SERVER: Duration = Duration::from_millis(20);
/// What transmission at a gigabit a second adds.
const TOLERANCE_S: f64 = 0.0005;

fn fast_link() -> RunSpec {
    let mut spec = sample();
    let rate_bps = Rate::from_bps(1_000_000_000);
    spec.link.forward = half_of(ROUND_TRIP, rate_bps, rate_bps.volume_in(ROUND_TRIP));
    spec.link.return_ = spec.link.forward.clone();
    spec
}

fn page(http: Http, objects: u64) -> RunSpec {
    let objects = (0..objects).map(|n| ObjectSpec::new(format!("/{n}.jpg"), Bytes::new(500)));
    let load = PageLoadSpec::new(http, CONNECTIONS, PageSpec::new("tiny", objects));
    RunSpec { workload: Workload::PageLoad(load), ..fast_link() }
}

fn flow(bytes: Bytes) -> RunSpec {
    let flow = BulkSpec {
        transport: Transport::Quic,
        direction: Direction::Down,
        bytes: Some(bytes),
        duration_ns: None,
    };
    RunSpec { workload: Workload::Bulk(flow), ..fast_link() }
}

const NO_TIME: HostSpec = HostSpec {
    tls_handshake_ns: Duration::ZERO,
    tls_record_ns: Duration::ZERO,
    quic_packet_ns: Duration::ZERO,
};

fn handshakes() -> Option<HostsSpec> {
    let client = HostSpec { tls_handshake_ns: CLIENT, ..NO_TIME };
    let server = HostSpec { tls_handshake_ns: SERVER, ..NO_TIME };
    Some(HostsSpec { client, server })
}

fn ran(spec: &RunSpec) -> RunRecord {
    let record = common::record(spec, Content::Length);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()));
    record
}

#[test]
fn a_handshake_takes_a_round_trip_and_the_time_of_both_ends() {
    let expected = (ROUND_TRIP + CLIENT + SERVER).as_secs_f64();
    for http in [Http::H1s, Http::H2, Http::Spdy] {
        let metrics = ran(&RunSpec { host: handshakes(), ..page(http, 1) }).metrics;
        assert!((metrics.tls_s.unwrap() - expected).abs() < TOLERANCE_S, "{http:?}: {:?}", metrics.tls_s);
    }
    let metrics = ran(&RunSpec { host: handshakes(), ..page(Http::H3, 1) }).metrics;
    assert!((metrics.connect_s.unwrap() - expected).abs() < TOLERANCE_S, "{:?}", metrics.connect_s);
}

#[test]
fn without_tls_a_page_takes_as_long_as_ever() {
    let spec = page(Http::H1, 10);
    let mut slow = ran(&RunSpec { host: handshakes(), ..spec.clone() });
    slow.spec.host = None;
    assert_eq!(slow, ran(&spec));
}

#[test]
fn handshakes_that_come_at_once_are_answered_one_after_the_other() {
    let record = ran(&RunSpec { host: handshakes(), ..page(Http::H1s, 20) });
    // All but the first start when the document names what it consists of; the server, which is slower, has a queue.
    let mut took_s: Vec<_> = record.client_connections[1..]
        .iter()
        .map(|each| each.secured.unwrap().since(each.connected.unwrap()).as_secs_f64())
        .collect();
    took_s.sort_by(f64::total_cmp);
    assert_eq!(took_s.len(), CONNECTIONS as usize - 1);
    for (before, found) in took_s.into_iter().enumerate() {
        let expected = (ROUND_TRIP + SERVER * (1 + before as u64) + CLIENT).as_secs_f64();
        assert!((found - expected).abs() < TOLERANCE_S, "{before} before it: {found} s, not {expected}");
    }
}

#[test]
fn a_server_that_needs_two_milliseconds_for_each_packet_of_quic_sends_no_faster() {
    let bytes = Bytes::new(3_000_000);
    let server = HostSpec { quic_packet_ns: Duration::from_millis(2), ..NO_TIME };
    let host = Some(HostsSpec { client: NO_TIME, server });
    let slow = ran(&RunSpec { host, ..flow(bytes) });
    let sent = slow.metrics.wire_packets_down + slow.metrics.wire_packets_up;
    let took_s = slow.metrics.completion_s.unwrap();
    // What it sends and what it receives, one after the other, and the round trips in which it waits besides.
    let least_s = sent as f64 / 500.0;
    assert!(least_s < took_s && took_s < least_s + 10.0 * ROUND_TRIP.as_secs_f64(), "{least_s} {took_s}");
    assert!(ran(&flow(bytes)).metrics.completion_s.unwrap() < least_s);
}

#[test]
fn processors_that_take_no_time_change_nothing() {
    let host = Some(HostsSpec { client: NO_TIME, server: NO_TIME });
    for spec in [page(Http::H1s, 20), page(Http::H3, 20), flow(Bytes::new(3_000_000))] {
        let mut found = ran(&RunSpec { host, ..spec.clone() });
        found.spec.host = None;
        // As JSON: what does not exist of QUIC is NaN, which equals nothing.
        let [found, expected] = [found, ran(&spec)].map(|record| serde_json::to_string(&record).unwrap());
        assert_eq!(found, expected);
    }
}
