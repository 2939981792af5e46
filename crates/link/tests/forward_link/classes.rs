//! Classes by DSCP: who goes first, in which frames, and with which queue.

use bentpipe_link::{ClassSpec, Dvbs2Spec, ModulationSpec, QueueSpec};
use bentpipe_units::{Bytes, Duration, Time};

use super::rig::*;

fn with_classes(carrier: Dvbs2Spec, classes: Vec<ClassSpec>) -> Dvbs2Spec {
    Dvbs2Spec { classes, ..carrier }
}

fn voice(at: Time) -> Offer {
    Offer { at, len: 100, dscp: EF }
}

fn arrivals(outcome: &Outcome) -> Vec<usize> {
    outcome.delivered().into_iter().map(|(number, _)| number).collect()
}

#[test]
fn packets_of_a_class_overtake_all_that_wait_in_less_urgent_ones() {
    let carrier = with_classes(ccm("QPSK 1/4"), vec![class("voice", EF), class("video", 34)]);
    let mut offers = burst(Time::ZERO, 5);
    offers.push(Offer { at: ms(1), len: 100, dscp: 34 });
    offers.push(voice(ms(2)));
    let outcome = punctually(&mut path(&link(carrier, endless()), 1), &offers);
    // The first packet, alone when it came, has a frame of its own: then voice, video, and the rest in order.
    assert_eq!(arrivals(&outcome), [0, 6, 5, 1, 2, 3, 4]);
}

#[test]
fn without_classes_code_points_do_not_matter() {
    let mut offers = burst(Time::ZERO, 3);
    offers.push(voice(ms(1)));
    assert_eq!(arrivals(&punctually(&mut path(&link(ccm("QPSK 1/4"), endless()), 1), &offers)), [0, 1, 2, 3]);
}

#[test]
fn a_packet_that_is_partly_sent_is_not_interrupted() {
    let carrier = with_classes(ccm("QPSK 1/4"), vec![class("voice", EF)]);
    let mut offers = burst(Time::ZERO, 3);
    // In the second frame is the second packet and a part of the third.
    offers.push(voice(ms(40)));
    assert_eq!(arrivals(&punctually(&mut path(&link(carrier, endless()), 1), &offers)), [0, 1, 2, 3]);
}

fn vcm() -> Dvbs2Spec {
    let modcods = ["QPSK 1/4", "8PSK 3/5"].map(str::to_owned).to_vec();
    Dvbs2Spec {
        modulation: ModulationSpec::ByClass { modcods },
        ..with_classes(ccm("QPSK 1/4"), vec![class("voice", EF)])
    }
}

#[test]
fn vcm_sends_each_class_in_frames_of_its_own_modcod() {
    // 32 490 symbols of QPSK and 21 690 of 8PSK, at a megasymbol per second.
    for (dscp, frame_us) in [(EF, 32_490), (0, 21_690)] {
        let offers = [Offer { at: ms(1), len: 100, dscp }];
        let outcome = punctually(&mut path(&link(vcm(), endless()), 1), &offers);
        assert_eq!(outcome.delivered(), [(0, ms(1) + Duration::from_micros(frame_us) + DELAY)]);
    }
}

#[test]
fn vcm_sends_the_frames_of_the_more_urgent_class_first() {
    let mut offers = burst(Time::ZERO, 8);
    offers.extend([1, 2, 3].map(|at| voice(ms(at))));
    let outcome = punctually(&mut path(&link(vcm(), endless()), 1), &offers);
    let expected_us = 21_690 + 32_490;
    assert_eq!(arrivals(&outcome)[..4], [0, 8, 9, 10]);
    assert_eq!(outcome.delivered()[1].1, Time::ZERO + Duration::from_micros(expected_us) + DELAY);
}

#[test]
fn each_class_has_a_waiting_room_of_its_own() {
    let carrier = with_classes(ccm("QPSK 1/4"), vec![class("voice", EF)]);
    let mut offers = burst(Time::ZERO, 10);
    offers.push(voice(ms(1)));
    let limit = QueueSpec::Bytes { limit_bytes: Bytes::new(3_000) };
    let outcome = punctually(&mut path(&link(carrier, limit), 1), &offers);
    // One is on air and two wait; the queue of the others is full, that of voice is not.
    assert_eq!(outcome.refused, [3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(arrivals(&outcome), [0, 10, 1, 2]);
}
