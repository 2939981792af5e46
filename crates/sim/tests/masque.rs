//! QUIC within QUIC through a proxy for UDP (RFC 9298): whole runs of pages and flows, whose content is compared byte by byte
//! by their receivers.

use crate::common;
use crate::sample::{half_of, losing, quic_flow, sample, with_windows};
use bentpipe_run::{
    Algorithm, BulkSpec, CaptureSpec, ConnectionReport, Direction, FlowSpec, FlowsSpec, Http, MasqueSpec,
    ObjectSpec, PageLoadSpec, PageSpec, PepSpec, RunRecord, RunSpec, Status, Transport, Workload,
};
use bentpipe_sim::Content;
use bentpipe_units::{Bytes, Duration, Rate};
use proptest::prelude::*;

/// Of a GEO path.
const RTT: Duration = Duration::from_millis(600);
/// Full packets over an MTU of 1500: 1500 - 28, and what a datagram of that has room for (`inner_payload`).
const OUTER: Bytes = Bytes::new(1_472);
const INNER: Bytes = Bytes::new(1_431);

/// A path with one BDP of queue in each direction.
fn path(rate: Rate, rtt: Duration) -> RunSpec {
    let mut spec = sample();
    spec.link.forward = half_of(rtt, rate, rate.volume_in(rtt).max(Bytes::new(30_000)));
    spec.link.return_ = spec.link.forward.clone();
    spec.cc = Algorithm::Cubic;
    with_windows(&mut spec, 16_000_000);
    spec.quic.udp_payload_bytes = INNER;
    spec.capture = CaptureSpec { pcapng: false, qlog: false };
    spec.validity.timeout_ns = Duration::from_secs(1_000);
    spec.pep = Some(masque(Algorithm::Cubic, 1 << 20));
    spec
}

fn geo() -> RunSpec {
    path(Rate::from_bps(10_000_000), RTT)
}

fn masque(cc: Algorithm, relay_buffer: u64) -> PepSpec {
    let relay_buffer_bytes = Bytes::new(relay_buffer);
    PepSpec::Masque(MasqueSpec { cc, udp_payload_bytes: OUTER, relay_buffer_bytes })
}

fn page(spec: RunSpec, objects: impl IntoIterator<Item = ObjectSpec>) -> RunSpec {
    let page = PageSpec::new("many", objects);
    RunSpec { workload: Workload::PageLoad(PageLoadSpec::new(Http::H3, 6, page)), ..spec }
}

fn bulk(spec: RunSpec, direction: Direction, bytes: u64) -> RunSpec {
    RunSpec { workload: quic_flow(direction, bytes), ..spec }
}

fn ran(spec: &RunSpec) -> RunRecord {
    let record = common::record(spec, Content::Bytes);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{:?}", spec.pep);
    record
}

fn objects(count: u32) -> impl Iterator<Item = ObjectSpec> {
    // Some fit into a packet, some into a window.
    (1..=count).map(|n| ObjectSpec::new(format!("/object-{n}.jpg"), Bytes::new(u64::from(n * n) * 700)))
}

#[test]
fn the_first_byte_comes_after_the_round_trips_of_both_handshakes_of_connect_and_of_the_request() {
    // The handshake with the proxy, at whose end its settings are there (RFC 9001 section 4.1.1), CONNECT (RFC 9298
    // section 3.4), the handshake with the origin within, the request. Directly: the last two.
    let through = page(geo(), objects(8));
    let direct = RunSpec { pep: None, ..through.clone() };
    for (spec, round_trips) in [(&direct, 2.0), (&through, 4.0)] {
        let ttfb_s = ran(spec).metrics.ttfb_s.unwrap();
        assert!((0.0..0.02).contains(&(ttfb_s - round_trips * 0.6)), "{round_trips}: {ttfb_s} s");
    }
}

#[test]
fn one_connection_leads_to_the_proxy_and_within_it_one_to_each_host() {
    let cdn = ObjectSpec {
        host: Some("cdn.example".to_owned()),
        ..ObjectSpec::new("/far.jpg", Bytes::new(40_000))
    };
    let mut spec = page(geo(), objects(3).chain([cdn]));
    spec.pep = Some(masque(Algorithm::Bbr, 1 << 20));
    let record = ran(&spec);
    let seen: Vec<_> =
        record.client_connections.iter().map(|one| (&*one.protocol, &*one.congestion_control)).collect();
    assert_eq!(seen, [(ConnectionReport::TO_PROXY, "bbr"), ("h3", "cubic"), ("h3", "cubic")]);
    // The ports of the proxy's sockets, by which the origin knows them.
    let ports = |connections: &[ConnectionReport]| -> Vec<u16> {
        connections.iter().filter(|one| one.protocol == "h3").map(|one| one.client_port).collect()
    };
    assert_eq!(ports(&record.client_connections), ports(&record.origin_connections));
}

#[test]
fn no_byte_of_a_flow_is_wrong_up_or_down_whatever_is_lost() {
    for loss in [0.0, 0.01, 0.05] {
        for direction in [Direction::Down, Direction::Up] {
            let spec = losing(path(Rate::from_bps(10_000_000), Duration::from_millis(60)), loss);
            let record = ran(&bulk(spec, direction, 3_000_000));
            assert_eq!(record.flows[0].bytes, 3_000_000, "{loss} {direction:?}");
        }
    }
}

