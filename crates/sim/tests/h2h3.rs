//! What HTTP/2 and HTTP/3 offer beyond requests, in virtual time: clear text, pushes, priorities, header tables.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::time::Instant;

use crate::sample::{sample, without_chance};
use bentpipe_run::{
    Algorithm, Engine, Http, LossSpec, ObjectSpec, PageLoadSpec, PageSpec, Priorities, Provenance, RunRecord,
    RunSpec, Status, Switch, Workload, assemble,
};
use bentpipe_sim::{Config, simulate};
use bentpipe_units::{Bytes, Duration, Rate};

/// Of the sample's link.
const RTT_S: f64 = 0.530;

/// A page load over 10 Mbit/s and 530 ms without losses, whose queue holds whatever comes.
fn load(http: Http, objects: &[(&str, u64)]) -> RunSpec {
    let mut spec = sample();
    spec.cc = Algorithm::Cubic;
    without_chance(&mut spec, Rate::from_bps(10_000_000));
    let objects = objects.iter().map(|(path, bytes)| ObjectSpec::new(*path, Bytes::new(*bytes)));
    let page = PageSpec::new("page", objects);
    spec.workload = Workload::PageLoad(PageLoadSpec::new(http, 6, page));
    spec
}

/// Objects of equal length, `/object-1.jpg` first.
fn images(number: usize, bytes: u64) -> Vec<(String, u64)> {
    (1..=number).map(|n| (format!("/object-{n}.jpg"), bytes)).collect()
}

fn load_images(http: Http, number: usize, bytes: u64) -> RunSpec {
    let images = images(number, bytes);
    load(http, &images.iter().map(|(path, bytes)| (&**path, *bytes)).collect::<Vec<_>>())
}

fn with(mut spec: RunSpec, change: impl FnOnce(&mut PageLoadSpec)) -> RunSpec {
    let Workload::PageLoad(load) = &mut spec.workload else { panic!("a page load") };
    change(load);
    spec
}

fn record(spec: &RunSpec) -> RunRecord {
    let reports = simulate(spec, &Config::new(Instant::now())).unwrap();
    let record = assemble("0".to_owned(), Engine::Simulate, spec.clone(), Provenance::default(), reports);
    assert_eq!(record.status, Status::Succeeded, "{:?}", record.reasons);
    record
}

fn pushing(spec: &RunSpec, percent: u32) -> RunRecord {
    record(&with(spec.clone(), |load| load.push_percent = Some(percent)))
}

fn by_priority(spec: &RunSpec) -> RunRecord {
    record(&with(spec.clone(), |load| load.priorities = Priorities::On))
}

/// The paths of the objects in the order in which they are complete.
fn order(record: &RunRecord) -> Vec<&str> {
    let mut objects: Vec<_> = record.objects.iter().skip(1).collect();
    objects.sort_by(|a, b| a.last_byte_s.total_cmp(&b.last_byte_s));
    objects.iter().map(|object| &object.url[object.url.rfind('/').unwrap()..]).collect()
}

/// How many objects no request was made for.
fn pushed(record: &RunRecord) -> usize {
    record.objects.iter().filter(|object| object.request_header_bytes == 0).count()
}

#[test]
fn in_clear_text_http2_takes_two_round_trips_to_the_first_byte() {
    // TCP 1 (RFC 9293 section 3.5), the request behind the preface 1 (RFC 9113 section 3.3).
    let record = record(&load_images(Http::H2c, 1, 20_000));
    let excess_s = record.metrics.ttfb_s.unwrap() - 2.0 * RTT_S;
    assert!((0.0..0.005).contains(&excess_s), "{excess_s}");
    assert!(record.client_connections.iter().chain(&record.origin_connections).all(|c| c.protocol == "h2c"));
}

#[test]
fn http1_and_http2_share_the_clear_text_port() {
    for http in [Http::H1, Http::H2c] {
        assert_eq!(record(&load_images(http, 3, 2_000)).objects.len(), 4, "{http:?}");
    }
}

