//! Civil time reads and prints as RFC 3339.

use bentpipe_trace::WallClock;
use bentpipe_units::Duration;
use proptest::prelude::*;

/// Expected values: `date --utc --date=TEXT +%s%N` (GNU coreutils 9.1).
const KNOWN: &[(&str, u64)] = &[
    ("1970-01-01T00:00:00.000000000Z", 0),
    ("2000-02-29T23:59:59.000000000Z", 951_868_799_000_000_000),
    ("2026-03-01T12:00:00.250000000Z", 1_772_366_400_250_000_000),
    ("2100-03-01T00:00:00.000000001Z", 4_107_542_400_000_000_001),
];

#[test]
fn known_instants_read_and_print_as_the_system_tools_do() {
    for (text, nanos) in KNOWN {
        assert_eq!(text.parse(), Ok(WallClock::from_unix_nanos(*nanos)));
        assert_eq!(WallClock::from_unix_nanos(*nanos).to_string(), *text);
    }
}

#[test]
fn the_zone_shifts_the_instant_and_a_long_fraction_is_cut_off() {
    // RFC 3339 section 5.8: these two name the same instant.
    assert_eq!("1996-12-19T16:39:57-08:00".parse::<WallClock>(), "1996-12-20T00:39:57Z".parse());
    assert_eq!(
        "2026-03-01T12:00:00.1234567899+00:00".parse(),
        "2026-03-01T12:00:00.123456789Z".parse::<WallClock>()
    );
}

#[test]
fn what_is_no_instant_from_1970_on_is_refused_by_name() {
    for text in [
        "",
        "2026-03-01",
        "2026-03-01T12:00:00",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T12:00:60Z",
        "2026-03-01T12:00:00.Z",
        "2026-03-01T12:00:00+1:00",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00+01:00",
    ] {
        let error = text.parse::<WallClock>().unwrap_err().to_string();
        assert_eq!(
            error,
            format!("expected an instant such as \"2026-03-01T12:00:00.25Z\", found \"{text}\"")
        );
    }
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_itself(nanos in any::<u64>()) {
        let instant = WallClock::from_unix_nanos(nanos);
        prop_assert_eq!(instant.to_string().parse(), Ok(instant));
    }

    #[test]
    fn later_instants_print_later(nanos in 0..u64::MAX / 2, span in 1..u64::MAX / 2) {
        let instant = WallClock::from_unix_nanos(nanos);
        prop_assert!((instant + Duration::from_nanos(span)).to_string() > instant.to_string());
    }
}
