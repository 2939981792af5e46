//! How often a receiver of QUIC acknowledges when its peer asks for it (draft-ietf-quic-ack-frequency).

use crate::common;
use crate::sample::{half_of, sample};
use bentpipe_run::{
    AckFrequencySpec, Algorithm, BulkSpec, Direction, Http, LossSpec, Metrics, PageLoadSpec, PageSpec,
    Resumption, RunSpec, Status, TlsSpec, TlsVersion, Transport, Visit, Workload,
};
use bentpipe_sim::Content;
use bentpipe_units::{Bytes, Duration, Rate};

const RTT: Duration = Duration::from_millis(600);
const RATE: Rate = Rate::from_bps(10_000_000);

/// As RFC 9000 section 13.2 has it without the extension, but for the threshold.
fn every(packets: u32) -> AckFrequencySpec {
    AckFrequencySpec {
        ack_eliciting_threshold: packets - 1,
        requested_max_ack_delay_ns: Duration::from_millis(25),
        reordering_threshold: 1,
    }
}

/// A flow of 10 MB over 600 ms, down or up, whose acknowledgements have a rate of their own.
fn flow(direction: Direction, ack_frequency: Option<AckFrequencySpec>, of_acks: Rate) -> RunSpec {
    let mut spec = sample();
    let bytes = Some(Bytes::new(10_000_000));
    spec.workload =
        Workload::Bulk(BulkSpec { transport: Transport::Quic, direction, bytes, duration_ns: None });
    spec.cc = Algorithm::Cubic;
    spec.quic.ack_frequency = ack_frequency;
    let queue = Bytes::new(10_000_000);
    let (down, up) = if direction == Direction::Down { (RATE, of_acks) } else { (of_acks, RATE) };
    spec.link.forward = half_of(RTT, down, queue);
    spec.link.return_ = half_of(RTT, up, queue);
    spec.validity.timeout_ns = Duration::from_secs(1_000);
    spec
}

fn measured(spec: &RunSpec) -> Metrics {
    let record = common::record(spec, Content::Length);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()));
    record.metrics
}

/// Data packets to a packet in the other direction.
fn ratio(direction: Direction, metrics: &Metrics) -> f64 {
    let (down, up) = (metrics.wire_packets_down as f64, metrics.wire_packets_up as f64);
    if direction == Direction::Down { down / up } else { up / down }
}

#[test]
fn one_packet_more_than_the_threshold_is_acknowledged_in_either_direction() {
    for direction in [Direction::Down, Direction::Up] {
        for packets in [1, 2, 4, 10] {
            let metrics = measured(&flow(direction, Some(every(packets)), RATE));
            let found = ratio(direction, &metrics);
            // Packets of the handshake and those that 25 ms are too long for make it less; no more than one in ten.
            let expected = f64::from(packets);
            assert!((0.85 * expected..=1.01 * expected).contains(&found), "{found} to 1, expected {packets}");
        }
    }
}

#[test]
fn without_asking_every_second_packet_is_acknowledged() {
    let found = ratio(Direction::Down, &measured(&flow(Direction::Down, None, RATE)));
    // RFC 9000 section 13.2.2.
    assert!((1.9..2.05).contains(&found), "{found}");
}

#[test]
fn a_packet_waits_for_its_acknowledgement_no_longer_than_was_asked_for() {
    // At 10 Mbit/s a full packet comes every 1.2 ms: a hundred of them in 120 ms, of which forty take 48 ms.
    let found = |delay_ms| {
        let wanted =
            AckFrequencySpec { requested_max_ack_delay_ns: Duration::from_millis(delay_ms), ..every(1000) };
        ratio(Direction::Down, &measured(&flow(Direction::Down, Some(wanted), RATE)))
    };
    for (delay_ms, expected) in [(12, 10.0), (48, 40.0)] {
        let found = found(delay_ms);
        assert!((0.6 * expected..1.3 * expected).contains(&found), "{found} in {delay_ms} ms");
    }
}

#[test]
fn a_receiver_that_need_not_tell_of_gaps_at_once_acknowledges_less_over_a_link_with_losses() {
    let up = |reordering_threshold| {
        let wanted = AckFrequencySpec { reordering_threshold, ..every(20) };
        let mut spec = flow(Direction::Down, Some(wanted), RATE);
        // Which fills the link all the same, so that twenty packets come within 25 ms.
        spec.cc = Algorithm::Bbr;
        spec.link.forward.loss = LossSpec::Bernoulli { p: 0.01 };
        measured(&spec).wire_packets_up
    };
    let (at_once, never) = (up(1), up(0));
    assert!(never < at_once, "{never} and {at_once} packets up");
}

#[test]
fn over_a_return_link_that_acknowledgements_fill_fewer_of_them_let_more_data_through() {
    // An acknowledgement has 28 bytes of headers and some 30 of its own: one for every second of 850 packets a second
    // takes 200 kbit/s, three times what there is; every tenth 40 kbit/s.
    let narrow = Rate::from_bps(64_000);
    let goodput = |wanted| measured(&flow(Direction::Down, wanted, narrow)).goodput_bps.unwrap();
    let (usual, rare) = (goodput(None), goodput(Some(every(10))));
    assert!(rare > 1.2 * usual, "{rare} bit/s with every tenth, {usual} bit/s with every second");
}

#[test]
fn an_initial_window_shorter_than_the_threshold_is_acknowledged_after_the_delay_with_early_data_too() {
    // The answer to early data fills the initial window of ten packets before the handshake is confirmed. Of 1 MB over
    // 100 Mbit/s and 600 ms, slow start takes the windows 10, 20, 40 ... 640: seven round trips and the first byte's.
    let mut spec = flow(Direction::Down, Some(every(20)), RATE);
    let queue = Bytes::new(10_000_000);
    spec.link.forward = half_of(RTT, Rate::from_bps(100_000_000), queue);
    let page = PageSpec { document_bytes: Some(Bytes::new(1_000_000)), ..PageSpec::new("one", []) };
    let load = PageLoadSpec { visit: Some(Visit::Repeat), ..PageLoadSpec::new(Http::H3, 1, page) };
    spec.workload = Workload::PageLoad(load);
    spec.tls = Some(TlsSpec { version: TlsVersion::V1_3, resumption: Resumption::EarlyData });
    let plt_s = measured(&spec).plt_s.unwrap();
    assert!((4.0..5.5).contains(&plt_s), "{plt_s} s");
}

#[test]
fn equal_specs_give_equal_records_with_it() {
    let mut spec = flow(Direction::Down, Some(every(10)), RATE);
    spec.link.forward.loss = LossSpec::Bernoulli { p: 0.01 };
    let bytes = || serde_json::to_string(&common::record(&spec, Content::Length)).unwrap();
    assert_eq!(bytes(), bytes());
}
