//! What the NCC grants: constant rates, requested rates and volumes, and what is left.

use bentpipe_link::rcs2::Waveform;
use bentpipe_link::rcs2::dama::{
    AccountConfig, ConfigError, Controller, Grant, Mix, Request, SlotRate, Supply, VolumeKindSpec,
    VolumeOrderSpec, VolumeSpec,
};
use proptest::prelude::*;

use super::configs::*;

const SUPPLY: Supply = Supply { slots: 100, per_terminal: 100 };

fn controller(order: VolumeOrderSpec, mixes: &[Mix]) -> Controller {
    let accounts: Vec<_> =
        mixes.iter().enumerate().map(|(terminal, mix)| AccountConfig { terminal, mix: *mix }).collect();
    Controller::new(SUPPLY, order, &accounts).expect("rates that fit")
}

fn oldest(mixes: &[Mix]) -> Controller {
    controller(VolumeOrderSpec::OldestFirst, mixes)
}

fn totals(grants: &[Grant]) -> Vec<u32> {
    grants.iter().map(Grant::total).collect()
}

#[test]
fn a_constant_rate_is_given_without_being_asked_for() {
    let mut controller = oldest(&[cra(18), cra(0)]);
    for _ in 0..3 {
        assert_eq!(controller.plan(), [Grant { cra: 18, ..Grant::default() }, Grant::default()]);
    }
}

#[test]
fn a_constant_rate_in_bits_per_second_is_exact_in_the_long_run() {
    let waveform = Waveform::by_id(6).unwrap();
    let layout = layout();
    // 100 003 bit/s of 96-byte slots in superframes of 43 200 symbols at 1 Msym/s: 5.6251... slots each.
    let (bits, seconds) = (u128::from(waveform.payload().bits()), u128::from(layout.symbols()));
    let rate = SlotRate::fraction(100_003 * seconds, bits * 1_000_000);
    let mut controller = oldest(&[Mix::constant(rate)]);
    let superframes = 1_000_000u128;
    let given: u128 = (0..superframes).map(|_| u128::from(controller.plan()[0].cra)).sum();
    let exact = 100_003 * superframes * u128::from(layout.symbols()) / (96 * 8 * 1_000_000);
    // One unit of 2^-32 slot may be under way.
    assert!(given == exact || given + 1 == exact, "{given} of {exact}");
}

#[test]
fn a_requested_rate_is_given_from_the_next_plan_until_its_timeout() {
    let mut controller = oldest(&[rbdc(40)]);
    assert_eq!(totals(controller.plan()), [0]);
    controller.request(0, Request::Rate(SlotRate::slots(30)));
    let given: Vec<u32> = (0..20).map(|_| controller.plan()[0].rbdc).collect();
    assert_eq!(given, [[30; 16].as_slice(), &[0; 4]].concat(), "the timeout is 16 superframes");
}

#[test]
fn a_rate_request_replaces_the_last_and_is_capped_by_the_maximum() {
    let mut controller = oldest(&[rbdc(40)]);
    for (asked, given) in [(30, 30), (50, 40), (10, 10), (0, 0)] {
        controller.request(0, Request::Rate(SlotRate::slots(asked)));
        assert_eq!(controller.plan()[0].rbdc, given);
    }
}

#[test]
fn rates_are_scaled_down_however_many_ask_for_however_much() {
    // 5000 rates of 2^20 slots, which in parts of 2^-32 slot are more than 64 bits hold.
    let supply = Supply { slots: 1 << 20, per_terminal: 1 << 20 };
    let account = |terminal| AccountConfig { terminal, mix: rbdc(1 << 20) };
    let accounts: Vec<_> = (0..5_000).map(account).collect();
    let mut controller =
        Controller::new(supply, VolumeOrderSpec::OldestFirst, &accounts).expect("rates that fit");
    for account in 0..5_000 {
        controller.request(account, Request::Rate(SlotRate::slots(1 << 20)));
    }
    // 2^20 / 5000 = 209.7152 each.
    assert!(controller.plan().iter().all(|grant| grant.rbdc == 209));
}

#[test]
fn fractions_of_a_requested_rate_are_carried() {
    let mut controller = oldest(&[rbdc(40)]);
    let given: u32 = (0..300)
        .map(|_| {
            controller.request(0, Request::Rate(SlotRate::fraction(7, 3)));
            controller.plan()[0].rbdc
        })
        .sum();
    assert!((699..=700).contains(&given), "{given} of 300 x 7/3 slots");
}

