//! Every setting of TCP that a scenario may choose does what it says.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::Instant;

use bentpipe_run::{
    Algorithm, BulkSpec, CapacitySpec, CaptureSpec, Direction, Engine, Handshake, Http, JitterSpec, LossSpec,
    ObjectSpec, OutageSpec, PageLoadSpec, PageSpec, Provenance, Purpose, QueueSpec, Resumption, RunRecord,
    RunReports, RunSpec, SlowStartChoice, Status, Switch, TlsSpec, TlsVersion, Transport, Visit, Workload,
    assemble,
};
use bentpipe_sim::{Config, simulate};
use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::capture::packets::{self, Packet, SYN};

/// The client's address, the emulator's.
const CLIENT: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
/// RFC 9293 section 3.1.
const RST: u8 = 0x04;
const RTT_S: f64 = 0.6;
/// What transmission at 10 Mbit/s and headers add to a few round trips.
const TRANSMISSION_S: f64 = 0.010;

/// The sample run over a link of 10 Mbit/s and 600 ms without losses.
fn sample() -> RunSpec {
    let mut spec: RunSpec = serde_json::from_str(include_str!("../../run/tests/data/spec.json")).unwrap();
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.capacity = CapacitySpec::Constant { rate_bps: Rate::from_bps(10_000_000) };
        direction.delay_ns = Duration::from_millis(300);
        direction.jitter = JitterSpec::None;
        direction.loss = LossSpec::None;
    }
    spec.cc = Algorithm::Cubic;
    spec
}

/// Loads `objects` of 1 kB over up to `connections`.
fn page(http: Http, connections: u32, objects: usize) -> RunSpec {
    let object = |n| ObjectSpec::new(format!("/object-{n}.jpg"), Bytes::new(1_000));
    let page = PageSpec::new("page", (1..=objects).map(object));
    RunSpec { workload: Workload::PageLoad(PageLoadSpec::new(http, connections, page)), ..sample() }
}

fn bulk(transport: Transport, bytes: u64) -> RunSpec {
    let bytes = Some(Bytes::new(bytes));
    let direction = Direction::Down;
    RunSpec {
        workload: Workload::Bulk(BulkSpec { transport, direction, bytes, duration_ns: None }),
        ..sample()
    }
}

fn record(spec: &RunSpec) -> RunRecord {
    let reports = simulate(spec, &Config::new(Instant::now())).unwrap();
    let record = assemble("0".to_owned(), Engine::Simulate, spec.clone(), Provenance::default(), reports);
    assert_eq!(record.status, Status::Succeeded, "{:?}", record.reasons);
    record
}

/// A run, and the packets that the client sent.
fn captured(mut spec: RunSpec, name: &str) -> (RunReports, Vec<Packet>) {
    spec.capture = CaptureSpec { pcapng: true, qlog: false };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tcp-knobs").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let config = Config { artifacts: Some(folder.clone()), ..Config::new(Instant::now()) };
    let reports = simulate(&spec, &config).unwrap();
    assert_eq!(reports.client.faults, []);
    let packets = packets::read(&folder.join("packets.pcapng")).packets;
    let is_sent = |packet: &Packet| packet.interface == 0 && packet.source() == CLIENT;
    (reports, packets.into_iter().filter(is_sent).collect())
}

fn seconds(at: Time) -> f64 {
    at.since(Time::ZERO).as_secs_f64()
}

fn assert_near(found_s: f64, expected_s: f64) {
    assert!((0.0..TRANSMISSION_S).contains(&(found_s - expected_s)), "{found_s} s, expected {expected_s} s");
}

// ---- Fast Open -------------------------------------------------------------------------------------------------

/// From the SYN of a load's second connection to the first byte of the object that it was opened for, and to the end of
/// its handshakes.
fn second_connection(mut spec: RunSpec, fast_open: Switch) -> (f64, f64, Option<f64>) {
    spec.tcp.fast_open = fast_open;
    let record = record(&spec);
    let connection = &record.client_connections[1];
    let started_s = seconds(connection.started);
    let object = record.objects.iter().find(|object| object.connection == 1).unwrap();
    let connected_s = seconds(connection.connected.unwrap()) - started_s;
    (
        object.first_byte_s - started_s,
        connected_s,
        connection.secured.map(|secured| seconds(secured) - started_s),
    )
}