#[test]
fn a_page_whose_objects_are_pushed_takes_a_round_trip_less() {
    // Document and objects fit what the initial window of ten segments has left behind handshake and headers. Requested,
    // the objects follow a round trip after the document; pushed, right behind it. Handshakes are the same.
    for (http, handshakes) in [(Http::H2, 2.0), (Http::H2c, 1.0)] {
        let spec = load_images(http, 2, 2_000);
        let requested_s = record(&spec).metrics.plt_s.unwrap();
        let pushed_s = pushing(&spec, 100).metrics.plt_s.unwrap();
        // What is left of the difference is the transmission of promises and requests at 10 Mbit/s.
        let saved_s = requested_s - pushed_s;
        assert!((saved_s - RTT_S).abs() < 0.005, "{http:?}: saved {saved_s} s");
        let excess_s = pushed_s - (handshakes + 1.0) * RTT_S;
        // Less than 10 kB at 10 Mbit/s take less than 8 ms.
        assert!((0.0..0.015).contains(&excess_s), "{http:?}: {pushed_s} s");
    }
}

#[test]
fn as_many_objects_are_pushed_as_the_percentage_says_and_the_others_are_requested() {
    let spec = load_images(Http::H2, 10, 1_000);
    for (percent, expected) in [(0, 0), (24, 2), (25, 3), (50, 5), (100, 10)] {
        let record = pushing(&spec, percent);
        assert_eq!(pushed(&record), expected, "{percent} %");
        assert_eq!(record.objects.len(), 11, "{percent} %");
    }
}

#[test]
fn a_pushed_object_counts_as_requested_when_its_promise_arrived() {
    let record = pushing(&load_images(Http::H2, 2, 1_000), 50);
    let [document, pushed, requested] = &record.objects[..] else { panic!("three objects") };
    assert!(pushed.url.ends_with("/object-1.jpg"), "{}", pushed.url);
    // Promises go before the document's header, which the document's first byte is.
    assert_eq!(pushed.discovered_s, pushed.request_s);
    assert!(pushed.request_s <= document.first_byte_s && pushed.request_s > document.request_s);
    assert!(requested.request_s >= document.first_byte_s);
}

#[test]
fn more_objects_are_pushed_than_streams_may_be_open_at_once() {
    // The limit is of open streams; promised ones are not (RFC 9113 section 5.1.2).
    let mut spec = load_images(Http::H2, 60, 3_000);
    spec.http2.max_concurrent_streams = 7;
    let record = pushing(&spec, 100);
    assert_eq!(pushed(&record), 60);
    // At no instant are more than seven between their first and their last byte.
    let mut edges: Vec<(f64, i32)> = Vec::new();
    for object in record.objects.iter().skip(1) {
        edges.extend([(object.first_byte_s, 1), (object.last_byte_s, -1)]);
    }
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let most = edges
        .iter()
        .scan(0, |open, (_, step)| {
            *open += step;
            Some(*open)
        })
        .max();
    assert!(most <= Some(7), "{most:?}");
}

#[test]
fn pushes_keep_to_windows_smaller_than_the_page() {
    let mut spec = load_images(Http::H2, 8, 50_000);
    spec.http2.stream_window_bytes = Bytes::new(20_000);
    spec.http2.connection_window_bytes = Bytes::new(65_535);
    let record = pushing(&spec, 100);
    assert_eq!(pushed(&record), 8);
    // 400 kB in windows of 65,535 bytes need at least seven, the first with the document, each a round trip.
    let after_handshakes_s = record.metrics.plt_s.unwrap() - 2.0 * RTT_S;
    assert!(after_handshakes_s > 7.0 * RTT_S, "{after_handshakes_s}");
}

#[test]
fn pushes_by_priority_are_complete_as_well() {
    let spec = with(load_images(Http::H2, 30, 20_000), |load| load.priorities = Priorities::On);
    assert_eq!(pushed(&pushing(&spec, 50)), 15);
}

