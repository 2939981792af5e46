//! What a class of a terminal requests, opportunity by opportunity.

use bentpipe_link::rcs2::dama::{
    Agent, Asked, ControlLoop, Grant, Mix, Request, SlotRate, VolumeKindSpec, VolumeSpec,
};

use super::configs::*;

/// Slots of 100 bytes, a chance to ask in every second superframe, 8 superframes until a request can be answered.
const LOOP: ControlLoop = ControlLoop { period: 2, cycle: 8 };

fn agent(mix: Mix) -> Agent {
    Agent::new(mix, 100, LOOP)
}

#[test]
fn an_idle_terminal_asks_for_nothing() {
    for mix in [cra(5), rbdc(20), vbdc(20)] {
        assert!(agent(mix).ask(0, &mut 0).is_empty());
    }
}

#[test]
fn a_rate_below_the_constant_rate_is_not_asked_for() {
    let mut agent = agent(Mix { rbdc: rbdc(20).rbdc, ..cra(5) });
    // 400 bytes in two superframes and 1600 within eight: 2 + 2 slots a superframe.
    agent.arrived(400);
    assert!(agent.ask(1_600, &mut 40).is_empty());
    // 1000 bytes in two superframes: 5 + 2.
    agent.arrived(1_000);
    assert_eq!(agent.ask(1_600, &mut 40).rate, Some(Request::Rate(SlotRate::slots(2))));
}

#[test]
fn a_volume_that_the_constant_rate_carries_before_an_answer_could_come_is_not_asked_for() {
    let mut agent = agent(vbdc(20));
    let mut coming = 35;
    assert!(agent.ask(3_500, &mut coming).is_empty());
    assert_eq!(coming, 0);
    assert_eq!(agent.ask(3_501, &mut 35).volume, Some(Request::Volume(1)));
}

#[test]
fn a_volume_is_asked_for_once() {
    let mut agent = agent(vbdc(20));
    assert_eq!(agent.ask(950, &mut 0).volume, Some(Request::Volume(10)));
    assert_eq!(agent.ask(950, &mut 0), Asked::default());
    assert_eq!(agent.ask(1_150, &mut 0).volume, Some(Request::Volume(2)));
    agent.granted(&Grant { volume: 12, ..Grant::default() });
    // The 12 slots are there but not used yet: they count as coming.
    assert_eq!(agent.ask(1_150, &mut 12), Asked::default());
}

#[test]
fn an_absolute_volume_is_told_again_until_nothing_is_missing() {
    let mut agent =
        agent(Mix { volume: Some(VolumeSpec { kind: VolumeKindSpec::Avbdc, max_slots: 20 }), ..cra(0) });
    assert_eq!(agent.ask(950, &mut 0).volume, Some(Request::AbsoluteVolume(10)));
    assert_eq!(agent.ask(950, &mut 0).volume, Some(Request::AbsoluteVolume(10)));
    assert_eq!(agent.ask(0, &mut 0).volume, Some(Request::AbsoluteVolume(0)));
    assert_eq!(agent.ask(0, &mut 0), Asked::default());
}

#[test]
fn a_rate_is_kept_up_while_there_is_need_and_released_once() {
    let mut agent = agent(rbdc(20));
    agent.arrived(200);
    assert_eq!(agent.ask(0, &mut 0).rate, Some(Request::Rate(SlotRate::slots(1))));
    agent.arrived(200);
    assert_eq!(agent.ask(0, &mut 0).rate, Some(Request::Rate(SlotRate::slots(1))));
    assert_eq!(agent.ask(0, &mut 0).rate, Some(Request::Rate(SlotRate::ZERO)));
    assert!(agent.ask(0, &mut 0).is_empty());
}

#[test]
fn in_a_mix_a_volume_is_asked_for_what_the_rates_leave() {
    let mut agent = agent(Mix { rbdc: rbdc(3).rbdc, ..vbdc(20) });
    // 60 slots within 8 superframes are 7.5 a superframe; the maximum of 3 carries 24 of them.
    let asked = agent.ask(6_000, &mut 10);
    assert_eq!(asked.rate, Some(Request::Rate(SlotRate::slots(3))));
    assert_eq!(asked.volume, Some(Request::Volume(60 - 10 - 24)));
}
