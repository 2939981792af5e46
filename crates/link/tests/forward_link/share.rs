//! A carrier of which a schedule leaves a part, as other customers have more or less to send over time.

use bentpipe_link::{CapacitySpec, LinkSpec, RowSpec, ScheduleSpec, StateSpec, nominal_rate};
use bentpipe_link::{FecFrameSpec, IdleSpec, QueueSpec};
use bentpipe_units::{Bytes, Duration, Rate, Time};

use super::rig::*;

const FRAME: Duration = Duration::from_micros(32_490);
/// Full packets in a frame of QPSK 1/4, whose data field has 1991 bytes.
const LEN: u32 = 1_000;

/// Frames of 32.49 ms at a megasymbol per second; the rows are parts of the rate.
fn shared(idle: IdleSpec, rows: &[(u64, f64)]) -> LinkSpec {
    let mut carrier = ccm("QPSK 1/4");
    carrier.idle = idle;
    carrier.nominal_bps =
        nominal_rate(&CapacitySpec::Dvbs2(Box::new(carrier.clone())), Bytes::new(1_500)).unwrap();
    let nominal = carrier.nominal_bps;
    let row = |&(at_ms, part): &(u64, f64)| RowSpec {
        at_ns: Duration::from_millis(at_ms),
        rate_bps: Some(nominal.mul_f64(part)),
        delay_ns: None,
        loss: 0.0,
        state: StateSpec::Open,
    };
    let rows = rows.iter().map(row).collect();
    let mut spec = link(carrier, endless());
    spec.forward.schedule = Some(ScheduleSpec::Table { rows, period_ns: None, offset_ns: Duration::ZERO });
    spec
}

/// When frames end that carry one packet each, as all of it comes one after the other.
fn ends(spec: &LinkSpec, offers: &[Offer]) -> Vec<Time> {
    let outcome = punctually(&mut path(spec, 1), offers);
    outcome.delivered().into_iter().map(|(_, at)| Time::ZERO + at.since(Time::ZERO + DELAY)).collect()
}

fn lone(at: Time) -> Offer {
    Offer { at, len: LEN, dscp: 0 }
}

#[test]
fn all_of_a_carrier_is_the_carrier_without_a_schedule_to_the_nanosecond() {
    for idle in [IdleSpec::Silence, IdleSpec::DummyFrames] {
        let scheduled = shared(idle, &[(0, 1.0), (77, 1.0), (1_234, 2.0)]);
        let mut plain = scheduled.clone();
        plain.forward.schedule = None;
        let offers: Vec<_> = burst(ms(3), 40).into_iter().chain(burst(ms(4_000), 3)).collect();
        assert_eq!(
            punctually(&mut path(&scheduled, 1), &offers).events,
            punctually(&mut path(&plain, 1), &offers).events
        );
    }
}

#[test]
fn frames_of_others_follow_each_frame_for_what_the_part_leaves_them() {
    // Two packets do not fit into 1991 bytes with their headers of 4 and 7: each frame completes one of the first ones.
    // A quarter of the carrier: a frame each 4 * 32.49 ms.
    let spec = shared(IdleSpec::Silence, &[(0, 0.25)]);
    let found = ends(&spec, &[lone(ms(0)), lone(ms(1)), lone(ms(1))]);
    let first = Time::ZERO + FRAME;
    assert_eq!(found[0], first);
    // The rate of the schedule is a whole number of bits per second.
    let (late, next) = (Duration::from_nanos(1_000), first + FRAME * 4);
    assert!(
        next.since(Time::ZERO + late) <= found[1].since(Time::ZERO) && found[1] <= next + late,
        "{:?}",
        found[1]
    );
}

#[test]
fn a_frame_that_comes_later_than_those_of_others_starts_at_once() {
    let spec = shared(IdleSpec::Silence, &[(0, 0.25)]);
    assert_eq!(ends(&spec, &[lone(ms(0)), lone(ms(500))]), [Time::ZERO + FRAME, ms(500) + FRAME]);
}