#[test]
fn what_is_urgent_is_complete_before_what_was_asked_for_first() {
    // The loader asks for style sheets with urgency 2 and for images with 5, as Firefox does.
    let objects = [("/a.jpg", 300_000), ("/b.jpg", 300_000), ("/last.css", 100_000)];
    for http in [Http::H2, Http::H2c, Http::H3] {
        let record = by_priority(&load(http, &objects));
        assert_eq!(order(&record)[0], "/last.css", "{http:?}");
    }
}

#[test]
fn whole_responses_of_equal_urgency_are_complete_in_the_order_of_their_requests() {
    // RFC 9218 section 10: "ascending order of the stream ID"; without priorities both libraries serve streams by
    // turns, so that the shortest is complete first.
    let objects = [("/long.css", 400_000), ("/middle.css", 200_000), ("/short.css", 50_000)];
    for http in [Http::H2, Http::H3] {
        let spec = load(http, &objects);
        assert_eq!(order(&by_priority(&spec)), ["/long.css", "/middle.css", "/short.css"], "{http:?}");
        assert_eq!(order(&record(&spec)), ["/short.css", "/middle.css", "/long.css"], "{http:?}");
    }
}

#[test]
fn where_no_priority_is_stated_each_response_is_complete_before_the_next_begins() {
    // RFC 9218 section 4: not incremental by default; section 10: those in "ascending order of the stream ID". 400 kB
    // take 320 ms at 10 Mbit/s: two that are complete that far from each other came one after the other.
    let body_s = 0.320;
    for http in [Http::H2, Http::H2c, Http::H3] {
        let gaps_s = |priorities| {
            let record = record(&with(load_images(http, 4, 400_000), |load| load.priorities = priorities));
            let last_s: Vec<f64> = record.objects.iter().skip(1).map(|object| object.last_byte_s).collect();
            last_s.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
        };
        let unstated_s = gaps_s(Priorities::Unstated);
        assert!(unstated_s.iter().all(|gap_s| *gap_s >= body_s), "{http:?}: {unstated_s:?}");
        let off_s = gaps_s(Priorities::Off);
        assert!(off_s.iter().all(|gap_s| gap_s.abs() < body_s), "{http:?}: {off_s:?}");
    }
}

#[test]
fn without_a_stated_priority_a_style_sheet_waits_as_any_other() {
    let objects = [("/a.jpg", 300_000), ("/b.jpg", 300_000), ("/last.css", 100_000)];
    for http in [Http::H2, Http::H2c, Http::H3] {
        let record = record(&with(load(http, &objects), |load| load.priorities = Priorities::Unstated));
        assert_eq!(order(&record), ["/a.jpg", "/b.jpg", "/last.css"], "{http:?}");
    }
}

#[test]
fn images_take_turns_so_that_equal_ones_are_complete_at_about_the_same_time() {
    for http in [Http::H2, Http::H3] {
        let record = by_priority(&load_images(http, 4, 400_000));
        let last_s: Vec<f64> = record.objects.iter().skip(1).map(|object| object.last_byte_s).collect();
        let spread_s = last_s.iter().fold(0.0, |most: f64, at| most.max(*at))
            - last_s.iter().fold(f64::INFINITY, |least: f64, at| least.min(*at));
        // Four frames of 16 kB and four packets at the end: 52 ms at 10 Mbit/s; in order it would be 960 ms.
        assert!(spread_s < 0.100, "{http:?}: {spread_s} s");
    }
}

#[test]
fn priorities_keep_to_windows_smaller_than_the_objects() {
    let objects = [("/a.jpg", 300_000), ("/b.css", 300_000), ("/c.jpg", 100_000)];
    let mut spec = load(Http::H2, &objects);
    spec.http2.stream_window_bytes = Bytes::new(70_000);
    spec.http2.connection_window_bytes = Bytes::new(100_000);
    // The style sheet's own window leaves 30 kB of each round trip to the images, the connection's no more.
    let record = by_priority(&spec);
    assert_eq!(record.objects.len(), 4);
}

