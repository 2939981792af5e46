//! Specs and records survive JSON, and a spec says everything and nothing else.

use crate::common::{SPEC, bulk_spec, page_load, record, spec};
use bentpipe_run::{
    Algorithm, BulkSpec, CapacitySpec, CaptureSpec, Direction, DirectionSpec, Dscp, Dualpi2Spec, FileSpec,
    FlowSpec, FlowsSpec, Http, JitterSpec, LossSpec, ObjectKind, ObjectSpec, OutageSpec, PageLoadSpec,
    PageSpec, PingReport, PingSpec, QuantileSpec, QueueSpec, RunRecord, RunSpec, Transport, ValiditySpec,
    Workload,
};
use bentpipe_units::{Bytes, Duration, Rate, Switch};
use proptest::prelude::*;
use serde_json::{Value, json};

fn sample() -> Value {
    serde_json::from_str(SPEC).unwrap()
}

/// The JSON pointers of all objects below `value`.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(at.to_owned());
            fields.iter().for_each(|(name, field)| objects(field, &format!("{at}/{name}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| objects(item, &format!("{at}/{i}"), found));
        }
        _ => {}
    }
}

#[test]
fn the_sample_is_written_as_it_was_read() {
    assert_eq!(serde_json::to_value(spec()).unwrap(), sample());
}

#[test]
fn every_setting_must_be_there() {
    let mut places = Vec::new();
    objects(&sample(), "", &mut places);
    for place in places {
        let names: Vec<String> =
            sample().pointer(&place).unwrap().as_object().unwrap().keys().cloned().collect();
        for name in names {
            let mut without = sample();
            without.pointer_mut(&place).unwrap().as_object_mut().unwrap().remove(&name);
            let read = serde_json::from_value::<RunSpec>(without);
            assert!(read.is_err(), "{place}/{name} has a default, but defaults live in resolve.py alone");
        }
    }
}

#[test]
fn a_setting_that_does_not_exist_is_rejected_wherever_it_stands() {
    let mut places = Vec::new();
    objects(&sample(), "", &mut places);
    // Settings of a kind that has none; serde_derive ignores fields beside the tag of a unit variant.
    places.retain(|place| sample().pointer(place).unwrap() != &json!({ "kind": "none" }));
    for place in places {
        let mut with = sample();
        with.pointer_mut(&place).unwrap().as_object_mut().unwrap().insert("unheard_of".to_owned(), json!(1));
        let error = serde_json::from_value::<RunSpec>(with).expect_err(&place).to_string();
        assert!(error.contains("unheard_of"), "{place}: {error}");
    }
}

#[test]
fn a_mark_that_nobody_set_is_not_written() {
    // Run ids are hashes of specs: those of runs from before there were marks must stay.
    let unmarked = serde_json::to_string(&flows_spec(None, [None, None])).unwrap();
    assert!(!unmarked.contains("dscp"), "{unmarked}");
}

#[test]
fn a_flow_has_the_mark_of_its_run_unless_it_has_its_own() {
    let [expedited, assured] = [46, 10].map(|code_point| Dscp::new(code_point).unwrap());
    let marks = |run, flows| -> Vec<_> {
        flows_spec(run, flows).flows().unwrap().flows.iter().map(|flow| flow.dscp).collect()
    };
    assert_eq!(marks(Some(expedited), [None, Some(assured)]), [Some(expedited), Some(assured)]);
    assert_eq!(marks(None, [None, Some(assured)]), [None, Some(assured)]);
    let (direction, bytes) = (Direction::Up, Some(Bytes::new(1)));
    let alone = RunSpec { dscp: Some(expedited), ..bulk_spec(direction, bytes, None) };
    assert_eq!(alone.flows().unwrap().flows[0].dscp, Some(expedited));
}

#[test]
fn a_code_point_is_a_number_below_64() {
    let error = serde_json::from_str::<Dscp>("64").unwrap_err().to_string();
    assert!(error.starts_with("expected a code point of 0 to 63, found 64"), "{error}");
    assert_eq!(serde_json::to_string(&Dscp::new(46)).unwrap(), "46");
}

