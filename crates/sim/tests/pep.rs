//! Performance-enhancing proxies in virtual time: whole runs of pages, flows and pings through them.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use crate::common;
use crate::common::{Temper, scenarios};
use crate::sample::{half_of, sample, with_windows};
use bentpipe_run::{
    Algorithm, BulkSpec, CaptureSpec, Direction, Http, JitterSpec, LossSpec, ObjectSpec, PageLoadSpec,
    PageSpec, PepPlace, PepSpec, PingSpec, ProxySpec, Resumption, RunRecord, RunSpec, SplitSpec, Status,
    Switch, TlsSpec, TlsVersion, Transport, TunnelSpec, Workload,
};
use bentpipe_sim::Content;
use bentpipe_units::{Bytes, Duration, Rate};
use proptest::prelude::*;

const PLACES: [PepPlace; 3] = [PepPlace::Terminal, PepPlace::Gateway, PepPlace::Both];
/// Of a GEO path.
const RTT: Duration = Duration::from_millis(600);
/// Payload of a TCP segment over an MTU of 1500 with timestamps.
const SEGMENT: u64 = 1448;

/// A GEO path without losses, with one BDP of queue, on which only congestion windows limit.
fn geo(rate: Rate) -> RunSpec {
    let mut spec = sample();
    spec.link.forward = half_of(RTT, rate, rate.volume_in(RTT));
    spec.link.return_ = spec.link.forward.clone();
    spec.cc = Algorithm::Cubic;
    let buffer = Bytes::new(64_000_000);
    (spec.tcp.receive_buffer_bytes, spec.tcp.send_buffer_bytes) = (buffer, buffer);
    with_windows(&mut spec, buffer.get());
    spec.capture = CaptureSpec { pcapng: false, qlog: false };
    spec.validity.timeout_ns = Duration::from_secs(1_000);
    spec
}

/// A split with the run's own settings over the satellite.
fn split(spec: &RunSpec, place: PepPlace) -> SplitSpec {
    let relay_buffer_bytes = Bytes::new(1 << 20);
    SplitSpec { place, cc: spec.cc, tcp: spec.tcp.clone(), relay_buffer_bytes, standing: Switch::Off }
}

/// The same at both ends, with connections between them that stand.
fn standing(spec: &RunSpec) -> SplitSpec {
    SplitSpec { standing: Switch::On, ..split(spec, PepPlace::Both) }
}

fn with(spec: &RunSpec, pep: PepSpec) -> RunSpec {
    RunSpec { pep: Some(pep), ..spec.clone() }
}

fn ran(spec: &RunSpec) -> RunRecord {
    let record = common::record(spec, Content::Length);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{:?}", spec.pep);
    record
}

/// So many objects of so many bytes each.
fn page(mut spec: RunSpec, http: Http, connections: u32, (objects, bytes): (u32, u64)) -> RunSpec {
    let object = |n| ObjectSpec::new(format!("/object-{n}.jpg"), Bytes::new(bytes));
    let page = PageSpec::new("many", (1..=objects).map(object));
    spec.workload = Workload::PageLoad(PageLoadSpec::new(http, connections, page));
    spec
}

fn download(mut spec: RunSpec, transport: Transport, extent: Extent) -> RunSpec {
    let (bytes, duration_ns) = match extent {
        Extent::For(span) => (None, Some(span)),
        Extent::Of(bytes) => (Some(Bytes::new(bytes)), None),
    };
    spec.workload = Workload::Bulk(BulkSpec { transport, direction: Direction::Down, bytes, duration_ns });
    spec
}

#[derive(Clone, Copy)]
enum Extent {
    For(Duration),
    Of(u64),
}

fn megabits(rate: u64) -> Rate {
    Rate::from_bps(rate * 1_000_000)
}

/// The record of the same run with another spec in its head.
fn as_of(spec: &RunSpec, record: RunRecord) -> String {
    serde_json::to_string(&RunRecord { spec: spec.clone(), ..record }).unwrap()
}

// ---- split -----------------------------------------------------------------------------------------------------