#[test]
fn stated_priorities_cost_the_bytes_of_their_field_and_unstated_ones_nothing() {
    let spec = load_images(Http::H2, 1, 1_000);
    let (off, on) = (record(&spec), by_priority(&spec));
    let unstated = record(&with(spec, |load| load.priorities = Priorities::Unstated));
    // RFC 9112 section 5's form: "priority: u=0, i" and a line end are 18 bytes.
    for (without, with) in off.objects.iter().zip(&on.objects) {
        assert_eq!(with.request_header_bytes, without.request_header_bytes + 18);
    }
    for (without, unstated) in off.objects.iter().zip(&unstated.objects) {
        assert_eq!(unstated.request_header_bytes, without.request_header_bytes);
    }
}

#[test]
fn a_header_table_of_nothing_costs_header_bytes_in_both_directions() {
    let spec = load_images(Http::H2c, 50, 500);
    let of_table = |bytes| {
        let mut spec = spec.clone();
        spec.http2.header_table_bytes = bytes;
        record(&spec)
    };
    let (default, none) = (of_table(None), of_table(Some(Bytes::ZERO)));
    // With a table each field of a later request that is the same costs an index of a byte (RFC 7541 section 6.1). Without,
    // it costs its text at five bits a character or more (appendix B): 228 bytes of fields make over 100 of 50 requests.
    let up = none.metrics.wire_bytes_up - default.metrics.wire_bytes_up;
    assert!(up > 49 * 100, "{up}");
    // Responses: `server`, `content-type`, `cache-control`, 50 bytes in all.
    let down = none.metrics.wire_bytes_down - default.metrics.wire_bytes_down;
    assert!(down > 49 * 20, "{down}");
}

#[test]
fn the_protocols_own_header_table_is_the_one_without_a_setting() {
    let spec = load_images(Http::H2c, 10, 500);
    let with_table = |bytes| {
        let mut spec = spec.clone();
        spec.http2.header_table_bytes = Some(Bytes::new(bytes));
        record(&spec)
    };
    // RFC 9113 section 6.5.2: 4096. The setting itself takes 6 bytes (section 6.5.1), in each direction.
    let (unset, own) = (record(&spec), with_table(4096));
    assert_eq!(own.metrics.wire_bytes_up, unset.metrics.wire_bytes_up + 6);
    // The library's encoder uses no more, whatever the peer would take.
    assert_eq!(with_table(1 << 20).metrics.wire_bytes_up, own.metrics.wire_bytes_up);
}

#[test]
fn a_window_that_grows_unused_is_open_when_the_objects_come() {
    // The acknowledgements of handshake and document open it (lsquic), where RFC 9002 section 7.8 leaves it at ten
    // packets: the forty objects take more than those. BBR's window is no matter of slow start.
    let plt_s = |cc, cwnd_validation| {
        let mut spec = RunSpec { cc, ..load_images(Http::H3, 40, 1_000) };
        spec.quic.cwnd_validation = cwnd_validation;
        record(&spec).metrics.plt_s.unwrap()
    };
    let (with, without) = (plt_s(Algorithm::Cubic, None), plt_s(Algorithm::Cubic, Some(Switch::Off)));
    assert!(without < with - 0.03, "{without} s without validation, {with} s with it");
    assert_eq!(plt_s(Algorithm::Bbr, Some(Switch::Off)), plt_s(Algorithm::Bbr, None));
}

#[test]
fn equal_specs_give_equal_records_with_all_of_it() {
    for http in [Http::H2, Http::H2c, Http::H3] {
        let mut spec = with(load_images(http, 20, 5_000), |load| {
            load.push_percent = Some(30);
            load.priorities = Priorities::On;
        });
        spec.http2.header_table_bytes = Some(Bytes::new(100));
        spec.link.forward.loss = LossSpec::Bernoulli { p: 0.01 };
        spec.validity.timeout_ns = Duration::from_secs(1_000);
        let bytes = || serde_json::to_string(&record(&spec)).unwrap();
        assert_eq!(bytes(), bytes(), "{http:?}");
    }
}
