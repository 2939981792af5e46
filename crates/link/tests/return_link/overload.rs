//! Twenty terminals that ask for more than there is, through a whole path.

use bentpipe_link::Direction;
use bentpipe_link::{
    BackgroundSpec, LayoutSpec, LinkReport, MixSpec, Rcs2Spec, SignallingSpec, SlotRateSpec,
};
use bentpipe_units::{Duration, Time};

use super::specs::*;
use crate::common::*;

const TERMINALS: u64 = 20;

/// CRA of `sevenths`/7 slots, RBDC of up to 7/2, VBDC.
fn mix(sevenths: u64) -> MixSpec {
    let half = SlotRateSpec { slots: 7, superframes: 2 };
    let mut rate = rbdc(1).rbdc;
    if let Some(rbdc) = &mut rate {
        rbdc.max = half;
    }
    MixSpec { cra: SlotRateSpec { slots: sevenths, superframes: 7 }, rbdc: rate, ..vbdc(SLOTS) }
}

/// Terminal i of 20 has a constant rate of i/7 slots; the first is the one whose packets are looked at.
fn crowd(own: u64, load_bps: u64) -> Rcs2Spec {
    let others = (0..TERMINALS).filter(|i| *i != own);
    let background = others.map(|i| neighbour(mix(i), load_bps)).collect();
    let base = alone(mix(own));
    Rcs2Spec {
        layout: LayoutSpec { request_slots: 5, ..base.layout },
        signalling: SignallingSpec::RequestSlot { period: 2 },
        background,
        ..base
    }
}

/// A packet every `gap_us` for `seconds`, counted from 30 s on.
fn run(spec: Rcs2Spec, seconds: u64, gap_us: u64, len: u32) -> LinkReport {
    let mut path = path(&geo(spec), 1);
    let end = Time::ZERO + Duration::from_secs(seconds);
    let mut now = Time::ZERO;
    let mut marked = false;
    for number in 0.. {
        if !marked && now >= ms(30_000) {
            marked = true;
            path.mark(now);
        }
        let _ = path.enqueue(now, Direction::Return, Numbered { number, len });
        while path.poll(now).is_some() {}
        now += Duration::from_micros(gap_us);
        if now > end {
            break;
        }
    }
    path.report(end)
}

fn mean(report: &LinkReport, column: &str) -> f64 {
    let values = report.probes["dama"].column(column);
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn under_overload_nothing_exceeds_capacity_and_every_share_is_exact() {
    let constant = (0..TERMINALS).map(|i| i as f64 / 7.0).sum::<f64>();
    // 3.5 slots for each are asked: 70 besides 27.14 of constant rates, of 40.
    let scaled = 3.5 * (f64::from(SLOTS) - constant) / (3.5 * TERMINALS as f64);
    for own in [1, 8, 19] {
        // 1400 bytes are 16 slots: each terminal offers 15 a superframe and more, and can have less than 4.
        let report = run(crowd(own, 500_000), 430, 20_000, 1400);
        let dama = &report.probes["dama"];
        let superframes = dama.len() as f64;
        assert!(superframes > 14_000.0);
        let capacity = dama.column("capacity_slots");
        assert!(dama.column("allocated_slots").iter().zip(capacity).all(|(given, there)| given <= there));
        let allocated = mean(&report, "allocated_slots");
        assert!(allocated > 0.999 * f64::from(SLOTS), "nothing is left over: {allocated}");
        // A slot more or less at either end besides.
        let close =
            |value: f64, expected: f64| (value - expected).abs() <= 1e-3 * expected + 1.0 / superframes;
        let (cra, rate) = (mean(&report, "granted_cra_slots"), mean(&report, "granted_rbdc_slots"));
        assert!(close(cra, own as f64 / 7.0), "CRA of {own}: {cra}");
        assert!(close(rate, scaled), "RBDC of {own}: {rate}, {scaled}");
        let volume = mean(&report, "granted_volume_slots");
        assert!(volume < 1e-2, "rates take all: {volume}");
    }
}

#[test]
fn a_terminal_that_needs_less_than_its_constant_rate_asks_for_nothing_whatever_others_do() {
    // 19/7 slots per superframe; a packet of one slot every 30 ms is 0.76.
    let report = run(crowd(19, 500_000), 200, 30_000, 60);
    for column in
        ["requested_rate_slots", "requested_volume_slots", "granted_rbdc_slots", "granted_volume_slots"]
    {
        assert!(report.probes["dama"].column(column).iter().all(|value| *value == 0.0), "{column}");
    }
    assert!(mean(&report, "used_slots") > 0.7);
}

#[test]
fn an_idle_terminal_keeps_its_constant_rate_only() {
    let mut path = path::<Numbered>(&geo(crowd(7, 500_000)), 1);
    let report = path.report(ms(100_000));
    let dama = &report.probes["dama"];
    assert!(dama.column("granted_cra_slots").iter().all(|slots| *slots == 1.0));
    for column in ["granted_rbdc_slots", "granted_volume_slots", "used_slots", "backlog_bytes"] {
        assert!(dama.column(column).iter().all(|value| *value == 0.0), "{column}");
    }
}

#[test]
fn where_there_is_room_the_volume_granted_is_the_volume_asked_for() {
    let light = |spec: BackgroundSpec| BackgroundSpec { mix: vbdc(SLOTS), ..spec };
    let spec = crowd(0, 2_000);
    let spec = Rcs2Spec {
        mix: vbdc(SLOTS),
        background: spec.background.iter().cloned().map(light).collect(),
        ..spec
    };
    let mut path = path(&geo(spec), 1);
    let offers: Vec<_> = (0..100).map(|i| offer(ms(1_000 + 997 * i), 1400)).collect();
    punctually(&mut path, &offers);
    let report = path.report(ms(200_000));
    let sum = |column: &str| report.probes["dama"].column(column).iter().sum::<f64>();
    // Each packet alone is ceil(1403 / 91) = 16 slots.
    assert_eq!(sum("requested_volume_slots"), 1_600.0);
    assert_eq!(sum("granted_volume_slots"), 1_600.0);
}