#[test]
fn every_version_loads_its_page_through_a_split_wherever_it_stands() {
    for (http, place) in [Http::H1, Http::H1s, Http::H2, Http::H3]
        .into_iter()
        .flat_map(|http| PLACES.map(|place| (http, place)))
    {
        let plain = page(geo(megabits(10)), http, 6, (8, 62_500));
        let record = ran(&with(&plain, PepSpec::Split(split(&plain, place))));
        assert_eq!(record.objects.len(), 9, "{http:?} {place:?}");
    }
}

#[test]
fn flows_arrive_whole_through_a_split_with_any_congestion_control_on_either_leg() {
    // Bytes are compared one by one with those that were sent.
    for (cc, satellite) in Algorithm::OVER_TCP.into_iter().zip(Algorithm::OVER_TCP.into_iter().rev()) {
        for direction in [Direction::Down, Direction::Up] {
            let mut plain = download(geo(megabits(10)), Transport::Tcp, Extent::Of(2_000_000));
            plain.cc = cc;
            if let Workload::Bulk(bulk) = &mut plain.workload {
                bulk.direction = direction;
            }
            let pep = SplitSpec { cc: satellite, ..split(&plain, PepPlace::Both) };
            let spec = with(&plain, PepSpec::Split(pep));
            let record = common::record(&spec, Content::Bytes);
            assert_eq!(record.status, Status::Succeeded, "{cc:?} {satellite:?}: {:?}", record.reasons);
            assert_eq!(record.metrics.payload_bytes, Some(2_000_000));
        }
    }
}

#[test]
fn both_ends_of_a_connection_know_it_by_the_clients_port() {
    for place in PLACES {
        let plain = page(geo(megabits(10)), Http::H1, 6, (20, 10_000));
        let record = ran(&with(&plain, PepSpec::Split(split(&plain, place))));
        let ports = |connections: &[bentpipe_run::ConnectionReport]| {
            let mut ports: Vec<_> = connections.iter().map(|connection| connection.client_port).collect();
            ports.sort_unstable();
            ports
        };
        assert_eq!(record.client_connections.len(), 6);
        assert_eq!(ports(&record.client_connections), ports(&record.origin_connections), "{place:?}");
    }
}

#[test]
fn the_handshake_ends_at_the_terminal_and_the_first_byte_comes_no_earlier() {
    // The request waits there until the connection over the satellite is open: one round trip, and one for itself.
    let plain = page(geo(megabits(10)), Http::H1, 6, (20, 10_000));
    let handshake_s = |record: &RunRecord| {
        let first = &record.client_connections[0];
        first.connected.unwrap().since(first.started).as_secs_f64()
    };
    let direct = ran(&plain);
    assert!((0.6..0.601).contains(&handshake_s(&direct)), "{}", handshake_s(&direct));
    for place in PLACES {
        let record = ran(&with(&plain, PepSpec::Split(split(&plain, place))));
        let expected = if place == PepPlace::Gateway { handshake_s(&direct) } else { 0.0 };
        assert_eq!(handshake_s(&record), expected, "{place:?}");
        let (found, expected) = (record.metrics.ttfb_s.unwrap(), direct.metrics.ttfb_s.unwrap());
        assert!((found - expected).abs() < 0.001, "{place:?}: {found} s, without {expected} s");
    }
}

#[test]
fn a_page_falls_by_the_round_trips_that_a_larger_window_over_the_satellite_saves() {
    // Objects of 62 segments: windows of 10, 20 and 40 segments take three round trips to send them, one of 100 takes one.
    // One connection: handshake, index and then object by object.
    let bytes = 62 * SEGMENT - 2_000;
    let objects = 12;
    let mut plain = page(geo(megabits(1_000)), Http::H1, 1, (objects, bytes));
    plain.tcp.slow_start_after_idle = false;
    let mut pep = split(&plain, PepPlace::Both);
    pep.tcp.initial_window = 100;
    let plts =
        [ran(&plain), ran(&with(&plain, PepSpec::Split(pep)))].map(|record| record.metrics.plt_s.unwrap());
    println!("{plts:?}");
    // The window has grown beyond an object when the first is complete.
    let saved = plts[0] - plts[1];
    assert!((saved - 2.0 * 0.6).abs() < 0.02, "{plts:?}");
}

