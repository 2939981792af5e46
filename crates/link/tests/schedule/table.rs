//! Rows of rate, delay, loss and state. Expected instants are reckoned by hand.

use crate::common::*;
use crate::return_link::specs;
use bentpipe_link::{Direction, DirectionSpec, DropCause, Path, RowSpec, ScheduleSpec, StateSpec, check};
use bentpipe_link::{schedule_rows, schedule_series};
use bentpipe_units::{Duration, Rate, Time};

pub fn row(at: Duration) -> RowSpec {
    RowSpec { at_ns: at, rate_bps: None, delay_ns: None, loss: 0.0, state: StateSpec::Open }
}

pub fn rate(at: Duration, rate_bps: u64) -> RowSpec {
    RowSpec { rate_bps: Some(Rate::from_bps(rate_bps)), ..row(at) }
}

pub fn table(rows: Vec<RowSpec>) -> ScheduleSpec {
    ScheduleSpec::Table { rows, period_ns: None, offset_ns: Duration::ZERO }
}

pub fn scheduled(schedule: ScheduleSpec, rate_bps: u64, delay: Duration) -> DirectionSpec {
    DirectionSpec { schedule: Some(schedule), ..pipe(rate_bps, delay) }
}

/// A path whose workload has started.
pub fn started(direction: DirectionSpec, seed: u64) -> Path<Numbered> {
    let mut path = Path::new(&symmetric(direction), seed, Time::ZERO);
    path.mark(Time::ZERO);
    path
}

const MS: fn(u64) -> Duration = Duration::from_millis;

fn ms(ms: u64) -> Time {
    Time::ZERO + MS(ms)
}

fn delivered(path: &mut Path<Numbered>, instants: &[u64]) -> Vec<(usize, Time)> {
    let offers = forward_offers(instants.iter().map(|ms| ms * 1_000_000), 1500);
    deliveries(&punctually(path, &offers), Direction::Forward)
}

#[test]
fn a_packet_in_transmission_goes_on_at_the_new_rate() {
    // 12000 bits at 12 Mbit/s would take 1 ms. Half is out after 0.5 ms, the rest takes 2 ms at 3 Mbit/s.
    let rows = vec![rate(Duration::ZERO, 12_000_000), rate(Duration::from_micros(500), 3_000_000)];
    let mut path = started(scheduled(table(rows), 1, MS(10)), 0);
    assert_eq!(delivered(&mut path, &[0]), [(0, Time::from_nanos(12_500_000))]);
}

#[test]
fn a_silence_holds_what_is_in_transmission_and_what_waits() {
    let silence = RowSpec { state: StateSpec::Silence, ..row(Duration::from_micros(500)) };
    let rows = vec![row(Duration::ZERO), silence, row(MS(80))];
    let mut path = started(scheduled(table(rows), 12_000_000, MS(10)), 0);
    // The second half of the first packet after the silence of 79.5 ms, the second packet after it.
    let expected = [(0, Time::from_nanos(90_500_000)), (1, Time::from_nanos(91_500_000))];
    assert_eq!(delivered(&mut path, &[0, 0]), expected);
}

#[test]
fn an_outage_loses_what_is_sent_in_it_and_nothing_else() {
    let outage = RowSpec { state: StateSpec::Outage, ..row(MS(2)) };
    let mut path = started(scheduled(table(vec![row(MS(0)), outage, row(MS(4))]), 12_000_000, MS(10)), 0);
    let offers = forward_offers([0; 5], 1500);
    let outcome = punctually(&mut path, &offers);
    // Sent at 1, 2, 3, 4, 5 ms: the outage takes those of 2 and 3 ms.
    assert_eq!(losses(&outcome, Direction::Forward, DropCause::Channel), [(1, ms(2)), (2, ms(3))]);
    assert_eq!(deliveries(&outcome, Direction::Forward), [(0, ms(11)), (3, ms(14)), (4, ms(15))]);
}

#[test]
fn a_delay_that_falls_lets_no_packet_overtake() {
    let far = RowSpec { delay_ns: Some(MS(100)), ..row(MS(0)) };
    let near = RowSpec { delay_ns: Some(MS(20)), ..row(MS(2)) };
    let mut path = started(scheduled(table(vec![far, near]), 12_000_000, MS(0)), 0);
    // Sent at 1, 2 and 82 ms: the second would arrive at 22 ms and waits for the first.
    assert_eq!(delivered(&mut path, &[0, 0, 81]), [(0, ms(101)), (1, ms(101)), (2, ms(102))]);
}

#[test]
fn a_table_with_a_period_starts_again_and_an_offset_starts_inside_it() {
    let rows = vec![rate(MS(0), 12_000_000), rate(MS(1), 6_000_000)];
    let looped =
        |offset| ScheduleSpec::Table { rows: rows.clone(), period_ns: Some(MS(3)), offset_ns: MS(offset) };
    // 1 ms, then 2 ms at half the rate, and again.
    let mut path = started(scheduled(looped(0), 1, MS(0)), 0);
    assert_eq!(delivered(&mut path, &[0; 4]), [(0, ms(1)), (1, ms(3)), (2, ms(4)), (3, ms(6))]);
    // From 1 ms on: 2 ms, 1 ms, 2 ms.
    let mut path = started(scheduled(looped(1), 1, MS(0)), 0);
    assert_eq!(delivered(&mut path, &[0; 3]), [(0, ms(2)), (1, ms(3)), (2, ms(5))]);
}

