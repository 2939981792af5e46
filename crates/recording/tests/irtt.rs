//! Round trips of irtt, as LENS has processed them and as irtt writes them.

use bentpipe_link::StateSpec::{Open, Outage};
use bentpipe_recording::Format;

use crate::common::{delayed, read_once, rows_of};

#[test]
fn the_least_delays_of_both_directions_become_equal_and_round_trips_stay() {
    // From the example of LENS's README, with losses in either direction and in one that nobody knows.
    let csv = "\
timestamp,rtt,uplink,downlink
1705744800616897349,0,0,-1
1705744800626565141,120.126123,72.439368,47.68675
1705744800636737402,0,-1,0
1705744800646307744,100.411714,52.731855,47.679937
1705744800656691526,-1,0,0
1705744800666731717,87.506136,39.592273,47.913945
";
    let recording = read_once(csv).unwrap();
    assert_eq!(recording.format, Format::IrttCsv);
    let [forward, return_] = rows_of(recording);
    // Least are 39.592273 up and 47.679937 down: the server's clock is 4.043832 ms behind, and each direction's least
    // is 43.636105.
    let down = [43_642_918, 43_636_105, 43_870_113];
    let expected = [
        delayed(0, down[0], Outage),
        delayed(9_667_792, down[0], Open),
        delayed(29_410_395, down[1], Open),
        delayed(39_794_177, down[1], Outage),
        delayed(49_834_368, down[2], Open),
    ];
    assert_eq!(forward, expected);
    let up = [76_483_200, 56_775_687, 43_636_105];
    let expected = [
        delayed(0, up[0], Open),
        delayed(19_840_053, up[0], Outage),
        delayed(29_410_395, up[1], Open),
        delayed(39_794_177, up[1], Outage),
        delayed(49_834_368, up[2], Open),
    ];
    assert_eq!(return_, expected);
}

fn round_trip(send: &str, lost: &str, delay: &str) -> String {
    format!(
        r#"{{"seqno": 0, "lost": "{lost}", "timestamps": {{"client": {{"receive": {{}}, "send": {{{send}}}}},
        "server": {{}}, "Ecn": 0}}, "delay": {{{delay}}}, "ipdv": {{}}}}"#
    )
}

fn document(round_trips: &[String]) -> String {
    format!(r#"{{"version": {{"irtt": "0.9.1"}}, "round_trips": [{}]}}"#, round_trips.join(", "))
}

#[test]
fn what_irtt_writes_is_read_by_the_client_s_monotonic_clock() {
    // The first two round trips of the example in LENS's README: clocks ten seconds apart.
    let first = r#""wall": 1707277440772833721, "monotonic": 22211105"#;
    let second = r#""wall": 1707277441773479264, "monotonic": 1022856655"#;
    let json = document(&[
        round_trip(first, "false", r#""receive": -10470921269, "rtt": 17291970, "send": 10488213200"#),
        round_trip(second, "false", r#""receive": -10470851192, "rtt": 16870863, "send": 10487722034"#),
        round_trip(r#""monotonic": 2022856655"#, "true_up", ""),
        round_trip(r#""monotonic": 3022856655"#, "true", ""),
    ]);
    let recording = read_once(&json).unwrap();
    assert_eq!(recording.format, Format::IrttJson);
    let [forward, return_] = rows_of(recording);
    // Least -10 470 921 269 down and 10 487 722 034 up: 16 800 765 together, half of which is 8 400 382.
    let expected = [
        delayed(0, 8_400_382, Open),
        delayed(1_000_645_550, 8_470_459, Open),
        delayed(3_000_645_550, 8_470_459, Outage),
    ];
    assert_eq!(forward, expected);
    let expected = [
        delayed(0, 8_891_549, Open),
        delayed(1_000_645_550, 8_400_383, Open),
        delayed(2_000_645_550, 8_400_383, Outage),
    ];
    assert_eq!(return_, expected);
    // Round trips stay as they were: 17.291931 and 16.870842 ms of sending and receiving.
    let sum = |index: usize| forward[index].delay_ns.unwrap() + return_[index].delay_ns.unwrap();
    assert_eq!([sum(0), sum(1)].map(|sum| sum.as_nanos()), [17_291_931, 16_870_842]);
}

#[test]
fn a_server_without_time_stamps_leaves_half_of_the_round_trip() {
    let json = document(&[round_trip(r#""wall": 7"#, "false", r#""rtt": 30000001"#)]);
    let [forward, return_] = rows_of(read_once(&json).unwrap());
    assert_eq!(forward, [delayed(0, 15_000_000, Open)]);
    assert_eq!(return_, [delayed(0, 15_000_001, Open)]);
}
