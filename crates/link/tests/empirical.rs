//! Delays of a distribution given by its quantiles.

use crate::common::*;
use bentpipe_link::{Direction, Path};
use bentpipe_link::{DirectionSpec, JitterSpec, QuantileSpec};
use bentpipe_units::{Duration, Time};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
const DELAY: Duration = Duration::from_millis(300);
const HOLD: u64 = 200;
/// Strata that are drawn before any is drawn again.
const DECK: usize = 100_000;
/// A body, a jump and a tail; ms.
const QUANTILES: [(f64, i64); 5] = [(0.0, -33), (0.5, 0), (0.9, 20), (0.9, 40), (1.0, 90)];

fn jitter(points: &[(f64, i64)], hold_ms: u64) -> JitterSpec {
    let quantiles = points.iter().map(|(p, ms)| QuantileSpec { p: *p, offset_ns: ms * 1_000_000 }).collect();
    JitterSpec::Empirical { quantiles, hold_ns: Duration::from_millis(hold_ms) }
}

/// F^-1(p) of `QUANTILES` in ms, the lower end of the jump at the jump.
fn quantile(p: f64) -> f64 {
    match p {
        p if p <= 0.5 => -33.0 + 66.0 * p,
        p if p <= 0.9 => 50.0 * (p - 0.5),
        p => 40.0 + 500.0 * (p - 0.9),
    }
}

/// F(x) of `QUANTILES`, x in ms.
fn probability(x: f64) -> f64 {
    match x {
        x if x <= 0.0 => (x + 33.0) / 66.0,
        x if x <= 20.0 => 0.5 + x / 50.0,
        x if x <= 40.0 => 0.9,
        x => 0.9 + (x - 40.0) / 500.0,
    }
}

/// Delays in ns of packets sent every `gap_ms`, less the constant delay and the microsecond of transmission.
fn offsets(jitter: JitterSpec, delay: Duration, packets: usize, gap_ms: u64, seed: u64) -> Vec<i64> {
    let spec = symmetric(DirectionSpec { jitter, ..pipe(1_000_000_000, delay) });
    let offers = forward_offers((0..packets as u64).map(|i| i * gap_ms * MS), 125);
    let outcome = punctually(&mut Path::new(&spec, seed, Time::ZERO), &offers);
    let constant = delay.as_nanos() as i64 + 1_000;
    let delay = |(number, due): (usize, Time)| due.since(offers[number].at).as_nanos() as i64 - constant;
    deliveries(&outcome, Direction::Forward).into_iter().map(delay).collect()
}

#[test]
fn a_whole_deck_has_each_hundred_thousandth_of_the_distribution_once() {
    let mut found = offsets(jitter(&QUANTILES, HOLD), DELAY, DECK, HOLD, 1);
    found.sort_unstable();
    for (i, offset) in found.into_iter().enumerate() {
        let ends = [i, i + 1].map(|i| quantile(i as f64 / DECK as f64) * 1e6);
        // At the jump the stratum starts behind it.
        let low = if i == 90_000 { 40e6 } else { ends[0] };
        assert!(low - 1.0 <= offset as f64 && offset as f64 <= ends[1] + 1.0, "{i}: {offset} ns, {ends:?}");
    }
}

#[test]
fn the_first_values_follow_the_distribution_as_well() {
    // Kolmogorov and Smirnov: above 1.63/sqrt(n) in one of a hundred samples drawn independently.
    let n = 5_000;
    for seed in 0..5 {
        let mut found = offsets(jitter(&QUANTILES, HOLD), DELAY, n, HOLD, seed);
        found.sort_unstable();
        let at = |i: usize| probability(found[i] as f64 / 1e6);
        let distance =
            |i: usize| (at(i) - i as f64 / n as f64).abs().max((at(i) - (i + 1) as f64 / n as f64).abs());
        let largest = (0..n).map(distance).fold(0.0, f64::max);
        assert!(largest < 1.63 / (n as f64).sqrt(), "seed {seed}: {largest}");
    }
}