#[test]
fn fast_open_saves_a_round_trip_of_each_connection_but_the_first() {
    // RFC 7413: the request, or the ClientHello, travels with the SYN. TCP 1, TLS 1.3 1, the request 1.
    for (http, round_trips) in [(Http::H1, 2.0), (Http::H1s, 3.0)] {
        let (first_byte_s, ..) = second_connection(page(http, 6, 12), Switch::Off);
        assert_near(first_byte_s, round_trips * RTT_S);
        let (first_byte_s, ..) = second_connection(page(http, 6, 12), Switch::On);
        assert_near(first_byte_s, (round_trips - 1.0) * RTT_S);
    }
}

#[test]
fn the_first_connection_asks_for_a_cookie_and_takes_as_long_as_ever() {
    let mut spec = page(Http::H1, 1, 2);
    spec.tcp.fast_open = Switch::On;
    let record = record(&spec);
    assert_near(record.metrics.ttfb_s.unwrap(), 2.0 * RTT_S);
    assert_near(record.metrics.connect_s.unwrap(), RTT_S);
    assert!(record.client_connections[0].initial_cwnd_bytes.is_some());
}

#[test]
fn a_connection_by_fast_open_is_connected_when_the_syn_ack_comes() {
    for http in [Http::H1, Http::H1s] {
        let (_, connected_s, secured_s) = second_connection(page(http, 6, 12), Switch::On);
        assert_near(connected_s, RTT_S);
        // The ServerHello follows the SYN-ACK.
        secured_s.into_iter().for_each(|secured_s| assert_near(secured_s, RTT_S));
    }
}

#[test]
fn the_origin_has_a_connection_by_fast_open_when_its_syn_comes() {
    let mut spec = page(Http::H1, 6, 12);
    spec.tcp.fast_open = Switch::On;
    let record = record(&spec);
    let wait_s = |index: usize| {
        let client = &record.client_connections[index];
        let same = |origin: &&bentpipe_run::ConnectionReport| origin.client_port == client.client_port;
        let origin = record.origin_connections.iter().find(same).unwrap();
        seconds(origin.connected.unwrap()) - seconds(client.started)
    };
    // The first is accepted with the acknowledgement of its SYN-ACK, one and a half round trips after its SYN.
    assert_near(wait_s(0), 1.5 * RTT_S);
    assert_near(wait_s(1), 0.5 * RTT_S);
}

#[test]
fn a_request_on_an_open_connection_leaves_before_the_syn_that_carries_the_next_one() {
    // Captured on Linux 6.18, 0.2 to 4 ms apart. The SYN waits for the first write (`TCP_FASTOPEN_CONNECT`), and tokio lets a
    // program write when epoll says that the socket takes data: asked when nothing else is left to do.
    let mut spec = page(Http::H1s, 2, 3);
    spec.tcp.fast_open = Switch::On;
    let (reports, packets) = captured(spec, "fast-open");
    let [first, second] = [0, 1].map(|index: usize| reports.client.connections[index].client_port);
    let carry = packets.iter().map(Packet::tcp).filter(|segment| !segment.payload.is_empty());
    let sent: Vec<_> = carry.map(|segment| (segment.ports.0, segment.flags & SYN != 0)).take(6).collect();
    // ClientHello, ChangeCipherSpec, Finished, the request of the page and that of its first object; then the SYN.
    assert_eq!(sent, [[(first, false); 5].as_slice(), &[(second, true)]].concat());
}

// ---- Nagle, acknowledgements -----------------------------------------------------------------------------------

