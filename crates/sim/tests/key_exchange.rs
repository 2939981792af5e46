//! How TLS and QUIC agree on keys, and what that weighs on the wire.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::time::Instant;

use crate::common;
use crate::sample::{half_of, sample};
use bentpipe_run::{
    Algorithm, BulkSpec, Direction, Handshake, Http, KeyExchange, ObjectSpec, PageLoadSpec, PageSpec,
    Resumption, RunRecord, RunSpec, Status, TlsSpec, TlsVersion, Transport, Visit, Workload,
};
use bentpipe_sim::{Config, Content, simulate};
use bentpipe_units::{Bytes, Duration, Rate};

const HYBRID: Option<KeyExchange> = Some(KeyExchange::X25519Mlkem768);
const SECURE: [Http; 5] = [Http::Http10s, Http::H1s, Http::H2, Http::H3, Http::Spdy];
const FAST: Rate = Rate::from_bps(100_000_000);
/// So slow that what is sent counts for more than all else.
const NARROW: Rate = Rate::from_bps(64_000);

/// What the client's share has beside its bytes: group, length, and a place among the groups supported (RFC 8446 sections
/// 4.2.7 and 4.2.8). The share is of 1184 + 32 bytes, and that of X25519 alone stands behind it
/// (draft-ietf-tls-ecdhe-mlkem section 4.1).
const HELLO: u64 = 1216 + 2 + 2 + 2;
/// In place of 32 bytes the server sends 1088 + 32 (draft-ietf-tls-ecdhe-mlkem section 4.2).
const ANSWER: u64 = 1088;
/// IPv4, TCP and timestamps.
const TCP_HEADERS: u64 = 52;

/// A page of one small object over 500 ms without losses.
fn page(http: Http, key_exchange: Option<KeyExchange>, return_rate: Rate) -> RunSpec {
    let mut spec = sample();
    let page = PageSpec::new("one", [ObjectSpec::new("/object.jpg", Bytes::new(1_000))]);
    spec.workload = Workload::PageLoad(PageLoadSpec::new(http, 1, page));
    let (rtt, queue) = (Duration::from_millis(500), Bytes::new(1_000_000));
    spec.link.forward = half_of(rtt, FAST, queue);
    spec.link.return_ = half_of(rtt, return_rate, queue);
    spec.tls = None;
    spec.key_exchange = key_exchange;
    spec
}

fn ran(spec: &RunSpec) -> RunRecord {
    let record = common::record(spec, Content::Length);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()));
    record
}

#[test]
fn both_ends_read_back_the_key_exchange_that_the_run_asks_for() {
    for http in SECURE {
        for wanted in [KeyExchange::X25519, KeyExchange::X25519Mlkem768] {
            let record = ran(&page(http, Some(wanted), FAST));
            assert_eq!(record.client_connections.len(), record.origin_connections.len());
            for connection in record.client_connections.iter().chain(&record.origin_connections) {
                assert_eq!(connection.key_exchange.as_deref(), Some(wanted.name()), "{http:?}");
            }
        }
    }
}

#[test]
fn a_run_that_asks_for_none_has_x25519_and_says_nothing_of_it() {
    for http in SECURE {
        let (silent, asked) =
            (ran(&page(http, None, FAST)), ran(&page(http, Some(KeyExchange::X25519), FAST)));
        assert!(silent.client_connections.iter().all(|connection| connection.key_exchange.is_none()));
        assert_eq!(silent.metrics, asked.metrics, "{http:?}");
    }
}

#[test]
fn over_tcp_the_hybrid_hello_and_its_answer_are_longer_by_what_the_draft_has() {
    for http in [Http::H1s, Http::H2, Http::Spdy] {
        let bytes = |key_exchange| {
            let record = ran(&page(http, key_exchange, FAST));
            let carried = record.client_connections[0].carried.unwrap();
            (carried.up.stream_bytes.get(), carried.down.stream_bytes.get())
        };
        let ((up, down), (hybrid_up, hybrid_down)) = (bytes(None), bytes(HYBRID));
        assert_eq!((hybrid_up - up, hybrid_down - down), (HELLO, ANSWER), "{http:?}");
    }
}

#[test]
fn over_quic_the_hybrid_hello_takes_a_datagram_more() {
    let packets = |key_exchange| ran(&page(Http::H3, key_exchange, FAST)).metrics.wire_packets_up;
    // 1222 bytes beside what fills less than one of 1472.
    let (one, two) = (packets(None), packets(HYBRID));
    // And perhaps an acknowledgement more of an answer that is longer too.
    assert!((one + 1..=one + 3).contains(&two), "{one} and {two} packets up");
}

