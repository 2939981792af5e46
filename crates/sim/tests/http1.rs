//! HTTP/1.0 and HTTP/1.1 in virtual time, against the closed forms of `docs/models/http1.md`.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::time::Instant;

use crate::sample::{sample, without_chance};
use bentpipe_run::{
    Engine, Http, INTERVAL, ObjectSpec, PageLoadSpec, PageSpec, Provenance, RunRecord, Status, Workload,
    assemble,
};
use bentpipe_sim::{Config, simulate};
use bentpipe_units::{Bytes, Rate};

const ROUND_TRIP_S: f64 = 0.530;
/// What all transmissions of a load take together at 1 Gbit/s, where a round trip is the unit: less than so much.
const TRANSMISSIONS_S: f64 = 0.005;
const OBJECT_BYTES: u64 = 500;

/// A load of a page of small objects over a link on which only the round trips take time.
fn load(http: Http, connections: u32, objects: u64) -> PageLoadSpec {
    let object = |n| ObjectSpec::new(format!("/object-{n}.jpg"), Bytes::new(OBJECT_BYTES));
    let page = PageSpec::new("small", (1..=objects).map(object));
    PageLoadSpec::new(http, connections, page)
}

fn record(load: PageLoadSpec) -> RunRecord {
    let mut spec = sample();
    without_chance(&mut spec, Rate::from_bps(1_000_000_000));
    spec.workload = Workload::PageLoad(load);
    let reports = simulate(&spec, &Config::new(Instant::now())).unwrap();
    let record = assemble("0".to_owned(), Engine::Simulate, spec, Provenance::default(), reports);
    assert_eq!(record.status, Status::Succeeded, "{:?}", record.reasons);
    record
}

/// The page load time in round trips, of which there must be a whole number.
fn round_trips(record: &RunRecord) -> u64 {
    let plt_s = record.metrics.plt_s.unwrap();
    let whole = (plt_s / ROUND_TRIP_S).floor();
    let excess_s = plt_s - whole * ROUND_TRIP_S;
    assert!((0.0..TRANSMISSIONS_S).contains(&excess_s), "{plt_s} s");
    whole as u64
}

/// How many requests each connection had, in the order in which they were opened.
fn requests(record: &RunRecord) -> Vec<usize> {
    let mut counts = BTreeMap::<usize, usize>::new();
    record.objects.iter().for_each(|object| *counts.entry(object.connection).or_default() += 1);
    assert_eq!(counts.len(), record.client_connections.len());
    assert_eq!(counts.len(), record.origin_connections.len());
    counts.into_values().collect()
}

#[test]
fn a_connection_is_sampled_until_it_is_closed() {
    // The server has each of 13 connections for a round trip, from the request to the end of what it answers.
    let record = record(load(Http::Http10, 1, 12));
    let fewest = (ROUND_TRIP_S / INTERVAL.as_secs_f64()) as usize;
    let rows = record.series["sender"].column("time_s").len();
    assert!((13 * fewest..=13 * (fewest + 1)).contains(&rows), "{rows}");
}

#[test]
fn http_1_0_takes_two_round_trips_for_each_batch_of_connections() {
    // Handshake and request of the document, then of ceil(n / N) batches; over TLS 1.3 another round trip each.
    for (http, each) in [(Http::Http10, 2), (Http::Http10s, 3)] {
        for (connections, objects) in [(1, 3), (4, 12), (4, 13), (6, 1)] {
            let record = record(load(http, connections, objects));
            let batches = objects.div_ceil(u64::from(connections));
            assert_eq!(round_trips(&record), each * (1 + batches), "{http:?} {connections} {objects}");
            assert_eq!(requests(&record), vec![1; objects as usize + 1]);
            assert!(record.client_connections.iter().all(|connection| connection.protocol == "http/1.0"));
        }
    }
}

#[test]
fn http_1_1_that_is_not_persistent_takes_as_long_and_says_close_in_each_request() {
    // RFC 9112 section 9.6. HTTP/1.1 besides names the host.
    let fields =
        |record: &RunRecord| record.objects.iter().map(|o| o.request_header_bytes).collect::<Vec<_>>();
    for (old, http) in [(Http::Http10, Http::H1), (Http::Http10s, Http::H1s)] {
        let (old, persistent) = (record(load(old, 4, 13)), record(load(http, 4, 13)));
        let record = record(PageLoadSpec { requests_per_connection: Some(1), ..load(http, 4, 13) });
        assert_eq!(round_trips(&record), round_trips(&old));
        assert_eq!(requests(&record), vec![1; 14]);
        let close = "connection: close\r\n".len() as u64;
        let with_close: Vec<u64> = fields(&persistent).iter().map(|bytes| bytes + close).collect();
        assert_eq!(fields(&record), with_close);
    }
}

#[test]
fn persistent_connections_take_one_round_trip_for_an_object_and_one_to_be_opened() {
    // The document's connection has fetched t objects t round trips later, each of the others t - 1.
    for (connections, objects) in [(1, 5), (4, 12), (4, 13), (6, 30)] {
        let record = record(load(Http::H1, connections, objects));
        let others = u64::from(connections) - 1;
        let expected = 2 + (objects + others).div_ceil(u64::from(connections));
        assert_eq!(round_trips(&record), expected, "{connections} {objects}");
        assert_eq!(record.client_connections.len(), connections as usize);
    }
}

