//! Our own format.

use bentpipe_link::{RowSpec, ScheduleSpec, StateSpec};
use bentpipe_recording::{Format, WrittenFormat, read, write};
use bentpipe_units::{Duration, Rate};
use proptest::prelude::*;

use crate::common::{ONCE, link, read_once};

const EXAMPLE: &str = "\
# A path with a silence and a slower return.
# period_s = 15
time_s,forward_rate_bps,forward_delay_s,forward_loss,forward_state,return_rate_bps
0,50000000,0.0105,,,5000000
11.98,,,,silence,
12.061234567,40e6,0.012,0.001,open,4000000
";

fn row(at_ns: u64, rate: Option<u64>, delay_ns: Option<u64>, loss: f64, state: StateSpec) -> RowSpec {
    RowSpec {
        at_ns: Duration::from_nanos(at_ns),
        rate_bps: rate.map(Rate::from_bps),
        delay_ns: delay_ns.map(Duration::from_nanos),
        loss,
        state,
    }
}

#[test]
fn cells_are_read_to_the_nanosecond_and_empty_ones_are_the_direction_s_own() {
    let recording = read_once(EXAMPLE).unwrap();
    assert_eq!(recording.format, Format::Schedule);
    assert_eq!(recording.duration_ns, Duration::from_secs(15));
    let forward = recording.forward.unwrap();
    let rows = vec![
        row(0, Some(50_000_000), Some(10_500_000), 0.0, StateSpec::Open),
        row(11_980_000_000, None, None, 0.0, StateSpec::Silence),
        row(12_061_234_567, Some(40_000_000), Some(12_000_000), 0.001, StateSpec::Open),
    ];
    let period_ns = Some(Duration::from_secs(15));
    assert_eq!(forward.schedule, ScheduleSpec::Table { rows, period_ns, offset_ns: Duration::ZERO });
    // (50 Mbit/s x 11.98 s + 40 Mbit/s x 2.938765433 s) / 15 s.
    assert_eq!(forward.mean_bps, Some(Rate::from_bps(47_770_041)));
    assert_eq!(forward.least_delay_ns, Some(Duration::from_nanos(10_500_000)));
    let return_ = recording.return_.unwrap();
    let rows = vec![
        row(0, Some(5_000_000), None, 0.0, StateSpec::Open),
        row(11_980_000_000, None, None, 0.0, StateSpec::Open),
        row(12_061_234_567, Some(4_000_000), None, 0.0, StateSpec::Open),
    ];
    assert_eq!(return_.schedule, ScheduleSpec::Table { rows, period_ns, offset_ns: Duration::ZERO });
    assert_eq!((return_.mean_bps, return_.least_delay_ns), (None, None));
}

#[test]
fn a_direction_without_a_column_is_not_told_of() {
    let recording = read_once("return_state,time_s\nopen,0\noutage,1\n").unwrap();
    assert!(recording.forward.is_none());
    assert_eq!(recording.duration_ns, Duration::from_secs(1));
    assert!(recording.return_.is_some());
}

#[test]
fn the_path_of_a_link_is_written_with_both_directions() {
    let rows = vec![
        row(0, Some(1_000_000), None, 0.25, StateSpec::Open),
        row(500_000_000, None, Some(1), 0.0, StateSpec::Silence),
    ];
    let schedule = ScheduleSpec::Table { rows, period_ns: None, offset_ns: Duration::ZERO };
    let files =
        write(&link(Some(schedule), None), 0, Duration::from_secs(1), WrittenFormat::Schedule).unwrap();
    assert_eq!(files[0].name, "schedule.csv");
    let expected = "\
time_s,forward_rate_bps,forward_delay_s,forward_loss,forward_state,return_rate_bps,return_delay_s,return_loss,return_state
0,1000000,0.02,0.25,open,10000000,0.02,0,open
0.5,0,0.000000001,0,silence,10000000,0.02,0,open
";
    assert_eq!(std::str::from_utf8(&files[0].content).unwrap(), expected);
}

/// Rows as a link gives them, each other than the one before.
fn any_rows() -> impl Strategy<Value = Vec<RowSpec>> {
    let state = prop_oneof![Just(StateSpec::Open), Just(StateSpec::Silence), Just(StateSpec::Outage)];
    let one = (1u64..3_000_000_000, 0u64..1_000_000_000, 0u64..400_000_000, 0.0..1.0, state);
    prop::collection::vec(one, 1..40).prop_map(|parts| {
        let mut at = 0;
        let mut rows: Vec<RowSpec> = Vec::new();
        for (gap, rate, delay, loss, state) in parts {
            let rate = if state == StateSpec::Silence { 0 } else { rate };
            let loss = if state == StateSpec::Open { loss } else { 0.0 };
            let next = row(at, Some(rate), Some(delay), loss, state);
            if rows.last().is_none_or(|last| RowSpec { at_ns: next.at_ns, ..*last } != next) {
                rows.push(next);
                at += gap;
            }
        }
        rows
    })
}

proptest! {
    #[test]
    fn what_is_written_and_read_back_is_equal(forward in any_rows(), return_ in any_rows()) {
        let table = |rows: &Vec<RowSpec>| {
            Some(ScheduleSpec::Table { rows: rows.clone(), period_ns: None, offset_ns: Duration::ZERO })
        };
        let path = link(table(&forward), table(&return_));
        let span = forward.last().unwrap().at_ns.max(return_.last().unwrap().at_ns) + Duration::from_nanos(1);
        let files = write(&path, 0, span, WrittenFormat::Schedule).unwrap();
        let again = read(&files[0].content, None, None, &ONCE).unwrap();
        prop_assert_eq!(Some(again.forward.unwrap().schedule), table(&forward));
        prop_assert_eq!(Some(again.return_.unwrap().schedule), table(&return_));
    }
}