#[test]
fn no_byte_of_a_page_is_wrong_whatever_is_lost() {
    ran(&losing(page(path(Rate::from_bps(10_000_000), Duration::from_millis(60)), objects(40)), 0.03));
}

#[test]
fn flows_share_the_connection_to_the_proxy() {
    let flow = |cc| FlowSpec { cc, transport: Transport::Quic, start_ns: Duration::ZERO, dscp: None };
    for direction in [Direction::Down, Direction::Up] {
        let flows = [Algorithm::Cubic, Algorithm::Reno, Algorithm::Bbr].map(flow).to_vec();
        let (bytes, duration_ns) = (Some(Bytes::new(1_000_000)), None);
        let mut spec = losing(path(Rate::from_bps(10_000_000), Duration::from_millis(60)), 0.01);
        spec.workload = Workload::Flows(FlowsSpec { direction, bytes, duration_ns, flows });
        let record = ran(&spec);
        let bytes: Vec<_> = record.flows.iter().map(|flow| flow.bytes).collect();
        assert_eq!(bytes, [1_000_000; 3], "{direction:?}");
        let to_proxy = |one: &&ConnectionReport| one.protocol == ConnectionReport::TO_PROXY;
        assert_eq!(record.client_connections.iter().filter(to_proxy).count(), 1);
        let known = record.flows.iter().filter(|flow| flow.rtt_mean_s.is_some());
        assert_eq!(known.count(), 3, "the port tells the sender's rows, whichever end that is");
    }
}

#[test]
fn a_full_packet_within_fills_one_of_the_connection_to_the_proxy() {
    // RFC 9298 section 6: each packet within is one on the link. Without losses a flow through the proxy has as many full
    // packets as a direct one of the same payload, each longer by what stands around it.
    let through =
        bulk(path(Rate::from_bps(100_000_000), Duration::from_millis(20)), Direction::Down, 2_000_000);
    let direct = RunSpec { pep: None, ..through.clone() };
    let [through, direct] = [&through, &direct].map(|spec| ran(spec).metrics);
    let full_packets = 2_000_000 / INNER.get();
    let added = through.wire_bytes_down - direct.wire_bytes_down;
    // 33 to 38 bytes of 41 that are set aside: packet numbers of one to four bytes, a length of two.
    assert!(added >= full_packets * 33, "{added} bytes for {full_packets} packets");
    // One acknowledgement of the outer connection for two of the inner one's, each of which is for two packets: a quarter.
    let more = through.wire_packets_down as f64 / direct.wire_packets_down as f64;
    assert!((1.0..1.25).contains(&more), "{more} times as many packets");
}

#[test]
fn a_flow_goes_on_after_the_bursts_of_losses_of_a_queue_that_overflows() {
    // Slow start ends with losses of a whole window, which the library takes for a black hole of the MTU.
    let controls = [Algorithm::Bbr, Algorithm::Cubic];
    for (inner, outer) in controls.into_iter().flat_map(|inner| controls.map(|outer| (inner, outer))) {
        let mut spec = path(Rate::from_bps(20_000_000), RTT);
        (spec.cc, spec.pep) = (inner, Some(masque(outer, 256 * 1024)));
        let (transport, direction, duration_ns) =
            (Transport::Quic, Direction::Down, Some(Duration::from_secs(60)));
        spec.workload = Workload::Bulk(BulkSpec { transport, direction, bytes: None, duration_ns });
        let goodput = ran(&spec).metrics.goodput_bps.unwrap();
        // One that stalls carries what its slow start has, less than a path and its queue hold, 3 MB: 0.4 Mbit/s of 60 s.
        assert!(goodput > 1e6, "{inner:?} in {outer:?}: {goodput} bit/s");
    }
}

#[test]
fn packets_of_hosts_that_are_too_long_for_the_datagrams_are_refused_by_name() {
    use bentpipe_sim::{Config, simulate_with};
    let mut spec = page(geo(), objects(1));
    spec.quic.udp_payload_bytes = Bytes::new(INNER.get() + 1);
    #[allow(clippy::disallowed_methods)] // the QUIC library wants an instant to call zero
    let config = Config::new(std::time::Instant::now());
    let error = simulate_with(&spec, &config, Content::Bytes).err().unwrap().to_string();
    assert!(error.contains("run.quic.udp_payload: expected at most") && error.contains("(mtu)"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn any_flow_ends_with_all_of_its_bytes_and_does_so_again(
        cc in prop::sample::select(vec![Algorithm::Reno, Algorithm::Cubic, Algorithm::Bbr, Algorithm::Hybla]),
        inner in prop::sample::select(vec![Algorithm::Reno, Algorithm::Cubic, Algorithm::Bbr]),
        relay_buffer in 4_000_u64..1 << 20,
        loss in 0.0..0.03,
        bytes in 1_u64..1_000_000,
        is_up in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let direction = if is_up { Direction::Up } else { Direction::Down };
        let mut spec = losing(path(Rate::from_bps(8_000_000), Duration::from_millis(80)), loss);
        (spec.seed, spec.cc, spec.pep) = (seed, inner, Some(masque(cc, relay_buffer)));
        let spec = bulk(spec, direction, bytes);
        let [first, second] = [Content::Bytes, Content::Length].map(|content| common::record(&spec, content));
        prop_assert!(first.status == Status::Succeeded, "{:?}", first.reasons);
        prop_assert_eq!(first.flows[0].bytes, bytes);
        prop_assert!(serde_json::to_string(&first).unwrap() == serde_json::to_string(&second).unwrap());
    }
}
