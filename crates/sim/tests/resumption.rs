//! What later connections take from earlier ones, within a load and from a visit before it.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::time::Instant;

use crate::common;
use crate::sample::{sample, without_chance};
use bentpipe_run::{
    ConnectionReport, Handshake, Http, ObjectSpec, PageLoadSpec, PageSpec, PepSpec, ProxySpec, Resumption,
    RunRecord, RunSpec, Status, TlsSpec, TlsVersion, Visit, Workload,
};
use bentpipe_sim::{Config, Content, simulate};
use bentpipe_units::{Bytes, Rate};

const CONNECTIONS: u32 = 6;

fn tls(version: TlsVersion, resumption: Resumption) -> Option<TlsSpec> {
    Some(TlsSpec { version, resumption })
}

/// The sample run's link with its losses and jitter: 8 and 2 Mbit/s, 530 ms.
fn lossy(http: Http, tls: Option<TlsSpec>, visit: Option<Visit>, objects: usize) -> RunSpec {
    let mut spec = sample();
    let object = |n| ObjectSpec::new(format!("/object-{n}.jpg"), Bytes::new(20_000));
    let page = PageSpec::new("many", (0..objects).map(object));
    let load = PageLoadSpec { visit, ..PageLoadSpec::new(http, CONNECTIONS, page) };
    spec.workload = Workload::PageLoad(load);
    spec.tls = tls;
    spec
}

fn clean(http: Http, tls: Option<TlsSpec>, visit: Option<Visit>, objects: usize) -> RunSpec {
    let mut spec = lossy(http, tls, visit, objects);
    without_chance(&mut spec, Rate::from_bps(100_000_000));
    spec
}

fn ran(spec: &RunSpec) -> RunRecord {
    let record = common::record(spec, Content::Length);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{:?}", spec.tls);
    record
}

fn handshakes(record: &RunRecord) -> Vec<Option<Handshake>> {
    record.client_connections.iter().map(|connection| connection.handshake).collect()
}

/// Every setting that TLS over TCP may have, and the handshake of a connection that has something to resume.
const SETTINGS: [(TlsVersion, Resumption, Handshake); 5] = [
    (TlsVersion::V1_2, Resumption::None, Handshake::Full),
    (TlsVersion::V1_2, Resumption::Ticket, Handshake::Resumed),
    (TlsVersion::V1_3, Resumption::None, Handshake::Full),
    (TlsVersion::V1_3, Resumption::Ticket, Handshake::Resumed),
    (TlsVersion::V1_3, Resumption::EarlyData, Handshake::EarlyDataAccepted),
];

#[test]
fn the_second_connection_of_a_first_visit_takes_a_ticket_of_the_first() {
    for (version, resumption, expected) in SETTINGS {
        let record = ran(&clean(Http::H1s, tls(version, resumption), None, 20));
        let found = handshakes(&record);
        assert_eq!(found.len(), CONNECTIONS as usize);
        assert_eq!(found[0], Some(Handshake::Full), "{version:?} {resumption:?}");
        assert!(found[1..].iter().all(|one| *one == Some(expected)), "{version:?} {resumption:?}: {found:?}");
    }
}

#[test]
fn within_a_connection_to_a_proxy_the_second_one_takes_a_ticket_of_the_first_too() {
    let mut spec = clean(Http::H1s, tls(TlsVersion::V1_3, Resumption::Ticket), None, 20);
    let (tcp, relay_buffer_bytes) = (spec.tcp.clone(), Bytes::new(4_000_000));
    spec.pep = Some(PepSpec::Proxy(ProxySpec { cc: spec.cc, tcp, relay_buffer_bytes }));
    let record = ran(&spec);
    let tunnels = record.client_connections.iter();
    let tunnels = tunnels.filter(|connection| connection.transport == ConnectionReport::TUNNEL);
    let found: Vec<_> = tunnels.map(|connection| connection.handshake.unwrap()).collect();
    assert_eq!(found.len(), CONNECTIONS as usize);
    assert_eq!(found[0], Handshake::Full);
    assert!(found[1..].iter().all(|one| *one == Handshake::Resumed), "{found:?}");
}

