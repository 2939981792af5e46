//! Several flows at once in virtual time: each has its own algorithm, all of them end as asked, and nothing is lost.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use crate::common;
use crate::sample::{half_of, sample};
use bentpipe_run::{
    Algorithm, Direction, FlowSpec, FlowsSpec, RunRecord, RunSpec, Status, Transport, Workload,
};
use bentpipe_sim::Content;
use bentpipe_units::{Bytes, Duration, Rate};

const MINUTE: Duration = Duration::from_secs(60);
/// Payload of a TCP segment over an MTU of 1500 with timestamps.
const SEGMENT: u64 = 1448;

const fn flow(cc: Algorithm, transport: Transport) -> FlowSpec {
    FlowSpec { cc, transport, start_ns: Duration::ZERO, dscp: None }
}

const CUBIC: FlowSpec = flow(Algorithm::Cubic, Transport::Tcp);
const HYBLA: FlowSpec = flow(Algorithm::Hybla, Transport::Tcp);
const BBR_OVER_QUIC: FlowSpec = flow(Algorithm::Bbr, Transport::Quic);
const VIVACE_OVER_QUIC: FlowSpec = flow(Algorithm::Vivace, Transport::Quic);

#[derive(Clone, Copy)]
enum Extent {
    For(Duration),
    Of(Bytes),
}

/// 10 Mbit/s in both directions with one BDP of queue.
fn spec(rtt: Duration, direction: Direction, extent: Extent, flows: &[FlowSpec]) -> RunSpec {
    let mut spec = sample();
    let rate_bps = Rate::from_bps(10_000_000);
    spec.link.forward = half_of(rtt, rate_bps, rate_bps.volume_in(rtt));
    spec.link.return_ = spec.link.forward.clone();
    let (bytes, duration_ns) = match extent {
        Extent::For(span) => (None, Some(span)),
        Extent::Of(bytes) => (Some(bytes), None),
    };
    spec.workload = Workload::Flows(FlowsSpec { direction, bytes, duration_ns, flows: flows.to_vec() });
    spec.validity.timeout_ns = Duration::from_secs(600);
    spec
}

fn ran(spec: &RunSpec) -> RunRecord {
    let record = common::record(spec, Content::Length);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()));
    record
}

fn geo() -> Duration {
    Duration::from_millis(600)
}

#[test]
fn each_flow_has_its_own_algorithm_at_both_ends() {
    for direction in [Direction::Down, Direction::Up] {
        let flows = [HYBLA, BBR_OVER_QUIC, CUBIC, VIVACE_OVER_QUIC];
        let record = ran(&spec(geo(), direction, Extent::Of(Bytes::new(200_000)), &flows));
        for connections in [&record.client_connections, &record.origin_connections] {
            assert_eq!(connections.len(), flows.len());
            for connection in connections {
                let asked = flows[usize::from(connection.flow.unwrap())];
                assert_eq!(connection.congestion_control, asked.cc.name(), "{direction:?}");
                assert_eq!(connection.transport, asked.transport.name(), "{direction:?}");
            }
        }
        let found: Vec<_> = record.flows.iter().map(|one| (one.cc, one.transport)).collect();
        assert_eq!(found, flows.map(|one| (one.cc, one.transport)));
    }
}

#[test]
fn an_algorithm_is_in_force_from_the_first_segment_on() {
    // Hybla's first window is rho segments, the round trip of 600 ms over 25 ms; the others' is of ten.
    let record = ran(&spec(geo(), Direction::Down, Extent::Of(Bytes::new(1_000_000)), &[CUBIC, HYBLA]));
    for connection in &record.origin_connections {
        let segments = if connection.flow == Some(1) { 24 } else { 10 };
        assert_eq!(connection.initial_cwnd_bytes, Some(Bytes::new(segments * SEGMENT)));
    }
}

#[test]
fn flows_of_so_many_bytes_are_all_complete_and_add_up() {
    for direction in [Direction::Down, Direction::Up] {
        let flows = [CUBIC, BBR_OVER_QUIC, HYBLA];
        let record = ran(&spec(geo(), direction, Extent::Of(Bytes::new(3_000_001)), &flows));
        assert!(record.flows.iter().all(|flow| flow.bytes == 3_000_001), "{:?}", record.flows);
        assert_eq!(record.metrics.payload_bytes, Some(9_000_003));
        let received: f64 = record.series["progress"].column("received_bytes").iter().sum();
        assert_eq!(received, 9_000_003.0);
        let last = record.flows.iter().filter_map(|flow| flow.last_byte_s).reduce(f64::max);
        assert_eq!(record.metrics.completion_s, last);
    }
}

#[test]
fn flows_of_so_long_end_together_however_late_they_started() {
    let late = FlowSpec { start_ns: Duration::from_secs(30), ..BBR_OVER_QUIC };
    let record = ran(&spec(geo(), Direction::Down, Extent::For(MINUTE), &[CUBIC, late]));
    for flow in &record.flows {
        let last_s = flow.last_byte_s.unwrap();
        // What is lost holds up what follows it for a round trip, of up to 1.2 s behind a full queue.
        assert!((58.8..=60.0).contains(&last_s), "{flow:?}");
    }
    assert_eq!(record.flows[1].start_s, 30.0);
    // Two round trips later, for the handshake and the order with its answer, each of up to 1.2 s behind a full queue.
    assert!((31.2..32.5).contains(&record.flows[1].first_byte_s.unwrap()), "{:?}", record.flows[1]);
    let received: u64 = record.flows.iter().map(|flow| flow.bytes).sum();
    assert_eq!(record.metrics.payload_bytes, Some(received));
}

#[test]
fn equal_flows_share_the_link_equally() {
    // RFC 9438 section 1: CUBIC converges to a fair share among flows of equal RTT; over 20 ms in seconds.
    let record = ran(&spec(Duration::from_millis(20), Direction::Down, Extent::For(MINUTE), &[CUBIC; 4]));
    let jain = record.metrics.jain_index.unwrap();
    assert!(jain > 0.95, "{jain} {:?}", record.flows);
    let shares: f64 = record.flows.iter().filter_map(|flow| flow.share).sum();
    assert!((shares - 1.0).abs() < 1e-12, "{shares}");
}

#[test]
fn equal_runs_of_several_flows_have_equal_records() {
    let spec =
        spec(geo(), Direction::Down, Extent::For(MINUTE), &[CUBIC, BBR_OVER_QUIC, HYBLA, VIVACE_OVER_QUIC]);
    let [first, second] = [Content::Bytes, Content::Length].map(|content| common::record(&spec, content));
    assert_eq!(serde_json::to_string(&first).unwrap(), serde_json::to_string(&second).unwrap());
}