#[test]
fn a_limit_costs_a_handshake_for_each_batch_of_requests() {
    for (http, handshakes) in [(Http::H1, 1), (Http::H1s, 2)] {
        for (limit, objects) in [(2, 9), (5, 9), (10, 9), (100, 20)] {
            let load = PageLoadSpec { requests_per_connection: Some(limit), ..load(http, 1, objects) };
            let record = record(load);
            let (requests_made, limit) = (objects + 1, u64::from(limit));
            let batches = requests_made.div_ceil(limit);
            assert_eq!(
                round_trips(&record),
                requests_made + handshakes * batches,
                "{http:?} {limit} {objects}"
            );
            let counts = requests(&record);
            assert_eq!(counts.len() as u64, batches);
            assert!(counts[..counts.len() - 1].iter().all(|count| *count as u64 == limit), "{counts:?}");
        }
    }
}

#[test]
fn pipelining_takes_a_round_trip_for_as_many_objects_as_may_wait() {
    for depth in [1, 2, 8, 32] {
        let load = PageLoadSpec { pipelining: Some(depth), ..load(Http::H1, 1, 40) };
        let record = record(load);
        assert_eq!(round_trips(&record), 2 + 40_u64.div_ceil(u64::from(depth)), "{depth}");
        assert_eq!(requests(&record), [41]);
    }
}

#[test]
fn requests_are_never_pipelined_beyond_the_limit() {
    // The document and k - 1 objects on the first connection, k on each that follows: handshake and one round trip.
    let (limit, objects) = (8, 40);
    let load = PageLoadSpec {
        pipelining: Some(32),
        requests_per_connection: Some(limit),
        ..load(Http::H1, 1, objects)
    };
    let record = record(load);
    let batches = (objects - u64::from(limit - 1)).div_ceil(u64::from(limit));
    assert_eq!(round_trips(&record), 3 + 2 * batches);
    let counts = requests(&record);
    assert!(counts[..counts.len() - 1].iter().all(|count| *count == limit as usize), "{counts:?}");
}

#[test]
fn connections_are_opened_before_requests_wait_behind_one_another() {
    // 4 connections with 4 requests each: the fifth object waits behind the first, and none is left to wait for these.
    let load = PageLoadSpec { pipelining: Some(4), ..load(Http::H1, 4, 16) };
    let record = record(load);
    assert_eq!(requests(&record), [5, 4, 4, 4]);
    // Document, opening of the other three, one round trip.
    assert_eq!(round_trips(&record), 4);
}

#[test]
fn a_connection_has_few_requests_at_once_until_its_first_response_has_come() {
    // Handshake and document, 2 round trips. In the third d objects come on the document's connection, in the fourth d
    // more, and the few on the others, which are open since the third; N d in each from then on.
    let (connections, depth) = (3, 8);
    for (optimistic, objects) in
        [(1, 18), (1, 19), (2, 20), (2, 21), (2, 45), (4, 24), (4, 25), (8, 32), (8, 33)]
    {
        let load = PageLoadSpec {
            pipelining: Some(depth),
            optimistic_pipelining: Some(optimistic),
            ..load(Http::H1, connections, objects)
        };
        let record = record(load);
        let in_four = u64::from(2 * depth + (connections - 1) * optimistic);
        let later = objects.saturating_sub(in_four).div_ceil(u64::from(connections * depth));
        assert_eq!(round_trips(&record), 4 + later, "{optimistic} {objects}");
    }
}

#[test]
fn a_limit_above_that_of_all_connections_changes_nothing() {
    let plain = PageLoadSpec { pipelining: Some(4), ..load(Http::H1, 3, 20) };
    let limited = PageLoadSpec { optimistic_pipelining: Some(32), ..plain.clone() };
    let (plain, limited) = (record(plain), record(limited));
    assert_eq!(plain.objects, limited.objects);
}

#[test]
fn responses_come_in_the_order_of_the_requests() {
    let load = PageLoadSpec { pipelining: Some(16), ..load(Http::H1s, 2, 30) };
    let record = record(load);
    for connection in 0..2 {
        let mut here: Vec<_> =
            record.objects.iter().filter(|object| object.connection == connection).collect();
        here.sort_by(|one, other| one.first_byte_s.total_cmp(&other.first_byte_s));
        assert!(here.is_sorted_by(|one, next| one.last_byte_s <= next.first_byte_s));
        assert!(here.is_sorted_by_key(|object| object.request_s));
        let number = |url: &str| url.trim_end_matches(".jpg").rsplit('-').next().and_then(|n| n.parse().ok());
        assert!(here.iter().map(|object| number(&object.url).unwrap_or(0)).is_sorted_by(|a: &u32, b| a < b));
    }
}

#[test]
fn equal_specs_give_equal_records_however_requests_are_sent() {
    for (http, pipelining, limit) in [(Http::Http10s, None, None), (Http::H1, Some(8), Some(5))] {
        let load = PageLoadSpec { pipelining, requests_per_connection: limit, ..load(http, 3, 20) };
        let bytes = || serde_json::to_string(&record(load.clone())).unwrap();
        assert_eq!(bytes(), bytes());
    }
}
