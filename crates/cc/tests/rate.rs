//! The delivery-rate estimator against timelines worked out by hand.

use crate::common::{at_ms, packets};
use bentpipe_cc::Demand;
use bentpipe_cc::rate::RateEstimator;
use bentpipe_units::{Bytes, Duration, Rate, Time};

#[test]
fn the_first_packet_counts_from_its_own_departure() {
    // Leaves at 5 ms, acknowledged at 105 ms: 1500 B in 100 ms.
    let mut estimator = RateEstimator::new(Time::ZERO);
    let packet = estimator.on_sent(at_ms(5), Bytes::ZERO);
    estimator.on_delivered(at_ms(105), &packet, packets(1));
    let sample = estimator.sample(None).unwrap();
    assert_eq!(sample.interval, Duration::from_millis(100));
    assert_eq!(sample.delivered, packets(1));
    assert_eq!(sample.prior_delivered, Bytes::ZERO);
    assert_eq!(sample.rate(), Rate::from_bps(120_000));
}

#[test]
fn a_steady_flow_shows_the_bottlenecks_rate() {
    // One packet each 10 ms, RTT 100 ms: the packet sent at 100 ms, when packet 0 (and so 1500 B) had just been
    // delivered, is acknowledged at 200 ms as the eleventh: 10 packets in 100 ms = 1.2 Mbit/s.
    let mut estimator = RateEstimator::new(Time::ZERO);
    let mut sent = Vec::new();
    let mut in_flight = Bytes::ZERO;
    for slot in 0..=20 {
        if slot >= 10 {
            estimator.on_delivered(at_ms(10 * slot), &sent[slot as usize - 10], packets(1));
            in_flight -= packets(1);
            let sample = estimator.sample(None).unwrap();
            if slot == 20 {
                assert_eq!(sample.delivered, packets(10));
                assert_eq!(sample.rate(), Rate::from_bps(1_200_000));
            }
        }
        sent.push(estimator.on_sent(at_ms(10 * slot), in_flight));
        in_flight += packets(1);
    }
}

#[test]
fn acknowledgements_that_arrive_together_do_not_inflate_the_rate() {
    // Ten packets sent over 90 ms, all acknowledged in the same instant at 200 ms. The acknowledgement interval
    // since the start is 200 ms, the send interval 90 ms: 15 000 B / 200 ms.
    let mut estimator = RateEstimator::new(Time::ZERO);
    let sent: Vec<_> = (0..10).map(|i| estimator.on_sent(at_ms(10 * i), packets(i))).collect();
    for packet in &sent {
        estimator.on_delivered(at_ms(200), packet, packets(1));
    }
    let sample = estimator.sample(None).unwrap();
    assert_eq!((sample.delivered, sample.interval), (packets(10), Duration::from_millis(200)));
}

#[test]
fn data_is_not_delivered_faster_than_it_was_sent() {
    // Packets 0 and 1 leave at 0 and 1 ms; 0 is acknowledged at 100 ms. Packet 2 leaves at 190 ms. An
    // acknowledgement of 1 at 199 ms and of 2 at 200 ms (compressed): for 2 the interval since its predecessor's
    // acknowledgement at 100 ms is 100 ms, since the first packet of its flight (0, at 0 ms) left 190 ms.
    let mut estimator = RateEstimator::new(Time::ZERO);
    let zero = estimator.on_sent(at_ms(0), Bytes::ZERO);
    let one = estimator.on_sent(at_ms(1), packets(1));
    estimator.on_delivered(at_ms(100), &zero, packets(1));
    estimator.sample(None).unwrap();
    let two = estimator.on_sent(at_ms(190), packets(1));
    estimator.on_delivered(at_ms(199), &one, packets(1));
    estimator.on_delivered(at_ms(200), &two, packets(1));
    let sample = estimator.sample(None).unwrap();
    assert_eq!(sample.interval, Duration::from_millis(190));
    assert_eq!(sample.delivered, packets(2));
}

#[test]
fn a_sample_shorter_than_the_path_is_refused() {
    // A spurious retransmission is "acknowledged" 1 ms after it left, on a path of 100 ms.
    let mut estimator = RateEstimator::new(Time::ZERO);
    let packet = estimator.on_sent(at_ms(0), Bytes::ZERO);
    estimator.on_delivered(at_ms(1), &packet, packets(1));
    assert_eq!(estimator.sample(Some(Duration::from_millis(100))), None);
    assert_eq!(estimator.delivered(), packets(1), "it was delivered all the same");
}

#[test]
fn an_acknowledgement_of_nothing_new_has_no_sample() {
    let mut estimator = RateEstimator::new(Time::ZERO);
    estimator.on_sent(at_ms(0), Bytes::ZERO);
    assert_eq!(estimator.sample(None), None);
}

#[test]
fn the_newest_of_several_packets_is_the_one_sampled() {
    // Delivered in reverse order by one acknowledgement: packet 1 (prior_delivered 1500 B) counts, not packet 0.
    let mut estimator = RateEstimator::new(Time::ZERO);
    let first = estimator.on_sent(at_ms(0), Bytes::ZERO);
    let old = estimator.on_sent(at_ms(1), packets(1));
    estimator.on_delivered(at_ms(100), &first, packets(1));
    estimator.sample(None).unwrap();
    let new = estimator.on_sent(at_ms(101), packets(1));
    estimator.on_delivered(at_ms(201), &new, packets(1));
    estimator.on_delivered(at_ms(201), &old, packets(1));
    assert_eq!(estimator.sample(None).unwrap().prior_delivered, packets(1));
}

#[test]
fn the_application_limits_samples_until_the_gap_has_left_the_pipe() {
    // Two packets in flight when the application runs dry: packets sent before the gap are not marked, packets
    // sent before more than those two are delivered are, later ones are not.
    let mut estimator = RateEstimator::new(Time::ZERO);
    let before: Vec<_> = (0..2).map(|i| estimator.on_sent(at_ms(i), packets(i))).collect();
    estimator.on_app_limited(packets(2));
    let marked = estimator.on_sent(at_ms(50), packets(2));
    for (i, packet) in before.iter().enumerate() {
        estimator.on_delivered(at_ms(100 + i as u64), packet, packets(1));
        assert_eq!(estimator.sample(None).unwrap().demand, Demand::Backlogged);
        assert_eq!(estimator.demand(), Demand::AppLimited);
    }
    estimator.on_delivered(at_ms(150), &marked, packets(1));
    assert_eq!(estimator.sample(None).unwrap().demand, Demand::AppLimited);
    assert_eq!(estimator.demand(), Demand::Backlogged, "three packets delivered: the gap is past");
}

#[test]
fn idle_time_does_not_dilute_the_rate() {
    // 1500 B in 100 ms, ten seconds of silence, 1500 B in 100 ms: the same rate.
    let mut estimator = RateEstimator::new(Time::ZERO);
    for start in [0, 10_100] {
        let packet = estimator.on_sent(at_ms(start), Bytes::ZERO);
        estimator.on_delivered(at_ms(start + 100), &packet, packets(1));
        assert_eq!(estimator.sample(None).unwrap().rate(), Rate::from_bps(120_000));
    }
}
