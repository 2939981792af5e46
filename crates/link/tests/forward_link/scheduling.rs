//! A path whose forward scheduler works in steps.

use bentpipe_link::{Dvbs2Spec, FecFrameSpec, QueueSpec, check};
use bentpipe_units::{Duration, Time};

use super::rig::*;

/// OpenSAND's `fwd_timer`.
const PERIOD: Duration = Duration::from_millis(10);

/// Short frames of 16APSK 2/3, 4140 symbols at 10 Msymbol/s.
fn stepwise() -> Dvbs2Spec {
    Dvbs2Spec {
        scheduling_period_ns: Some(PERIOD),
        symbols_per_s: 10_000_000,
        fecframe: FecFrameSpec::Short,
        ..ccm("16APSK 2/3")
    }
}

fn delivered_of_a_lone_packet(seed: u64) -> Time {
    let offers = [Offer { at: ms(1_000), len: 100, dscp: 0 }];
    punctually(&mut path(&link(stepwise(), endless()), seed), &offers).delivered()[0].1
}

#[test]
fn a_lone_packet_waits_for_half_a_period_on_average_over_the_seeds() {
    let frame = Duration::from_micros(414);
    let seeds = 1_000;
    let waits: Vec<f64> = (0..seeds)
        .map(|seed| delivered_of_a_lone_packet(seed).since(ms(1_000) + frame + DELAY).as_secs_f64())
        .collect();
    let period = PERIOD.as_secs_f64();
    assert!(waits.iter().all(|wait| (0.0..=period).contains(wait)));
    // Uniform on a period: sd = T / sqrt(12); five standard errors.
    let mean = waits.iter().sum::<f64>() / seeds as f64;
    assert!((mean - period / 2.0).abs() < 5.0 * period / (12.0 * seeds as f64).sqrt(), "{mean}");
}

#[test]
fn steps_take_nothing_of_the_rate() {
    let carriers = [Dvbs2Spec { scheduling_period_ns: None, ..stepwise() }, stepwise()];
    let [without, with] = carriers.map(|mut carrier| {
        carrier.es_n0.down.clear_sky_db = 100.0;
        saturated(carrier, ms(10_000)).0.delivered().len() as f64
    });
    // The first step is up to 10 ms of 10 s late; and a scheduler that works in steps fills from 64 packets 10 ms of 21 Mbit/s
    // at most, 17 of them.
    assert!((with / without - 1.0).abs() < 0.002, "{with} of {without} packets");
}

#[test]
fn a_wait_that_is_limited_counts_the_wait_for_the_step() {
    // Whatever the phase, one packet of a hundred instants in a period finds a step within 1 ms, if not at the first look.
    let spec = link(stepwise(), QueueSpec::Time { limit_ns: Duration::from_millis(1) });
    let offers: Vec<Offer> = (0..100)
        .map(|number| Offer { at: ms(1_000) + Duration::from_micros(10_100) * number, len: 100, dscp: 0 })
        .collect();
    let refused = punctually(&mut path(&spec, 1), &offers).refused.len();
    assert!((89..=91).contains(&refused), "{refused} of 100");
}

#[test]
fn a_period_of_no_length_is_refused() {
    let carrier = Dvbs2Spec { scheduling_period_ns: Some(Duration::ZERO), ..stepwise() };
    assert_eq!(
        check(&link(carrier, endless())).unwrap_err().to_string(),
        "forward.capacity.scheduling_period_ns: expected 1000 at least, found 0"
    );
}