#[test]
fn before_the_mark_the_path_stands_still_and_is_open() {
    let outage = RowSpec { state: StateSpec::Outage, ..row(MS(0)) };
    let silence = RowSpec { state: StateSpec::Silence, ..row(MS(0)) };
    for closed in [outage, silence] {
        let rows = vec![closed, rate(MS(10), 6_000_000)];
        let mut path = Path::new(&symmetric(scheduled(table(rows), 12_000_000, MS(5))), 0, Time::ZERO);
        assert_eq!(delivered(&mut path, &[0, 100]), [(0, ms(6)), (1, ms(106))]);
        path.mark(ms(200));
        // 10 ms after the mark the path opens, at 6 Mbit/s.
        assert_eq!(delivered(&mut path, &[210]), [(0, ms(217))]);
    }
}

#[test]
fn a_rate_of_zero_to_the_end_holds_its_packets_for_ever() {
    let mut path = started(scheduled(table(vec![rate(MS(0), 0)]), 1, MS(0)), 0);
    path.enqueue(Time::ZERO, Direction::Forward, Numbered { number: 0, len: 1500 }).unwrap();
    assert_eq!(path.next_event(), None);
    assert_eq!(path.held_packets(Direction::Forward), 1);
}

#[test]
fn the_series_says_what_the_path_was_in_each_tenth_of_a_second() {
    let silence = RowSpec { state: StateSpec::Silence, ..row(MS(150)) };
    let rows = vec![rate(MS(0), 10_000_000), rate(MS(50), 20_000_000), silence, row(MS(180))];
    let direction = scheduled(table(rows), 4_000_000, MS(7));
    let series = schedule_series(&symmetric(direction), 0, MS(300)).unwrap();
    assert_eq!(series.column("time_s"), [0.1, 0.2, 0.3]);
    // (10 + 20) / 2; 20 for 50 ms, none for 30 ms, 4 for 20 ms; 4.
    for (found, expected) in series.column("forward_capacity_bps").iter().zip([15e6, 10.8e6, 4e6]) {
        assert!((found - expected).abs() < 1.0, "{found} is not {expected}");
    }
    for (found, expected) in series.column("return_silence_s").iter().zip([0.0, 0.03, 0.0]) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }
    assert_eq!(series.column("forward_delay_s"), [0.007; 3]);
}

#[test]
fn the_rows_of_a_schedule_are_those_that_it_was_made_of() {
    let silence = RowSpec { state: StateSpec::Silence, ..row(MS(150)) };
    let rows = vec![rate(MS(0), 10_000_000), RowSpec { loss: 0.25, ..rate(MS(50), 20_000_000) }, silence];
    let link = symmetric(scheduled(table(rows), 4_000_000, MS(7)));
    let found = schedule_rows(&link, 0, Direction::Forward, MS(300)).unwrap();
    let expected = [(0, 10_000_000, 0.0), (50, 20_000_000, 0.25), (150, 0, 0.0)];
    assert_eq!(found.len(), 3);
    for (found, (at, rate_bps, loss)) in found.iter().zip(expected) {
        let row = RowSpec { delay_ns: Some(MS(7)), loss, ..rate(MS(at), rate_bps) };
        let state = if rate_bps == 0 { StateSpec::Silence } else { StateSpec::Open };
        assert_eq!(*found, RowSpec { state, ..row });
    }
}

#[test]
fn a_table_that_cannot_be_is_refused_by_its_field() {
    let refused = |rows, period_ns| {
        let schedule = ScheduleSpec::Table { rows, period_ns, offset_ns: Duration::ZERO };
        check(&symmetric(scheduled(schedule, 1, MS(0)))).unwrap_err().to_string()
    };
    assert_eq!(refused(vec![], None), "forward.schedule.rows: expected one row at least, found none");
    assert_eq!(refused(vec![row(MS(1))], None), "forward.schedule.rows[0].at_ns: expected 0, found 1000000");
    assert_eq!(
        refused(vec![row(MS(0)), row(MS(2)), row(MS(2))], None),
        "forward.schedule.rows[2].at_ns: expected more than 2000000 ns, the row before, found 2000000"
    );
    assert_eq!(
        refused(vec![row(MS(0)), row(MS(2))], Some(MS(2))),
        "forward.schedule.period_ns: expected more than 2000000 ns, the last row, found 2000000"
    );
    let loss = f64::NAN;
    assert_eq!(
        refused(vec![RowSpec { loss, ..row(MS(0)) }], None),
        "forward.schedule.rows[0].loss: expected a probability from 0 to 1, found NaN"
    );
}

#[test]
fn slots_that_are_assigned_on_demand_follow_delays_and_refuse_rates() {
    let on_demand = specs::geo(specs::alone(specs::rbdc(4)));
    let with = |rows| {
        let mut link = on_demand.clone();
        link.return_.schedule = Some(table(rows));
        check(&link)
    };
    assert_eq!(with(vec![RowSpec { delay_ns: Some(MS(100)), ..row(MS(0)) }]), Ok(()));
    assert_eq!(with(vec![rate(MS(0), 1)]).unwrap_err().field, "return.schedule");
}
