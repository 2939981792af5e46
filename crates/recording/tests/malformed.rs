//! What is no recording is refused with its line, what was expected and what was found.

use bentpipe_recording::{Format, read};

use crate::common::{ONCE, read_once};

const FORMATS: &str = "schedule, mahimahi, leoreplayer, ping-text, ping-csv, irtt-csv, irtt-json";

#[test]
fn a_file_of_something_else_is_refused_with_the_formats_there_are() {
    for (content, found) in [("", "an empty file"), ("# only\n", "an empty file")] {
        let expected = format!("expected a recording in one of the formats {FORMATS}, found {found}");
        assert_eq!(read_once(content).unwrap_err().to_string(), expected);
    }
    let error = Format::of(b"\n\nname,value\n").unwrap_err().to_string();
    assert_eq!(
        error,
        format!("line 3: expected a recording in one of the formats {FORMATS}, found \"name,value\"")
    );
    let error = Format::of(b"\xff\xfe\n").unwrap_err().to_string();
    assert!(error.starts_with(&format!("line 1: expected a recording in one of the formats {FORMATS}")));
    let error = "pcap".parse::<Format>().unwrap_err().to_string();
    assert_eq!(error, format!("expected one of the formats {FORMATS}, found \"pcap\""));
}

/// Each with its format and the error.
const MALFORMED: &[(&str, Format, &str)] = &[
    ("1\n5\n4\n", Format::Mahimahi, "line 3: expected 5 or later, as the line before, found \"4\""),
    (
        "1\n-1\n",
        Format::Mahimahi,
        "line 2: expected a whole number of milliseconds, at most 21600000 (6 h), found \"-1\"",
    ),
    (
        "+1\n",
        Format::Mahimahi,
        "line 1: expected a whole number of milliseconds, at most 21600000 (6 h), found \"+1\"",
    ),
    (
        "1\n1000000000000000\n",
        Format::Mahimahi,
        "line 2: expected a whole number of milliseconds, at most 21600000 (6 h), found \"1000000000000000\"",
    ),
    ("\n \n", Format::Mahimahi, "expected a chance to send, found an empty file"),
    ("time_s\n0\n", Format::Schedule, "line 1: expected a column beside time_s, found \"time_s\""),
    ("forward_loss\n0\n", Format::Schedule, "line 1: expected a column time_s, found \"forward_loss\""),
    (
        "time_s,loss\n0,0\n",
        Format::Schedule,
        "line 1: expected a column of time_s, forward_rate_bps, forward_delay_s, forward_loss, forward_state, \
         return_rate_bps, return_delay_s, return_loss, return_state, found \"loss\"",
    ),
    (
        "time_s,forward_loss,forward_loss\n",
        Format::Schedule,
        "line 1: expected each column once, found \"forward_loss\"",
    ),
    ("# nothing\n", Format::Schedule, "expected a header line, found none"),
    ("time_s,forward_loss\n", Format::Schedule, "expected a row below the header, found none"),
    ("time_s,forward_loss\n1,0\n", Format::Schedule, "line 2: expected 0 as the first time_s, found \"1,0\""),
    (
        "time_s,forward_loss\n0,0\n2,0.1\n1.5,0\n",
        Format::Schedule,
        "line 4: expected a time_s above 2, that of the row before, found \"1.5,0\"",
    ),
    ("time_s,forward_loss\n0,0,0\n", Format::Schedule, "line 2: expected 2 cells, as in the header, found 3"),
    ("time_s,forward_loss\n0,NaN\n", Format::Schedule, "line 2: expected a loss from 0 to 1, found \"NaN\""),
    (
        "time_s,forward_state\n0,up\n",
        Format::Schedule,
        "line 2: expected open, silence or outage, found \"up\"",
    ),
    (
        "time_s,forward_rate_bps\n0,1e30\n",
        Format::Schedule,
        "line 2: expected a rate in whole bit/s, at most 10000 Gbit/s, found \"1e30\"",
    ),
    (
        "time_s,forward_delay_s\n0,0.0000000001\n",
        Format::Schedule,
        "line 2: expected delay in seconds, at most 3600 and in whole nanoseconds, found \"0.0000000001\"",
    ),
    (
        "# period_s = 1\ntime_s,forward_loss\n0,0\n1,1\n",
        Format::Schedule,
        "line 1: expected a period_s above 1, that of the last row, found 1",
    ),
    (
        "64 bytes from a: icmp_seq=1 ttl=63 time=60.6 ms\n",
        Format::PingText,
        "line 1: expected a reply as ping -D prints it: [1700182800.410606] ... icmp_seq=1 ... time=60.6 ms, \
         found \"64 bytes from a: icmp_seq=1 ttl=63 time=\"...",
    ),
    (
        "[5.0] 64 bytes from a: icmp_seq=1 ttl=63 time=9 ms\n[4.0] 64 bytes from a: icmp_seq=2 ttl=63 time=9 ms\n",
        Format::PingText,
        "line 2: expected a time not before that of the reply before, found \"[4.0] 64 bytes from a: icmp_seq=2 ttl=63\"...",
    ),
    ("PING a\n3 packets transmitted\n", Format::PingText, "expected a reply, found none"),
    ("time,rtt\n", Format::PingCsv, "line 1: expected the header timestamp,rtt, found \"time,rtt\""),
    ("timestamp,rtt\n1\n", Format::PingCsv, "line 2: expected two cells, timestamp and rtt, found \"1\""),
    ("timestamp,rtt\n1,x\n", Format::PingCsv, "line 2: expected an RTT in milliseconds, or -1, found \"x\""),
    ("timestamp,rtt\n1,-1\n", Format::PingCsv, "expected a reply, found none"),
    (
        "timestamp,rtt\n1,5\n100000,5\n",
        Format::PingCsv,
        "line 3: expected a recording of at most 24 h, found a packet of later",
    ),
    (
        "timestamp,rtt\n9000,7200001\n",
        Format::PingCsv,
        "line 2: expected a delay from the server from 0 to 1 h, found 3600000500000 ns",
    ),
    (
        "timestamp,rtt,uplink,downlink\n2,1,1,1\n1,1,1,x\n",
        Format::IrttCsv,
        "line 3: expected downlink in milliseconds, or -1, found \"x\"",
    ),
    (
        "timestamp,rtt,uplink,downlink\n99999999,1,1,1\n1,1,1,1\n",
        Format::IrttCsv,
        "line 3: expected a packet that was sent after the one before, found an earlier one",
    ),
    (
        "timestamp,rtt,uplink,downlink\n1,0,0,-1\n",
        Format::IrttCsv,
        "expected a round trip that was not lost, found none",
    ),
    (
        "timestamp,rtt,uplink,downlink\n1,5,2,-7\n",
        Format::IrttCsv,
        "expected clocks whose offset stands still: least delays of both directions with a sum above 0, found -5000000 ns",
    ),
    (
        "{\n\"round_trips\": 5}",
        Format::IrttJson,
        "line 2: expected JSON of irtt client -o, found \"invalid type: integer `5`, expected a se\"...",
    ),
    ("{\"round_trips\": []}", Format::IrttJson, "expected a round trip that was not lost, found none"),
];

