//! Round trips before the first byte of a response: of every protocol, with every way to begin TLS and TCP.
//!
//! `cargo test -p bentpipe-sim --test all round_trips -- --ignored` renews docs/round-trips.md.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::fmt::Write as _;
use std::fs;

use crate::common;
use bentpipe_run::{
    CapacitySpec, DirectionSpec, Handshake, Http, JitterSpec, LossSpec, ObjectSpec, PageLoadSpec, PageSpec,
    QueueSpec, Resumption, RunRecord, RunSpec, Status, Switch, TlsSpec, TlsVersion, Transport, Visit,
    Workload,
};
use bentpipe_sim::Content;
use bentpipe_units::{Bytes, Duration, Rate};

const SPEC: &str = include_str!("../../run/tests/data/spec.json");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/round-trips.md");
const ROUND_TRIP: Duration = Duration::from_millis(500);
/// What transmission and a server's delayed packets may add, as a fraction of the round trip.
const TOLERANCE: f64 = 0.02;

const VERSIONS: [TlsVersion; 2] = [TlsVersion::V1_2, TlsVersion::V1_3];
const RESUMPTIONS: [Resumption; 3] = [Resumption::None, Resumption::Ticket, Resumption::EarlyData];

/// A protocol over a version of TLS, if any, that saves so much of the handshake.
#[derive(Clone, Copy, Debug)]
struct Row {
    http: Http,
    tls: Option<TlsSpec>,
}

/// Who visits, and how TCP begins.
#[derive(Clone, Copy, Debug)]
struct Column {
    visit: Option<Visit>,
    fast_open: Switch,
}

const COLUMNS: [Column; 4] = [
    Column { visit: None, fast_open: Switch::Off },
    Column { visit: None, fast_open: Switch::On },
    Column { visit: Some(Visit::Repeat), fast_open: Switch::Off },
    Column { visit: Some(Visit::Repeat), fast_open: Switch::On },
];

/// Every combination that there is: no early data before TLS 1.3, and QUIC has that alone.
fn rows() -> Vec<Row> {
    let settings = |http: Http| -> Vec<Option<TlsSpec>> {
        if !http.is_tls() {
            return vec![None];
        }
        let each = VERSIONS
            .into_iter()
            .flat_map(|version| RESUMPTIONS.map(|resumption| TlsSpec { version, resumption }));
        let exists = |tls: &TlsSpec| match tls.version {
            TlsVersion::V1_2 => http != Http::H3 && tls.resumption != Resumption::EarlyData,
            TlsVersion::V1_3 => true,
        };
        each.filter(exists).map(Some).collect()
    };
    Http::ALL
        .into_iter()
        .flat_map(|http| settings(http).into_iter().map(move |tls| Row { http, tls }))
        .collect()
}

/// The closed form; none where TCP's way to begin does not matter because there is no TCP.
fn round_trips(row: Row, column: Column) -> Option<u32> {
    // The request and its response.
    let request = 1;
    match row.http.transport() {
        // RFC 9001 section 4: TLS in the packets that open the connection, or with them (section 4.6).
        Transport::Quic if column.fast_open.is_on() => None,
        Transport::Quic => Some(tls(row, column).unwrap_or(1) + request),
        Transport::Tcp => Some(tcp(column) + tls(row, column).unwrap_or(0) + request),
    }
}

fn tcp(column: Column) -> u32 {
    match (column.fast_open, column.visit) {
        // RFC 7413 section 3: data travel with the SYN of a client that has a cookie.
        (Switch::On, Some(Visit::Repeat)) => 0,
        // RFC 9293 section 3.5: SYN there, SYN and ACK back.
        _ => 1,
    }
}