#[test]
fn nagle_holds_back_the_request_until_finished_is_acknowledged_and_the_answer_until_the_settings_are() {
    // TCP 1, TLS 1.3 1, the request 1; each small segment that waits for the one before it costs a round trip more, and
    // where nothing goes in the other direction a delayed acknowledgement, of 40 ms and up to a jiffy of 4 ms. The client's own
    // falls into the jiffy in which the server's arrives, as the round trip is a multiple of it: where it leaves first, the
    // client acknowledges at once from then on (`tcp_delack_timer_handler` leaves pingpong mode), and there is one delay in place of two, as
    // with this seed.
    for (nagle, round_trips, delays) in [(Switch::Off, 3.0, 0.0..=0.0), (Switch::On, 5.0, 0.040..=0.044)] {
        let mut spec = page(Http::H2, 1, 2);
        spec.tcp.nagle = nagle;
        let waited_s = record(&spec).metrics.ttfb_s.unwrap() - round_trips * RTT_S;
        assert!(
            (*delays.start()..delays.end() + TRANSMISSION_S).contains(&waited_s),
            "{nagle:?}: {waited_s} s"
        );
    }
}

#[test]
fn with_quick_acknowledgements_as_many_packets_go_up_as_come_down() {
    let packets = |quick_ack| {
        let mut spec = bulk(Transport::Tcp, 10_000_000);
        spec.tcp.quick_ack = quick_ack;
        let metrics = record(&spec).metrics;
        (metrics.wire_packets_up, metrics.wire_packets_down)
    };
    let (up, down) = packets(Switch::On);
    assert!(up.abs_diff(down) <= 5, "{up} up, {down} down");
    // Every second segment (RFC 5681 section 4.2), and the last of a burst where everything was read.
    let (up, down) = packets(Switch::Off);
    assert!(up * 4 < down * 3, "{up} up, {down} down");
}

// ---- connections that are slow to come, or idle ----------------------------------------------------------------

fn duplicates(record: &RunRecord) -> usize {
    record.client_connections.iter().filter(|one| one.purpose == Some(Purpose::Duplicate)).count()
}

#[test]
fn a_patience_of_250_ms_opens_a_duplicate_of_each_connection_at_600_ms_and_one_of_1500_ms_none() {
    // secchi2018: Chromium's 250 ms, the study's 1500 ms.
    for http in [Http::H1, Http::H1s, Http::H2] {
        for (patience, expected) in [(Some(250), 1), (Some(1_500), 0), (None, 0)] {
            let mut spec = page(http, 1, 3);
            spec.tcp.connect_retry_ns = patience.map(Duration::from_millis);
            let record = record(&spec);
            assert_eq!(duplicates(&record), expected, "{http:?} {patience:?}");
            assert_eq!(record.client_connections.len(), 1 + expected);
            assert_eq!(record.origin_connections.len(), 1 + expected);
            assert!(record.objects.iter().all(|object| object.connection == 0), "the first to come is used");
        }
    }
}

#[test]
fn a_duplicate_starts_when_patience_ends_and_comes_a_round_trip_later() {
    let mut spec = page(Http::H2, 1, 3);
    spec.tcp.connect_retry_ns = Some(Duration::from_millis(250));
    let record = record(&spec);
    let duplicate = &record.client_connections[1];
    assert_eq!(duplicate.started, Time::ZERO + Duration::from_millis(250));
    assert_near(seconds(duplicate.connected.unwrap()), 0.250 + RTT_S);
    assert_eq!(duplicate.secured, None);
}

#[test]
fn further_duplicates_start_each_time_that_patience_ends_until_one_comes() {
    // secchi2018 section 4.6: three to five connections at the start, of which all but one are dropped.
    for (patience, retries, expected) in [
        // The first connection comes after 600 ms.
        (160, 4, vec![0.160, 0.320, 0.480]),
        (100, 4, vec![0.100, 0.200, 0.300, 0.400]),
        (100, 2, vec![0.100, 0.200]),
        (700, 4, vec![]),
    ] {
        for http in [Http::H1s, Http::H2] {
            let mut spec = page(http, 1, 3);
            spec.tcp.connect_retry_ns = Some(Duration::from_millis(patience));
            spec.tcp.connect_retries = Some(retries);
            let record = record(&spec);
            let started: Vec<f64> =
                record.client_connections[1..].iter().map(|one| seconds(one.started)).collect();
            assert_eq!(started, expected, "{http:?}");
            assert_eq!(duplicates(&record), expected.len());
            assert!(record.objects.iter().all(|object| object.connection == 0), "the first to come is used");
        }
    }
}