#[test]
fn no_frame_starts_while_others_have_all_of_it() {
    for idle in [IdleSpec::Silence, IdleSpec::DummyFrames] {
        let spec = shared(idle, &[(0, 1.0), (100, 0.0), (400, 1.0)]);
        let found = ends(&spec, &[lone(ms(0)), lone(ms(90)), lone(ms(110)), lone(ms(1_000))]);
        // Of the one of 90 ms 22.49 ms are on air when others have all of it: they are theirs afterwards. A dummy PLFRAME
        // takes 3.33 ms.
        let dummy = if idle == IdleSpec::Silence { Duration::ZERO } else { Duration::from_micros(3_330) };
        let overhang = FRAME.saturating_sub(Duration::from_millis(10));
        let expected = [ms(0), ms(90), ms(400) + overhang, ms(1_000)];
        for (end, start) in found.iter().zip(expected) {
            let least = start + FRAME;
            assert!((least..=least + dummy).contains(end), "{idle:?}: {end:?} for {least:?}");
        }
    }
}

#[test]
fn a_saturated_carrier_sends_the_part_that_is_left() {
    // Halves and fifths in turn, each for 7 s; dummy PLFRAMEs do not come between frames of others and ours.
    for idle in [IdleSpec::Silence, IdleSpec::DummyFrames] {
        let spec = shared(idle, &[(0, 0.5), (7_000, 0.2), (14_000, 0.5), (21_000, 0.2)]);
        let offers = burst(Time::ZERO, 2_000);
        let outcome = punctually(&mut path(&spec, 1), &offers);
        let nominal = spec.forward.capacity.nominal_bps().as_bps() as f64;
        for (from_s, part) in [(0.0, 0.5), (7.0, 0.2), (14.0, 0.5)] {
            let within = |at: Time| {
                let at_s = at.since(Time::ZERO + DELAY).as_secs_f64();
                (from_s..from_s + 7.0).contains(&at_s)
            };
            let packets = outcome.delivered().iter().filter(|(_, at)| within(*at)).count();
            let expected = nominal * part * 7.0 / 12_000.0;
            // A frame more or less, of one packet and a third.
            assert!((packets as f64 - expected).abs() <= 2.0, "{idle:?} {part}: {packets} for {expected}");
        }
    }
}

#[test]
fn a_wait_that_is_limited_counts_what_goes_to_others() {
    // At a quarter a frame each 130 ms: of a limit of 300 ms there is room for what waits three frames.
    let mut spec = shared(IdleSpec::Silence, &[(0, 0.25)]);
    spec.forward.queue = QueueSpec::Time { limit_ns: Duration::from_millis(300) };
    let outcome = punctually(&mut path(&spec, 1), &burst(Time::ZERO, 20));
    let mut plain = spec.clone();
    plain.forward.schedule = None;
    let without = punctually(&mut path(&plain, 1), &burst(Time::ZERO, 20));
    assert!(
        outcome.refused.len() > without.refused.len() + 5,
        "{} {}",
        outcome.refused.len(),
        without.refused.len()
    );
    let latest = outcome.delivered().last().unwrap().1.since(Time::ZERO + DELAY);
    // The limit, the packet's own frames and those of others between them.
    assert!(latest <= Duration::from_millis(300) + FRAME * 8, "{latest}");
}

#[test]
fn short_frames_of_a_fast_carrier_share_it_as_well() {
    let mut spec = shared(IdleSpec::DummyFrames, &[(0, 0.3)]);
    let CapacitySpec::Dvbs2(carrier) = &mut spec.forward.capacity else { unreachable!() };
    carrier.fecframe = FecFrameSpec::Short;
    carrier.symbols_per_s = 30_000_000;
    carrier.nominal_bps = nominal_rate(&CapacitySpec::Dvbs2(carrier.clone()), Bytes::new(1_500)).unwrap();
    let nominal = carrier.nominal_bps.as_bps() as f64;
    let Some(ScheduleSpec::Table { rows, .. }) = &mut spec.forward.schedule else { unreachable!() };
    rows[0].rate_bps = Some(Rate::from_bps((nominal * 0.3) as u64));
    let delivered = punctually(&mut path(&spec, 1), &burst(Time::ZERO, 3_000)).delivered();
    let took = delivered[2_999].1.since(delivered[999].1).as_secs_f64();
    let found = 2_000.0 * 12_000.0 / took;
    assert!((found / (0.3 * nominal) - 1.0).abs() < 0.002, "{found} for 0.3 of {nominal}");
}
