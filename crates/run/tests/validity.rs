//! How a run ends (invariant 7): failed on any fault, invalid on any doubt, succeeded else.

use crate::common::{bulk_spec, connection, download, page_load, record, spec, transfer, two_flows};
use bentpipe_run::{
    Browser, ConnectionReport, End, Engine, Http, LatenessReport, Provenance, Reason, RunReports, RunSpec,
    Status, TimerReport, Workload, failed,
};
use bentpipe_units::Duration;

fn verdict(spec: RunSpec, reports: RunReports) -> (Status, Vec<Reason>) {
    let record = record(spec, reports);
    (record.status, record.reasons)
}

fn timed_out() -> Reason {
    Reason::TimedOut { timeout_ns: Duration::from_secs(30), loaded_objects: None }
}

fn not_loaded() -> Reason {
    Reason::ObjectMissing { object: "/object-1.jpg".to_owned() }
}

#[test]
fn a_run_that_nobody_complains_about_succeeded() {
    assert_eq!(verdict(spec(), page_load()), (Status::Succeeded, Vec::new()));
}

#[test]
fn a_fault_of_either_end_fails_the_run() {
    let mut at_client = page_load();
    at_client.client.faults.push(timed_out());
    assert_eq!(verdict(spec(), at_client), (Status::Failed, vec![timed_out()]));
    let mut at_origin = page_load();
    let broken = Reason::OriginFailed { error: "broken pipe".to_owned() };
    at_origin.origin.faults.push(broken.clone());
    assert_eq!(verdict(spec(), at_origin), (Status::Failed, vec![broken]));
}

#[test]
fn a_doubt_of_the_client_makes_the_run_invalid() {
    let mut reports = page_load();
    reports.client.doubts.push(not_loaded());
    assert_eq!(verdict(spec(), reports), (Status::Invalid, vec![not_loaded()]));
}

#[test]
fn a_run_with_faults_and_doubts_failed_and_keeps_both_reasons() {
    let mut reports = page_load();
    reports.client.doubts.push(not_loaded());
    reports.client.faults.push(timed_out());
    assert_eq!(verdict(spec(), reports), (Status::Failed, vec![timed_out(), not_loaded()]));
}

fn late(p999: Duration) -> RunReports {
    let mut reports = page_load();
    reports.link.lateness = Some(LatenessReport { p999, count: 1_000, ..LatenessReport::default() });
    reports
}

#[test]
fn lateness_up_to_the_bound_of_the_spec_is_tolerated_and_a_nanosecond_more_is_not() {
    let bound = spec().validity.lateness_p999_ns;
    assert_eq!(verdict(spec(), late(bound)).0, Status::Succeeded);
    let p999 = bound + Duration::from_nanos(1);
    let reasons =
        vec![Reason::EmulatorLate { p999_ns: p999, bound_ns: bound, latest_ns: None, timer_ns: None }];
    assert_eq!(verdict(spec(), late(p999)), (Status::Invalid, reasons));
}

/// The sentence of a run whose latest packet was late by 12 ms, and a timer beside it by so much.
fn sentence_beside_a_timer(late_by: Duration) -> String {
    let mut reports = late(Duration::from_millis(12));
    reports.link.lateness = reports.link.lateness.map(|lateness| LatenessReport {
        max: Duration::from_millis(12),
        timer: Some(TimerReport { beside_latest: late_by, ..TimerReport::default() }),
        ..lateness
    });
    verdict(spec(), reports).1[0].to_string()
}

#[test]
fn a_late_run_says_whether_the_machine_was_late_or_the_link() {
    let machine = sentence_beside_a_timer(Duration::from_millis(11));
    assert!(
        machine.ends_with(
            "; the link was late by 12 ms at most, for 11 ms of which it or a bare timer woke late: the machine"
        ),
        "{machine}"
    );
    let half = sentence_beside_a_timer(Duration::from_millis(6));
    assert!(half.ends_with("for 6 ms of which it or a bare timer woke late: the link"), "{half}");
}

#[test]
fn only_the_999th_permille_of_lateness_is_judged() {
    let mut reports = page_load();
    reports.link.lateness =
        Some(LatenessReport { max: Duration::from_secs(1), count: 10_000, ..LatenessReport::default() });
    assert_eq!(verdict(spec(), reports).0, Status::Succeeded);
}

