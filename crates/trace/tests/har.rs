//! A page load as HAR: parsed by the har crate, its timings add up.

use bentpipe_run::{
    BrowserRecord, ConnectionReport, ObjectKind, ObjectSpec, ObjectTiming, PageSpec, RunRecord, RunSpec,
    Workload,
};
use bentpipe_trace::WallClock;
use bentpipe_trace::har::{HarError, write};
use bentpipe_units::{Bytes, Duration, Time};
use har::v1_2::{Entries, Log};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A page load over HTTP/2 and a link named `geo`.
const SPEC: &str = include_str!("../../run/tests/data/spec.json");
const START: &str = "2026-03-01T12:00:00.000000000Z";

/// A load of `objects` over `connections`; what does not matter here is zero.
fn record(objects: Vec<ObjectTiming>, connections: Vec<ConnectionReport>) -> RunRecord {
    RunRecord {
        run_id: "0123abcd".to_owned(),
        status: bentpipe_run::Status::Succeeded,
        reasons: Vec::new(),
        engine: bentpipe_run::Engine::Emulate,
        spec: serde_json::from_str::<RunSpec>(SPEC).unwrap(),
        provenance: bentpipe_run::Provenance::default(),
        metrics: bentpipe_run::Metrics { plt_s: Some(4.0), ..bentpipe_run::Metrics::default() },
        objects,
        browser: None,
        bytes_by_layer: None,
        flows: Vec::new(),
        queues: Vec::new(),
        client_connections: connections,
        origin_connections: Vec::new(),
        series: std::collections::BTreeMap::new(),
    }
}

/// An object by its milestones in seconds: discovered, requested, first byte, last byte.
fn object(
    url: &str,
    connection: usize,
    [discovered_s, request_s, first_byte_s, last_byte_s]: [f64; 4],
) -> ObjectTiming {
    ObjectTiming {
        url: url.to_owned(),
        bytes: 100_000,
        connection,
        discovered_s,
        request_s,
        first_byte_s,
        last_byte_s,
        status: 200,
        response_header_bytes: 120,
        request_header_bytes: 80,
    }
}

/// A connection by the milliseconds at which it started, was connected and was secured.
fn connection(
    client_port: u16,
    protocol: &str,
    started: u64,
    connected: u64,
    secured: Option<u64>,
) -> ConnectionReport {
    let at = |ms: u64| Time::from_nanos(ms * 1_000_000);
    ConnectionReport {
        transport: if protocol == "h3" { "quic" } else { "tcp" }.to_owned(),
        protocol: protocol.to_owned(),
        client_port,
        started: at(started),
        connected: Some(at(connected)),
        secured: secured.map(at),
        congestion_control: "cubic".to_owned(),
        ..ConnectionReport::default()
    }
}

fn json_of(record: &RunRecord) -> Value {
    let mut file = Vec::new();
    write(record, START.parse::<WallClock>().unwrap(), &mut file).unwrap();
    serde_json::from_slice(&file).unwrap()
}

fn parsed(record: &RunRecord) -> Log {
    match har::from_str(&json_of(record).to_string()).unwrap().log {
        har::Spec::V1_2(log) => log,
        har::Spec::V1_3(_) => panic!("HAR 1.3"),
    }
}

/// blocked, connect, ssl, send, wait, receive in whole milliseconds.
fn timings(entry: &Entries) -> [f64; 6] {
    let t = &entry.timings;
    [t.blocked.unwrap(), t.connect.unwrap(), t.ssl.unwrap(), t.send, t.wait, t.receive].map(f64::round)
}

/// HAR 1.2, `timings`: `time` is the sum of all phases but those that are -1, and `ssl`, which is inside `connect`.
fn sum_of_phases(entry: &Entries) -> f64 {
    let t = &entry.timings;
    let phases = [t.blocked, t.dns, t.connect, Some(t.send), Some(t.wait), Some(t.receive)];
    phases.into_iter().flatten().filter(|phase| *phase != -1.0).sum()
}

/// A GEO page load at 530 ms: TCP by 0.53 s, TLS 1.3 by 1.06 s, HTML at 1.6 s, one object after it.
fn geo_load() -> RunRecord {
    record(
        vec![
            object("https://origin/index.html", 0, [0.0, 1.06, 1.59, 1.6]),
            object("https://origin/object-1.jpg", 0, [1.61, 1.62, 2.15, 4.0]),
        ],
        vec![connection(40_001, "h2", 0, 530, Some(1060))],
    )
}

#[test]
fn the_first_object_of_a_connection_carries_its_handshakes() {
    let log = parsed(&geo_load());
    assert_eq!(timings(&log.entries[0]), [0.0, 1060.0, 530.0, 0.0, 530.0, 10.0]);
    assert_eq!(timings(&log.entries[1]), [10.0, -1.0, -1.0, 0.0, 530.0, 1850.0]);
    assert_eq!(log.entries[0].timings.dns, Some(-1.0));
}

