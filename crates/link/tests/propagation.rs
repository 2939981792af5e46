//! Constant delay and jitter. Bounds of estimates are five standard errors; the seeds are fixed.

use crate::common::*;
use bentpipe_link::{Direction, Path};
use bentpipe_link::{DirectionSpec, JitterSpec};
use bentpipe_units::{Duration, Time};

const DELAY: Duration = Duration::from_millis(265);
const SIGMAS: f64 = 5.0;

/// Delays of 100 000 packets of 125 bytes that come every `gap_ns`, beyond the microsecond each takes at 1 Gbit/s.
fn delays(delay: Duration, sd: Duration, gap_ns: u64) -> Vec<u64> {
    let jitter = JitterSpec::Normal { sd_ns: sd };
    let spec = symmetric(DirectionSpec { jitter, ..pipe(1_000_000_000, delay) });
    let offers = forward_offers((0..100_000).map(|i| i * gap_ns), 125);
    let outcome = punctually(&mut Path::new(&spec, 1, Time::ZERO), &offers);
    let delivered = deliveries(&outcome, Direction::Forward);
    assert_eq!(delivered.len(), offers.len());
    delivered.iter().map(|(number, due)| due.since(offers[*number].at).as_nanos() - 1_000).collect()
}

#[test]
fn without_jitter_the_delay_is_the_same_for_every_packet() {
    let mut path = Path::new(&symmetric(pipe(1_000_000_000, DELAY)), 1, Time::ZERO);
    let offers = forward_offers((0..1_000).map(|i| i * 7_777), 125);
    for (number, due) in deliveries(&punctually(&mut path, &offers), Direction::Forward) {
        // 125 bytes at 1 Gbit/s: 1 microsecond.
        assert_eq!(due, offers[number].at + Duration::from_micros(1) + DELAY);
    }
}

#[test]
fn jitter_has_the_mean_and_the_standard_deviation_of_the_spec() {
    // Packets 100 standard deviations apart: none ever has to wait for the one before it.
    let sd = Duration::from_millis(3);
    let delays = delays(DELAY, sd, 300_000_000);
    let n = delays.len() as f64;
    let offsets: Vec<f64> =
        delays.iter().map(|ns| (*ns as f64 - DELAY.as_nanos() as f64) / sd.as_nanos() as f64).collect();
    let mean = offsets.iter().sum::<f64>() / n;
    let variance = offsets.iter().map(|z| z * z).sum::<f64>() / n;
    assert!(mean.abs() <= SIGMAS / n.sqrt(), "mean offset of {mean} sd");
    assert!((variance - 1.0).abs() <= SIGMAS * (2.0 / n).sqrt(), "variance of {variance} sd^2");
}

#[test]
fn jitter_is_cut_off_where_the_delay_would_be_negative() {
    // Delay equal to the sd: 15.87 % of the normal distribution is below -1 sd.
    let sd = Duration::from_millis(1);
    let delays = delays(sd, sd, 100_000_000);
    let cut = delays.iter().filter(|ns| **ns == 0).count() as f64 / delays.len() as f64;
    let expected = 0.158_655;
    let bound = SIGMAS * (expected * (1.0 - expected) / delays.len() as f64).sqrt();
    assert!((cut - expected).abs() <= bound, "cut {cut}, expected {expected} +- {bound}");
}

#[test]
fn a_packet_that_would_overtake_is_released_with_the_one_before_it() {
    // Packets a thousandth of the sd apart.
    let sd = Duration::from_millis(2);
    let gap = 2_000;
    let delays = delays(DELAY, sd, gap);
    let releases: Vec<u64> = delays.iter().zip(0..).map(|(delay, i)| delay + i * gap).collect();
    assert!(releases.is_sorted());
    let together = releases.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(together > releases.len() / 2, "most packets had to wait, {together} did");
}
