//! Proxies that end QUIC at terminal and gateway, in virtual time: whole runs of pages and flows through them.

use crate::common;
use crate::common::{Temper, scenarios};
use crate::sample::{half_of, quic_flow, sample, with_windows};
use bentpipe_run::{
    Algorithm, CaptureSpec, Direction, Dscp, FlowSpec, FlowsSpec, Http, LossSpec, ObjectSpec, PageLoadSpec,
    PageSpec, PepSpec, PingSpec, QuicSplitSpec, RunRecord, RunSpec, Status, TerrestrialSpec, Transport,
    Visit, Workload,
};
use bentpipe_sim::Content;
use bentpipe_units::{Bytes, Duration, Rate};
use proptest::prelude::*;

/// Of a GEO path.
const RTT: Duration = Duration::from_millis(600);
const RELAY: Bytes = Bytes::new(1 << 18);

/// A GEO path without losses, with one BDP of queue, on which only congestion windows limit.
fn geo(rate_bps: u64) -> RunSpec {
    let mut spec = sample();
    let rate = Rate::from_bps(rate_bps);
    spec.link.forward = half_of(RTT, rate, rate.volume_in(RTT));
    spec.link.return_ = spec.link.forward.clone();
    spec.cc = Algorithm::Cubic;
    with_windows(&mut spec, 64_000_000);
    spec.capture = CaptureSpec { pcapng: false, qlog: false };
    spec.validity.timeout_ns = Duration::from_secs(1_000);
    spec
}

/// The same through proxies that have the run's own settings over the satellite.
fn split(spec: &RunSpec) -> RunSpec {
    let pep = QuicSplitSpec { cc: spec.cc, quic: spec.quic.clone(), relay_buffer_bytes: RELAY };
    RunSpec { pep: Some(PepSpec::QuicSplit(pep)), ..spec.clone() }
}

fn losing_on_the_ground(spec: &RunSpec, p: f64) -> RunSpec {
    let terrestrial = Some(TerrestrialSpec { loss: LossSpec::Bernoulli { p } });
    RunSpec { terrestrial, ..spec.clone() }
}

fn ran(spec: &RunSpec) -> RunRecord {
    let record = common::record(spec, Content::Bytes);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()));
    record
}

/// A page of objects on several hosts.
fn page(mut spec: RunSpec, hosts: &[&str], (objects, bytes): (u32, u64)) -> RunSpec {
    let host = |n: u32| hosts.get(n as usize % (hosts.len() + 1)).map(|name| (*name).to_owned());
    let object = |n| ObjectSpec { host: host(n), ..ObjectSpec::new(format!("/{n}.jpg"), Bytes::new(bytes)) };
    let page = PageSpec::new("many", (1..=objects).map(object));
    spec.workload = Workload::PageLoad(PageLoadSpec::new(Http::H3, 1, page));
    spec
}

fn flow(spec: RunSpec, direction: Direction, bytes: u64) -> RunSpec {
    RunSpec { workload: quic_flow(direction, bytes), ..spec }
}

fn goodput_bps(spec: &RunSpec) -> f64 {
    ran(spec).flows[0].goodput_bps.unwrap()
}

#[test]
fn a_page_of_several_hosts_is_loaded_through_the_proxies() {
    for hosts in [&[][..], &["cdn.example", "ads.example"]] {
        let record = ran(&split(&page(geo(10_000_000), hosts, (8, 62_500))));
        assert_eq!(record.objects.len(), 9, "{hosts:?}");
    }
}

#[test]
fn a_client_that_comes_back_loads_its_page_too() {
    let mut spec = page(geo(10_000_000), &[], (4, 10_000));
    let Workload::PageLoad(load) = &mut spec.workload else { panic!("a page load") };
    load.visit = Some(Visit::Repeat);
    assert_eq!(ran(&split(&spec)).objects.len(), 5);
}

#[test]
fn the_first_byte_comes_after_two_round_trips_as_end_to_end_and_the_clients_handshake_takes_none() {
    let direct = page(geo(100_000_000), &[], (1, 1_000));
    let [direct, through] = [ran(&direct), ran(&split(&direct))];
    let [of_direct, of_split] = [&direct, &through].map(|record| record.metrics.ttfb_s.unwrap());
    // Its handshake, or that of the proxies (RFC 9001 section 4.1), then the request: 2 RTT, and the time of a few packets.
    assert!((1.2..1.21).contains(&of_direct), "{of_direct} s");
    assert!((of_direct..of_direct + 0.005).contains(&of_split), "{of_split} s, and {of_direct} s end to end");
    // The client asks as soon as its own handshake is complete.
    let asked_s = [&direct, &through].map(|record| record.objects[0].request_s);
    assert!((0.6..0.605).contains(&asked_s[0]) && asked_s[1] < 0.001, "{asked_s:?}");
}