#[test]
fn cubic_fills_97_per_cent_of_a_clean_satellite_link_through_a_split() {
    let (rate, span) = (megabits(144), Duration::from_secs(60));
    let plain = download(geo(rate), Transport::Tcp, Extent::For(span));
    let record = ran(&with(&plain, PepSpec::Split(split(&plain, PepPlace::Both))));
    let progress = &record.series["progress"];
    let (times, bytes) = (progress.column("time_s"), progress.column("received_bytes"));
    let received: f64 = times.iter().zip(bytes).filter(|(at, _)| **at > 20.0).map(|(_, bytes)| bytes).sum();
    let goodput = received * 8.0 / (times.last().unwrap() - 20.0);
    // What is left of the rate without the headers of full packets.
    let most = rate.as_bps() as f64 * SEGMENT as f64 / 1500.0;
    println!("{goodput} {} {}", goodput / most, goodput / rate.as_bps() as f64);
    assert!(goodput >= 0.97 * most, "{goodput} of {most} bit/s");
}

#[test]
fn equal_runs_through_a_split_have_equal_records_whatever_stands_for_the_content() {
    for (place, loss) in PLACES.into_iter().flat_map(|place| [0.0, 0.01].map(|loss| (place, loss))) {
        let mut plain = download(geo(megabits(10)), Transport::Tcp, Extent::Of(3_000_000));
        plain.link.forward.loss = LossSpec::Bernoulli { p: loss };
        let spec = with(&plain, PepSpec::Split(split(&plain, place)));
        let records =
            [Content::Bytes, Content::Length, Content::Length].map(|content| common::record(&spec, content));
        let [bytes, first, second] = records.map(|record| serde_json::to_string(&record).unwrap());
        assert!(first == second, "{place:?} {loss}");
        assert!(bytes == first, "{place:?} {loss}");
    }
}

// ---- standing connections --------------------------------------------------------------------------------------

#[test]
fn a_standing_connection_saves_the_handshake_over_the_satellite() {
    // Through a split TCP 1, TLS 1.3 1 and 1.2 2 (RFC 8446 section 2, RFC 5246 section 7.3), the request 1.
    for (http, version, through_split) in [
        (Http::Http10, None, 2.0),
        (Http::H1, None, 2.0),
        (Http::H1s, None, 3.0),
        (Http::H1s, Some(TlsVersion::V1_2), 4.0),
        (Http::H2, None, 3.0),
        (Http::Spdy, Some(TlsVersion::V1_2), 4.0),
    ] {
        let mut plain = page(geo(megabits(10)), http, 6, (8, 5_000));
        plain.tls = version.map(|version| TlsSpec { version, resumption: Resumption::None });
        let ttfb_s = |pep| ran(&with(&plain, PepSpec::Split(pep))).metrics.ttfb_s.unwrap();
        for (found_s, round_trips) in [
            (ttfb_s(split(&plain, PepPlace::Both)), through_split),
            (ttfb_s(standing(&plain)), through_split - 1.0),
        ] {
            assert!((0.0..0.02).contains(&(found_s - round_trips * 0.6)), "{http:?}: {found_s} s");
        }
    }
}

#[test]
fn every_connection_of_a_load_takes_one_that_stands_however_many_there_are() {
    // HTTP/1.0 by one connection for each of 31: over the satellite a request and its response take one round trip.
    let plain = page(geo(megabits(10)), Http::Http10, 6, (30, 1_000));
    let record = ran(&with(&plain, PepSpec::Split(standing(&plain))));
    let plt_s = record.metrics.plt_s.unwrap();
    let batches = 1.0 + 30.0 / 6.0;
    assert!((0.0..0.05).contains(&(plt_s - batches * 0.6)), "{plt_s} s");
    assert_eq!((record.client_connections.len(), record.origin_connections.len()), (31, 31));
}