#[test]
fn a_packet_that_the_receiving_device_refused_makes_the_run_invalid() {
    let mut reports = page_load();
    reports.link.lateness = Some(LatenessReport { refused: 1, count: 100, ..LatenessReport::default() });
    let (status, reasons) = verdict(spec(), reports);
    assert_eq!(status, Status::Invalid);
    assert_eq!(reasons, [Reason::PacketsRefused { packets: 1 }]);
}

fn first_connection(reports: &mut RunReports, end: End) -> &mut ConnectionReport {
    match end {
        End::Client => &mut reports.client.connections[0],
        End::Origin => &mut reports.origin.connections[0],
    }
}

#[test]
fn another_congestion_control_than_asked_for_at_either_end_makes_the_run_invalid() {
    for end in [End::Client, End::Origin] {
        let mut reports = page_load();
        first_connection(&mut reports, end).congestion_control = "reno".to_owned();
        let (status, reasons) = verdict(spec(), reports);
        assert_eq!(status, Status::Invalid);
        let (expected, found) = ("cubic".to_owned(), "reno".to_owned());
        assert_eq!(reasons, [Reason::WrongCongestionControl { end, expected, found }]);
    }
}

#[test]
fn a_connection_that_never_connected_has_no_congestion_control_to_be_read_back() {
    let mut reports = page_load();
    let never = ConnectionReport { connected: None, congestion_control: String::new(), ..connection() };
    reports.client.connections.push(never);
    assert_eq!(verdict(spec(), reports).0, Status::Succeeded);
    // Of what servers of others accepted nobody knows when, but which it has.
    let mut reports = page_load();
    let other = ConnectionReport { connected: None, congestion_control: "reno".to_owned(), ..connection() };
    reports.origin.connections = vec![other];
    assert_eq!(verdict(spec(), reports).0, Status::Invalid);
}

