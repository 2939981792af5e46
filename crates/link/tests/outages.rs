//! Losses by the clock. Statistical bounds are five standard errors; the seeds are fixed.

use crate::common::*;
use bentpipe_link::{Direction, DropCause, Path};
use bentpipe_link::{DirectionSpec, LossSpec, OutageSpec};
use bentpipe_units::{Duration, Time};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
/// 23 of 30 outages last 200 ms, 6 last 400 ms, one lasts 2.2 s: together 9.2 s.
const KINDS: [(u32, u64); 3] = [(23, 200), (6, 400), (1, 2_200)];
const DECK: usize = 30;
/// Between packets.
const GAP_MS: u64 = 200;

fn outages(period_ms: u64, kinds: &[(u32, u64)]) -> LossSpec {
    let kind =
        |(weight, ms): &(u32, u64)| OutageSpec { weight: *weight, duration_ns: Duration::from_millis(*ms) };
    LossSpec::Outages {
        period_ns: Duration::from_millis(period_ms),
        durations: kinds.iter().map(kind).collect(),
    }
}

/// Whether each of the packets that come every `gap_ms` is lost.
fn fates(loss: LossSpec, packets: usize, gap_ms: u64, seed: u64) -> Vec<bool> {
    let spec = symmetric(DirectionSpec { loss, ..pipe(1_000_000_000, Duration::from_millis(1)) });
    let offers = forward_offers((0..packets as u64).map(|i| i * gap_ms * MS), 125);
    let outcome = punctually(&mut Path::new(&spec, seed, Time::ZERO), &offers);
    let mut lost = vec![false; packets];
    for (number, _) in losses(&outcome, Direction::Forward, DropCause::Channel) {
        lost[number] = true;
    }
    lost
}

/// Lengths of the runs of lost packets.
fn runs(fates: &[bool]) -> Vec<usize> {
    fates.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).collect()
}

#[test]
fn an_outage_of_n_gaps_loses_n_packets_wherever_it_starts() {
    for (ms, packets) in [(200, 1), (400, 2), (2_200, 11)] {
        let found = runs(&fates(outages(600_000, &[(1, ms)]), 150_000, GAP_MS, 1));
        assert_eq!(found, vec![packets; 50], "one in every 600 s of 30 000 s");
    }
}

#[test]
fn a_whole_deck_has_each_duration_as_often_as_its_weight_says() {
    let period_s = 60;
    let found = runs(&fates(outages(period_s * 1_000, &KINDS), DECK * period_s as usize * 5, GAP_MS, 2));
    for (weight, ms) in KINDS {
        let times = found.iter().filter(|length| **length as u64 == ms / GAP_MS).count();
        assert_eq!(times, weight as usize, "{ms} ms in {found:?}");
    }
}

#[test]
fn the_share_of_time_is_the_mean_duration_over_the_period() {
    // 20 decks in periods of 10 s, looked at every 50 ms: 9.2 s of each 300 s, for all durations are whole gaps.
    let packets = 20 * DECK * 200;
    let found = fates(outages(10_000, &KINDS), packets, 50, 3);
    let lost = found.iter().filter(|lost| **lost).count() as f64 / packets as f64;
    // Where an outage reaches into the next, time counts once: with a density of x/P^2 of the next start x after
    // one, at most sum(w d^3)/(6 P^2) of sum(w d), 0.2 %.
    let expected = 9.2 / 300.0;
    assert!(0.99 * expected < lost && lost <= expected, "{lost}, expected {expected}");
}

#[test]
fn one_starts_in_each_period_anywhere_in_it() {
    let (period_ms, periods) = (10_000_u64, 2_000);
    let found = fates(outages(period_ms, &[(1, 10)]), periods * 1_000, 10, 4);
    let per_period: Vec<Vec<usize>> =
        found.chunks(1_000).map(|period| (0..1_000).filter(|place| period[*place]).collect()).collect();
    assert!(per_period.iter().all(|places| places.len() == 1), "an outage of one gap loses one packet");
    let places: Vec<f64> = per_period.iter().map(|places| (places[0] as f64 + 0.5) / 1_000.0).collect();
    // Uniform on (0, 1): mean 1/2, variance 1/12.
    let mean = places.iter().sum::<f64>() / periods as f64;
    assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0 / periods as f64).sqrt(), "{mean}");
    let variance = places.iter().map(|place| (place - 0.5) * (place - 0.5)).sum::<f64>() / periods as f64;
    // Var (u - 1/2)^2 = 1/80 - 1/144.
    assert!((variance - 1.0 / 12.0).abs() < 5.0 * ((1.0 / 80.0 - 1.0 / 144.0) / periods as f64).sqrt());
}

#[test]
fn an_outage_longer_than_its_period_never_ends() {
    let found = fates(outages(1_000, &[(1, 2_000)]), 1_000, 100, 5);
    let first = found.iter().position(|lost| *lost).unwrap();
    assert!(first < 10, "the first starts in the first second");
    assert!(found[first..].iter().all(|lost| *lost));
}

#[test]
fn an_outage_of_no_time_loses_nothing() {
    assert!(fates(outages(1_000, &[(1, 0)]), 10_000, 1, 6).iter().all(|lost| !lost));
}

proptest! {
    #[test]
    fn a_quiet_and_a_busy_link_meet_the_same_outages(loss in any_outages(), seed: u64, every in 2..50usize) {
        let busy = fates(loss.clone(), 2_000, 3, seed);
        let quiet = fates(loss, 2_000 / every, 3 * every as u64, seed);
        let common: Vec<bool> = busy.into_iter().step_by(every).take(quiet.len()).collect();
        prop_assert_eq!(common, quiet);
    }

    #[test]
    fn the_directions_have_outages_of_their_own(seed: u64) {
        let direction = DirectionSpec { loss: outages(1_000, &[(1, 100)]), ..pipe(1_000_000_000, Duration::ZERO) };
        let offers: Vec<Offer> = (0..5_000u64)
            .flat_map(|i| Direction::BOTH.map(|direction| Offer { at: Time::from_nanos(i * 2 * MS), direction, len: 125 }))
            .collect();
        let outcome = punctually(&mut Path::new(&symmetric(direction), seed, Time::ZERO), &offers);
        let [forward, back] = Direction::BOTH.map(|direction| {
            losses(&outcome, direction, DropCause::Channel).into_iter().map(|(_, at)| at).collect::<Vec<Time>>()
        });
        prop_assert_ne!(forward, back);
    }
}

#[test]
fn outages_of_two_periods_leave_no_gap_even_where_a_period_is_a_millisecond() {
    // Each reaches to the end of the period after its own.
    let lost = fates(outages(1, &[(1, 2)]), 1_000, 10, 1);
    assert!(lost[1..].iter().all(|lost| *lost));
}