fn flows_spec(run: Option<Dscp>, flows: [Option<Dscp>; 2]) -> RunSpec {
    let flow =
        |dscp| FlowSpec { cc: Algorithm::Cubic, transport: Transport::Tcp, start_ns: Duration::ZERO, dscp };
    let flows = flows.map(flow).to_vec();
    let flows = FlowsSpec { direction: Direction::Down, bytes: None, duration_ns: None, flows };
    RunSpec { dscp: run, workload: Workload::Flows(flows), ..spec() }
}

#[test]
fn names_of_scenarios_are_the_names_in_json() {
    // ARCHITECTURE.md, the command line: values that scripts rely on.
    let name = |http: Http| serde_json::to_value(http).unwrap();
    assert_eq!([Http::H1, Http::H1s, Http::H2, Http::H3].map(name), ["h1", "h1s", "h2", "h3"]);
    let names = ["reno", "cubic", "bbr", "bbr3", "hybla", "vivace", "prague"];
    assert_eq!(Algorithm::ALL.map(|cc| serde_json::to_value(cc).unwrap()), names);
    assert_eq!(Algorithm::ALL.map(Algorithm::name), names);
}

#[test]
fn a_record_has_the_names_that_scripts_rely_on() {
    // ARCHITECTURE.md, the command line: names in a record's JSON.
    let record = serde_json::to_value(record(spec(), page_load())).unwrap();
    let top = ["run_id", "status", "reasons", "engine", "spec", "provenance", "metrics", "objects", "series"];
    let metrics = [
        "plt_s",
        "fcp_s",
        "lcp_s",
        "ttfb_s",
        "connect_s",
        "tls_s",
        "completion_s",
        "goodput_bps",
        "wire_bytes_down",
        "wire_bytes_up",
        "overhead_percent",
        "retransmitted_packets",
        "drops",
        "rtt_mean_s",
        "rtt_sd_s",
        "lateness_p999_s",
    ];
    let object = ["url", "bytes", "request_s", "first_byte_s", "last_byte_s", "connection"];
    for (place, names) in [("", &top[..]), ("/metrics", &metrics), ("/objects/0", &object)] {
        let fields = record.pointer(place).unwrap().as_object().unwrap();
        for name in names {
            assert!(fields.contains_key(*name), "{place}/{name}");
        }
    }
    assert_eq!(record["status"], "succeeded");
    assert_eq!(record["engine"], "emulate");
}

#[test]
fn a_record_with_every_part_survives_json() {
    let mut reports = page_load();
    reports.link.series.push([("time_s", 100.5), ("forward_queue_bytes", 9.0)]);
    let record = record(spec(), reports);
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<RunRecord>(&text).unwrap(), record);
}

#[test]
fn a_record_of_a_version_without_flows_is_read() {
    let mut old = serde_json::to_value(record(spec(), page_load())).unwrap();
    old.as_object_mut().unwrap().remove("flows");
    old["metrics"].as_object_mut().unwrap().remove("jain_index");
    let read: RunRecord = serde_json::from_value(old).unwrap();
    assert_eq!((read.flows, read.metrics.jain_index), (Vec::new(), None));
}

#[test]
fn a_round_trip_that_does_not_exist_is_null_in_json_and_survives_it() {
    let mut reports = page_load();
    reports.client.ping = Some(PingReport { rtts: vec![Some(Duration::from_millis(500)), None] });
    let text = serde_json::to_string(&record(spec(), reports)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["series"]["ping"]["rtt_s"], json!([0.5, null]));
    // NaN equals nothing, so the texts are compared.
    let read: RunRecord = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
}

fn duration() -> impl Strategy<Value = Duration> {
    any::<u64>().prop_map(Duration::from_nanos)
}

fn bytes() -> impl Strategy<Value = Bytes> {
    any::<u64>().prop_map(Bytes::new)
}

fn switch() -> impl Strategy<Value = Switch> {
    prop::sample::select(vec![Switch::Off, Switch::On])
}

fn fraction() -> impl Strategy<Value = f64> {
    0.0..=1.0f64
}