#[test]
fn the_handshakes_of_standing_connections_are_not_measured() {
    // One connection for everything, on which each request is one write: what waits for a handshake would travel together.
    // Each way the packets of one handshake fewer are counted, and twelve bytes more of payload, which name the client's
    // connection.
    let plain = page(geo(megabits(10)), Http::H1, 1, (8, 5_000));
    let [through_split, standing] = [split(&plain, PepPlace::Both), standing(&plain)]
        .map(|pep| ran(&with(&plain, PepSpec::Split(pep))).metrics);
    // SYN and acknowledgement; SYN-ACK (RFC 9293 section 3.5), with 40 and 32 bytes of header of TCP.
    assert_eq!(through_split.wire_packets_up - standing.wire_packets_up, 2);
    assert_eq!(through_split.wire_bytes_up - standing.wire_bytes_up, 60 + 52 - 12);
    assert_eq!(through_split.wire_packets_down - standing.wire_packets_down, 1);
    assert_eq!(through_split.wire_bytes_down - standing.wire_bytes_down, 60);
}

#[test]
fn a_standing_connection_starts_with_the_initial_window_of_the_satellite_leg() {
    for segments in [3, 20] {
        let plain = page(geo(megabits(1_000)), Http::H1, 1, (1, 200_000));
        let mut pep = standing(&plain);
        pep.tcp.initial_window = segments;
        let first_flight = ran(&with(&plain, PepSpec::Split(pep))).metrics.first_flight_bytes.unwrap();
        // The window has grown by what the document's response took.
        assert!(first_flight.abs_diff(u64::from(segments) * 1500) <= 3_000, "{segments}: {first_flight}");
    }
}

#[test]
fn flows_arrive_whole_over_standing_connections_up_and_down() {
    for direction in [Direction::Down, Direction::Up] {
        let mut plain = download(geo(megabits(10)), Transport::Tcp, Extent::Of(2_000_000));
        if let Workload::Bulk(bulk) = &mut plain.workload {
            bulk.direction = direction;
        }
        let spec = with(&plain, PepSpec::Split(standing(&plain)));
        let record = common::record(&spec, Content::Bytes);
        assert_eq!(record.status, Status::Succeeded, "{direction:?}: {:?}", record.reasons);
        assert_eq!(record.metrics.payload_bytes, Some(2_000_000));
    }
}

// ---- what a split does not take part in ------------------------------------------------------------------------

#[test]
fn quic_goes_through_a_split_as_if_there_were_none() {
    let mut lossy = geo(megabits(10));
    lossy.link.forward.loss = LossSpec::Bernoulli { p: 0.01 };
    lossy.link.forward.jitter = JitterSpec::Normal { sd_ns: Duration::from_millis(3) };
    let runs = [
        page(lossy.clone(), Http::H3, 1, (20, 30_000)),
        download(lossy, Transport::Quic, Extent::Of(3_000_000)),
    ];
    for (plain, place) in runs.iter().flat_map(|plain| PLACES.map(|place| (plain, place))) {
        let direct = as_of(plain, ran(plain));
        let split = as_of(plain, ran(&with(plain, PepSpec::Split(split(plain, place)))));
        assert!(direct == split, "{place:?}");
    }
}

#[test]
fn pings_go_through_a_split_as_if_there_were_none() {
    let plain = pings(geo(megabits(10)));
    let direct = as_of(&plain, ran(&plain));
    for place in PLACES {
        assert_eq!(as_of(&plain, ran(&with(&plain, PepSpec::Split(split(&plain, place))))), direct);
    }
}

fn pings(mut spec: RunSpec) -> RunSpec {
    let (interval_ns, payload_bytes) = (Duration::from_millis(200), Bytes::new(100));
    spec.workload = Workload::Ping(PingSpec { count: 5, interval_ns, payload_bytes });
    spec
}

// ---- tunnel ----------------------------------------------------------------------------------------------------

fn tunnel(header_bytes: u64) -> PepSpec {
    PepSpec::Tunnel(TunnelSpec { header_bytes: Bytes::new(header_bytes) })
}

#[test]
fn a_tunnel_without_a_header_is_no_tunnel() {
    for http in [Http::H1, Http::H2, Http::H3] {
        let plain = page(geo(megabits(10)), http, 6, (20, 30_000));
        assert_eq!(as_of(&plain, ran(&with(&plain, tunnel(0)))), as_of(&plain, ran(&plain)));
    }
}

#[test]
fn a_ping_through_a_tunnel_takes_the_transmissions_of_two_headers_more() {
    // Of 44 bytes at 10 Mbit/s, in each direction.
    let plain = pings(geo(megabits(10)));
    let [direct, tunnelled] =
        [ran(&plain), ran(&with(&plain, tunnel(44)))].map(|r| r.metrics.rtt_min_s.unwrap());
    assert_eq!(Duration::from_secs_f64(tunnelled - direct), Duration::from_nanos(2 * 44 * 800));
}