#[test]
fn of_several_duplicates_each_is_closed_when_it_comes_and_none_is_used() {
    let mut spec = page(Http::H1, 6, 12);
    spec.tcp.connect_retry_ns = Some(Duration::from_millis(250));
    spec.tcp.connect_retries = Some(2);
    let record = record(&spec);
    // Two beside each of six, which come a round trip after they have started.
    assert_eq!((record.client_connections.len(), duplicates(&record)), (18, 12));
    for duplicate in record.client_connections.iter().filter(|one| one.purpose.is_some()) {
        assert_near(seconds(duplicate.connected.unwrap()) - seconds(duplicate.started), RTT_S);
        assert_eq!(duplicate.closed, duplicate.connected);
    }
    let used: std::collections::BTreeSet<_> = record.objects.iter().map(|object| object.connection).collect();
    assert!(used.iter().all(|index| record.client_connections[*index].purpose.is_none()));
}

#[test]
fn a_request_that_needs_a_new_connection_takes_a_duplicate_that_has_come() {
    let mut spec = page(Http::H1, 6, 12);
    spec.tcp.connect_retry_ns = Some(Duration::from_millis(250));
    let record = record(&spec);
    // The document's connection and its duplicate, which serves an object at once; four more with theirs.
    assert_eq!((record.client_connections.len(), duplicates(&record)), (10, 5));
    let by_duplicate = record.objects.iter().find(|object| object.connection == 1).unwrap();
    assert!(by_duplicate.request_s - by_duplicate.discovered_s < 0.001);
}

#[test]
fn where_the_first_syn_is_lost_the_second_connection_serves() {
    let load = |seed, patience_ms: Option<u64>| {
        let mut spec = RunSpec { seed, ..page(Http::H1, 1, 3) };
        spec.link.return_.loss = LossSpec::Bernoulli { p: 0.05 };
        spec.tcp.connect_retry_ns = patience_ms.map(Duration::from_millis);
        record(&spec)
    };
    // The SYN is repeated after a second (RFC 6298 section 2.1), in the kernel's timer wheel up to 8 jiffies of 4 ms later.
    let assert_repeated = |connected_s: f64| {
        let late_s = connected_s - (1.0 + RTT_S);
        assert!((0.0..0.032 + TRANSMISSION_S).contains(&late_s), "late by {late_s} s");
    };
    let seed = (0..).find(|seed| load(*seed, None).metrics.connect_s.unwrap() > 1.0).unwrap();
    assert_repeated(load(seed, None).metrics.connect_s.unwrap());
    let record = load(seed, Some(250));
    let serves = &record.client_connections[0];
    assert_eq!(serves.purpose, Some(Purpose::Duplicate));
    assert_near(seconds(serves.connected.unwrap()), 0.250 + RTT_S);
    let late = &record.client_connections[1];
    assert_repeated(seconds(late.connected.unwrap()));
}

#[test]
fn a_duplicate_that_nobody_uses_is_reset_after_its_time_and_closed_with_the_page_otherwise() {
    let resets = |idle_reset_ms: Option<u64>| {
        let mut spec = page(Http::H2, 1, 300);
        spec.tcp.connect_retry_ns = Some(Duration::from_millis(250));
        spec.tcp.idle_reset_ns = idle_reset_ms.map(Duration::from_millis);
        let (reports, packets) = captured(spec, &format!("idle-reset-{idle_reset_ms:?}"));
        let port = reports.client.connections[1].client_port;
        let resets =
            packets.iter().filter(|packet| packet.tcp().ports.0 == port && packet.tcp().flags & RST != 0);
        resets.map(|packet| packet.at.as_secs_f64()).collect::<Vec<_>>()
    };
    let at = resets(Some(1_000));
    assert_eq!(at.len(), 1, "{at:?}");
    assert_near(at[0], 0.250 + RTT_S + 1.0);
    assert_eq!(resets(None).len(), 0);
}