fn direction() -> impl Strategy<Value = DirectionSpec> {
    let quantile = (fraction(), any::<i64>()).prop_map(|(p, offset_ns)| QuantileSpec { p, offset_ns });
    let empirical = (prop::collection::vec(quantile, 0..4), duration());
    let jitter = prop_oneof![
        Just(JitterSpec::None),
        duration().prop_map(|sd_ns| JitterSpec::Normal { sd_ns }),
        empirical.prop_map(|(quantiles, hold_ns)| JitterSpec::Empirical { quantiles, hold_ns }),
    ];
    let queue = prop_oneof![
        bytes().prop_map(|limit_bytes| QueueSpec::Bytes { limit_bytes }),
        any::<u64>().prop_map(|limit_packets| QueueSpec::Packets { limit_packets }),
        duration().prop_map(|limit_ns| QueueSpec::Time { limit_ns }),
        (bytes(), bytes(), fraction()).prop_map(|(limit_bytes, start_bytes, p)| {
            QueueSpec::RandomEarlyDrop { limit_bytes, start_bytes, p }
        }),
        (bytes(), duration(), duration(), switch()).prop_map(|(limit_bytes, target_ns, interval_ns, ecn)| {
            QueueSpec::Codel { limit_bytes, target_ns, interval_ns, ecn }
        }),
        (
            bytes(),
            [duration(), duration(), duration(), duration()],
            [fraction(), fraction(), fraction(), fraction()]
        )
            .prop_map(
                |(limit_bytes, [target_ns, update_ns, ramp_start_ns, ramp_range_ns], shares)| {
                    let [alpha_hz, beta_hz, coupling, classic_share] = shares;
                    QueueSpec::Dualpi2(Dualpi2Spec {
                        limit_bytes,
                        target_ns,
                        update_ns,
                        alpha_hz,
                        beta_hz,
                        coupling,
                        ramp_start_ns,
                        ramp_range_ns,
                        classic_share,
                    })
                }
            ),
    ];
    let outage =
        (any::<u32>(), duration()).prop_map(|(weight, duration_ns)| OutageSpec { weight, duration_ns });
    let outages = (duration(), prop::collection::vec(outage, 0..4));
    let loss =
        prop_oneof![
            Just(LossSpec::None),
            fraction().prop_map(|p| LossSpec::Bernoulli { p }),
            [fraction(), fraction(), fraction(), fraction()]
                .prop_map(|[p, r, h, k]| LossSpec::GilbertElliott { p, r, h, k }),
            fraction().prop_map(|ber| LossSpec::BitError { ber }),
            outages.prop_map(|(period_ns, durations)| LossSpec::Outages { period_ns, durations }),
        ];
    (any::<u64>(), duration(), jitter, queue, loss).prop_map(|(rate, delay_ns, jitter, queue, loss)| {
        let capacity = CapacitySpec::Constant { rate_bps: Rate::from_bps(rate) };
        DirectionSpec { capacity, delay_ns, jitter, queue, loss, schedule: None }
    })
}

fn transport() -> impl Strategy<Value = Transport> {
    prop::sample::select(vec![Transport::Tcp, Transport::Quic])
}

fn bulk_direction() -> impl Strategy<Value = Direction> {
    prop::sample::select(vec![Direction::Down, Direction::Up])
}

fn mark() -> impl Strategy<Value = Option<Dscp>> {
    prop::option::of((0..64u8).prop_map(|code_point| Dscp::new(code_point).unwrap()))
}

fn flow() -> impl Strategy<Value = FlowSpec> {
    let cc = prop::sample::select(Algorithm::ALL.to_vec());
    (cc, transport(), duration(), mark()).prop_map(|(cc, transport, start_ns, dscp)| FlowSpec {
        cc,
        transport,
        start_ns,
        dscp,
    })
}

fn bulk() -> impl Strategy<Value = BulkSpec> {
    (transport(), bulk_direction(), prop::option::of(bytes()), prop::option::of(duration())).prop_map(
        |(transport, direction, bytes, duration_ns)| BulkSpec { transport, direction, bytes, duration_ns },
    )
}

fn host() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[a-z]{1,8}\\.example")
}

fn file() -> impl Strategy<Value = Option<FileSpec>> {
    let file = ("/[a-z/]{0,8}", "[a-z.]{1,8}", "[0-9a-f]{64}");
    prop::option::of(file.prop_map(|(folder, name, sha256)| FileSpec { folder, name, sha256 }))
}

