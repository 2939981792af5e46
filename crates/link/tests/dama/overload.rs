//! More requests than timeslots: who gets how much.

use bentpipe_link::rcs2::dama::{
    AccountConfig, Controller, Mix, RateCapacity, Request, SlotRate, Supply, VolumeOrderSpec,
};

use super::configs::*;

const SUPERFRAMES: u64 = 1_000_000;
const SLOTS: u32 = 228;

/// Terminal i of 20: CRA of i/7 slots, RBDC of up to 25, VBDC.
fn mix(i: u32) -> Mix {
    Mix {
        cra: SlotRate::fraction(u128::from(i), 7),
        rbdc: Some(RateCapacity { max: SlotRate::slots(25), timeout: 16 }),
        ..vbdc(SLOTS)
    }
}

/// What terminal i asks: from 3.3 to 21 slots a superframe, 243.6 in all, besides its constant rate.
fn rate(i: u32) -> SlotRate {
    SlotRate::fraction(u128::from(4 + i), 1).plus(SlotRate::fraction(1, 3)).saturating_sub(SlotRate::slots(1))
}

fn controller() -> Controller {
    let accounts: Vec<_> = (0..20).map(|i| AccountConfig { terminal: i as usize, mix: mix(i) }).collect();
    let supply = Supply { slots: SLOTS, per_terminal: SLOTS };
    Controller::new(supply, VolumeOrderSpec::OldestFirst, &accounts).expect("rates that fit")
}

#[test]
fn under_overload_by_20_terminals_rates_share_what_constant_rates_leave_and_nothing_exceeds_capacity() {
    let mut controller = controller();
    let mut given = [[0u64; 3]; 20];
    for superframe in 0..SUPERFRAMES {
        if superframe % 8 == 0 {
            for i in 0..20 {
                controller.request(i as usize, Request::Rate(rate(i)));
                controller.request(i as usize, Request::Volume(3));
            }
        }
        let grants = controller.plan();
        let total: u32 = grants.iter().map(|grant| grant.total()).sum();
        assert!(total <= SLOTS, "superframe {superframe}");
        for (given, grant) in given.iter_mut().zip(grants) {
            given[0] += u64::from(grant.cra);
            given[1] += u64::from(grant.rbdc);
            given[2] += u64::from(grant.volume);
        }
    }
    let wanted: f64 = (0..20).map(|i| rate(i).as_f64()).sum();
    let constant: f64 = (0..20).map(|i| mix(i).cra.as_f64()).sum();
    assert!(wanted + constant > f64::from(SLOTS), "an overload");
    for (i, given) in (0..20).zip(given) {
        let shares = given.map(|slots| slots as f64 / SUPERFRAMES as f64);
        let scaled = rate(i).as_f64() * (f64::from(SLOTS) - constant) / wanted;
        assert!(
            (shares[0] - mix(i).cra.as_f64()).abs() <= 1e-3 * mix(i).cra.as_f64(),
            "CRA of {i}: {shares:?}"
        );
        assert!((shares[1] - scaled).abs() <= 1e-3 * scaled, "RBDC of {i}: {shares:?}, {scaled}");
        // Rounding down leaves a slot now and then; all others are taken by rates.
        assert!(shares[2] < 1e-3, "VBDC of {i}: {shares:?}");
    }
}

#[test]
fn under_overload_by_volumes_each_terminal_has_what_it_asks_in_proportion() {
    let mut controller = controller();
    let mut given = [0u64; 20];
    for _ in 0..SUPERFRAMES / 10 {
        for i in 0..20u32 {
            controller.request(i as usize, Request::Volume(u64::from(10 + i)));
        }
        for (given, grant) in given.iter_mut().zip(controller.plan()) {
            *given += u64::from(grant.volume);
        }
    }
    // 390 slots are asked in each superframe; 228 less the constant 190/7 are there.
    let served = (f64::from(SLOTS) - 190.0 / 7.0) / 390.0 * (SUPERFRAMES / 10) as f64;
    for (i, given) in (0..20u32).zip(given) {
        let expected = f64::from(10 + i) * served;
        assert!((given as f64 - expected).abs() <= 1e-3 * expected, "{i}: {given}, {expected}");
    }
}
