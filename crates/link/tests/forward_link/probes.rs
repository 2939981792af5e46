//! What the record tells of a DVB-S2 carrier over time.

use bentpipe_link::{Direction, Path};
use bentpipe_link::{Dvbs2Spec, IdleSpec, LinkReport};
use bentpipe_units::{Duration, Time};

use super::rig::*;

fn report_of(carrier: Dvbs2Spec, offers: &[Offer], now: Time) -> LinkReport {
    report(&mut path(&link(carrier, endless()), 1), offers, now)
}

fn report(path: &mut Path<Marked>, offers: &[Offer], now: Time) -> LinkReport {
    for (number, offer) in offers.iter().enumerate() {
        let packet = Marked { number, len: offer.len, dscp: offer.dscp };
        path.enqueue(offer.at, Direction::Forward, packet).unwrap();
    }
    while path.poll(now).is_some() {}
    path.report(now)
}

#[test]
fn frames_are_counted_where_they_start_with_their_fill() {
    let offers = [Offer { at: ms(150), len: 100, dscp: 0 }, Offer { at: ms(350), len: 1_000, dscp: 0 }];
    let acm = &report_of(ccm("QPSK 1/4"), &offers, ms(600)).probes["acm"];
    assert_eq!(acm.column("time_s"), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    assert_eq!(acm.column("frames"), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(acm.column("frames_lost"), [0.0; 6]);
    assert_eq!(acm.column("dummy_frames"), [0.0; 6]);
    // A header of 4 bytes, and 16 008 / 8 - 10 = 1991 bytes of room.
    let fill = acm.column("fill");
    assert_eq!((fill[1], fill[3]), (104.0 / 1_991.0, 1_004.0 / 1_991.0));
    assert!([0, 2, 4, 5].iter().all(|row| fill[*row].is_nan()));
    assert_eq!(acm.column("modcod"), [1.0; 6]);
    assert_eq!(acm.column("threshold_db"), [-2.35; 6]);
    assert_eq!(acm.column("es_n0_db"), [20.0; 6]);
    assert!(acm.column("reported_es_n0_db").iter().all(|db| db.is_nan()));
}

#[test]
fn dummies_are_counted_where_they_start_however_late_the_next_frame_is() {
    let carrier = Dvbs2Spec { idle: IdleSpec::DummyFrames, ..ccm("QPSK 1/4") };
    // 3.33 ms each: 3.33, ..., 99.9 ms are 30, because that of time zero started with the mark; 103.23 to 199.8 ms are 30,
    // and so are 203.13 to 299.7 ms. The frame of 301 ms starts where the last of them ends, at 303.03 ms, and ends at
    // 335.52 ms; from there to 400 ms are 20 more.
    let offers = [Offer { at: ms(301), len: 100, dscp: 0 }];
    let acm = &report_of(carrier.clone(), &offers, ms(400)).probes["acm"];
    assert_eq!(acm.column("dummy_frames"), [30.0, 30.0, 30.0, 20.0]);
    assert_eq!(acm.column("frames"), [0.0, 0.0, 0.0, 1.0]);
    // A report in between changes nothing of it.
    let mut path = path(&link(carrier, endless()), 1);
    let _ = path.report(ms(155));
    let later = report(&mut path, &offers, ms(400));
    assert_eq!(later.probes["acm"].column("dummy_frames"), [30.0, 30.0, 30.0, 20.0]);
}

#[test]
fn delays_say_what_the_time_of_a_packet_is_spent_on() {
    let carrier = Dvbs2Spec { closing_timeout_ns: Duration::from_millis(5), ..ccm("QPSK 1/4") };
    // 5 ms until its frame closes, 32.49 ms of frame, 250 ms.
    let offers = [Offer { at: ms(10), len: 100, dscp: 0 }];
    let delays = &report_of(carrier, &offers, ms(400)).probes["delays"];
    assert_eq!(delays.column("forward_queue_s")[2], 0.005);
    assert_eq!(delays.column("forward_framing_s")[2], 0.032_49);
    assert_eq!(delays.column("forward_propagation_s")[2], 0.25);
    assert!(delays.column("forward_queue_s")[1].is_nan());
    assert!(delays.column("return_queue_s").iter().all(|s| s.is_nan()));
}

#[test]
fn delays_of_a_constant_rate_beside_a_carrier_are_queue_and_transmission() {
    let mut path = path(&link(ccm("QPSK 1/4"), endless()), 1);
    for number in 0..2 {
        let packet = Marked { number, len: 1_250, dscp: 0 };
        path.enqueue(ms(0), Direction::Return, packet).unwrap();
    }
    while path.poll(ms(300)).is_some() {}
    let delays = &path.report(ms(300)).probes["delays"];
    // 10 ms each at 1 Mbit/s: the first waits for nothing, the second for the first.
    assert_eq!(delays.column("return_queue_s")[2], 0.005);
    assert_eq!(delays.column("return_burst_s")[2], 0.01);
    assert_eq!((delays.column("return_request_s")[2], delays.column("return_slot_s")[2]), (0.0, 0.0));
    assert_eq!(delays.column("return_propagation_s")[2], 0.25);
}

#[test]
fn classes_are_gauged_one_by_one() {
    let carrier = Dvbs2Spec { classes: vec![class("voice", EF)], ..ccm("QPSK 1/4") };
    let mut offers = burst(ms(50), 21);
    offers.push(Offer { at: ms(60), len: 100, dscp: EF });
    offers.push(Offer { at: ms(99), len: 100, dscp: EF });
    let classes = &report_of(carrier, &offers, ms(200)).probes["classes"];
    // The first of 21, alone when it came, has a frame of its own. At 82.49 ms the voice of 60 ms goes before the
    // others, in 104 of 1991 bytes: the second packet fits, and a part of the third.
    assert_eq!(classes.column("forward_voice_queue_bytes")[0], 100.0);
    assert_eq!(classes.column("forward_other_queue_bytes")[0], 18.0 * 1_500.0);
    assert_eq!(classes.column("time_s"), [0.1, 0.2]);
}

#[test]
fn without_classes_there_is_no_table_of_them() {
    let report = report_of(ccm("QPSK 1/4"), &[], ms(100));
    assert_eq!(report.probes.keys().collect::<Vec<_>>(), ["acm", "delays"]);
}

#[test]
fn a_mark_starts_all_of_it_afresh() {
    let carrier = Dvbs2Spec { idle: IdleSpec::DummyFrames, ..ccm("QPSK 1/4") };
    let mut path = path(&link(carrier, endless()), 1);
    let _ = report(&mut path, &burst(ms(0), 3), ms(1_000));
    path.mark(ms(1_000));
    let probes = path.report(ms(1_100)).probes;
    assert_eq!(probes["acm"].column("frames"), [0.0]);
    assert_eq!(probes["acm"].column("dummy_frames"), [30.0]);
    assert!(probes["delays"].column("forward_queue_s")[0].is_nan());
}
