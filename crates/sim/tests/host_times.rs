//! Hosts whose processors take time: what they add, by the closed form.

use crate::common;
use crate::sample::{half_of, sample};
use bentpipe_run::{
    BulkSpec, Direction, HostSpec, HostsSpec, Http, ObjectSpec, PageLoadSpec, PageSpec, PepPlace, PepSpec,
    RunRecord, RunSpec, SplitSpec, Status, Switch, Transport, WakeupStep, Workload,
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

/// Hosts on which nothing but this takes time.
const fn hosts(client: HostSpec, server: HostSpec) -> HostsSpec {
    HostsSpec { client, server, wakeup_latency: None, packet_spacing_ns: None }
}

fn handshakes() -> Option<HostsSpec> {
    let client = HostSpec { tls_handshake_ns: CLIENT, ..NO_TIME };
    let server = HostSpec { tls_handshake_ns: SERVER, ..NO_TIME };
    Some(hosts(client, server))
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
    let host = Some(hosts(NO_TIME, server));
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
    let host = Some(hosts(NO_TIME, NO_TIME));
    for spec in [page(Http::H1s, 20), page(Http::H3, 20), flow(Bytes::new(3_000_000))] {
        let mut found = ran(&RunSpec { host: host.clone(), ..spec.clone() });
        found.spec.host = None;
        // As JSON: what does not exist of QUIC is NaN, which equals nothing.
        let [found, expected] = [found, ran(&spec)].map(|record| serde_json::to_string(&record).unwrap());
        assert_eq!(found, expected);
    }
}

const WAKEUP: Duration = Duration::from_millis(3);

/// Hosts that wake so late, however long they slept.
fn sleepers() -> Option<HostsSpec> {
    let wakeup_latency = Some(vec![WakeupStep { slept_ns: Duration::ZERO, latency_ns: WAKEUP }]);
    Some(HostsSpec { wakeup_latency, ..hosts(NO_TIME, NO_TIME) })
}

/// How much longer a run takes when programs wake late, in wake-ups.
fn wakeups(spec: &RunSpec) -> f64 {
    let [sleepy, awake] = [sleepers(), None].map(|host| ran(&RunSpec { host, ..spec.clone() }).metrics);
    (sleepy.plt_s.unwrap() - awake.plt_s.unwrap()) / WAKEUP.as_secs_f64()
}

#[test]
fn a_document_and_an_object_in_clear_text_take_five_wakeups_longer() {
    // The client's after the SYN-ACK and after each response, the server's after each request: the first comes when the
    // server has accepted the connection and sleeps again.
    let found = wakeups(&page(Http::H1, 1));
    assert!((found - 5.0).abs() < 0.1, "{found}");
}

#[test]
fn what_comes_over_a_lan_segment_finds_hosts_awake() {
    let spec = page(Http::H1, 1);
    let split = SplitSpec {
        place: PepPlace::Both,
        cc: spec.cc,
        tcp: spec.tcp.clone(),
        relay_buffer_bytes: Bytes::new(1 << 20),
        standing: Switch::Off,
    };
    // Of the proxies at both ends of the link as of client and server without them, and no others.
    let found = wakeups(&RunSpec { pep: Some(PepSpec::Split(split)), ..spec });
    assert!((found - 5.0).abs() < 0.1, "{found}");
}

#[test]
fn a_link_that_hands_over_a_packet_in_a_millisecond_carries_no_more_than_a_thousand_in_a_second() {
    let bytes = Bytes::new(3_000_000);
    let packet_spacing_ns = Some(Duration::from_millis(1));
    let host = Some(HostsSpec { packet_spacing_ns, ..hosts(NO_TIME, NO_TIME) });
    let slow = ran(&RunSpec { host, ..flow(bytes) });
    // Of both directions together, and besides the round trips in which nothing comes.
    let arrived = slow.metrics.wire_packets_down + slow.metrics.wire_packets_up;
    let (took_s, least_s) = (slow.metrics.completion_s.unwrap(), arrived as f64 / 1000.0);
    assert!(least_s < took_s && took_s < least_s + 10.0 * ROUND_TRIP.as_secs_f64(), "{least_s} {took_s}");
    assert!(ran(&flow(bytes)).metrics.completion_s.unwrap() < took_s - 1.0);
}

#[test]
fn programs_that_wake_in_no_time_change_nothing() {
    let wakeup_latency = Some(vec![WakeupStep { slept_ns: Duration::ZERO, latency_ns: Duration::ZERO }]);
    let host = Some(HostsSpec { wakeup_latency, ..hosts(NO_TIME, NO_TIME) });
    for spec in [page(Http::H1s, 20), page(Http::H3, 20)] {
        let found = ran(&RunSpec { host: host.clone(), ..spec.clone() }).metrics;
        let expected = ran(&spec).metrics;
        assert_eq!(found.plt_s, expected.plt_s);
    }
}