#[test]
fn the_first_object_of_a_connection_carries_the_lookup_of_its_name_as_far_as_it_waited_for_it() {
    // The name is asked for at once and known after 600 ms, TCP stands at 1.2 s, the request leaves then. Of connection 1
    // the lookup begins at 2 s, 100 ms before its first object is known.
    let mut connections = vec![
        connection(40_001, "http/1.1", 600, 1200, None),
        connection(40_002, "http/1.1", 2600, 3200, None),
    ];
    connections.iter_mut().for_each(|one| one.name_lookup = Some(Duration::from_millis(600)));
    let objects = vec![
        object("https://origin/", 0, [0.0, 1.2, 1.8, 1.9]),
        object("https://other/a.jpg", 1, [2.1, 3.2, 3.8, 3.9]),
        object("https://other/b.jpg", 1, [2.1, 3.9, 4.5, 4.6]),
    ];
    let log = parsed(&record(objects, connections));
    let dns: Vec<_> = log.entries.iter().map(|entry| entry.timings.dns.unwrap().round()).collect();
    assert_eq!(dns, [600.0, 500.0, -1.0]);
    assert_eq!(timings(&log.entries[0]), [0.0, 600.0, -1.0, 0.0, 600.0, 100.0]);
    assert_eq!(timings(&log.entries[1]), [0.0, 600.0, -1.0, 0.0, 600.0, 100.0]);
    assert!(log.entries.iter().all(|entry| (sum_of_phases(entry) - entry.time).abs() < 1e-6));
}

#[test]
fn quic_and_clear_text_have_no_separate_tls_handshake() {
    for (protocol, version) in [("h3", "HTTP/3"), ("http/1.1", "HTTP/1.1")] {
        let objects = vec![object("https://origin/", 0, [0.0, 0.53, 1.06, 1.07])];
        let log = parsed(&record(objects, vec![connection(40_001, protocol, 0, 530, None)]));
        assert_eq!(timings(&log.entries[0]), [0.0, 530.0, -1.0, 0.0, 530.0, 10.0]);
        assert_eq!(log.entries[0].request.http_version, version);
    }
}

#[test]
fn an_object_is_not_charged_for_a_handshake_that_started_before_it_was_known() {
    // Connection 1 is opened at 1.0 s; its first object becomes known at 1.2 s and is sent at 1.9 s.
    let objects = vec![
        object("https://origin/", 0, [0.0, 0.53, 1.06, 1.07]),
        object("https://origin/a.jpg", 1, [1.2, 1.9, 2.5, 2.6]),
    ];
    let connections =
        vec![connection(40_001, "http/1.1", 0, 530, None), connection(40_002, "http/1.1", 1000, 1530, None)];
    let log = parsed(&record(objects, connections));
    assert_eq!(timings(&log.entries[1]), [370.0, 330.0, -1.0, 0.0, 600.0, 100.0]);
}

#[test]
fn absolute_times_count_from_the_start_of_the_workload() {
    let log = parsed(&geo_load());
    let page = &log.pages.as_ref().unwrap()[0];
    assert_eq!(page.started_date_time, START);
    assert_eq!(log.entries[1].started_date_time, "2026-03-01T12:00:01.610000000Z");
    assert_eq!(page.page_timings.on_content_load.map(f64::round), Some(1600.0));
    assert_eq!(page.page_timings.on_load, Some(4000.0));
    assert_eq!(log.entries[1].pageref.as_ref(), Some(&page.id));
}

#[test]
fn what_is_found_late_does_not_make_the_document_late() {
    let mut record = geo_load();
    record.objects.push(object("https://origin/beacon", 0, [3.2, 3.2, 3.7, 3.8]));
    let page = &parsed(&record).pages.unwrap()[0];
    assert_eq!(page.page_timings.on_content_load.map(f64::round), Some(1600.0));
}

/// The same load in a browser, parsed at 1.7 s, painted at 2.2 s and 4.1 s, loaded at 4.05 s.
fn browser_load() -> RunRecord {
    RunRecord {
        browser: Some(BrowserRecord {
            version: "Mozilla Firefox 153.0".to_owned(),
            parsed_s: Some(1.7),
            loaded_s: Some(4.05),
            paint_fcp_s: Some(2.2),
            paint_lcp_s: Some(4.1),
            speed_index_s: Some(3.1),
            frames: Vec::new(),
        }),
        ..geo_load()
    }
}

