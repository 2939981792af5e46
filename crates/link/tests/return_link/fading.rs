//! Bursts that are lost, by what the hub gets of the signal.

use bentpipe_link::Rcs2Spec;
use bentpipe_link::{Direction, DropCause};
use bentpipe_units::{Duration, Time};

use super::specs::*;
use crate::common::*;

/// Threshold of waveform 6 (EN 301 545-2, Annex A), dB.
const THRESHOLD_DB: f64 = 5.36;

/// A packet of one burst every 5 ms for so long.
fn offers(seconds: u64) -> Vec<Offer> {
    (0..seconds * 200).map(|i| offer(ms(5 * i), 60)).collect()
}

#[test]
fn packets_of_three_bursts_are_lost_by_the_curve_through_one_in_a_hundred_thousand_at_the_threshold() {
    // A quarter of a decibel below the threshold: 1 / (1 + 99 999 * 10^-2.5) = 0.0031523.
    let p = 1.0 / (1.0 + 99_999.0 * libm::pow(10.0, -2.5));
    let spec = Rcs2Spec { es_n0: es_n0(THRESHOLD_DB - 0.25, &[]), ..alone(cra(40)) };
    // 270 + 1 + 1 bytes with headers of 4, 2 and 2 are three bursts of 96; 5 ms are nine slots.
    let offers: Vec<_> = (0..40_000).map(|i| offer(ms(5 * i), 270)).collect();
    let outcome = punctually(&mut path(&geo(spec), 1), &offers);
    let lost = losses(&outcome, Direction::Return, DropCause::Channel).len() as f64 / offers.len() as f64;
    let expected = 1.0 - (1.0 - p) * (1.0 - p) * (1.0 - p);
    let standard_error = (expected * (1.0 - expected) / offers.len() as f64).sqrt();
    assert!((lost - expected).abs() < 5.0 * standard_error, "{lost}, {expected}");
}

#[test]
fn a_fade_loses_what_is_sent_while_it_lasts_and_nothing_else() {
    // From 10 to 20 s after the mark 2 dB below the threshold: the probability of a loss is 1 - 10^-15.
    let fade = [(0, 0.0), (10, 0.0), (10, 6.0), (20, 6.0), (20, 0.0)];
    let spec = Rcs2Spec { es_n0: es_n0(THRESHOLD_DB + 4.0, &fade), ..alone(cra(40)) };
    let mut path = path(&geo(spec), 1);
    path.mark(Time::ZERO);
    let outcome = punctually(&mut path, &offers(30));
    let lost = losses(&outcome, Direction::Return, DropCause::Channel);
    for (_, at) in &lost {
        let started = Time::from_nanos(at.as_nanos() - BURST.as_nanos());
        assert!((ms(10_000)..ms(20_000)).contains(&started), "{at:?}");
    }
    for (number, at) in deliveries(&outcome, Direction::Return) {
        let sent = Time::from_nanos(at.as_nanos() - HOP.as_nanos());
        let started = Time::from_nanos(sent.as_nanos() - BURST.as_nanos());
        assert!(!(ms(10_000)..ms(20_000)).contains(&started), "{number}: {started:?}");
    }
    assert_eq!(lost.len(), 2_000, "one every 5 ms, each in a burst of its own");
}

#[test]
fn attenuation_starts_with_the_mark() {
    let fade = [(0, 0.0), (1, 0.0), (1, 30.0)];
    let spec = Rcs2Spec { es_n0: es_n0(THRESHOLD_DB + 4.0, &fade), ..alone(cra(40)) };
    let mut path = path::<Numbered>(&geo(spec), 1);
    path.mark(ms(5_000));
    let report = path.report(ms(8_000));
    let dama = &report.probes["dama"];
    for (at, es_n0) in dama.column("time_s").iter().zip(dama.column("es_n0_db")) {
        let expected = if *at < 6.0 { THRESHOLD_DB + 4.0 } else { THRESHOLD_DB - 26.0 };
        assert!((es_n0 - expected).abs() < 1e-9, "{at}: {es_n0}");
        assert!(*at >= 5.0, "superframes since the mark");
    }
    let superframes = Duration::from_secs(3).as_nanos() / SUPERFRAME.as_nanos();
    assert!((superframes - 1..=superframes).contains(&(dama.len() as u64)), "{}", dama.len());
}