/// A page of three objects and one for which a script waits 5 s, over one connection that is reset after 2 s of nothing.
fn pausing(http: Http, idle_reset: Option<Duration>) -> RunSpec {
    let mut spec = page(http, 1, 4);
    if let Workload::PageLoad(load) = &mut spec.workload {
        load.page.objects[3].wait_ns = Some(Duration::from_secs(5));
    }
    spec.tcp.idle_reset_ns = idle_reset;
    spec
}

#[test]
fn a_request_after_a_pause_that_was_too_long_takes_a_new_connection_with_its_handshakes() {
    let two_seconds = Some(Duration::from_secs(2));
    // TCP 1; TLS 1.3 1 (RFC 8446 section 2), 1.2 2 (RFC 5246 section 7.3), or 1 with a ticket (RFC 5077 section 3.1).
    for (http, tls, handshakes, expected) in [
        (Http::H2, None, 2.0, None),
        (Http::H2c, None, 1.0, None),
        (Http::Spdy, Some((TlsVersion::V1_2, Resumption::None)), 3.0, Some(Handshake::Full)),
        (Http::H2, Some((TlsVersion::V1_2, Resumption::Ticket)), 2.0, Some(Handshake::Resumed)),
        (Http::H2, Some((TlsVersion::V1_3, Resumption::None)), 2.0, Some(Handshake::Full)),
    ] {
        let with = |idle_reset| {
            let mut spec = pausing(http, idle_reset);
            spec.tls = tls.map(|(version, resumption)| TlsSpec { version, resumption });
            record(&spec)
        };
        let (kept, reset) = (with(None), with(two_seconds));
        let plt_s = |record: &RunRecord| record.metrics.plt_s.unwrap();
        assert_near(plt_s(&reset) - plt_s(&kept), handshakes * RTT_S);
        let [first, second] = &reset.client_connections[..] else { panic!("{:?}", reset.client_connections) };
        // Two seconds after the last of the three objects.
        let last_s = reset.objects.iter().filter(|one| one.connection == 0).map(|one| one.last_byte_s);
        assert_near(seconds(first.closed.unwrap()), last_s.fold(0.0, f64::max) + 2.0);
        assert_eq!(second.handshake, expected, "{http:?}");
        assert_eq!(reset.objects.iter().filter(|object| object.connection == 1).count(), 1);
    }
}

#[test]
fn a_connection_of_http_2_that_is_used_in_time_is_not_reset() {
    let record = record(&pausing(Http::H2, Some(Duration::from_secs(6))));
    assert_eq!(record.client_connections.len(), 1);
}

#[test]
fn the_connection_of_a_visit_is_not_reset_while_it_waits_for_tickets() {
    // Its handshakes and its closing take round trips of 600 ms without a byte.
    let mut spec = pausing(Http::H2, Some(Duration::from_millis(700)));
    let Workload::PageLoad(load) = &mut spec.workload else { panic!("a page") };
    load.visit = Some(Visit::Repeat);
    load.page.objects.truncate(3);
    spec.tls = Some(TlsSpec { version: TlsVersion::V1_3, resumption: Resumption::Ticket });
    assert_eq!(record(&spec).client_connections[0].handshake, Some(Handshake::Resumed));
}

#[test]
fn after_a_reset_the_rest_may_be_asked_for_by_http_1_1_over_tls() {
    for http in [Http::H2, Http::Spdy] {
        let mut spec = pausing(http, Some(Duration::from_secs(2)));
        spec.tcp.idle_fallback = Switch::On;
        let record = record(&spec);
        let protocols: Vec<_> = record.client_connections.iter().map(|one| one.protocol.as_str()).collect();
        assert_eq!(protocols, [http.alpn(), "http/1.1"]);
        let protocols: Vec<_> = record.origin_connections.iter().map(|one| one.protocol.as_str()).collect();
        assert_eq!(protocols, [http.alpn(), "http/1.1"]);
    }
}

