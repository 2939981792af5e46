//! Pings, as text and as LENS has processed them.

use bentpipe_link::{
    ScheduleSpec,
    StateSpec::{Open, Outage},
};
use bentpipe_recording::{Format, ReadOptions, read};
use bentpipe_units::Duration;

use crate::common::{ONCE, delayed, read_once, rows_of};

/// Sent at 0, 20, (40, 60,) 80, 100 ms; number 5 was answered twice, and 6 before it.
const TEXT: &str = "\
PING 2605:59c8::1 (2605:59c8::1) 56 data bytes
[1700182800.060000] 64 bytes from 2605:59c8::1: icmp_seq=1 ttl=63 time=60.0 ms
[1700182800.076400] 64 bytes from 2605:59c8::1: icmp_seq=2 ttl=63 time=56.4 ms
[1700182800.090000] From 2605:59c8::9 icmp_seq=3 Destination unreachable: No route
[1700182800.130000] no answer yet for icmp_seq=4
[1700182800.140000] 64 bytes from 2605:59c8::1: icmp_seq=6 ttl=63 time=40.0 ms
[1700182800.150000] 64 bytes from 2605:59c8::1: icmp_seq=5 ttl=63 time=70.0 ms
[1700182800.190000] 64 bytes from 2605:59c8::1: icmp_seq=5 ttl=63 time=110 ms (DUP!)

--- 2605:59c8::1 ping statistics ---
6 packets transmitted, 4 received, +1 duplicates, 33% packet loss, time 100ms
rtt min/avg/max/mdev = 40.000/56.600/70.000/10.800 ms
[1700182800.2000";

const MS: u64 = 1_000_000;

#[test]
fn half_of_each_round_trip_is_each_direction_s_from_when_it_was_sent() {
    let recording = read_once(TEXT).unwrap();
    assert_eq!(recording.format, Format::PingText);
    let forward = recording.forward.clone().unwrap();
    assert_eq!((forward.mean_bps, forward.least_delay_ns), (None, Some(Duration::from_millis(20))));
    let expected = [
        delayed(0, 30 * MS, Open),
        delayed(20 * MS, 28_200_000, Open),
        // A third of the way from 20 to 80 ms, where the first of two that are missing was sent.
        delayed(40 * MS, 28_200_000, Outage),
        delayed(80 * MS, 35 * MS, Open),
        delayed(100 * MS, 20 * MS, Open),
    ];
    assert_eq!(rows_of(recording), [expected.to_vec(), expected.to_vec()]);
}

#[test]
fn one_that_repeats_starts_again_after_the_usual_interval() {
    let recording = read(TEXT.as_bytes(), None, None, &ReadOptions { repeats: true, ..ONCE }).unwrap();
    // 100 ms have four intervals between the five rows.
    assert_eq!(recording.duration_ns, Duration::from_millis(125));
    let ScheduleSpec::Table { period_ns, .. } = recording.forward.unwrap().schedule else { panic!() };
    assert_eq!(period_ns, Some(Duration::from_millis(125)));
}

#[test]
fn the_numbers_of_packets_begin_again_after_sixteen_bits() {
    let text = "\
[5.0] 64 bytes from a: icmp_seq=65534 ttl=63 time=10 ms
[6.0] 64 bytes from a: icmp_seq=65535 ttl=63 time=12 ms
[8.0] 64 bytes from a: icmp_seq=1 ttl=63 time=14 ms
";
    let [forward, _] = rows_of(read_once(text).unwrap());
    // Sent at 4.990, 5.988 and 7.986 s: number 0 is missing between the latter.
    let expected = [
        delayed(0, 5 * MS, Open),
        delayed(998 * MS, 6 * MS, Open),
        delayed(1_997 * MS, 6 * MS, Outage),
        delayed(2_996 * MS, 7 * MS, Open),
    ];
    assert_eq!(forward, expected);
}

#[test]
fn processed_pings_have_no_numbers_and_what_is_missing_shows_in_the_time() {
    // The example of LENS's README: sent at 441.841, 458.42, 491.846, 507.61, 525.365 and 571.437 ms, so that one is
    // missing after the second and two before the last.
    let csv = "\
timestamp,rtt
1705744800.533641,91.8
1705744800.55492,96.5
1705744800.602846,111.0
1705744800.61361,106.0
1705744800.613665,88.3
1705744800.677437,106.0
";
    let recording = read_once(csv).unwrap();
    assert_eq!(recording.format, Format::PingCsv);
    let expected = [
        delayed(0, 45_900_000, Open),
        delayed(16_579_000, 48_250_000, Open),
        delayed(33_292_000, 48_250_000, Outage),
        delayed(50_005_000, 55_500_000, Open),
        delayed(65_769_000, 53_000_000, Open),
        delayed(83_524_000, 44_150_000, Open),
        delayed(98_881_333, 44_150_000, Outage),
        delayed(129_596_000, 53_000_000, Open),
    ];
    assert_eq!(rows_of(recording)[0], expected);
}