#[test]
fn every_connection_of_a_repeat_visit_finds_a_ticket() {
    for (version, resumption, expected) in SETTINGS {
        let spec = clean(Http::H1s, tls(version, resumption), Some(Visit::Repeat), 20);
        let found = handshakes(&ran(&spec));
        assert_eq!(found, [Some(expected); CONNECTIONS as usize], "{version:?} {resumption:?}");
    }
}

#[test]
fn pages_are_whole_over_a_link_with_losses_and_equal_specs_give_equal_records() {
    for (version, resumption, _) in SETTINGS {
        for visit in [None, Some(Visit::Repeat)] {
            for http in [Http::H1s, Http::H2, Http::H3] {
                let spec = lossy(http, tls(version, resumption), visit, 10);
                let [first, second] = [(); 2].map(|()| serde_json::to_string(&ran(&spec)).unwrap());
                assert_eq!(first, second, "{http:?} {version:?} {resumption:?} {visit:?}");
            }
        }
    }
}

#[test]
fn a_full_handshake_without_tickets_has_their_bytes_less_and_is_otherwise_the_one_without_settings() {
    let carried = |tls| {
        let record = ran(&clean(Http::H2, tls, None, 1));
        let carried = record.client_connections[0].carried.unwrap();
        (handshakes(&record), carried.up.stream_bytes, carried.down.stream_bytes)
    };
    let (bare, up, down) = carried(None);
    let (none, up_of_none, down_of_none) = carried(tls(TlsVersion::V1_3, Resumption::None));
    assert_eq!((bare, none), (vec![None], vec![Some(Handshake::Full)]));
    assert_eq!(up, up_of_none);
    assert!(down > down_of_none, "{down} {down_of_none}");
}

#[test]
fn an_address_token_lets_the_answer_to_early_data_exceed_three_times_the_question() {
    // RFC 9000 section 8.1: at most three times what has come from an address that is not validated. The document names
    // 200 objects; the client's first flight is below 2 kB.
    let mut spec = clean(Http::H3, tls(TlsVersion::V1_3, Resumption::EarlyData), Some(Visit::Repeat), 200);
    if let Workload::PageLoad(load) = &mut spec.workload {
        load.page.objects.iter_mut().for_each(|object| object.bytes = Bytes::new(500));
    }
    let record = ran(&spec);
    let document = &record.objects[0];
    assert!(document.bytes > 6_000, "{document:?}");
    assert!((0.53..0.54).contains(&document.last_byte_s), "{document:?}");
}

#[test]
fn early_data_of_tls_1_2_are_refused() {
    for http in [Http::H1s, Http::H2, Http::H3] {
        let spec = clean(http, tls(TlsVersion::V1_2, Resumption::EarlyData), None, 1);
        let refusal = simulate(&spec, &Config::new(Instant::now())).unwrap_err();
        assert!(refusal.to_string().contains("early data needs TLS 1.3"), "{refusal}");
    }
}

#[test]
fn requests_beyond_a_limit_that_came_after_them_are_repeated() {
    // The document names thirty images of another host. With early data their requests leave before that host's settings
    // come, and most are refused (RFC 9113 sections 5.1.2 and 8.7).
    for http in [Http::H2, Http::Spdy] {
        let tls = tls(TlsVersion::V1_3, Resumption::EarlyData);
        let mut spec = clean(http, tls, Some(Visit::Repeat), 30);
        let Workload::PageLoad(load) = &mut spec.workload else { panic!("a page") };
        load.page.objects.iter_mut().for_each(|object| object.host = Some("images.example".to_owned()));
        spec.http2.max_concurrent_streams = 4;
        let record = ran(&spec);
        let images: Vec<_> = record.objects.iter().filter(|object| object.url.contains("images.")).collect();
        assert_eq!(images.len(), 30, "{http:?}");
        // All were asked for at once, before anything of them came.
        let first_byte_s = images.iter().map(|object| object.first_byte_s).fold(f64::MAX, f64::min);
        assert!(images.iter().all(|object| object.request_s < first_byte_s), "{http:?}");
    }
}