#[test]
fn a_reason_is_given_once_whatever_stands_between() {
    let mut reports = page_load();
    let other = |name: &str| ConnectionReport { congestion_control: name.to_owned(), ..connection() };
    reports.client.connections = vec![other("reno"), other("bbr"), other("reno")];
    let (_, reasons) = verdict(spec(), reports);
    let found: Vec<_> = reasons
        .iter()
        .map(|reason| match reason {
            Reason::WrongCongestionControl { found, .. } => found.as_str(),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(found, ["reno", "bbr"]);
}

#[test]
fn another_protocol_than_asked_for_at_either_end_makes_a_page_load_invalid() {
    for end in [End::Client, End::Origin] {
        let mut reports = page_load();
        first_connection(&mut reports, end).protocol = "http/1.1".to_owned();
        let (status, reasons) = verdict(spec(), reports);
        assert_eq!(status, Status::Invalid);
        let (expected, found) = ("h2".to_owned(), "http/1.1".to_owned());
        assert_eq!(reasons, [Reason::WrongProtocol { end, expected, found }]);
    }
}

/// A load by a browser, at whose origin there were so many connections.
fn browsed(http: Http, connections: u32, at_origin: u16) -> Vec<Reason> {
    let mut spec = spec();
    spec.client = Some(Browser::Chromium);
    if let Workload::PageLoad(load) = &mut spec.workload {
        load.http = http;
        load.connections = connections;
    }
    let named = |client_port| ConnectionReport {
        protocol: http.alpn().to_owned(),
        transport: if http == Http::H3 { "quic" } else { "tcp" }.to_owned(),
        client_port,
        ..connection()
    };
    let mut reports = page_load();
    reports.client.connections = vec![named(40_001)];
    reports.origin.connections = (40_001..).take(at_origin.into()).map(named).collect();
    verdict(spec, reports).1
}

#[test]
fn a_connection_of_a_browser_that_carried_nothing_makes_its_load_invalid() {
    let spare = [Reason::SpareConnections { connections: 2, most_connections: 1 }];
    for http in [Http::H2, Http::H3] {
        assert_eq!(browsed(http, 6, 1), []);
        assert_eq!(browsed(http, 6, 2), spare);
    }
    for http in [Http::H1, Http::H1s] {
        assert_eq!(browsed(http, 6, 6), []);
        assert_eq!(browsed(http, 6, 7), [Reason::SpareConnections { connections: 7, most_connections: 6 }]);
    }
}

#[test]
fn a_second_connection_to_a_host_is_no_reason_where_both_carried_something() {
    let mut spec = spec();
    spec.client = Some(Browser::Chromium);
    let mut reports = page_load();
    let two = [40_001, 40_002].map(|client_port| ConnectionReport { client_port, ..connection() });
    (reports.client.connections, reports.origin.connections) = (two.to_vec(), two.to_vec());
    assert_eq!(verdict(spec, reports).1, []);
}

#[test]
fn a_spare_connection_is_no_reason_where_the_scenario_wants_duplicates_or_the_client_is_ours() {
    let mut reports = page_load();
    reports.origin.connections.push(ConnectionReport { client_port: 40_002, ..connection() });
    assert_eq!(verdict(spec(), reports.clone()).0, Status::Succeeded);
    let mut wanted = spec();
    wanted.client = Some(Browser::Firefox);
    assert_eq!(verdict(wanted.clone(), reports.clone()).0, Status::Invalid);
    wanted.tcp.connect_retry_ns = Some(Duration::from_millis(250));
    assert_eq!(verdict(wanted, reports).0, Status::Succeeded);
}

#[test]
fn a_reason_that_holds_for_six_connections_is_given_once() {
    let mut reports = page_load();
    let wrong = || ConnectionReport { congestion_control: "reno".to_owned(), ..connection() };
    reports.client.connections = (0..6).map(|_| wrong()).collect();
    assert_eq!(verdict(spec(), reports).1.len(), 1);
}

#[test]
fn a_flow_is_not_held_to_an_http_protocol_but_to_its_congestion_control() {
    let flow = bulk_spec(bentpipe_run::Direction::Down, None, Some(Duration::from_secs(1)));
    let mut reports = download(transfer(1_000, 600, 700));
    for connection in reports.client.connections.iter_mut().chain(&mut reports.origin.connections) {
        connection.protocol = "bulk".to_owned();
    }
    assert_eq!(verdict(flow.clone(), reports.clone()).0, Status::Succeeded);
    reports.origin.connections[0].congestion_control = "bbr".to_owned();
    assert_eq!(verdict(flow, reports).0, Status::Invalid);
}

#[test]
fn each_of_several_flows_is_held_to_its_own_congestion_control() {
    use bentpipe_run::Algorithm::{Bbr, Hybla};
    let (flows, reports) = two_flows([Bbr, Hybla], [(1_000, 600, 700), (1_000, 600, 700)]);
    assert_eq!(verdict(flows.clone(), reports.clone()).0, Status::Succeeded);
    // The kernel's name is as good as ours.
    let mut loaded = reports.clone();
    loaded.origin.connections[1].congestion_control = "bp_hybla".to_owned();
    assert_eq!(verdict(flows.clone(), loaded).0, Status::Succeeded);
    let mut swapped = reports;
    swapped.origin.connections[0].flow = Some(1);
    let (status, reasons) = verdict(flows, swapped);
    assert_eq!(status, Status::Invalid);
    let (expected, found) = ("hybla".to_owned(), "bbr".to_owned());
    assert_eq!(reasons, [Reason::WrongCongestionControl { end: End::Origin, expected, found }]);
}

#[test]
fn flows_that_series_cannot_tell_apart_make_the_run_invalid() {
    use bentpipe_run::Algorithm::Cubic;
    let (flows, mut reports) = two_flows([Cubic, Cubic], [(1_000, 600, 700), (1_000, 600, 700)]);
    reports.client.connections[1].client_port = reports.client.connections[0].client_port;
    let (status, reasons) = verdict(flows, reports);
    assert_eq!(status, Status::Invalid);
    assert_eq!(reasons, [Reason::SharedPort]);
}

#[test]
fn a_run_that_broke_before_its_reports_is_a_record_with_the_reason_and_no_figures() {
    let reason = Reason::EngineFailed { error: "no TUN".to_owned() };
    let record = failed("id".to_owned(), Engine::Emulate, spec(), Provenance::default(), reason.clone());
    assert_eq!((record.status, record.reasons), (Status::Failed, vec![reason]));
    assert_eq!((record.metrics.plt_s, record.metrics.goodput_bps), (None, None));
}
