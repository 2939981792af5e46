//! Chances to send per millisecond, as Mahimahi has them.

use crate::common::*;
use crate::schedule::table::{scheduled, started};
use bentpipe_link::{Direction, ScheduleSpec, check, schedule_series};
use bentpipe_units::{Duration, Time};

const MS: fn(u64) -> Duration = Duration::from_millis;

fn opportunities(per_ms: &[u32], delays_ms: &[u64]) -> ScheduleSpec {
    ScheduleSpec::Opportunities {
        per_ms: per_ms.to_vec(),
        delays_ns: delays_ms.iter().copied().map(MS).collect(),
        offset_ns: Duration::ZERO,
    }
}

#[test]
fn a_saturated_path_delivers_in_each_millisecond_what_the_trace_says() {
    let counts = [2, 0, 1, 0, 0, 3, 5, 0, 1, 40];
    let mut path = started(scheduled(opportunities(&counts, &[]), 1, Duration::ZERO), 0);
    let offers: Vec<_> = forward_offers([0; 520], 1504);
    let spec_mtu = 1500;
    // A packet of 1504 bytes is longer than the MTU here: two of 752 bytes take one opportunity.
    assert!(offers[0].len > spec_mtu);
    let halves = forward_offers([0; 520], 752);
    let delivered = deliveries(&punctually(&mut path, &halves), Direction::Forward);
    for turn in 0..5 {
        for (ms, count) in counts.iter().enumerate() {
            let ends = Time::ZERO + MS(turn * 10 + ms as u64);
            let within = |at: &Time| *at > ends && *at <= ends + MS(1);
            let found = delivered.iter().filter(|(_, at)| within(at)).count();
            assert_eq!(found, 2 * *count as usize, "in millisecond {ms} of turn {turn}");
        }
    }
}

#[test]
fn delays_hold_for_ten_milliseconds_and_the_last_one_until_the_end() {
    let mut path = started(scheduled(opportunities(&[8; 40], &[10, 30, 20]), 1, Duration::ZERO), 0);
    let offers = forward_offers([5, 15, 25, 35, 45].map(|ms| ms * 1_000_000), 752);
    let delivered = deliveries(&punctually(&mut path, &offers), Direction::Forward);
    // 752 bytes take a sixteenth of a millisecond at eight opportunities; that of 25 ms may not overtake.
    let delays: Vec<_> =
        delivered.iter().map(|(number, at)| at.since(offers[*number].at).as_nanos()).collect();
    assert_eq!(delays, [10_062_500, 30_062_500, 20_062_500, 20_062_500, 10_062_500]);
}

#[test]
fn a_pause_of_forty_milliseconds_is_a_silence_and_a_shorter_one_is_not() {
    let mut counts = vec![1; 300];
    counts[10..49].fill(0);
    counts[110..150].fill(0);
    let link = symmetric(scheduled(opportunities(&counts, &[]), 1, Duration::ZERO));
    let series = schedule_series(&link, 0, MS(300)).unwrap();
    let silence: Vec<_> = series.column("forward_silence_s").iter().map(|s| (s * 1e3).round()).collect();
    assert_eq!(silence, [0.0, 40.0, 0.0]);
}

#[test]
fn a_trace_without_an_opportunity_is_refused() {
    let error = check(&symmetric(scheduled(opportunities(&[0, 0], &[]), 1, MS(0)))).unwrap_err();
    assert_eq!(error.to_string(), "forward.schedule.per_ms: expected an opportunity to send, found none");
}
