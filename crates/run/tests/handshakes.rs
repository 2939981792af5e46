//! Which TLS handshakes a run may have, and what a visit before the workload leaves in the record: nothing.

use crate::common::{START, at_ms, connection, object, page_load, record, spec};
use bentpipe_run::{
    ConnectionReport, End, Handshake, Http, KeyExchange, ObjectSighting, Reason, Resumption, RunReports,
    RunSpec, Status, Switch, Table, TlsSpec, TlsVersion, Visit, Workload,
};
use bentpipe_units::Time;

const ALL: [Handshake; 4] =
    [Handshake::Full, Handshake::Resumed, Handshake::EarlyDataAccepted, Handshake::EarlyDataRefused];

fn run_of(resumption: Resumption, visit: Option<Visit>) -> RunSpec {
    let mut spec = spec();
    spec.tls = Some(TlsSpec { version: TlsVersion::V1_3, resumption });
    if let Workload::PageLoad(load) = &mut spec.workload {
        load.visit = visit;
    }
    spec
}

fn connections(handshakes: &[Handshake]) -> Vec<ConnectionReport> {
    let numbered = (40_001..).zip(handshakes);
    let each = numbered.map(|(client_port, handshake)| ConnectionReport {
        client_port,
        handshake: Some(*handshake),
        ..connection()
    });
    each.collect()
}

fn reports(handshakes: &[Handshake]) -> RunReports {
    let mut reports = page_load();
    reports.client.connections = connections(handshakes);
    reports.origin.connections = connections(handshakes);
    reports
}

fn allowed_first(resumption: Resumption, visit: Option<Visit>) -> Vec<Handshake> {
    let succeeds = |handshake: &Handshake| {
        record(run_of(resumption, visit), reports(&[*handshake])).status == Status::Succeeded
    };
    ALL.into_iter().filter(succeeds).collect()
}

fn allowed_later(resumption: Resumption) -> Vec<Handshake> {
    let succeeds = |handshake: &Handshake| {
        let reports = reports(&[Handshake::Full, *handshake]);
        record(run_of(resumption, None), reports).status == Status::Succeeded
    };
    ALL.into_iter().filter(succeeds).collect()
}

#[test]
fn the_first_handshake_of_a_client_that_was_never_here_is_a_full_one() {
    for resumption in [Resumption::None, Resumption::Ticket, Resumption::EarlyData] {
        assert_eq!(allowed_first(resumption, None), [Handshake::Full], "{resumption:?}");
    }
}

#[test]
fn the_first_handshake_of_a_client_that_was_here_before_is_the_shortest_that_the_settings_allow() {
    for (resumption, expected) in [
        (Resumption::None, Handshake::Full),
        (Resumption::Ticket, Handshake::Resumed),
        (Resumption::EarlyData, Handshake::EarlyDataAccepted),
    ] {
        assert_eq!(allowed_first(resumption, Some(Visit::Repeat)), [expected], "{resumption:?}");
    }
}

#[test]
fn a_later_connection_may_find_a_ticket_or_none() {
    for (resumption, expected) in [
        (Resumption::None, vec![Handshake::Full]),
        (Resumption::Ticket, vec![Handshake::Full, Handshake::Resumed]),
        (Resumption::EarlyData, vec![Handshake::Full, Handshake::EarlyDataAccepted]),
    ] {
        assert_eq!(allowed_later(resumption), expected, "{resumption:?}");
    }
}

#[test]
fn a_connection_that_fell_back_may_find_a_ticket_of_another_protocol() {
    for (resumption, expected) in [
        (Resumption::None, Status::Invalid),
        (Resumption::Ticket, Status::Succeeded),
        (Resumption::EarlyData, Status::Succeeded),
    ] {
        let mut run = run_of(resumption, Some(Visit::Repeat));
        run.tcp.idle_fallback = Switch::On;
        let of_first = allowed_first(resumption, Some(Visit::Repeat))[0];
        let mut reports = reports(&[of_first, Handshake::EarlyDataRefused]);
        reports.client.connections[1].protocol = Http::H1s.alpn().to_owned();
        reports.origin.connections[1].protocol = Http::H1s.alpn().to_owned();
        reports.origin.connections[1].handshake = Some(Handshake::Resumed);
        assert_eq!(record(run, reports).status, expected, "{resumption:?}");
    }
}

/// The page's own host has the first connection; another one has two, whose handshakes are these, and the
/// second of them is secured before the first.
fn with_another_host(of_other: [Handshake; 2], visit: Option<Visit>) -> RunReports {
    let own = if visit.is_some() { Handshake::Resumed } else { Handshake::Full };
    let mut reports = reports(&[own, of_other[0], of_other[1]]);
    for (at, (connection, secured)) in [(1, 4_000), (2, 3_500)].into_iter().enumerate() {
        let url = format!("https://cdn.example/{at}.jpg");
        let timing = [1_600, 3_000, 4_500, 5_000];
        reports.client.objects.push(ObjectSighting { url, connection, ..object("", 1_000, timing) });
        for end in [&mut reports.client.connections, &mut reports.origin.connections] {
            end[connection].secured = Some(at_ms(secured));
        }
    }
    reports
}

