//! Quantities read and print exactly, and refuse what they cannot hold.

use bentpipe_units::{Bytes, Decibel, Duration, Rate, parse_fraction};
use proptest::prelude::*;

#[test]
fn quantities_of_the_studies_read_as_written() {
    assert_eq!("10 Mbit/s".parse(), Ok(Rate::from_bps(10_000_000)));
    assert_eq!("10Mbit/s".parse(), Ok(Rate::from_bps(10_000_000)));
    assert_eq!("1.08 ms".parse(), Ok(Duration::from_nanos(1_080_000)));
    assert_eq!("36 MB".parse(), Ok(Bytes::new(36_000_000)));
    assert_eq!("128 KiB".parse(), Ok(Bytes::new(131_072)));
    assert_eq!("-2.35 dB".parse(), Ok(Decibel::new(-2.35)));
    assert_eq!(parse_fraction("1e-7"), Ok(1e-7));
    assert_eq!(parse_fraction("0.05 %"), Ok(0.0005));
}

#[test]
fn a_tenth_of_a_millisecond_is_exact() {
    // 0.1 has no finite binary expansion: going through a float could lose a nanosecond.
    assert_eq!("0.1 ms".parse(), Ok(Duration::from_nanos(100_000)));
    assert_eq!("1e-3 s".parse(), Ok(Duration::from_millis(1)));
}

#[test]
fn whole_hours_are_printed_as_such() {
    assert_eq!("86400 s".parse::<Duration>().unwrap().to_string(), "24 h");
    assert_eq!((Duration::from_secs(3600) + Duration::from_millis(1)).to_string(), "3600.001 s");
    assert_eq!(Duration::ZERO.to_string(), "0 ns");
}

#[test]
fn nonsense_is_refused_with_what_was_expected_and_found() {
    for text in [
        "", "10", "ten ms", "-1 ms", "NaN s", "inf s", "1 mbit/s", "1e99 h", "0.5 ns", "1..2 s", "1 ms x",
        ".",
    ] {
        let error = text.parse::<Duration>().unwrap_err().to_string();
        assert_eq!(error, format!("expected a duration such as \"250 ms\", found \"{text}\""));
    }
    assert!(parse_fraction("1.5").is_err());
    assert!(parse_fraction("NaN").is_err());
    assert!("nan dB".parse::<Decibel>().is_err());
}

#[test]
fn a_1500_byte_packet_takes_1200_microseconds_at_10_mbit_per_s() {
    // 12 000 bits / 10^7 bit/s.
    let rate = Rate::from_bps(10_000_000);
    assert_eq!(rate.time_for(Bytes::new(1500)), Duration::from_micros(1200));
    assert_eq!(rate.volume_in(Duration::from_micros(1200)), Bytes::new(1500));
    assert_eq!(Rate::of(Bytes::new(1500), Duration::from_micros(1200)), rate);
}

#[test]
fn ten_decibels_are_a_factor_of_ten() {
    assert!((Decibel::new(10.0).linear() - 10.0).abs() < 1e-12);
    assert!((Decibel::from_linear(100.0).get() - 20.0).abs() < 1e-12);
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_itself(value in any::<u64>()) {
        let (span, size, rate) = (Duration::from_nanos(value), Bytes::new(value), Rate::from_bps(value));
        prop_assert_eq!(span.to_string().parse(), Ok(span));
        prop_assert_eq!(size.to_string().parse(), Ok(size));
        prop_assert_eq!(rate.to_string().parse(), Ok(rate));
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,40}") {
        let _ = text.parse::<Duration>();
        let _ = text.parse::<Decibel>();
        let _ = parse_fraction(&text);
    }
}
