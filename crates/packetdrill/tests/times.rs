//! When something may happen, by the script's times and by the endpoint's timestamps.

use bentpipe_packetdrill::{Settings, Verdict, parse};

use crate::following::{ACCEPTED, judged, verdict};

#[test]
fn a_segment_at_another_time_is_told_with_both() {
    let text = "+0 write(4, ..., 1000) = 1000\n+.1 > P. 1:1001(1000) ack 1";
    let Verdict::Failed(difference) = verdict(text) else { panic!("it passed") };
    assert!(difference.is_timing);
    assert_eq!(difference.expected, "P. 1:1001(1000) ack 1 at 0.200000 s");
    assert_eq!(difference.found, "it at 0.100000 s");
}

#[test]
fn a_timestamp_counts_time_where_the_head_says_its_tick() {
    // RFC 7323 section 5.4: the endpoint's clock starts anywhere; half a second are 500 ticks of Linux (tcp_clock_ms).
    let written = |head: &str, value: u32| {
        let syn = "<mss 1000,sackOK,TS val 1 ecr 0>";
        let syn_ack = "<mss 1460,sackOK,TS val 100 ecr 1>";
        let accepted = ACCEPTED
            .replace("<mss 1000,sackOK,nop,nop,nop,wscale 7>", syn)
            .replace("<...>", syn_ack)
            .replace("win 511", "win 511 <nop,nop,TS val 2 ecr 100>");
        let text =
            format!("+.4 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1 <nop,nop,TS val {value} ecr 2>");
        judged(&format!("{head}{accepted}{text}"), |_| Ok(()))
    };
    let ticking = |value: u32| written("--tcp_ts_tick_usecs=1000", value);
    assert_eq!(written("", 700), Verdict::Passed);
    assert_eq!(ticking(600), Verdict::Passed);
    assert_eq!(ticking(604), Verdict::Passed);
    let Verdict::Failed(difference) = ticking(605) else { panic!("it passed") };
    assert!(difference.is_timing);
    assert!(difference.found.ends_with("<nop,nop,TS val 600 ecr 2>"), "{difference}");
}

#[test]
fn a_part_of_the_time_may_be_the_tolerance() {
    let text = "+0 write(4, ..., 1000) = 1000\n+.01 > P. 1:1001(1000) ack 1";
    let tolerant = format!("--tolerance_percent=100\n{ACCEPTED}{text}");
    assert_eq!(judged(&tolerant, |_| Ok(())), Verdict::Passed);
    let script = parse(&format!("{ACCEPTED}{text}")).unwrap();
    assert_eq!(Settings::of(&script, &[]).unwrap().tolerance_percent, 0);
    assert!(matches!(verdict(text), Verdict::Failed(difference) if difference.is_timing));
}

#[test]
fn the_tolerance_counts_from_the_last_event_wherever_times_do() {
    // Of 1 s since the last event 5 % are 50 ms, of the 10 s since the start they would be half a second.
    let text = "9.0 < . 1:501(500) ack 1 win 511
                * > . 1:1(0) ack 501
                +1 write(4, ..., 1000) = 1000";
    let tolerant =
        |expected: &str| judged(&format!("--tolerance_percent=5\n{ACCEPTED}{text}\n{expected}"), |_| Ok(()));
    let late = |verdict| matches!(verdict, Verdict::Failed(difference) if difference.is_timing);
    assert_eq!(tolerant("+0 > P. 1:1001(1000) ack 501"), Verdict::Passed);
    // The write is the last event, 3 ms before; then a whole second before.
    assert!(late(tolerant("10.2 > P. 1:1001(1000) ack 501")));
    let idle = |after: &str| {
        let text = format!(
            "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1\n{after} > P. 1:1001(1000) ack 1"
        );
        judged(&format!("--tolerance_percent=5\n{ACCEPTED}{text}"), |_| Ok(()))
    };
    // RFC 6298 with the kernel's least of 200 ms beside a variance of a round trip of 100 ms: 300 ms after the first
    // are jiffy 100, in the slot of eight that ends with jiffy 104, at 0.416 s (kernel/time/timer.c). Of 336 ms 5 % are 17 ms.
    assert_eq!(idle("+.31"), Verdict::Passed);
    assert_eq!(idle(".41"), Verdict::Passed);
    assert!(late(idle(".436")));
}

#[test]
fn how_late_a_timer_may_be_counts_from_the_last_event_wherever_times_do() {
    // Of the write at 5 s the timeout of 300 ms are jiffy 1325, in the slot of eight that ends with jiffy 1328, at 5.312 s. Such a
    // timer may be late by eight jiffies and one, 36 ms, beside a tolerance of 4 ms; one of 5 s by 65, 260 ms.
    let repeated = |at: &str| {
        let text = "5.0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1";
        verdict(&format!("{text}\n{at} > P. 1:1001(1000) ack 1"))
    };
    let is_late = |verdict| matches!(verdict, Verdict::Failed(difference) if difference.is_timing);
    assert_eq!(repeated("5.3"), Verdict::Passed);
    assert_eq!(repeated("5.274"), Verdict::Passed);
    assert!(is_late(repeated("5.270")));
    // A call that blocks for 300 ms, too, may be late by 36 ms and the tolerance.
    let read = |after: &str| {
        let text = "+0...0.3 read(4, ..., 1000) = 500";
        verdict(&format!("{text}\n{after} < . 1:501(500) ack 1 win 511\n+0 > . 1:1(0) ack 501"))
    };
    assert_eq!(read("+.338"), Verdict::Passed);
    assert!(is_late(read("+.342")));
}