#[test]
fn what_is_malformed_is_refused_with_its_line() {
    for (content, format, expected) in MALFORMED {
        let error = read(content.as_bytes(), None, Some(*format), &ONCE).unwrap_err();
        assert_eq!(error.to_string(), *expected, "{content:?}");
    }
}

#[test]
fn a_line_of_a_million_digits_is_refused() {
    let content = "1".repeat(1_000_000);
    for format in Format::ALL.into_iter().filter(|format| *format != Format::Leoreplayer) {
        assert!(read(content.as_bytes(), None, Some(format), &ONCE).is_err(), "{format}");
    }
    let error = read_once(&content).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("line 1: expected a recording in one of the formats {FORMATS}, found one of 1000000")
    );
}

#[test]
fn a_millisecond_has_so_many_chances_at_most() {
    let error = read_once(&"1\n".repeat(100_001)).unwrap_err().to_string();
    assert_eq!(error, "line 100001: expected at most 100000 chances in a millisecond, found \"1\"");
}

#[test]
fn delays_are_refused_as_those_of_their_own_file() {
    let delays =
        |content: &str, delays| read(content.as_bytes(), delays, None, &ONCE).unwrap_err().to_string();
    let expected = "delays: line 2: expected a delay in whole milliseconds, at most 3600000, found \"1.5\"";
    assert_eq!(delays("1\n", Some(b"12\n1.5\n")), expected);
    assert_eq!(delays("1\n", Some(b"")), "delays: expected a delay, found an empty file");
    let expected = "delays: expected no delays beside a recording that has its own, found some beside one in the format schedule";
    assert_eq!(delays("time_s,forward_loss\n0,0\n", Some(b"12\n")), expected);
    let error = read(b"1\n", None, Some(Format::Leoreplayer), &ONCE).unwrap_err().to_string();
    assert_eq!(error, "delays: expected a file of delays beside the chances, found none");
}