#[test]
fn a_value_says_nothing_about_the_next_one() {
    let ranks: Vec<f64> = offsets(jitter(&QUANTILES, HOLD), DELAY, DECK, HOLD, 2)
        .into_iter()
        .map(|ns| probability(ns as f64 / 1e6) - 0.5)
        .collect();
    for lag in 1..=5 {
        // Uniform ranks have a variance of 1/12; an independent series a correlation of 0 +- 1/sqrt(n).
        let products: f64 = ranks.iter().zip(&ranks[lag..]).map(|(a, b)| a * b).sum();
        let correlation = products * 12.0 / DECK as f64;
        assert!(correlation.abs() < 5.0 / (DECK as f64).sqrt(), "lag {lag}: {correlation}");
    }
}

#[test]
fn a_value_holds_for_its_time_and_changes_then() {
    let found = offsets(jitter(&[(0.0, 0), (1.0, 5)], HOLD), DELAY, 2_000, 10, 3);
    let holds: Vec<&[i64]> = found.chunks(20).collect();
    // A packet that would overtake waits for the one before it: only the first 5 ms of a hold may differ.
    assert!(holds.iter().all(|hold| hold[1..].iter().all(|offset| *offset == hold[1])));
    assert!(holds.windows(2).all(|pair| pair[0][1] != pair[1][1]));
}

#[test]
fn a_packet_behind_a_slower_one_is_released_with_it() {
    // Half of the values are 0, half are 600 ms: what comes 200, 400 or 600 ms later has caught up by then.
    let found = offsets(jitter(&[(0.0, 0), (0.5, 0), (0.5, 600), (1.0, 600)], HOLD), DELAY, 1_000, HOLD, 4);
    let possible = [0, 200, 400, 600].map(|ms| ms * 1_000_000);
    assert!(found.iter().all(|offset| possible.contains(offset)));
    for pair in found.windows(2) {
        assert!(pair[1] >= pair[0] - 200_000_000, "{pair:?} would be out of order");
    }
}

#[test]
fn an_offset_below_the_delay_makes_it_zero() {
    let found = offsets(jitter(&[(0.0, -900), (1.0, -800)], HOLD), DELAY, 100, HOLD, 5);
    assert!(found.iter().all(|offset| *offset == -(DELAY.as_nanos() as i64)));
}

#[test]
fn the_directions_vary_independently() {
    let direction = DirectionSpec { jitter: jitter(&QUANTILES, HOLD), ..pipe(1_000_000_000, DELAY) };
    let offers: Vec<Offer> = (0..100)
        .flat_map(|i| {
            Direction::BOTH.map(|direction| Offer {
                at: Time::from_nanos(i * HOLD * MS),
                direction,
                len: 125,
            })
        })
        .collect();
    let outcome = punctually(&mut Path::new(&symmetric(direction), 6, Time::ZERO), &offers);
    let [forward, back] = Direction::BOTH.map(|direction| deliveries(&outcome, direction));
    let alike = forward.iter().zip(&back).filter(|((_, a), (_, b))| a == b).count();
    assert_eq!(alike, 0);
}

proptest! {
    #[test]
    fn a_quiet_and_a_busy_link_meet_the_same_delays(jitter in any_empirical(200_000_000), seed: u64, gaps in 2..6u64) {
        // Every half second, which is more than the range of the offsets: nobody waits for anybody.
        let busy = offsets(jitter.clone(), DELAY, 200, 500, seed);
        let quiet = offsets(jitter, DELAY, 200 / gaps as usize, 500 * gaps, seed);
        let common: Vec<i64> = busy.into_iter().step_by(gaps as usize).take(quiet.len()).collect();
        prop_assert_eq!(common, quiet);
    }

    #[test]
    fn no_offset_lies_outside_the_distribution(jitter in any_empirical(200_000_000), seed: u64) {
        let JitterSpec::Empirical { quantiles, .. } = &jitter else { unreachable!() };
        let (least, most) = (quantiles[0].offset_ns, quantiles[quantiles.len() - 1].offset_ns);
        for offset in offsets(jitter, DELAY, 200, 7, seed) {
            prop_assert!(least <= offset && offset <= most, "{offset}");
        }
    }
}

#[test]
fn a_value_holds_for_a_millisecond_at_least() {
    // Packets 10 ms apart have a value of their own each.
    let found = offsets(jitter(&[(0.0, 0), (1.0, 5)], 1), DELAY, 1_000, 10, 3);
    assert!(found.windows(2).all(|pair| pair[0] != pair[1]));
}
