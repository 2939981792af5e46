//! Each loss model against its closed form. Statistical bounds are five standard errors of the estimate
//! under the model (two-sided: 6 in 10 million), and the seeds are fixed.

use crate::common::*;
use bentpipe_link::{Direction, DropCause, Event, Path};
use bentpipe_link::{DirectionSpec, LossSpec};
use bentpipe_units::{Duration, Time};

const PACKETS: usize = 400_000;
const SIGMAS: f64 = 5.0;

/// For each of `PACKETS` packets of `len` bytes whether the channel lost it.
fn fates(loss: LossSpec, len: u32, seed: u64) -> Vec<bool> {
    let spec = symmetric(DirectionSpec { loss, ..pipe(1_000_000_000, Duration::from_millis(1)) });
    let mut path = Path::new(&spec, seed, Time::ZERO);
    let offers = forward_offers((0..PACKETS as u64).map(|i| i * 20_000), len);
    let outcome = punctually(&mut path, &offers);
    let mut lost = vec![false; PACKETS];
    for event in outcome.events {
        if let Event::Lost { cause, packet, .. } = event {
            assert_eq!(cause, DropCause::Channel);
            lost[packet.number] = true;
        }
    }
    lost
}

fn share(fates: &[bool]) -> f64 {
    fates.iter().filter(|lost| **lost).count() as f64 / fates.len() as f64
}

fn assert_share(fates: &[bool], expected: f64, variance_per_packet: f64) {
    let bound = SIGMAS * (variance_per_packet / fates.len() as f64).sqrt();
    let found = share(fates);
    assert!((found - expected).abs() <= bound, "lost {found}, expected {expected} +- {bound}");
}

#[test]
fn no_loss_loses_nothing() {
    assert_eq!(share(&fates(LossSpec::None, 1500, 1)), 0.0);
}

#[test]
fn bernoulli_loses_its_share() {
    for p in [0.0, 0.001, 0.01, 0.3, 1.0] {
        // Binomial: variance p (1 - p) per packet.
        assert_share(&fates(LossSpec::Bernoulli { p }, 1500, 2), p, p * (1.0 - p));
    }
}

#[test]
fn bernoulli_losses_have_no_memory() {
    let p = 0.1;
    let fates = fates(LossSpec::Bernoulli { p }, 1500, 3);
    let after_a_loss: Vec<bool> = fates.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
    assert_share(&after_a_loss, p, p * (1.0 - p));
}

#[test]
fn bit_errors_lose_one_minus_the_survival_of_all_bits() {
    // The range of the study alshagri2023, with a full and a short packet.
    for ber in [1e-7, 1e-6, 1e-5, 1e-4] {
        for len in [1500, 52] {
            let mut survival = 1.0;
            for _ in 0..len * 8 {
                survival *= 1.0 - ber;
            }
            let p = 1.0 - survival;
            assert_share(&fates(LossSpec::BitError { ber }, len, 4), p, p * (1.0 - p));
        }
    }
}

#[test]
fn bit_errors_at_the_ends_of_their_range() {
    assert_eq!(share(&fates(LossSpec::BitError { ber: 0.0 }, 1500, 5)), 0.0);
    assert_eq!(share(&fates(LossSpec::BitError { ber: 1.0 }, 1500, 5)), 1.0);
    assert_eq!(share(&fates(LossSpec::BitError { ber: 1.0 }, 0, 5)), 0.0, "no bit, no bit error");
}

#[test]
fn gilbert_elliott_loses_its_stationary_share() {
    for (p, r, h, k) in [(0.01, 0.3, 0.0, 1.0), (0.05, 0.2, 0.5, 0.99), (0.001, 0.02, 0.1, 0.999)] {
        let (bad, good) = (p / (p + r), r / (p + r));
        let expected = bad * (1.0 - h) + good * (1.0 - k);
        // Binomial variance plus twice the sum of the covariances, which fall by 1 - p - r per packet.
        let memory = 1.0 - p - r;
        let covariances = bad * good * (k - h) * (k - h) * memory / (1.0 - memory);
        let variance = expected * (1.0 - expected) + 2.0 * covariances;
        assert_share(&fates(LossSpec::GilbertElliott { p, r, h, k }, 1500, 6), expected, variance);
    }
}

#[test]
fn gilbert_bursts_last_one_over_r_packets_and_gaps_one_over_p() {
    // The simple Gilbert channel, h = 0 and k = 1: bursts and gaps are geometric, of variance (1 - x) / x^2.
    let (p, r) = (0.02, 0.25);
    let fates = fates(LossSpec::GilbertElliott { p, r, h: 0.0, k: 1.0 }, 1500, 7);
    for (state, leave) in [(true, r), (false, p)] {
        let runs: Vec<f64> =
            fates.chunk_by(|a, b| a == b).filter(|run| run[0] == state).map(|run| run.len() as f64).collect();
        let mean = runs.iter().sum::<f64>() / runs.len() as f64;
        let bound = SIGMAS * ((1.0 - leave) / (leave * leave) / runs.len() as f64).sqrt();
        assert!((mean - 1.0 / leave).abs() <= bound, "mean run {mean}, expected {} +- {bound}", 1.0 / leave);
    }
}

#[test]
fn gilbert_elliott_with_equal_states_is_bernoulli() {
    let p = 0.05;
    let spec = LossSpec::GilbertElliott { p: 0.1, r: 0.1, h: 1.0 - p, k: 1.0 - p };
    assert_share(&fates(spec, 1500, 8), p, p * (1.0 - p));
}

#[test]
fn gilbert_elliott_starts_in_its_stationary_distribution() {
    // The very first packet over many seeds; a start in the good state would lose none.
    let (p, r) = (0.01, 0.01);
    let spec = symmetric(DirectionSpec {
        loss: LossSpec::GilbertElliott { p, r, h: 0.0, k: 1.0 },
        ..pipe(1_000_000_000, Duration::ZERO)
    });
    let first_is_lost = |seed| {
        let outcome = punctually(&mut Path::new(&spec, seed, Time::ZERO), &forward_offers([0], 1500));
        matches!(outcome.events[..], [Event::Lost { .. }])
    };
    let fates: Vec<bool> = (0..4_000).map(first_is_lost).collect();
    assert_share(&fates, 0.5, 0.25);
}

#[test]
fn gilbert_elliott_that_never_leaves_its_states_starts_and_stays_good() {
    let spec = LossSpec::GilbertElliott { p: 0.0, r: 0.0, h: 0.0, k: 1.0 };
    assert_eq!(share(&fates(spec, 1500, 9)), 0.0);
}

#[test]
fn a_lost_packet_has_used_its_share_of_the_capacity() {
    let loss = LossSpec::Bernoulli { p: 1.0 };
    let spec = symmetric(DirectionSpec { loss, ..pipe(12_000_000, Duration::from_millis(250)) });
    let outcome = punctually(&mut Path::new(&spec, 0, Time::ZERO), &forward_offers([0, 0, 0], 1500));
    // 1500 bytes at 12 Mbit/s take 1 ms; a loss is known at the end of its transmission.
    let at: Vec<(Direction, u64)> =
        outcome.events.iter().map(|event| (event.direction(), event.at().as_nanos())).collect();
    assert_eq!(at, [1_000_000, 2_000_000, 3_000_000].map(|ns| (Direction::Forward, ns)));
}