#[test]
fn volume_requests_add_up() {
    let mut controller = oldest(&[vbdc(20)]);
    controller.request(0, Request::Volume(30));
    controller.request(0, Request::Volume(15));
    let given: Vec<u32> = (0..4).map(|_| controller.plan()[0].volume).collect();
    assert_eq!(given, [20, 20, 5, 0], "at most 20 a superframe");
}

#[test]
fn an_absolute_volume_replaces_what_is_outstanding() {
    let volume = VolumeSpec { kind: VolumeKindSpec::Avbdc, max_slots: 20 };
    let mut controller = oldest(&[Mix { volume: Some(volume), ..cra(0) }]);
    controller.request(0, Request::AbsoluteVolume(30));
    controller.request(0, Request::AbsoluteVolume(15));
    assert_eq!(controller.plan()[0].volume, 15);
    controller.request(0, Request::AbsoluteVolume(50));
    assert_eq!(controller.plan()[0].volume, 20);
    controller.request(0, Request::AbsoluteVolume(1));
    assert_eq!(controller.plan()[0].volume, 1);
    assert_eq!(controller.plan()[0].volume, 0);
}

#[test]
fn what_a_mix_does_not_allow_is_not_given() {
    let mut controller = oldest(&[cra(5), vbdc(100)]);
    controller.request(0, Request::Rate(SlotRate::slots(10)));
    controller.request(0, Request::Volume(10));
    controller.request(1, Request::AbsoluteVolume(10));
    assert_eq!(totals(controller.plan()), [5, 0]);
}

#[test]
fn constant_rates_come_before_requested_rates_before_volumes_before_left_overs() {
    let free = Mix { free: true, ..cra(0) };
    let mut controller = oldest(&[free, vbdc(100), rbdc(100), cra(40)]);
    let step = |controller: &mut Controller, rate, volume| {
        controller.request(2, Request::Rate(SlotRate::slots(rate)));
        controller.request(1, Request::Volume(volume));
        totals(controller.plan())
    };
    assert_eq!(step(&mut controller, 100, 50), [0, 0, 60, 40]);
    assert_eq!(step(&mut controller, 30, 0), [0, 30, 30, 40]);
    assert_eq!(step(&mut controller, 30, 0), [10, 20, 30, 40]);
    assert_eq!(step(&mut controller, 0, 0), [60, 0, 0, 40]);
}

#[test]
fn requested_rates_are_scaled_down_in_proportion() {
    let mut controller = oldest(&[rbdc(60), rbdc(100), cra(20)]);
    controller.request(0, Request::Rate(SlotRate::slots(60)));
    controller.request(1, Request::Rate(SlotRate::slots(100)));
    // 80 slots for 160: one half of each.
    assert_eq!(totals(controller.plan()), [30, 50, 20]);
}

#[test]
fn the_oldest_volume_is_served_first_or_the_largest() {
    for (order, expected) in
        [(VolumeOrderSpec::OldestFirst, [10, 90]), (VolumeOrderSpec::LargestFirst, [0, 100])]
    {
        let mut controller = controller(order, &[vbdc(100), vbdc(100), cra(100)]);
        // The constant rate leaves no room for the first request, which so grows old.
        controller.request(0, Request::Volume(10));
        assert_eq!(totals(controller.plan()), [0, 0, 100]);
        let mut free = self::controller(order, &[vbdc(100), vbdc(100)]);
        free.request(0, Request::Volume(110));
        free.plan();
        free.request(1, Request::Volume(200));
        assert_eq!(totals(free.plan()), expected);
    }
}

#[test]
fn left_overs_are_shared_equally_and_the_odd_slot_goes_round() {
    let free = Mix { free: true, ..cra(0) };
    let mut controller = oldest(&[free, free, cra(0), free]);
    let mut sums = [0; 4];
    for _ in 0..3 {
        for (sum, given) in sums.iter_mut().zip(totals(controller.plan())) {
            *sum += given;
        }
    }
    assert_eq!(sums, [100, 100, 0, 100]);
}

#[test]
fn an_idle_terminal_keeps_its_constant_rate_only() {
    let mut controller = oldest(&[Mix { rbdc: rbdc(10).rbdc, ..cra(7) }, vbdc(100), rbdc(100)]);
    controller.request(1, Request::Volume(1_000));
    controller.request(2, Request::Rate(SlotRate::slots(60)));
    for _ in 0..10 {
        let grants = controller.plan();
        assert_eq!(grants[0], Grant { cra: 7, ..Grant::default() });
        assert_eq!(totals(grants), [7, 33, 60]);
    }
}