fn tls(row: Row, column: Column) -> Option<u32> {
    let TlsSpec { version, resumption } = row.tls?;
    // A first visit has nothing to resume.
    let resumption = column.visit.map_or(Resumption::None, |Visit::Repeat| resumption);
    Some(match (version, resumption) {
        // RFC 5246 section 7.3, figure 1: the client's Finished answers the server's flight, and is answered.
        (TlsVersion::V1_2, Resumption::None) => 2,
        // RFC 5077 section 3.1, figure 2: the server's Finished comes with its first flight.
        (TlsVersion::V1_2, _) => 1,
        // RFC 8446 section 2, figure 1, and section 2.2, figure 3.
        (TlsVersion::V1_3, Resumption::None | Resumption::Ticket) => 1,
        // RFC 8446 section 2.3, figure 4: the request travels with the ClientHello.
        (TlsVersion::V1_3, Resumption::EarlyData) => 0,
    })
}

fn spec(row: Row, column: Column) -> RunSpec {
    let mut spec: RunSpec = serde_json::from_str(SPEC).unwrap();
    let rate_bps = Rate::from_bps(1_000_000_000);
    spec.link.forward = DirectionSpec {
        capacity: CapacitySpec::Constant { rate_bps },
        delay_ns: ROUND_TRIP / 2,
        jitter: JitterSpec::None,
        queue: QueueSpec::Bytes { limit_bytes: rate_bps.volume_in(ROUND_TRIP) },
        loss: LossSpec::None,
    };
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
    assert_eq!(fs::read_to_string(PAGE).unwrap(), page());
}

#[test]
#[ignore = "writes into the documentation"]
fn renew_the_page() {
    fs::write(PAGE, page()).unwrap();
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for row in rows() {
        let (version, resumption) = match row.tls {
            None => ("", ""),
            Some(tls) => (
                match tls.version {
                    TlsVersion::V1_2 => "1.2",
                    TlsVersion::V1_3 => "1.3",
                },
                match tls.resumption {
                    Resumption::None => "`none`",
                    Resumption::Ticket => "`ticket`",
                    Resumption::EarlyData => "`early-data`",
                },
            ),
        };
        let name = serde_json::to_value(row.http).unwrap();
        write!(page, "| `{}` | {version} | {resumption} |", name.as_str().unwrap()).unwrap();
        for column in COLUMNS {
            match round_trips(row, column) {
                Some(round_trips) => write!(page, " {round_trips} |").unwrap(),
                None => page.push_str(" |"),
            }
        }
        page.push('\n');
    }
    page + TAIL
}

const HEAD: &str = "\
# Round trips before the first byte

Round trips of the path from the start of a page load to the first byte of the document, without loss and with the
server's time neglected. `crates/sim/tests/round_trips.rs` computes the table, and measures each of its numbers in
simulate over a round trip of 500 ms; `tests/emulate/test_resumption.py` measures some of them on the real kernel.

- **first**: the client knows nothing of the origin. **repeat**: it was there before (`visit = \"repeat\"`), and has
  session tickets, the Fast Open cookie and the address token of that visit, and no connection.
- **TFO**: TCP Fast Open (`tcp.fast_open`, RFC 7413). QUIC has no such setting.

The sum is that of TCP, TLS and the request (1):

| | full | with a ticket | with early data |
| --- | --- | --- | --- |
| TCP (RFC 9293 section 3.5) | 1; with a cookie 0 (RFC 7413 section 3) | | |
| TLS 1.2 | 2 (RFC 5246 section 7.3) | 1 (RFC 5077 section 3.1) | |
| TLS 1.3 | 1 (RFC 8446 section 2) | 1 (section 2.2) | 0 (section 2.3) |
| QUIC with TLS 1.3 (RFC 9001 section 4) | 1 | 1 | 0 (section 4.6) |

| `http` | `tls.version` | `tls.resumption` | first | first, TFO | repeat | repeat, TFO |
| --- | --- | --- | --- | --- | --- | --- |
";

const TAIL: &str = "
What the settings do: [tls](models/tls.md), [tcp](models/tcp.md), [quic](models/quic.md).
";