#[test]
fn what_an_outage_and_a_reset_in_the_midst_of_a_load_leave_incomplete_is_asked_for_again() {
    for (http, fallback) in [(Http::H2, Switch::Off), (Http::Spdy, Switch::Off), (Http::Spdy, Switch::On)] {
        let with = |seed| {
            let object = |n| ObjectSpec::new(format!("/object-{n}.jpg"), Bytes::new(200_000));
            let page = PageSpec {
                document_bytes: Some(Bytes::new(100_000)),
                ..PageSpec::new("page", (1..=5).map(object))
            };
            let mut spec = RunSpec { seed, ..sample() };
            spec.workload = Workload::PageLoad(PageLoadSpec::new(http, 6, page));
            spec.link.forward.loss = LossSpec::Outages {
                period_ns: Duration::from_secs(20),
                durations: vec![OutageSpec { weight: 1, duration_ns: Duration::from_secs(3) }],
            };
            spec.tcp.idle_reset_ns = Some(Duration::from_millis(1_500));
            spec.tcp.idle_fallback = fallback;
            // Every object is compared with what was served.
            record(&spec)
        };
        let record = (0..).map(with).find(|record| record.client_connections.len() > 1).unwrap();
        assert_eq!(record.objects.len(), 6);
        for object in &record.objects {
            let connection = &record.client_connections[object.connection];
            assert!(object.request_s >= seconds(connection.connected.unwrap()));
        }
        assert!(record.objects.iter().any(|object| object.connection > 0));
        let most = if fallback.is_on() { 7 } else { 2 };
        assert!(record.client_connections.len() <= most, "{http:?} {:?}", record.client_connections);
    }
}

// ---- windows and buffers ---------------------------------------------------------------------------------------

#[test]
fn the_first_flight_is_the_initial_window_as_far_as_the_receiver_lets_it() {
    for segments in [1, 3, 10, 40, 100] {
        let mut spec = bulk(Transport::Tcp, 1_000_000);
        spec.tcp.initial_window = segments;
        let record = record(&spec);
        let window = Bytes::new(u64::from(segments) * 1448);
        assert_eq!(record.origin_connections[0].initial_cwnd_bytes, Some(window));
        // Half of tcp_rmem[1], 131072 bytes, less a segment is the window before data have come: 44 segments.
        let flight = u64::from(segments) * 1500;
        let most = 44 * 1500;
        let found = record.metrics.first_flight_bytes.unwrap();
        assert!(found.abs_diff(flight.min(most)) <= 1_500, "{segments}: {found}");
    }
}

#[test]
fn a_first_receive_window_of_20_segments_holds_back_the_first_flight_and_no_later_one() {
    // Linux before 4.20: `tcp_default_init_rwnd` is 2 * TCP_INIT_CWND. The client offers 20 segments of 1460, which are
    // 20 of 1448 that fit whole, and two more with each that comes: the second flight may be three times as large.
    let with = |initial_receive_window| {
        let mut spec = bulk(Transport::Tcp, 1_000_000);
        (spec.tcp.initial_window, spec.tcp.initial_receive_window) = (40, initial_receive_window);
        record(&spec).metrics
    };
    let (old, todays) = (with(Some(20)), with(None));
    assert!(old.first_flight_bytes.unwrap().abs_diff(20 * 1500) <= 1_500, "{:?}", old.first_flight_bytes);
    assert!(todays.first_flight_bytes.unwrap().abs_diff(40 * 1500) <= 1_500);
    let later_s = old.completion_s.unwrap() - todays.completion_s.unwrap();
    assert!(later_s > 0.0 && later_s < RTT_S, "{later_s}");
}

#[test]
fn without_timestamps_a_segment_has_twelve_bytes_more_of_payload() {
    // RFC 7323 section 3.2. A megabyte is 685 segments of 1460 bytes instead of 691 of 1448.
    let with = |timestamps| {
        let mut spec = bulk(Transport::Tcp, 1_000_000);
        spec.tcp.timestamps = timestamps;
        record(&spec)
    };
    let (todays, windows) = (with(None), with(Some(Switch::Off)));
    let window = |record: &RunRecord| record.origin_connections[0].initial_cwnd_bytes.unwrap().get();
    assert_eq!((window(&todays), window(&windows)), (14_480, 14_600));
    let saved = todays.metrics.wire_bytes_down - windows.metrics.wire_bytes_down;
    // 12 bytes of each of 691, 40 of each of six that are not needed, 8 of the SYN-ACK, 12 of the FIN.
    assert!(saved.abs_diff(691 * 12 + 6 * 40) <= 200, "{saved}");
}