#[test]
fn flows_arrive_whole_with_any_congestion_control_on_either_leg() {
    // Bytes are compared one by one with those that were sent.
    for (cc, satellite) in Algorithm::ALL.into_iter().zip(Algorithm::ALL.into_iter().rev()) {
        for direction in [Direction::Down, Direction::Up] {
            let plain = RunSpec { cc, ..flow(geo(10_000_000), direction, 1_000_000) };
            let mut spec = split(&plain);
            let Some(PepSpec::QuicSplit(pep)) = &mut spec.pep else { panic!("a split") };
            pep.cc = satellite;
            assert_eq!(ran(&spec).flows[0].bytes, 1_000_000, "{cc:?}, {satellite:?} over the satellite");
        }
    }
}

#[test]
fn flows_at_ports_of_their_own_keep_their_marks_on_all_legs() {
    let mut plain = geo(10_000_000);
    let flow = |dscp| FlowSpec {
        cc: Algorithm::Cubic,
        transport: Transport::Quic,
        start_ns: Duration::ZERO,
        dscp: Dscp::new(dscp),
    };
    plain.workload = Workload::Flows(FlowsSpec {
        direction: Direction::Down,
        bytes: Some(Bytes::new(300_000)),
        duration_ns: None,
        flows: vec![flow(46), flow(0)],
    });
    let record = ran(&split(&plain));
    assert_eq!(record.flows.iter().map(|flow| flow.bytes).collect::<Vec<_>>(), [300_000; 2]);
}

#[test]
fn the_initial_window_of_the_proxies_sets_the_first_flight_over_the_satellite() {
    let plain = flow(geo(100_000_000), Direction::Down, 2_000_000);
    let completion_s = |packets: u64| {
        let mut spec = split(&plain);
        let Some(PepSpec::QuicSplit(pep)) = &mut spec.pep else { panic!("a split") };
        pep.quic.initial_window_bytes = Bytes::new(packets * plain.quic.udp_payload_bytes.get());
        ran(&spec).flows[0].completion_s.unwrap()
    };
    // Slow start doubles (RFC 9002 section 7.3.1): from 10 packets on, 1700 take 8 flights, from 1000 on they take 2.
    let [slow, fast] = [10, 1_000].map(completion_s);
    assert!((5.0..7.0).contains(&((slow - fast) / RTT.as_secs_f64())), "{slow} s and {fast} s");
}

#[test]
fn what_the_terrestrial_side_loses_is_repaired_there() {
    let plain = flow(geo(20_000_000), Direction::Down, 20_000_000);
    let end_to_end = goodput_bps(&losing_on_the_ground(&plain, 0.01));
    let through = goodput_bps(&losing_on_the_ground(&split(&plain), 0.01));
    let without_loss = goodput_bps(&split(&plain));
    assert!(through > 3.0 * end_to_end, "{through} bit/s, and {end_to_end} bit/s end to end");
    assert!(through > 0.9 * without_loss, "{through} bit/s, and {without_loss} bit/s without loss");
}

#[test]
fn the_terrestrial_side_loses_as_many_packets_as_it_is_to() {
    let mut spec = losing_on_the_ground(&geo(10_000_000), 0.2);
    spec.workload = Workload::Ping(PingSpec {
        count: 10_000,
        interval_ns: Duration::from_millis(10),
        payload_bytes: Bytes::new(56),
    });
    let record = common::record(&spec, Content::Length);
    // A ping passes twice: 1 - 0.8^2; three standard deviations of 10 000 draws are 0.0144.
    let loss = record.metrics.ping_loss_fraction.unwrap();
    assert!((loss - 0.36).abs() < 0.0144, "{loss}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 50, ..ProptestConfig::default() })]

    #[test]
    fn any_scenario_ends_as_it_may_through_the_proxies(scenario in scenarios(), p in 0.0..0.02) {
        let Temper::Mild = scenario.temper else { return Ok(()) };
        if scenario.spec.server_behind.is_some() || scenario.spec.tls.is_some() {
            return Ok(());
        }
        let spec = losing_on_the_ground(&split(&scenario.spec), p);
        let record = common::record(&spec, Content::Bytes);
        prop_assert!(record.status != Status::Failed || !record.reasons.is_empty());
        prop_assert_eq!(
            serde_json::to_string(&record).unwrap(),
            serde_json::to_string(&common::record(&spec, Content::Bytes)).unwrap()
        );
    }
}
