//! Page loads over SPDY/3.1 in virtual time.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::time::Instant;

use crate::sample::{sample, without_chance};
use bentpipe_run::{
    Engine, Http, ObjectSpec, PageLoadSpec, PageSpec, Priorities, Provenance, RunRecord, RunSpec, Status,
    Workload, assemble,
};
use bentpipe_sim::{Config, simulate};
use bentpipe_units::{Bytes, Rate};

const ROUND_TRIP_S: f64 = 0.530;

/// A load of equal objects over the sample link with random losses and jitter.
fn lossy(objects: usize, bytes: u64) -> RunSpec {
    let mut spec = sample();
    let objects = (0..objects).map(|i| ObjectSpec::new(format!("/object-{i}.jpg"), Bytes::new(bytes)));
    let page = PageSpec::new("spdy", objects);
    spec.workload = Workload::PageLoad(PageLoadSpec::new(Http::Spdy, 6, page));
    spec
}

/// The same over 10 Mbit/s and 530 ms without losses.
fn clean(objects: usize, bytes: u64) -> RunSpec {
    let mut spec = lossy(objects, bytes);
    without_chance(&mut spec, Rate::from_bps(10_000_000));
    spec
}

fn with(mut spec: RunSpec, change: impl FnOnce(&mut PageLoadSpec)) -> RunSpec {
    let Workload::PageLoad(load) = &mut spec.workload else { panic!("a page load") };
    change(load);
    spec
}

fn pushing(spec: RunSpec, percent: u32) -> RunSpec {
    with(spec, |load| load.push_percent = Some(percent))
}

fn record(spec: &RunSpec) -> RunRecord {
    let config = Config::new(Instant::now());
    let reports = simulate(spec, &config).unwrap();
    assemble("0".to_owned(), Engine::Simulate, spec.clone(), Provenance::default(), reports)
}

/// The record of a run that must succeed.
fn loaded(spec: &RunSpec) -> RunRecord {
    let record = record(spec);
    assert_eq!(record.status, Status::Succeeded, "{:?}", record.reasons);
    record
}

fn request_header_bytes(record: &RunRecord) -> Vec<u64> {
    record.objects.iter().map(|object| object.request_header_bytes).collect()
}

#[test]
fn a_page_is_loaded_over_one_connection() {
    let record = loaded(&clean(20, 20_000));
    assert_eq!(record.objects.len(), 21);
    assert!(record.objects.iter().all(|object| object.connection == 0));
}

#[test]
fn the_first_byte_takes_the_round_trips_of_http_2() {
    // TCP 1, TLS 1.3 1 (RFC 8446 section 2), the request 1.
    let ttfb_s = loaded(&clean(2, 20_000)).metrics.ttfb_s.unwrap();
    let excess_s = ttfb_s - 3.0 * ROUND_TRIP_S;
    assert!((0.0..0.010).contains(&excess_s), "{ttfb_s} s");
}

#[test]
fn equal_specs_give_equal_records_byte_for_byte() {
    for spec in [lossy(30, 3_000), pushing(lossy(30, 3_000), 50), pushing(lossy(3, 200_000), 100)] {
        let bytes = || serde_json::to_string(&record(&spec)).unwrap();
        assert_eq!(bytes(), bytes());
    }
}

#[test]
fn pushed_objects_are_not_requested_and_come_a_round_trip_sooner() {
    let page = || clean(10, 1_000);
    let (pulled, pushed) = (loaded(&page()), loaded(&pushing(page(), 100)));
    let saved_s = pulled.metrics.plt_s.unwrap() - pushed.metrics.plt_s.unwrap();
    assert!((saved_s - ROUND_TRIP_S).abs() < 0.020, "{saved_s} s");
    assert!(request_header_bytes(&pulled).iter().all(|bytes| *bytes > 0));
    // The document alone was asked for.
    assert_eq!(request_header_bytes(&pushed).iter().filter(|bytes| **bytes > 0).count(), 1);
}