#[test]
fn buffers_of_128_kib_hold_a_flow_down_as_they_do_in_the_kernel() {
    // 5 MB down, 100 Mbit/s, 600 ms on Linux 6.18, emulated: 39.05 s with tcp_rmem[2] = 131072 (160 of 256 bytes of it
    // are window), 25.43 s with tcp_wmem[2] = 131072.
    let took_s = |change: fn(&mut RunSpec)| {
        let mut spec = bulk(Transport::Tcp, 5_000_000);
        for direction in [&mut spec.link.forward, &mut spec.link.return_] {
            direction.capacity = CapacitySpec::Constant { rate_bps: Rate::from_bps(100_000_000) };
            direction.queue = QueueSpec::Packets { limit_packets: 10_000 };
        }
        (spec.tcp.receive_buffer_bytes, spec.tcp.send_buffer_bytes) =
            (Bytes::new(30_000_000), Bytes::new(30_000_000));
        change(&mut spec);
        record(&spec).metrics.completion_s.unwrap()
    };
    let receive_s = took_s(|spec| spec.tcp.receive_buffer_bytes = Bytes::new(131_072));
    assert!((receive_s / 39.05 - 1.0).abs() < 0.01, "{receive_s} s");
    let send_s = took_s(|spec| spec.tcp.send_buffer_bytes = Bytes::new(131_072));
    assert!((send_s / 25.43 - 1.0).abs() < 0.01, "{send_s} s");
    assert!(took_s(|_| {}) < 10.0);
}

// ---- the end of slow start -------------------------------------------------------------------------------------

#[test]
fn hystart_plus_plus_spares_reno_the_losses_of_slow_start_over_either_transport() {
    // A BDP of 750 kB and a queue of four: what plain slow start overruns, five conservative rounds (RFC 9406) do not.
    for transport in [Transport::Tcp, Transport::Quic] {
        let retransmitted = |slow_start| {
            let mut spec = RunSpec { cc: Algorithm::Reno, slow_start, ..bulk(transport, 12_000_000) };
            spec.link.forward.queue = QueueSpec::Bytes { limit_bytes: Bytes::new(3_000_000) };
            spec.tcp.receive_buffer_bytes = Bytes::new(30_000_000);
            record(&spec).metrics.retransmitted_packets.unwrap()
        };
        let (plain, spared) = (retransmitted(None), retransmitted(Some(SlowStartChoice::HyStartPlusPlus)));
        assert!(plain > 500 && spared < plain / 10, "{transport:?}: {plain} and {spared}");
    }
}

#[test]
fn without_a_detector_cubics_slow_start_ends_with_losses_and_by_either_rule_of_linux_it_does_not() {
    // As above: HyStart sees the train of acknowledgements fill half of the 600 ms, when a BDP is in flight.
    let retransmitted = |transport, slow_start| {
        let mut spec = RunSpec { slow_start, ..bulk(transport, 12_000_000) };
        spec.link.forward.queue = QueueSpec::Bytes { limit_bytes: Bytes::new(3_000_000) };
        spec.tcp.receive_buffer_bytes = Bytes::new(30_000_000);
        record(&spec).metrics.retransmitted_packets.unwrap()
    };
    for transport in [Transport::Tcp, Transport::Quic] {
        assert_eq!(retransmitted(transport, None), 0, "{transport:?}");
        let lost = retransmitted(transport, Some(SlowStartChoice::Loss));
        assert!(lost > 500, "{transport:?}: {lost}");
    }
    assert_eq!(retransmitted(Transport::Tcp, Some(SlowStartChoice::Linux4_15)), 0);
}