#[test]
fn a_browsers_own_milestones_take_the_place_of_those_of_the_objects() {
    let record = browser_load();
    let page = &parsed(&record).pages.unwrap()[0];
    assert_eq!(page.page_timings.on_content_load.map(f64::round), Some(1700.0));
    assert_eq!(page.page_timings.on_load.map(f64::round), Some(4050.0));
    let timings = &json_of(&record)["log"]["pages"][0]["pageTimings"];
    let own = ["_firstContentfulPaint", "_largestContentfulPaint", "_speedIndex"];
    let told = own.map(|name| timings[name].as_f64().unwrap().round());
    assert_eq!(told, [2200.0, 4100.0, 3100.0]);
}

#[test]
fn a_milestone_that_a_browser_did_not_tell_is_not_available() {
    // HAR 1.2, `pageTimings`: -1 is "the timing does not apply".
    let mut record = browser_load();
    let browser = record.browser.as_mut().unwrap();
    (browser.parsed_s, browser.loaded_s, browser.paint_lcp_s) = (None, None, None);
    let timings = &json_of(&record)["log"]["pages"][0]["pageTimings"];
    assert_eq!((&timings["onContentLoad"], &timings["onLoad"]), (&json!(-1.0), &json!(-1.0)));
    assert!(timings.get("_largestContentfulPaint").is_none());
    assert!(timings.get("_firstContentfulPaint").is_some());
}

#[test]
fn the_browser_is_named_with_its_version_and_the_loader_is_none() {
    let browser = parsed(&browser_load()).browser.unwrap();
    assert_eq!((browser.name.as_str(), browser.version.as_str()), ("Mozilla Firefox", "153.0"));
    assert_eq!(parsed(&geo_load()).browser, None);
}

#[test]
fn objects_of_several_hosts_keep_their_urls_and_the_protocol_of_their_connection() {
    let objects = vec![
        object("https://www.news.example/", 0, [0.0, 1.06, 1.59, 1.6]),
        object("https://cdn.example/app.js?v=7&lazy", 1, [1.61, 2.67, 3.2, 3.3]),
    ];
    let connections =
        vec![connection(40_001, "h2", 0, 530, Some(1060)), connection(40_002, "h3", 1610, 2140, None)];
    let log = parsed(&record(objects, connections));
    let urls: Vec<&str> = log.entries.iter().map(|entry| entry.request.url.as_str()).collect();
    assert_eq!(urls, ["https://www.news.example/", "https://cdn.example/app.js?v=7&lazy"]);
    let versions: Vec<&str> = log.entries.iter().map(|entry| entry.response.http_version.as_str()).collect();
    assert_eq!(versions, ["HTTP/2", "HTTP/3"]);
    let query = &log.entries[1].request.query_string;
    let pairs: Vec<_> = query.iter().map(|pair| (pair.name.as_str(), pair.value.as_str())).collect();
    assert_eq!(pairs, [("v", "7"), ("lazy", "")]);
    // The second connection was opened for its object: 1610 to 2140 ms of the 1060 ms until the request.
    assert_eq!(timings(&log.entries[1]), [530.0, 530.0, -1.0, 0.0, 530.0, 100.0]);
}

#[test]
fn the_type_of_what_is_no_object_is_that_of_its_path_whatever_follows_it() {
    // RFC 9239 (JavaScript), RFC 2318 (CSS), RFC 8081 (fonts), RFC 2854 (HTML).
    for (url, expected) in [
        ("https://a.example/app.js?v=1.2", "text/javascript; charset=utf-8"),
        ("https://a.example/site.css#top", "text/css; charset=utf-8"),
        ("https://a.example/sans.woff2", "font/woff2"),
        ("https://a.example/", "text/html; charset=utf-8"),
        ("https://a.example/index.html", "text/html; charset=utf-8"),
        ("https://a.example/v1.2/thing", "application/octet-stream"),
        ("https://a.example/png", "application/octet-stream"),
    ] {
        let load =
            record(vec![object(url, 0, [0.0, 0.5, 1.0, 1.1])], vec![connection(1, "h2", 0, 500, None)]);
        assert_eq!(parsed(&load).entries[0].response.content.mime_type.as_deref(), Some(expected), "{url}");
    }
}

#[test]
fn the_type_of_an_object_is_the_one_that_the_origin_sends_whatever_its_path() {
    let mut load = record(
        vec![
            object("https://www.example/app", 0, [0.0, 0.5, 1.0, 1.1]),
            object("https://CDN.example/app", 0, [0.0, 0.5, 1.0, 1.1]),
        ],
        vec![connection(1, "h2", 0, 500, None)],
    );
    let Workload::PageLoad(page_load) = &mut load.spec.workload else { panic!("a page load") };
    let script = ObjectSpec { kind: ObjectKind::Script, ..ObjectSpec::new("/app", Bytes::new(10)) };
    let font = ObjectSpec { kind: ObjectKind::Font, host: Some("cdn.example".to_owned()), ..script.clone() };
    page_load.page =
        PageSpec { host: Some("www.example".to_owned()), ..PageSpec::new("typed", [font, script]) };
    let types = parsed(&load).entries.into_iter().map(|entry| entry.response.content.mime_type.unwrap());
    assert_eq!(types.collect::<Vec<_>>(), ["text/javascript; charset=utf-8", "font/woff2"]);
}