#[test]
fn a_tunnel_is_an_mtu_smaller_by_its_header_and_packets_longer_by_it() {
    let header = 80;
    for transport in [Transport::Tcp, Transport::Quic] {
        // Packets of the same length on the link at a rate that their length does not change.
        let plain = download(geo(megabits(100_000)), transport, Extent::Of(1_000_000));
        let mut smaller = plain.clone();
        smaller.link.mtu_bytes = Bytes::new(1500 - header);
        smaller.quic.udp_payload_bytes = smaller.quic.udp_payload_bytes.min(Bytes::new(1500 - header - 28));
        let [direct, tunnelled] = [ran(&smaller), ran(&with(&plain, tunnel(header)))].map(|r| r.metrics);
        assert_eq!(tunnelled.wire_packets_down, direct.wire_packets_down, "{transport:?}");
        assert_eq!(tunnelled.wire_packets_up, direct.wire_packets_up, "{transport:?}");
        let headers = header * tunnelled.wire_packets_down;
        // Longer packets take 6.4 ns more, and how long QUIC waits for a tick moves with them: the delay that an
        // acknowledgement tells may have a byte more or less (RFC 9000 sections 16 and 19.3). The origin sends 20 of them (qlog); of
        // 12 seeds four have one that is a byte shorter. Another header would make 742 bytes and more.
        let spare = if transport == Transport::Quic { 20 } else { 0 };
        let bytes = direct.wire_bytes_down + headers;
        assert!(tunnelled.wire_bytes_down.abs_diff(bytes) <= spare, "{transport:?}");
        assert_eq!(tunnelled.drops.forward.total() + tunnelled.drops.return_.total(), 0);
    }
}

// ---- proxy -----------------------------------------------------------------------------------------------------

#[test]
fn pages_load_through_an_http_proxy_in_the_round_trips_of_its_handshakes_and_of_theirs() {
    // To the proxy TCP and TLS 1.3 (RFC 8446 section 2), CONNECT, then what the version needs: the request, and TLS before.
    for (http, round_trips) in [(Http::H1, 4.0), (Http::H1s, 5.0), (Http::H2, 5.0)] {
        let plain = page(geo(megabits(10)), http, 6, (8, 62_500));
        let (cc, tcp) = (plain.cc, plain.tcp.clone());
        let pep = PepSpec::Proxy(ProxySpec { cc, tcp, relay_buffer_bytes: Bytes::new(1 << 20) });
        let record = ran(&with(&plain, pep));
        let ttfb_s = record.metrics.ttfb_s.unwrap();
        assert!((0.0..0.02).contains(&(ttfb_s - round_trips * 0.6)), "{http:?}: {ttfb_s} s");
    }
}

// ---- any run ---------------------------------------------------------------------------------------------------

fn places() -> impl Strategy<Value = PepPlace> {
    prop::sample::select(PLACES.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_scenario_through_a_split_ends_with_what_was_asked_or_a_reason_and_does_so_again(
        scenario in scenarios(),
        place in places(),
        stands in any::<bool>(),
        cc in prop::sample::select(Algorithm::OVER_TCP.to_vec()),
        buffer in common::spread(1, 1 << 20),
    ) {
        let (tcp, relay_buffer_bytes) = (scenario.spec.tcp.clone(), Bytes::new(buffer));
        // Where everything is lost no connection would ever stand.
        let is_possible = place == PepPlace::Both && scenario.temper != Temper::Any;
        let standing = if stands && is_possible { Switch::On } else { Switch::Off };
        let split = SplitSpec { place, cc, tcp, relay_buffer_bytes, standing };
        let spec = with(&scenario.spec, PepSpec::Split(split));
        let [first, second] = [Content::Bytes, Content::Length].map(|content| common::record(&spec, content));
        if scenario.temper != Temper::Any {
            prop_assert!(first.status == Status::Succeeded, "{:?}", first.reasons);
        }
        prop_assert!(serde_json::to_string(&first).unwrap() == serde_json::to_string(&second).unwrap());
    }
}