#[test]
fn a_client_that_hears_nothing_of_its_handshake_for_long_probes_and_ends_it() {
    // RFC 9002 appendix A.8: with keys for data a probe is a Handshake packet. Datagrams are large, and an answer is late by
    // several times the initial RTT, so that the client has nothing in flight when it has its keys. The times are those with
    // which any_scenario found it.
    for one_way_ms in (400..=1000).step_by(50) {
        let mut spec = page(Http::H3, HYBRID, FAST);
        spec.cc = Algorithm::Bbr;
        spec.link.mtu_bytes = Bytes::new(2_043);
        spec.quic.udp_payload_bytes = Bytes::new(2_015);
        spec.quic.initial_rtt_ns = Duration::from_micros(122_531);
        spec.link.forward.delay_ns = Duration::from_millis(one_way_ms);
        spec.link.return_.delay_ns = Duration::from_micros(3_545);
        spec.workload = Workload::Bulk(BulkSpec {
            transport: Transport::Quic,
            direction: Direction::Down,
            bytes: Some(Bytes::new(10_000)),
            duration_ns: None,
        });
        ran(&spec);
    }
}

#[test]
fn the_handshake_takes_no_round_trip_more_but_the_time_of_its_bytes_over_a_narrow_return_link() {
    for http in [Http::H1s, Http::H2] {
        let tls_s = |key_exchange, rate| ran(&page(http, key_exchange, rate)).metrics.tls_s.unwrap();
        // In two segments where there was one.
        let expected_s = ((HELLO + TCP_HEADERS) * 8) as f64 / NARROW.as_bps() as f64;
        let found_s = tls_s(HYBRID, NARROW) - tls_s(None, NARROW);
        assert!((found_s / expected_s - 1.0).abs() < 0.01, "{http:?}: {found_s} s, expected {expected_s} s");
        assert!(tls_s(HYBRID, FAST) - tls_s(None, FAST) < 0.001, "{http:?}");
    }
    let connect_s = |key_exchange, rate| ran(&page(Http::H3, key_exchange, rate)).metrics.connect_s.unwrap();
    // RFC 9000 section 14.1: datagrams with Initial packets are filled up to 1200 bytes at least, the second one too, and
    // the first may now fill its packet of 1500.
    let of_bytes = |bytes: u64| (bytes * 8) as f64 / NARROW.as_bps() as f64;
    let found_s = connect_s(HYBRID, NARROW) - connect_s(None, NARROW);
    assert!((of_bytes(1228)..of_bytes(1650)).contains(&found_s), "{found_s} s");
    // A tick of the client's timers (docs/models/simulation.md) and a full packet more in each direction.
    let most_s = 0.001 + 2.0 * (1500 * 8) as f64 / FAST.as_bps() as f64;
    let (hybrid_s, plain_s) = (connect_s(HYBRID, FAST), connect_s(None, FAST));
    assert!(hybrid_s - plain_s < most_s, "{hybrid_s} s and {plain_s} s");
}

#[test]
fn later_connections_resume_and_send_early_data_with_it() {
    for http in [Http::H1s, Http::H2, Http::H3] {
        for (resumption, expected) in
            [(Resumption::Ticket, Handshake::Resumed), (Resumption::EarlyData, Handshake::EarlyDataAccepted)]
        {
            let mut spec = page(http, HYBRID, FAST);
            spec.tls = Some(TlsSpec { version: TlsVersion::V1_3, resumption });
            if let Workload::PageLoad(load) = &mut spec.workload {
                load.visit = Some(Visit::Repeat);
            }
            for connection in &ran(&spec).client_connections {
                assert_eq!(connection.handshake, Some(expected), "{http:?}");
                assert_eq!(connection.key_exchange.as_deref(), Some("x25519mlkem768"), "{http:?}");
            }
        }
    }
}

#[test]
fn tls_1_2_has_no_hybrid_key_exchange() {
    let mut spec = page(Http::H1s, HYBRID, FAST);
    spec.tls = Some(TlsSpec { version: TlsVersion::V1_2, resumption: Resumption::None });
    let error = simulate(&spec, &Config::new(Instant::now())).unwrap_err();
    assert!(error.to_string().contains("X25519MLKEM768 needs TLS 1.3"), "{error}");
}

#[test]
fn equal_specs_give_equal_records_with_it() {
    for http in SECURE {
        let spec = RunSpec { link: sample().link, ..page(http, HYBRID, FAST) };
        let bytes = || serde_json::to_string(&ran(&spec)).unwrap();
        assert_eq!(bytes(), bytes(), "{http:?}");
    }
}
