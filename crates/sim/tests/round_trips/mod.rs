//! Round trips before the first byte of a response: of every protocol, with every way to start TLS and TCP.
//!
//! `cargo run -p bentpipe-sim --example round_trips > docs/round-trips.md` renews the page, which a test compares.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

mod closed_form;
mod page;

use std::fs;

use crate::common;
use crate::sample::{half_of, sample};
use bentpipe_run::{
    Handshake, Http, ObjectSpec, PageLoadSpec, PageSpec, Resumption, RunRecord, RunSpec, Status, Visit,
    Workload,
};
use bentpipe_sim::Content;
use bentpipe_units::{Bytes, Duration, Rate};
use closed_form::{COLUMNS, Column, Row, round_trips, rows};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/round-trips.md");
const ROUND_TRIP: Duration = Duration::from_millis(500);
/// What transmission and a server's delayed packets may add, as a fraction of the round trip.
const TOLERANCE: f64 = 0.02;

fn spec(row: Row, column: Column) -> RunSpec {
    let mut spec = sample();
    let rate_bps = Rate::from_bps(1_000_000_000);
    spec.link.forward = half_of(ROUND_TRIP, rate_bps, rate_bps.volume_in(ROUND_TRIP));
    spec.link.return_ = spec.link.forward.clone();
    let objects = vec![ObjectSpec::new("/object.jpg", Bytes::new(500))];
    let page = PageSpec::new("tiny", objects);
    let load = PageLoadSpec { visit: column.visit, ..PageLoadSpec::new(row.http, 1, page) };
    spec.workload = Workload::PageLoad(load);
    spec.tls = row.tls;
    spec.tcp.fast_open = column.fast_open;
    spec
}

fn ran(row: Row, column: Column) -> RunRecord {
    let record = common::record(&spec(row, column), Content::Length);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{row:?} {column:?}");
    record
}

fn cells() -> impl Iterator<Item = (Row, Column, u32)> {
    let each = rows().into_iter().flat_map(|row| COLUMNS.map(|column| (row, column)));
    each.filter_map(|(row, column)| Some((row, column, round_trips(row, column)?)))
}

#[test]
fn the_first_byte_takes_the_round_trips_of_the_closed_form() {
    for (row, column, expected) in cells() {
        let found = ran(row, column).metrics.ttfb_s.unwrap() / ROUND_TRIP.as_secs_f64();
        let excess = found - f64::from(expected);
        assert!(
            (0.0..TOLERANCE).contains(&excess),
            "{row:?} {column:?}: {found} round trips, not {expected}"
        );
    }
}

#[test]
fn a_record_says_when_the_first_request_left() {
    // A round trip ahead of the first byte of its response, whatever was exchanged before.
    for (row, column, expected) in cells() {
        let request_s = ran(row, column).objects[0].request_s;
        let excess = request_s / ROUND_TRIP.as_secs_f64() - f64::from(expected - 1);
        assert!((0.0..TOLERANCE).contains(&excess), "{row:?} {column:?}: {request_s} s");
    }
}

#[test]
fn a_record_says_how_each_handshake_went_at_both_ends() {
    for (row, column, _) in cells() {
        let record = ran(row, column);
        let expected = row.tls.map(|tls| match (column.visit, tls.resumption) {
            (None, _) | (_, Resumption::None) => Handshake::Full,
            (Some(Visit::Repeat), Resumption::Ticket) => Handshake::Resumed,
            (Some(Visit::Repeat), Resumption::EarlyData) => Handshake::EarlyDataAccepted,
        });
        assert_eq!(record.client_connections[0].handshake, expected, "{row:?} {column:?}");
        // With HTTP/1.0 the origin closes after its response, and early data are answered before the handshake ends.
        let is_gone = row.http == Http::Http10s && expected == Some(Handshake::EarlyDataAccepted);
        let expected = expected.filter(|_| !is_gone);
        assert_eq!(record.origin_connections[0].handshake, expected, "{row:?} {column:?}");
    }
}

#[test]
fn the_visit_before_the_load_leaves_no_trace_in_the_record() {
    for (row, column, _) in cells().filter(|(_, column, _)| column.visit.is_some()) {
        let record = ran(row, column);
        let ports = |connections: &[bentpipe_run::ConnectionReport]| -> Vec<u16> {
            connections.iter().map(|connection| connection.client_port).collect()
        };
        let expected = ports(&record.client_connections);
        assert_eq!(ports(&record.origin_connections), expected, "{row:?} {column:?}");
        let sampled = record.series["sender"].column("client_port");
        assert!(sampled.iter().all(|port| expected.contains(&(*port as u16))), "{row:?} {column:?}");
        assert!(record.series["sender"].column("time_s").iter().all(|time| *time >= 0.0));
    }
}

#[test]
fn the_page_in_the_documentation_has_these_numbers() {
    assert_eq!(fs::read_to_string(PAGE).unwrap(), page::page());
}