fn object() -> impl Strategy<Value = ObjectSpec> {
    let kind = prop::sample::select(vec![
        ObjectKind::Image,
        ObjectKind::Script,
        ObjectKind::Style,
        ObjectKind::Font,
        ObjectKind::Other,
    ]);
    let named = (prop::option::of(any::<usize>()), prop::option::of(duration()));
    ("/[a-z]{1,8}", bytes(), host(), kind, named, file()).prop_map(
        |(path, bytes, host, kind, (after, wait_ns), file)| ObjectSpec {
            path,
            bytes,
            host,
            kind,
            after,
            wait_ns,
            file,
        },
    )
}

fn page() -> impl Strategy<Value = PageSpec> {
    let objects = prop::collection::vec(object(), 0..4);
    (".*", objects, prop::option::of(bytes()), host(), file()).prop_map(
        |(name, objects, document_bytes, host, document)| PageSpec {
            name,
            objects,
            document_bytes,
            host,
            document,
        },
    )
}

fn workload() -> impl Strategy<Value = Workload> {
    let http = prop::sample::select(vec![Http::H1, Http::H1s, Http::H2, Http::H3]);
    let page = page();
    prop_oneof![
        (http, any::<u32>(), page).prop_map(|(http, connections, page)| Workload::PageLoad(
            PageLoadSpec::new(http, connections, page)
        )),
        bulk().prop_map(Workload::Bulk),
        bulk().prop_map(Workload::Iperf3),
        (
            bulk_direction(),
            prop::option::of(bytes()),
            prop::option::of(duration()),
            prop::collection::vec(flow(), 0..4)
        )
            .prop_map(|(direction, bytes, duration_ns, flows)| Workload::Flows(FlowsSpec {
                direction,
                bytes,
                duration_ns,
                flows
            })),
        (any::<u32>(), duration(), bytes()).prop_map(|(count, interval_ns, payload_bytes)| {
            Workload::Ping(PingSpec { count, interval_ns, payload_bytes })
        }),
    ]
}

#[test]
fn a_page_that_uses_nothing_new_is_written_as_it_always_was() {
    // Run ids are digests of this text.
    let page = PageSpec::new("page", [ObjectSpec::new("/object-1.jpg", Bytes::new(500))]);
    let text = r#"{"name":"page","objects":[{"path":"/object-1.jpg","bytes":500}]}"#;
    assert_eq!(serde_json::to_string(&page).unwrap(), text);
    assert_eq!(serde_json::from_str::<PageSpec>(text).unwrap(), page);
}

#[test]
fn a_page_of_several_hosts_is_written_by_the_names_of_the_seam() {
    let text = r#"{"name":"page","objects":[
        {"path":"/app.js","bytes":500,"kind":"script"},
        {"path":"/a.woff2","bytes":500,"host":"cdn.example","kind":"font","after":0,"wait_ns":50000000,
         "file":{"folder":"/tmp/page","name":"a.woff2","sha256":"00"}}],
        "host":"www.example","document":{"folder":"/tmp/page","name":"index.html","sha256":"00"}}"#;
    let page: PageSpec = serde_json::from_str(text).unwrap();
    assert_eq!((page.host.as_deref(), page.objects[0].kind), (Some("www.example"), ObjectKind::Script));
    let font = &page.objects[1];
    assert_eq!((font.after, font.wait_ns), (Some(0), Some(Duration::from_millis(50))));
    let written: String = text.split('\n').map(str::trim_start).collect();
    assert_eq!(serde_json::to_string(&page).unwrap(), written);
}

proptest! {
    #[test]
    fn any_spec_survives_json(
        seed: u64,
        forward in direction(),
        return_ in direction(),
        cc in prop::sample::select(Algorithm::ALL.to_vec()),
        workload in workload(),
        dscp in mark(),
        pcapng: bool,
        (lateness_p999_ns, timeout_ns) in (duration(), duration()),
    ) {
        let mut spec = spec();
        (spec.seed, spec.link.forward, spec.link.return_) = (seed, forward, return_);
        (spec.cc, spec.workload, spec.dscp) = (cc, workload, dscp);
        spec.capture = CaptureSpec { pcapng, qlog: !pcapng };
        spec.validity = ValiditySpec { lateness_p999_ns, timeout_ns };
        let text = serde_json::to_string(&spec).unwrap();
        prop_assert_eq!(serde_json::from_str::<RunSpec>(&text).unwrap(), spec);
    }
}