#[test]
fn more_constant_rate_than_there_is_cannot_be_booked() {
    let accounts = |slots: &[u32]| -> Vec<_> {
        let account = |(terminal, slots): (usize, &u32)| AccountConfig { terminal, mix: cra(*slots) };
        slots.iter().enumerate().map(account).collect()
    };
    let new = |accounts: &[AccountConfig], per_terminal| {
        Controller::new(Supply { slots: 100, per_terminal }, VolumeOrderSpec::OldestFirst, accounts).err()
    };
    assert_eq!(new(&accounts(&[50, 50]), 50), None);
    assert_eq!(new(&accounts(&[50, 51]), 100), Some(ConfigError::Overbooked));
    assert_eq!(new(&accounts(&[51, 0]), 50), Some(ConfigError::Overbooked), "one carrier has 50 slots");
}

#[derive(Clone, Debug)]
enum Act {
    Rate(usize, u32),
    Volume(usize, u64),
    Level(usize, u64),
    Plan,
}

fn any_act(accounts: usize) -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => (0..accounts, 0..120u32).prop_map(|(i, slots)| Act::Rate(i, slots)),
        2 => (0..accounts, 0..300u64).prop_map(|(i, slots)| Act::Volume(i, slots)),
        1 => (0..accounts, 0..300u64).prop_map(|(i, slots)| Act::Level(i, slots)),
        3 => Just(Act::Plan),
    ]
}

fn any_mix() -> impl Strategy<Value = Mix> {
    (0..10u128, prop::option::of(0..40u32), prop::option::of((any::<bool>(), 0..120u32)), any::<bool>())
        .prop_map(|(cra, rate, volume, free)| Mix {
            cra: SlotRate::fraction(cra, 7),
            rbdc: rate.and_then(|max| rbdc(max).rbdc),
            volume: volume.map(|(added, max_slots)| {
                let kind = if added { VolumeKindSpec::Vbdc } else { VolumeKindSpec::Avbdc };
                VolumeSpec { kind, max_slots }
            }),
            free,
        })
}

proptest! {
    #[test]
    fn no_plan_gives_more_than_there_is_or_than_a_terminal_can_use_or_may_have(
        mixes in prop::collection::vec(any_mix(), 1..12), acts in prop::collection::vec(any_act(12), 0..200),
        largest: bool, terminals in 1..12usize, per_terminal in 50..100u32,
    ) {
        let order = if largest { VolumeOrderSpec::LargestFirst } else { VolumeOrderSpec::OldestFirst };
        let accounts: Vec<_> = (mixes.iter().enumerate())
            .map(|(i, mix)| AccountConfig { terminal: i % terminals, mix: *mix })
            .collect();
        let Ok(mut controller) = Controller::new(Supply { slots: 100, per_terminal }, order, &accounts) else {
            return Ok(());
        };
        for act in acts {
            match act {
                Act::Rate(i, slots) if i < mixes.len() => {
                    controller.request(i, Request::Rate(SlotRate::slots(slots)));
                }
                Act::Volume(i, slots) if i < mixes.len() => controller.request(i, Request::Volume(slots)),
                Act::Level(i, slots) if i < mixes.len() => controller.request(i, Request::AbsoluteVolume(slots)),
                _ => {
                    let grants = controller.plan();
                    prop_assert!(totals(grants).iter().sum::<u32>() <= 100);
                    for terminal in 0..terminals {
                        let own = grants.iter().skip(terminal).step_by(terminals);
                        prop_assert!(own.map(Grant::total).sum::<u32>() <= per_terminal);
                    }
                    for (grant, mix) in grants.iter().zip(&mixes) {
                        prop_assert!(grant.volume <= mix.volume.map_or(0, |volume| volume.max_slots));
                        prop_assert!(grant.free == 0 || mix.free);
                        prop_assert!(grant.rbdc == 0 || mix.rbdc.is_some());
                    }
                }
            }
        }
    }

    #[test]
    fn given_volume_is_requested_volume_once_there_is_room(
        requests in prop::collection::vec((0..5usize, 0..60u64), 0..100), largest: bool,
    ) {
        let order = if largest { VolumeOrderSpec::LargestFirst } else { VolumeOrderSpec::OldestFirst };
        let mut controller = controller(order, &[vbdc(100); 5]);
        let (mut asked, mut given) = ([0u64; 5], [0u64; 5]);
        let mut plan = |controller: &mut Controller| {
            for (given, grant) in given.iter_mut().zip(controller.plan()) {
                *given += u64::from(grant.volume);
            }
        };
        for (account, slots) in requests {
            controller.request(account, Request::Volume(slots));
            asked[account] += slots;
            plan(&mut controller);
        }
        (0..70).for_each(|_| plan(&mut controller));
        prop_assert_eq!(asked, given);
    }
}