#[test]
fn the_first_objects_of_the_page_are_pushed_and_the_others_requested() {
    // 50 % of 5 are 2.5: three.
    let record = loaded(&pushing(clean(5, 1_000), 50));
    for object in &record.objects {
        let is_pushed =
            ["/object-0.jpg", "/object-1.jpg", "/object-2.jpg"].iter().any(|path| object.url.ends_with(path));
        assert_eq!(object.request_header_bytes == 0, is_pushed, "{}", object.url);
    }
}

#[test]
fn more_objects_than_streams_are_allowed_are_requested_as_others_end() {
    let mut spec = clean(40, 200);
    spec.http2.max_concurrent_streams = 10;
    // Three round trips, then four batches of ten instead of one.
    let plt_s = loaded(&spec).metrics.plt_s.unwrap();
    assert!(plt_s > 7.0 * ROUND_TRIP_S, "{plt_s} s");
    // All 8 kB of them fit in one initial window.
    assert!(loaded(&clean(40, 200)).metrics.plt_s.unwrap() < 5.0 * ROUND_TRIP_S);
}

#[test]
fn windows_of_the_spec_hold_the_load_back() {
    // 200 kB through a window of 20 kB: a window a round trip at most, ten and more.
    let mut spec = clean(1, 200_000);
    spec.http2.stream_window_bytes = Bytes::new(20_000);
    assert!(loaded(&spec).metrics.plt_s.unwrap() > 10.0 * ROUND_TRIP_S);
    // The session's starts with the draft's 64 KiB: 134 kB are left for windows of 20 kB.
    let mut spec = clean(1, 200_000);
    spec.http2.connection_window_bytes = Bytes::new(20_000);
    assert!(loaded(&spec).metrics.plt_s.unwrap() > 8.0 * ROUND_TRIP_S);
}

#[test]
fn small_windows_and_pushes_that_fill_them_do_not_stop_the_document() {
    // All is pushed at the document's own priority through a session window below one object.
    let mut spec = pushing(clean(8, 30_000), 100);
    spec.http2.stream_window_bytes = Bytes::new(10_000);
    spec.http2.connection_window_bytes = Bytes::new(12_000);
    loaded(&spec);
}

#[test]
fn with_priorities_the_style_sheet_comes_before_the_images_above_it() {
    let page = |priorities| {
        with(clean(0, 0), |load| {
            let image = |i| ObjectSpec::new(format!("/{i}.jpg"), Bytes::new(200_000));
            load.page.objects = (0..8).map(image).collect();
            load.page.objects.push(ObjectSpec::new("/style.css", Bytes::new(200_000)));
            load.priorities = priorities;
        })
    };
    let place = |record: &RunRecord| {
        let mut objects: Vec<_> = record.objects.iter().map(|o| (o.last_byte_s, o.url.clone())).collect();
        objects.sort_by(|a, b| a.0.total_cmp(&b.0));
        objects.iter().position(|(_, url)| url.ends_with("/style.css")).unwrap()
    };
    // A small send buffer, for what TCP has taken cannot be overtaken.
    let run = |priorities| {
        let mut spec = page(priorities);
        spec.tcp.send_buffer_bytes = Bytes::new(100_000);
        loaded(&spec)
    };
    // The document is first.
    assert_eq!(place(&run(Priorities::On)), 1);
    assert!(place(&run(Priorities::Off)) > 1);
    // Every SYN_STREAM has a priority (draft 2.6.1), so that there is no default: equal ones, as when they are off.
    assert!(place(&run(Priorities::Unstated)) > 1);
}

#[test]
fn a_page_of_many_small_objects_survives_losses() {
    // The number of objects of caviglione2014.
    let record = loaded(&pushing(lossy(640, 600), 25));
    assert_eq!(record.objects.len(), 641);
    assert_eq!(request_header_bytes(&record).iter().filter(|bytes| **bytes == 0).count(), 160);
}
