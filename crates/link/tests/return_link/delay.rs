//! What access costs in time, against the closed forms of docs/models/dama.md.

use bentpipe_link::{Direction, Path};
use bentpipe_link::{MixSpec, Rcs2Spec, SignallingSpec};
use bentpipe_units::{Duration, Time};
use proptest::prelude::*;

use super::specs::*;
use crate::common::*;

/// From arrival to delivery of one packet on an idle link.
fn one_way(spec: &Rcs2Spec, seed: u64, at: Time, len: u32) -> Duration {
    let outcome = punctually(&mut path(&geo(spec.clone()), seed), &[offer(at, len)]);
    deliveries(&outcome, Direction::Return)[0].1.since(at)
}

/// Instants in nanoseconds since the start of superframe 0, before the start of the link.
fn since_superframe_0(spec: &Rcs2Spec, seed: u64, at: Time) -> u64 {
    let phase = SUPERFRAME - first_start(&geo(spec.clone()), seed).since(Time::ZERO);
    (at + phase).as_nanos()
}

/// The next slot of a terminal that has all starts after the packet came.
fn at_once(at: u64) -> u64 {
    let pitch = PITCH.as_nanos();
    let mut slot = at / pitch + 1;
    // The first of the 21 slots of a frame is for requests.
    if slot.is_multiple_of(21) {
        slot += 1;
    }
    slot * pitch + BURST.as_nanos() - at
}

/// From the start of the request slot: the request is there a burst and a hop later, and the first superframe whose plan
/// is made after that has the slot, its first. Request slots are at the start of superframes.
fn answer() -> Duration {
    let superframes = (BURST + HOP + LEAD).as_nanos().div_ceil(SUPERFRAME.as_nanos());
    SUPERFRAME * superframes + PITCH + BURST
}

/// When the superframe started in which the terminal first asked for something.
fn first_request(path: &mut Path<Numbered>, now: Time) -> Time {
    let report = path.report(now);
    let dama = &report.probes["dama"];
    let asked = dama.column("requested_rate_slots").iter().zip(dama.column("requested_volume_slots"));
    let row = asked.into_iter().position(|(rate, volume)| rate + volume > 0.0).expect("a request");
    Time::ZERO + Duration::from_secs_f64(dama.column("time_s")[row])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_idle_terminal_with_all_slots_waits_for_the_next(at in 0..1_000_000_000u64, seed: u64) {
        let (spec, at) = (alone(cra(40)), Time::from_nanos(at));
        let expected = at_once(since_superframe_0(&spec, seed, at)) + HOP.as_nanos();
        prop_assert_eq!(one_way(&spec, seed, at, 60).as_nanos(), expected);
    }

    #[test]
    fn an_idle_terminal_on_demand_waits_for_a_request_and_its_answer(
        at in 0..1_000_000_000u64, seed: u64, period in 1..9u32, volume: bool,
    ) {
        let mix = if volume { vbdc(40) } else { rbdc(40) };
        let spec = Rcs2Spec { signalling: SignallingSpec::RequestSlot { period }, ..alone(mix) };
        let (mut path, at) = (path(&geo(spec), seed), Time::from_nanos(at));
        let outcome = punctually(&mut path, &[offer(at, 60)]);
        let delivered = deliveries(&outcome, Direction::Return)[0].1;
        let asked = first_request(&mut path, delivered);
        prop_assert!(asked > at && asked <= at + SUPERFRAME * u64::from(period));
        prop_assert_eq!(delivered, asked + answer() + HOP);
    }
}

/// One-way times in seconds of packets that are alone, each on a link with superframes of its own phase.
fn idle_latencies(spec: &Rcs2Spec, count: u64) -> Vec<f64> {
    let mut latencies: Vec<_> =
        (0..count).map(|seed| one_way(spec, seed, ms(1_000), 60).as_secs_f64()).collect();
    latencies.sort_by(f64::total_cmp);
    latencies
}

/// The largest distance from the uniform distribution on [from, from + span] (Kolmogorov and Smirnov).
fn distance_from_uniform(sorted: &[f64], from: f64, span: f64) -> f64 {
    let n = sorted.len() as f64;
    let quantile = |at: f64| ((at - from) / span).clamp(0.0, 1.0);
    let distances = sorted.iter().enumerate().map(|(rank, at)| {
        let above = (rank as f64 + 1.0) / n - quantile(*at);
        above.max(quantile(*at) - rank as f64 / n)
    });
    distances.fold(0.0, f64::max)
}

#[test]
fn the_latency_of_an_idle_terminal_is_uniform_over_its_wait_for_an_opportunity() {
    let superframe = SUPERFRAME.as_secs_f64();
    let answer = (answer() + HOP).as_secs_f64();
    let fourth = SignallingSpec::RequestSlot { period: 4 };
    let mixed = MixSpec { cra: cra(1).cra, ..vbdc(40) };
    let cases: [(&str, Rcs2Spec, f64, f64); 5] = [
        // One slot of 40: the next is at most a superframe away.
        ("CRA of one slot", alone(cra(1)), (BURST + HOP).as_secs_f64(), superframe),
        ("VBDC", alone(vbdc(40)), answer, superframe),
        ("RBDC", alone(rbdc(40)), answer, superframe),
        (
            "VBDC, asked for in each fourth superframe",
            Rcs2Spec { signalling: fourth, ..alone(vbdc(40)) },
            answer,
            4.0 * superframe,
        ),
        // What the constant rate carries before an answer could come is not asked for.
        ("CRA of one slot and VBDC", alone(mixed), (BURST + HOP).as_secs_f64(), superframe),
    ];
    for (name, spec, from, span) in cases {
        let count = 500u32;
        let latencies = idle_latencies(&spec, u64::from(count));
        let (least, most) = (latencies[0], latencies[latencies.len() - 1]);
        println!(
            "{name}: {:.1} to {:.1} ms, closed form {:.1} to {:.1} ms",
            least * 1e3,
            most * 1e3,
            from * 1e3,
            (from + span) * 1e3
        );
        assert!(least >= from && most <= from + span, "{name}");
        // One sample of a uniform distribution in a hundred is farther away.
        let distance = distance_from_uniform(&latencies, from, span);
        assert!(distance < 1.63 / f64::from(count).sqrt(), "{name}: {distance}");
    }
}

#[test]
fn the_delays_of_the_record_are_the_parts_of_the_closed_form() {
    let spec = geo(alone(vbdc(40)));
    let mut path = path(&spec, 3);
    let at = ms(1_000);
    punctually(&mut path, &[offer(at, 60)]);
    let report = path.report(ms(2_000));
    let part = |name: &str| -> f64 {
        let column = report.probes["delays"].column(name);
        column.iter().filter(|value| !value.is_nan()).sum()
    };
    let total = first_request(&mut path, ms(2_000)).since(at) + answer();
    let expected = [
        ("return_queue_s", Duration::ZERO),
        ("return_request_s", total - PITCH - BURST),
        ("return_slot_s", PITCH),
        ("return_burst_s", BURST),
        ("return_propagation_s", HOP),
    ];
    for (name, expected) in expected {
        assert!((part(name) - expected.as_secs_f64()).abs() < 1e-9, "{name}: {} {expected}", part(name));
    }
}
