//! Specs of which no carrier can be made.

use bentpipe_link::{
    AcmSpec, CapacitySpec, ClassSpec, Dvbs2EncapsulationSpec, Dvbs2Spec, FecFrameSpec, LinkSpec,
    ModulationSpec, QueueSpec,
};
use bentpipe_link::{check, describe};
use bentpipe_units::{Bytes, Duration, Switch, Time};

use super::rig::*;

fn refusal(change: impl FnOnce(&mut Dvbs2Spec)) -> String {
    let mut carrier = acm(&[(0, 0.0)]);
    change(&mut carrier);
    check(&link(carrier, endless())).unwrap_err().to_string()
}

fn set_loop(carrier: &mut Dvbs2Spec, change: impl FnOnce(&mut AcmSpec)) {
    let ModulationSpec::Adaptive(acm) = &mut carrier.modulation else { panic!("it is adaptive") };
    change(acm);
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_what_was_expected_there() {
    let constant = |name: &str| ModulationSpec::Constant { modcod: name.to_owned() };
    let cases = [
        (refusal(|c| c.symbols_per_s = 0), "symbols_per_s: expected 1 to 10000000000, found 0"),
        (
            refusal(|c| c.encapsulation = Dvbs2EncapsulationSpec::Gse { label_bytes: 4 }),
            "encapsulation.label_bytes: expected 0, 3 or 6, found 4",
        ),
        (
            refusal(|c| c.modulation = constant("8PSK 7/8")),
            "modulation.modcod: expected a MODCOD such as \"8PSK 3/4\", found \"8PSK 7/8\"",
        ),
        (
            refusal(|c| (c.modulation, c.fecframe) = (constant("QPSK 9/10"), FecFrameSpec::Short)),
            "modulation.modcod: expected a code rate that short frames have, found \"QPSK 9/10\"",
        ),
        (
            refusal(|c| c.modulation = ModulationSpec::ByClass { modcods: Vec::new() }),
            "modulation.modcods: expected 1: one for each class, then one for all other packets, found 0",
        ),
        (
            refusal(|c| set_loop(c, |acm| acm.report_period_ns = Duration::from_nanos(1))),
            "modulation.report_period_ns: expected 1000000 ns at least, found 1",
        ),
        (
            refusal(|c| set_loop(c, |acm| acm.hysteresis_db = -0.1)),
            "modulation.hysteresis_db: expected 0 or more, found -0.1",
        ),
        (
            refusal(|c| set_loop(c, |acm| acm.margin_db = f64::NAN)),
            "modulation.margin_db: expected a number, found NaN",
        ),
        (
            refusal(|c| c.es_n0 = faded(&[(2, 0.0), (1, 0.0)])),
            "es_n0.down.attenuation.points[1].at_ns: expected 2000000 ns or later, found 1000000",
        ),
        (
            refusal(|c| c.es_n0.up.attenuation.period_ns = Some(Duration::ZERO)),
            "es_n0.up.attenuation.period_ns: expected 1 ns at least, found 0",
        ),
        (
            refusal(|c| c.es_n0.down.clear_sky_db = f64::INFINITY),
            "es_n0.down.clear_sky_db: expected a number, found inf",
        ),
        (
            refusal(|c| c.classes = vec![class("other", EF)]),
            "classes[0].name: expected a name of its own, and not \"other\", found other",
        ),
        (
            refusal(|c| c.classes = vec![class("voice", EF), class("video", EF)]),
            "classes[1].dscp: expected each code point in one class, found 46",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, format!("forward.capacity.{expected}"));
    }
}

#[test]
fn an_mtu_is_refused_that_the_encapsulation_does_not_take() {
    let with_mtu = |mtu| LinkSpec { mtu_bytes: Bytes::new(mtu), ..link(ccm("QPSK 1/4"), endless()) };
    // 16 bits of Total Length less 2 bytes of Protocol Type (TS 102 606-1, clause 4.2.1).
    assert_eq!(check(&with_mtu(65_533)), Ok(()));
    let error = check(&with_mtu(65_534)).unwrap_err();
    assert_eq!(error.field, "mtu_bytes");
}

#[test]
fn a_waiting_room_without_room_for_a_packet_of_the_mtu_is_refused() {
    let codel = |limit| QueueSpec::Codel {
        limit_bytes: Bytes::new(limit),
        target_ns: Duration::from_millis(5),
        interval_ns: Duration::from_millis(100),
        ecn: Switch::Off,
    };
    let early = |limit| QueueSpec::RandomEarlyDrop {
        limit_bytes: Bytes::new(limit),
        start_bytes: Bytes::ZERO,
        p: 0.1,
    };
    let bytes = |limit| QueueSpec::Bytes { limit_bytes: Bytes::new(limit) };
    let no_packet = QueueSpec::Packets { limit_packets: 0 };
    for (queue, field) in [
        (bytes(1_499), Some("limit_bytes")),
        (codel(1_499), Some("limit_bytes")),
        (early(1_499), Some("limit_bytes")),
        (no_packet, Some("limit_packets")),
        (bytes(1_500), None),
        (codel(1_500), None),
        (early(1_500), None),
        (QueueSpec::Packets { limit_packets: 1 }, None),
        (QueueSpec::Time { limit_ns: Duration::ZERO }, None),
    ] {
        let place = |outer: &str| field.map(|field| format!("{outer}.{field}"));
        let found = check(&link(ccm("QPSK 1/4"), queue.clone())).err().map(|error| error.field);
        assert_eq!(found, place("forward.queue"));
        let classes = vec![ClassSpec { queue, ..class("voice", EF) }];
        let found = check(&link(Dvbs2Spec { classes, ..ccm("QPSK 1/4") }, endless())).err();
        assert_eq!(found.map(|error| error.field), place("forward.capacity.classes[0].queue"));
    }
}

#[test]
fn a_queue_limit_in_time_of_nothing_lets_through_what_finds_the_carrier_idle() {
    let queue = QueueSpec::Time { limit_ns: Duration::ZERO };
    let offers = [burst(Time::ZERO, 2), burst(ms(100), 1)].concat();
    let outcome = punctually(&mut path(&link(ccm("QPSK 1/4"), queue), 1), &offers);
    // The second finds the first in front of it.
    assert_eq!(outcome.refused, [1]);
}

#[test]
fn the_carrier_goes_forward() {
    let mut spec = link(ccm("QPSK 1/4"), endless());
    spec.return_.capacity = CapacitySpec::Dvbs2(Box::new(ccm("QPSK 1/4")));
    assert_eq!(
        check(&spec).unwrap_err().to_string(),
        "return.capacity: expected constant or rcs2, found dvbs2"
    );
}

#[test]
fn steps_of_a_scheduler_are_a_microsecond_apart_at_least() {
    let steps = |ns| Dvbs2Spec { scheduling_period_ns: Some(Duration::from_nanos(ns)), ..ccm("QPSK 1/4") };
    assert_eq!(check(&link(steps(1_000), endless())), Ok(()));
    assert_eq!(
        check(&link(steps(999), endless())).unwrap_err().to_string(),
        "forward.capacity.scheduling_period_ns: expected 1000 at least, found 999"
    );
}

#[test]
fn a_packet_waits_for_its_frame_to_close_and_three_frames_at_most() {
    // The longest, QPSK with pilots, has 33 282 symbols (EN 302 307-1, clause 5.5): the one in progress, that of the
    // packet, and the next where it is cut.
    let closing_timeout_ns = Duration::from_millis(7);
    let carrier = Dvbs2Spec { symbols_per_s: 33_282_000, closing_timeout_ns, ..ccm("QPSK 1/4") };
    let described = describe(&link(carrier, endless())).unwrap();
    assert_eq!(described.forward.longest_wait_ns, Duration::from_millis(7 + 3));
}
