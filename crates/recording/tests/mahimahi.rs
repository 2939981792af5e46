//! Mahimahi's format, and LeoReplayer's beside it.

use bentpipe_link::{Direction, RowSpec, ScheduleSpec, StateSpec};
use bentpipe_recording::{DirectionRecording, Format, ReadOptions, WrittenFormat, read, write};
use bentpipe_units::{Duration, Rate};
use proptest::prelude::*;

use crate::common::{ONCE, link, read_once};

const MS: fn(u64) -> Duration = Duration::from_millis;

fn per_ms(direction: Option<DirectionRecording>) -> Vec<u32> {
    match direction.unwrap().schedule {
        ScheduleSpec::Opportunities { per_ms, .. } => per_ms,
        other => panic!("{other:?} has no chances"),
    }
}

#[test]
fn a_line_counts_for_the_millisecond_that_ends_there_and_the_last_one_is_the_period() {
    let recording = read_once("0\n1\n1\n\n4\r\n4\n7").unwrap();
    assert_eq!(recording.format, Format::Mahimahi);
    assert_eq!(recording.duration_ns, MS(7));
    assert!(recording.return_.is_none());
    let forward = recording.forward.clone().unwrap();
    // Six packets of 1504 bytes in 7 ms: 72 192 bit / 7 ms.
    assert_eq!(forward.mean_bps, Some(Rate::from_bps(10_313_142)));
    assert_eq!(forward.least_delay_ns, None);
    assert_eq!(per_ms(recording.forward), [3, 0, 0, 2, 0, 0, 1]);
}

#[test]
fn a_recording_is_of_the_direction_and_starts_where_it_is_told_to() {
    let options = ReadOptions { direction: Direction::Return, offset: MS(2), repeats: false };
    let recording = read(b"1\n3\n", None, None, &options).unwrap();
    assert!(recording.forward.is_none());
    let expected = ScheduleSpec::Opportunities { per_ms: vec![1, 0, 1], delays_ns: vec![], offset_ns: MS(2) };
    assert_eq!(recording.return_.unwrap().schedule, expected);
}

#[test]
fn delays_beside_it_are_of_ten_milliseconds_each() {
    let recording = read(b"1\n25\n", Some(b"12\n30\n11\n"), Some(Format::Mahimahi), &ONCE).unwrap();
    assert_eq!(recording.format, Format::Leoreplayer);
    let forward = recording.forward.unwrap();
    assert_eq!(forward.least_delay_ns, Some(MS(11)));
    let ScheduleSpec::Opportunities { delays_ns, .. } = forward.schedule else { panic!() };
    assert_eq!(delays_ns, [12, 30, 11].map(MS));
}

#[test]
fn a_rate_is_written_as_a_chance_whenever_its_integral_comes_to_a_packet() {
    // 12.032 Mbit/s are a packet each millisecond, a third of it one in three.
    let row = |ms, rate, state| RowSpec {
        at_ns: MS(ms),
        rate_bps: Some(Rate::from_bps(rate)),
        delay_ns: None,
        loss: 0.0,
        state,
    };
    let rows = vec![
        row(0, 12_032_000, StateSpec::Open),
        row(2, 4_010_667, StateSpec::Open),
        row(8, 12_032_000, StateSpec::Silence),
        row(10, 12_032_000, StateSpec::Outage),
        row(12, 24_064_000, StateSpec::Open),
    ];
    let schedule = ScheduleSpec::Table { rows, period_ns: None, offset_ns: Duration::ZERO };
    let files = write(&link(Some(schedule), None), 0, MS(14), WrittenFormat::Mahimahi).unwrap();
    let names: Vec<_> = files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, ["forward.mahimahi", "return.mahimahi"]);
    assert_eq!(std::str::from_utf8(&files[0].content).unwrap(), "1\n2\n5\n8\n13\n13\n14\n14\n");
    // 10 Mbit/s for 14 ms: 11.6 packets.
    assert_eq!(files[1].content.iter().filter(|byte| **byte == b'\n').count(), 11);
}

#[test]
fn a_path_on_which_no_packet_gets_through_has_no_chance_to_write() {
    let error = write(&link(None, None), 0, MS(1), WrittenFormat::Mahimahi).unwrap_err();
    assert_eq!(error.to_string(), "expected a rate that sends 1504 bytes within the time, found less");
    let error = write(&link(None, None), 0, Duration::ZERO, WrittenFormat::Mahimahi).unwrap_err();
    assert_eq!(error.to_string(), "expected a time above 0 and of at most 24 h, found 0 ns");
}

proptest! {
    #[test]
    fn what_is_read_and_written_is_as_it_was(mut counts in prop::collection::vec(0u32..6, 1..300), last in 1u32..6) {
        counts.push(last);
        let lines = counts.iter().zip(1..).flat_map(|(count, ms)| vec![format!("{ms}\n"); *count as usize]);
        let content: String = lines.collect();
        let recording = read_once(&content).unwrap();
        let span = recording.duration_ns;
        let schedule = recording.forward.unwrap().schedule;
        let slow = ScheduleSpec::Opportunities { per_ms: vec![1], delays_ns: vec![], offset_ns: Duration::ZERO };
        let files = write(&link(Some(schedule), Some(slow)), 0, span, WrittenFormat::Mahimahi).unwrap();
        prop_assert_eq!(String::from_utf8(files[0].content.clone()).unwrap(), content);
    }

    #[test]
    fn no_chance_is_lost_or_invented(rates in prop::collection::vec((1u64..40_000_000, 0u64..200_000_000), 1..30)) {
        let mut at = 0;
        let mut rows = Vec::new();
        let mut bits: u128 = 0;
        for (span, rate) in &rates {
            rows.push(RowSpec {
                at_ns: Duration::from_nanos(at),
                rate_bps: Some(Rate::from_bps(*rate)),
                delay_ns: None,
                loss: 0.0,
                state: StateSpec::Open,
            });
            at += span;
            bits += u128::from(*span) * u128::from(*rate);
        }
        let schedule = ScheduleSpec::Table { rows, period_ns: None, offset_ns: Duration::ZERO };
        let chances = bits / (1504 * 8 * 1_000_000_000);
        let path = link(Some(schedule.clone()), Some(schedule));
        match write(&path, 0, Duration::from_nanos(at), WrittenFormat::Mahimahi) {
            Ok(files) => {
                let lines = files[0].content.iter().filter(|byte| **byte == b'\n').count();
                prop_assert_eq!(lines as u128, chances);
            }
            Err(_) => prop_assert_eq!(chances, 0),
        }
    }
}