#[test]
fn every_host_s_first_connection_to_be_secured_is_the_one_that_shows_whether_there_was_a_visit() {
    use Handshake::{Full, Resumed};
    for (visit, of_other, expected) in [
        (Some(Visit::Repeat), [Resumed, Resumed], Status::Succeeded),
        (Some(Visit::Repeat), [Full, Resumed], Status::Succeeded),
        (Some(Visit::Repeat), [Resumed, Full], Status::Invalid),
        (None, [Full, Full], Status::Succeeded),
        (None, [Resumed, Full], Status::Succeeded),
        (None, [Full, Resumed], Status::Invalid),
    ] {
        let record = record(run_of(Resumption::Ticket, visit), with_another_host(of_other, visit));
        assert_eq!(record.status, expected, "{visit:?} {of_other:?}: {:?}", record.reasons);
    }
}

#[test]
fn connections_within_one_to_a_proxy_are_told_apart_although_they_share_its_port() {
    let mut reports = with_another_host([Handshake::Full; 2], None);
    for connection in &mut reports.client.connections {
        connection.transport = ConnectionReport::TUNNEL.to_owned();
        connection.client_port = 40_001;
    }
    // The third is the second of its host; of the origin's nothing is known.
    reports.client.connections[1].handshake = Some(Handshake::Resumed);
    reports.origin.connections[0].handshake = Some(Handshake::Resumed);
    let record = record(run_of(Resumption::Ticket, None), reports);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()));
}

#[test]
fn the_reason_names_the_end_and_both_handshakes() {
    let mut reports = reports(&[Handshake::Resumed]);
    reports.origin.connections = connections(&[Handshake::Full]);
    let record = record(run_of(Resumption::Ticket, Some(Visit::Repeat)), reports);
    assert_eq!(record.status, Status::Invalid);
    assert_eq!(
        record.reasons,
        [Reason::WrongHandshake {
            end: End::Origin,
            expected: "resumed".to_owned(),
            found: "full".to_owned(),
        }]
    );
}

#[test]
fn a_run_by_another_key_exchange_than_it_asks_for_is_invalid() {
    let mut spec = spec();
    spec.key_exchange = Some(KeyExchange::X25519Mlkem768);
    let with = |found: &str| {
        let mut reports = page_load();
        reports.client.connections[0].key_exchange = Some("x25519mlkem768".to_owned());
        reports.origin.connections[0].key_exchange = Some(found.to_owned());
        record(spec.clone(), reports)
    };
    assert_eq!(with("x25519mlkem768").status, Status::Succeeded);
    let (expected, found) = ("x25519mlkem768".to_owned(), "x25519".to_owned());
    let wrong = with("x25519");
    assert_eq!(wrong.status, Status::Invalid);
    assert_eq!(wrong.reasons, [Reason::WrongKeyExchange { end: End::Origin, expected, found }]);
}

#[test]
fn a_run_without_settings_for_tls_has_no_handshakes_in_its_record() {
    let written = serde_json::to_value(record(spec(), page_load())).unwrap();
    assert!(written["client_connections"][0].get("handshake").is_none());
    let written = serde_json::to_value(record(
        run_of(Resumption::EarlyData, Some(Visit::Repeat)),
        reports(&[Handshake::EarlyDataAccepted]),
    ))
    .unwrap();
    assert_eq!(written["client_connections"][0]["handshake"], Handshake::EarlyDataAccepted.name());
}

/// A visit's connection, closed before the start, which the origin goes on to sample.
fn visited() -> RunReports {
    let mut reports = reports(&[Handshake::Resumed]);
    let started = Time::from_nanos(START.as_nanos() - 3_000_000_000);
    let before =
        ConnectionReport { client_port: 39_999, started, ..connections(&[Handshake::Full]).remove(0) };
    reports.origin.connections.insert(0, before);
    let mut sender = Table::default();
    for (time_s, port) in [(98.0, 39_999.0), (100.0, 39_999.0), (100.1, 40_001.0), (100.1, 39_999.0)] {
        sender.push([("time_s", time_s), ("client_port", port), ("srtt_s", 0.53)]);
    }
    reports.origin.sender = sender;
    reports
}

#[test]
fn what_the_origin_saw_of_a_visit_before_the_load_is_left_out() {
    let record = record(run_of(Resumption::Ticket, Some(Visit::Repeat)), visited());
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()));
    let ports: Vec<u16> = record.origin_connections.iter().map(|connection| connection.client_port).collect();
    assert_eq!(ports, [40_001]);
    assert_eq!(record.series["sender"].column("client_port"), [40_001.0]);
}

#[test]
fn of_a_run_without_a_visit_nothing_is_left_out() {
    let record = record(run_of(Resumption::Ticket, None), visited());
    assert_eq!(record.origin_connections.len(), 2);
    assert_eq!(record.series["sender"].len(), 4);
}