#[test]
fn sizes_types_and_connections_are_those_of_the_record() {
    let log = parsed(&geo_load());
    let [html, jpeg] = &log.entries[..] else { panic!("two objects, two entries") };
    assert_eq!(html.response.content.mime_type.as_deref(), Some("text/html; charset=utf-8"));
    assert_eq!(jpeg.response.content.mime_type.as_deref(), Some("image/jpeg"));
    assert_eq!((jpeg.response.content.size, jpeg.response.body_size), (100_000, 100_000));
    assert_eq!((jpeg.request.headers_size, jpeg.response.headers_size), (80, 120));
    assert_eq!(jpeg.connection.as_deref(), Some("40001"));
    assert_eq!(jpeg.response.status, 200);
}

#[test]
fn fields_of_our_own_start_with_an_underscore() {
    let log = &json_of(&geo_load())["log"];
    assert_eq!(log["pages"][0]["_runId"], "0123abcd");
    assert_eq!(log["pages"][0]["_status"], "succeeded");
    assert_eq!(log["pages"][0]["_engine"], "emulate");
    assert_eq!(log["pages"][0]["_link"], "geo");
    assert_eq!(log["entries"][0]["_transport"], "tcp");
    assert_eq!(log["entries"][0]["_congestionControl"], "cubic");
    assert_eq!(log["entries"][0]["_connectionIndex"], 0);
}

#[test]
fn fields_that_the_specification_requires_are_there_even_when_empty() {
    let entry = &json_of(&geo_load())["log"]["entries"][0];
    for field in ["cookies", "headers", "queryString"] {
        assert_eq!(entry["request"][field], json!([]));
    }
    for field in ["cookies", "headers"] {
        assert_eq!(entry["response"][field], json!([]));
    }
    assert_eq!(entry["response"]["redirectURL"], "");
    assert_eq!(entry["response"]["statusText"], "");
    assert_eq!(entry["cache"], json!({}));
}

#[test]
fn entries_are_sorted_by_start_whatever_the_order_of_completion() {
    let mut record = geo_load();
    record.objects.push(object("https://origin/early.jpg", 0, [1.605, 1.605, 4.0, 5.0]));
    let starts: Vec<String> = parsed(&record).entries.into_iter().map(|e| e.started_date_time).collect();
    assert!(starts.is_sorted(), "{starts:?}");
}

#[test]
fn a_run_without_a_page_is_refused() {
    let mut record = geo_load();
    record.spec.workload = serde_json::from_value::<Workload>(
        json!({ "kind": "ping", "count": 1, "interval_ns": 1, "payload_bytes": 20 }),
    )
    .unwrap();
    let error = write(&record, START.parse().unwrap(), Vec::new()).unwrap_err();
    assert!(matches!(error, HarError::NotAPageLoad { .. }));
}

/// Four milestones in order, in milliseconds.
fn milestones() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform4(0.0..2000.0f64).prop_map(|steps| {
        let mut at = 0.0;
        steps.map(|step| {
            at += step;
            at / 1e3
        })
    })
}

proptest! {
    #[test]
    fn the_phases_of_any_object_add_up_to_its_span(
        loads in prop::collection::vec((0..3usize, milestones()), 1..12),
        handshakes in prop::array::uniform3((0..8000u64, 0..1000u64, prop::option::of(0..1000u64))),
    ) {
        let objects = loads.into_iter().map(|(index, at)| object("https://origin/x.jpg", index, at)).collect();
        let connections = handshakes
            .map(|(start, tcp, tls)| connection(40_000, "h2", start, start + tcp, tls.map(|tls| start + tcp + tls)));
        let record = record(objects, connections.into());
        for entry in parsed(&record).entries {
            prop_assert!((sum_of_phases(&entry) - entry.time).abs() < 1e-6);
            let t = &entry.timings;
            prop_assert!(t.blocked.unwrap() > -1e-6 && t.wait >= 0.0 && t.receive >= 0.0);
            prop_assert!(t.ssl.unwrap() <= t.connect.unwrap() + 1e-6);
        }
        let span: f64 = record.objects.iter().map(|o| (o.last_byte_s - o.discovered_s) * 1e3).sum();
        let total: f64 = parsed(&record).entries.iter().map(|entry| entry.time).sum();
        prop_assert!((span - total).abs() < 1e-6);
    }
}
