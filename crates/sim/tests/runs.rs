//! Whole runs in virtual time: the same origin and clients as on the kernel, over simulated hosts.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::time::Instant;

use crate::sample::{sample, without_chance};
use bentpipe_run::{
    Algorithm, BulkSpec, CapacitySpec, Direction, Engine, Http, PageLoadSpec, PingSpec, Provenance,
    QueueSpec, RunRecord, RunSpec, Status, Transport, Workload, assemble,
};
use bentpipe_sim::{Config, simulate};
use bentpipe_units::{Bytes, Duration, Rate};

const VERSIONS: [Http; 4] = [Http::H1, Http::H1s, Http::H2, Http::H3];
const ALGORITHMS: [Algorithm; 6] = Algorithm::OVER_TCP;

/// The sample run over a link of 10 Mbit/s and 530 ms without losses.
fn lossless() -> RunSpec {
    let mut spec = sample();
    without_chance(&mut spec, Rate::from_bps(10_000_000));
    spec
}

fn page_load(mut spec: RunSpec, http: Http, cc: Algorithm) -> RunSpec {
    spec.cc = cc;
    if let Workload::PageLoad(load) = &spec.workload {
        spec.workload = Workload::PageLoad(PageLoadSpec { http, connections: 1, ..load.clone() });
    }
    spec
}

fn record(spec: &RunSpec) -> RunRecord {
    let config = Config::new(Instant::now());
    let reports = simulate(spec, &config).unwrap();
    assemble("0".to_owned(), Engine::Simulate, spec.clone(), Provenance::default(), reports)
}

#[test]
fn every_version_with_every_congestion_control_loads_the_page() {
    for (http, cc) in VERSIONS.into_iter().flat_map(|http| ALGORITHMS.map(|cc| (http, cc))) {
        let record = record(&page_load(lossless(), http, cc));
        assert_eq!(record.status, Status::Succeeded, "{http:?} {cc:?}: {:?}", record.reasons);
    }
}

#[test]
fn the_first_byte_takes_the_round_trips_of_the_handshakes_and_the_request() {
    // TCP 1, TLS 1.3 1 (RFC 8446 section 2), QUIC with TLS 1 (RFC 9001 section 4), the request 1.
    for (http, round_trips) in [(Http::H1, 2.0), (Http::H1s, 3.0), (Http::H2, 3.0), (Http::H3, 2.0)] {
        let ttfb_s = record(&page_load(lossless(), http, Algorithm::Cubic)).metrics.ttfb_s.unwrap();
        let excess_s = ttfb_s - round_trips * 0.530;
        assert!((0.0..0.010).contains(&excess_s), "{http:?}: {ttfb_s} s");
    }
}

#[test]
fn equal_specs_give_equal_records_whatever_the_epoch() {
    for (http, cc) in VERSIONS.into_iter().flat_map(|http| ALGORITHMS.map(|cc| (http, cc))) {
        let spec = page_load(sample(), http, cc);
        let bytes = || serde_json::to_string(&record(&spec)).unwrap();
        assert_eq!(bytes(), bytes(), "{http:?} {cc:?}");
    }
}

#[test]
fn flows_arrive_whole_in_either_direction_over_either_transport() {
    for transport in [Transport::Tcp, Transport::Quic] {
        for direction in [Direction::Down, Direction::Up] {
            let bytes = Some(Bytes::new(500_000));
            let mut spec = lossless();
            spec.workload = Workload::Bulk(BulkSpec { transport, direction, bytes, duration_ns: None });
            let record = record(&spec);
            assert_eq!(record.status, Status::Succeeded, "{transport:?} {direction:?}: {:?}", record.reasons);
            assert_eq!(record.metrics.payload_bytes, Some(500_000));
        }
    }
}

#[test]
fn a_ping_takes_the_propagation_and_its_two_transmissions_and_nothing_else() {
    let mut spec = lossless();
    let payload_bytes = Bytes::new(20);
    spec.workload =
        Workload::Ping(PingSpec { count: 5, interval_ns: Duration::from_millis(200), payload_bytes });
    // 20 bytes of payload and 28 of headers (RFC 791, RFC 768) at 10 Mbit/s, in each direction.
    let expected = Duration::from_millis(530) + Duration::from_nanos(2 * 38_400);
    let record = record(&spec);
    assert_eq!(record.metrics.rtt_min_s, Some(expected.as_secs_f64()));
    assert_eq!(record.metrics.rtt_max_s, Some(expected.as_secs_f64()));
}

#[test]
fn an_order_and_its_flow_may_share_a_segment() {
    // Windows of ten bytes cut the order in pieces; lost pieces are retransmitted together with what follows.
    let mut spec = lossless();
    spec.tcp.receive_buffer_bytes = Bytes::new(10);
    spec.validity.timeout_ns = Duration::from_secs(5_000);
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.capacity = CapacitySpec::Constant { rate_bps: Rate::from_bps(64_000) };
        direction.delay_ns = Duration::ZERO;
        direction.queue = QueueSpec::Bytes { limit_bytes: Bytes::new(1) };
    }
    let bytes = Some(Bytes::new(20_000));
    let (transport, direction) = (Transport::Tcp, Direction::Up);
    spec.workload = Workload::Bulk(BulkSpec { transport, direction, bytes, duration_ns: None });
    let record = record(&spec);
    assert_eq!(record.status, Status::Succeeded, "{:?}", record.reasons);
    assert_eq!(record.metrics.payload_bytes, Some(20_000));
}

#[test]
fn a_flow_by_iperf3_is_refused() {
    let mut spec = lossless();
    let bytes = Some(Bytes::new(100_000));
    spec.workload = Workload::Iperf3(BulkSpec {
        transport: Transport::Tcp,
        direction: Direction::Down,
        bytes,
        duration_ns: None,
    });
    let refusal = simulate(&spec, &Config::new(Instant::now())).unwrap_err();
    assert!(refusal.to_string().contains("emulate engine"), "{refusal}");
}
