//! Run specs from the whole space that scenarios can reach, and runs of them.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

mod links;

use std::time::Instant;

use bentpipe_run::{
    AckFrequencySpec, Algorithm, BbrSpec, BulkSpec, CapacitySpec, CaptureSpec, Direction, DirectionSpec,
    Dscp, Engine, FlowSpec, FlowsSpec, HostSpec, HostsSpec, Http, Http2Spec, JitterSpec, KeyExchange,
    LinkSpec, LossSpec, ObjectKind, ObjectSpec, OutageSpec, PageLoadSpec, PageSpec, PingSpec, Priorities,
    Provenance, QuantileSpec, QueueSpec, QuicSpec, Resumption, RunRecord, RunSpec, ServerBehind,
    SlowStartChoice, Switch, TcpSpec, TlsSpec, TlsVersion, Transport, ValiditySpec, Visit, WakeupStep,
    Workload, assemble,
};
use bentpipe_sim::{Config, Content, simulate_with};
use bentpipe_units::{Bytes, Duration, Rate};
use proptest::prelude::*;

const SECOND: u64 = 1_000_000_000;
/// Longer than any workload takes that gets anywhere: the slowest link needs 1250 s for the largest.
const LONG: u64 = 5_000 * SECOND;
/// What a full-sized run moves at most: large enough for losses to be repaired, small enough for a thousand runs.
const MOST_PAYLOAD: u64 = 10_000_000;
/// Round trips, and segments, that the smallest windows may cost.
const MOST_WINDOWS: u64 = 2000;
/// IP and UDP headers.
const UDP_HEADERS: u64 = 28;

/// How hard a scenario makes it for a run to succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temper {
    /// Nothing is lost but by full queues, and there is time enough.
    Mild,
    /// As mild, but that the channel loses packets in either direction.
    Lossy,
    /// Anything that a scenario may say.
    Any,
}

/// A run and what it may be expected to do.
#[derive(Clone)]
pub struct Scenario {
    pub temper: Temper,
    pub spec: RunSpec,
}

impl std::fmt::Debug for Scenario {
    /// The spec as the engine takes it, to be run again.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}", self.temper, serde_json::to_string(&self.spec).map_err(|_| std::fmt::Error)?)
    }
}

/// The record of a run in virtual time whose bulk flows carry `content`.
pub fn record(spec: &RunSpec, content: Content) -> RunRecord {
    let config = Config::new(Instant::now());
    let reports = simulate_with(spec, &config, content).expect("a run ends with a report");
    assemble("0".to_owned(), Engine::Simulate, spec.clone(), Provenance::default(), reports)
}

/// Scenarios of every temper.
pub fn scenarios() -> impl Strategy<Value = Scenario> {
    prop_oneof![1 => Just(Temper::Mild), 1 => Just(Temper::Lossy), 2 => Just(Temper::Any)]
        .prop_flat_map(|temper| run_spec(temper).prop_map(move |spec| Scenario { temper, spec }))
}

fn run_spec(temper: Temper) -> impl Strategy<Value = RunSpec> {
    let settings = (tcp(temper), http2(temper), quic(temper), tls(), hosts());
    let slow_start = prop_oneof![
        3 => Just(None),
        1 => Just(Some(SlowStartChoice::HyStartPlusPlus)),
        1 => Just(Some(SlowStartChoice::Linux4_15)),
        1 => Just(Some(SlowStartChoice::Loss)),
        1 => Just(Some(SlowStartChoice::Search)),
    ];
    let bbr = prop_oneof![3 => Just(None), 1 => Just(Some(BbrSpec { extra_acked: Switch::Off }))];
    let sender = (congestion_control(), slow_start, bbr);
    let server_behind = prop_oneof![3 => Just(None), 1 => Just(Some(ServerBehind::Terminal))];
    let workload = (workload(temper), mark(), sender, any::<u64>(), timeout(temper), server_behind);
    (links::link(temper), settings, workload).prop_map(
        |(link, settings, (workload, dscp, sender, seed, timeout_ns, server_behind))| {
            let (tcp, http2, mut quic, tls, host) = settings;
            let (cc, slow_start, bbr) = sender;
            let most_payload = link.mtu_bytes.get() - UDP_HEADERS;
            quic.udp_payload_bytes = Bytes::new(quic.udp_payload_bytes.get().min(most_payload));
            let validity = ValiditySpec { lateness_p999_ns: Duration::from_millis(1), timeout_ns };
            let capture = CaptureSpec { pcapng: false, qlog: false };
            let pep = None;
            // TLS 1.2 has no hybrid key exchange.
            let is_new = tls.is_none_or(|tls| tls.version == TlsVersion::V1_3);
            let key_exchange = (is_new && seed % 3 == 0).then_some(KeyExchange::X25519Mlkem768);
            let mut spec = RunSpec {
                seed,
                link,
                server_behind,
                terrestrial: None,
                cc,
                tcp,
                quic,
                http2,
                tls,
                key_exchange,
                dns: None,
                host,
                pep,
                slow_start,
                bbr,
                resume: None,
                workload,
                client: None,
                server: None,
                dscp,
                validity,
                capture,
            };
            fit(&mut spec);
            spec
        },
    )
}

/// Cuts a workload down to what its link and its windows carry in reasonable time.
fn fit(spec: &mut RunSpec) {
    let quic = &spec.quic;
    let windows = [
        spec.tcp.receive_buffer_bytes,
        spec.tcp.send_buffer_bytes,
        quic.stream_receive_window_bytes,
        quic.receive_window_bytes,
        quic.send_window_bytes,
        spec.http2.stream_window_bytes,
        spec.http2.connection_window_bytes,
    ];
    let smallest = windows.into_iter().map(Bytes::get).min().unwrap_or(1);
    let most = smallest.saturating_mul(MOST_WINDOWS).min(MOST_PAYLOAD);
    let rate = |direction: &DirectionSpec| {
        let CapacitySpec::Constant { rate_bps } = direction.capacity else { panic!("a constant rate") };
        rate_bps.as_bps()
    };
    let fastest = rate(&spec.link.forward).max(rate(&spec.link.return_));
    match &mut spec.workload {
        Workload::PageLoad(load) => {
            if matches!(load.http, Http::H2 | Http::H2c | Http::Spdy) {
                // A load whose one connection is reset before a response can come starts anew until its time is over.
                spec.tcp.idle_reset_ns = None;
            }
            let each = most / load.page.objects.len() as u64;
            for object in &mut load.page.objects {
                object.bytes = Bytes::new(object.bytes.get().min(each).max(1));
            }
        }
        Workload::Bulk(bulk) | Workload::Iperf3(bulk) => {
            bulk.bytes = bulk.bytes.map(|bytes| Bytes::new(bytes.get().min(most)));
            let span = most * 8 * SECOND / fastest;
            bulk.duration_ns =
                bulk.duration_ns.map(|ns| Duration::from_nanos(ns.as_nanos().min(span).max(1)));
            if bulk.duration_ns.is_some() {
                // What a sender has buffered when its time is over is sent all the same.
                let buffered = Bytes::new(MOST_PAYLOAD);
                spec.tcp.send_buffer_bytes = spec.tcp.send_buffer_bytes.min(buffered);
                spec.quic.send_window_bytes = spec.quic.send_window_bytes.min(buffered);
            }
        }
        Workload::Flows(each) => {
            let most = (most / each.flows.len() as u64).max(1);
            each.bytes = each.bytes.map(|bytes| Bytes::new(bytes.get().min(most)));
            let span = most * 8 * SECOND / fastest;
            each.duration_ns =
                each.duration_ns.map(|ns| Duration::from_nanos(ns.as_nanos().min(span).max(1)));
            // Flows lose each other's handshakes. The library never comes out of a server's probe timeout that is more
            // than 65,536 of its probe intervals overdue, and so long would it wait for a client that assumes 100 s.
            let assumed = spec.quic.initial_rtt_ns.as_nanos();
            spec.quic.initial_rtt_ns = Duration::from_nanos(assumed.clamp(SECOND / 10, SECOND));
            let buffered = Bytes::new(MOST_PAYLOAD / each.flows.len() as u64);
            spec.tcp.send_buffer_bytes = spec.tcp.send_buffer_bytes.min(buffered);
            spec.quic.send_window_bytes = spec.quic.send_window_bytes.min(buffered);
        }
        Workload::Ping(ping) => {
            let most_payload = Bytes::new(spec.link.mtu_bytes.get() - UDP_HEADERS);
            ping.payload_bytes = ping.payload_bytes.min(most_payload);
        }
    }
}

/// Numbers of any length in bits, each as often as any other.
pub fn spread(least: u64, most: u64) -> impl Strategy<Value = u64> {
    (least.max(1).ilog2()..=most.ilog2())
        .prop_flat_map(move |bits| least.max(1 << bits)..=most.min((2 << bits) - 1))
}

fn congestion_control() -> impl Strategy<Value = Algorithm> {
    prop::sample::select(Algorithm::OVER_TCP.to_vec())
}

/// A window or a buffer.
fn window(temper: Temper) -> impl Strategy<Value = Bytes> {
    let least = match temper {
        Temper::Mild | Temper::Lossy => 65_536,
        Temper::Any => 1,
    };
    prop_oneof![
        2 => Just(6 << 20),
        1 => spread(least, 64 << 20),
    ]
    .prop_map(Bytes::new)
}

fn tcp(temper: Temper) -> impl Strategy<Value = TcpSpec> {
    let initial_window = prop_oneof![1 => Just(10), 1 => spread(1, 10_000)];
    let first_receive_window = prop_oneof![3 => Just(None), 1 => spread(1, 10_000).prop_map(Some)];
    let windows = (initial_window, first_receive_window, window(temper), window(temper), any::<bool>());
    let timestamps = prop_oneof![3 => Just(None), 1 => Just(Some(Switch::Off))];
    let syn = (switch(), switch());
    let max_rate =
        prop_oneof![3 => Just(None), 1 => spread(10_000, 1 << 30).prop_map(|bps| Some(Rate::from_bps(bps)))];
    let small = (switch(), (switch(), max_rate));
    (windows, timestamps, syn, small, switch(), moment(), moment()).prop_map(
        |(windows, timestamps, (fast_open, ecn), small, quick_ack, connect_retry_ns, idle_reset_ns)| {
            let (nagle, (pacing, max_pacing_rate_bps)) = small;
            let (initial_window, first_receive_window, receive_buffer_bytes, send_buffer_bytes, restarts) =
                windows;
            TcpSpec {
                initial_window: initial_window as u32,
                initial_receive_window: first_receive_window.map(|segments| segments as u32),
                receive_buffer_bytes,
                send_buffer_bytes,
                slow_start_after_idle: restarts,
                fast_open,
                nagle,
                pacing,
                max_pacing_rate_bps,
                timestamps,
                ecn,
                quick_ack,
                connect_retry_ns,
                connect_retries: None,
                idle_reset_ns,
                idle_fallback: Switch::Off,
            }
        },
    )
}

/// Nothing, or whatever exists.
fn tls() -> impl Strategy<Value = Option<TlsSpec>> {
    let settings = [
        (TlsVersion::V1_2, Resumption::None),
        (TlsVersion::V1_2, Resumption::Ticket),
        (TlsVersion::V1_3, Resumption::None),
        (TlsVersion::V1_3, Resumption::Ticket),
        (TlsVersion::V1_3, Resumption::EarlyData),
    ];
    let settings = settings.map(|(version, resumption)| Some(TlsSpec { version, resumption }));
    prop_oneof![1 => Just(None), 1 => prop::sample::select(settings.to_vec())]
}

fn hosts() -> impl Strategy<Value = Option<HostsSpec>> {
    let spacing = prop::option::of((0..=100_000_u64).prop_map(Duration::from_nanos));
    let hosts = (host(), host(), wakeup_latency(), spacing).prop_map(
        |(client, server, wakeup_latency, packet_spacing_ns)| HostsSpec {
            client,
            server,
            wakeup_latency,
            packet_spacing_ns,
        },
    );
    prop_oneof![3 => Just(None), 1 => hosts.prop_map(Some)]
}

/// Any steps: what the shortest sleep and the longest ask for, up to a millisecond.
fn wakeup_latency() -> impl Strategy<Value = Option<Vec<WakeupStep>>> {
    let step = (0_u64..=1_000_000_000, 0_u64..=1_000_000).prop_map(|(slept, latency)| WakeupStep {
        slept_ns: Duration::from_nanos(slept),
        latency_ns: Duration::from_nanos(latency),
    });
    prop::option::of(prop::collection::vec(step, 0..4))
}

/// From one that is faster than any to one of which each packet takes as long as over the slowest link.
fn host() -> impl Strategy<Value = HostSpec> {
    let at_most = |most: u64| (0..=most).prop_map(Duration::from_nanos);
    (at_most(100_000_000), at_most(1_000_000), at_most(100_000)).prop_map(
        |(tls_handshake_ns, tls_record_ns, quic_packet_ns)| HostSpec {
            tls_handshake_ns,
            tls_record_ns,
            quic_packet_ns,
        },
    )
}

fn switch() -> impl Strategy<Value = Switch> {
    prop_oneof![2 => Just(Switch::Off), 1 => Just(Switch::On)]
}

/// A time after which a client acts, or never.
fn moment() -> impl Strategy<Value = Option<Duration>> {
    let at = spread(1_000_000, 10 * SECOND).prop_map(|ns| Some(Duration::from_nanos(ns)));
    prop_oneof![2 => Just(None), 1 => at]
}

fn streams(temper: Temper) -> impl Strategy<Value = u32> {
    let least = match temper {
        Temper::Mild | Temper::Lossy => 10,
        Temper::Any => 1,
    };
    prop_oneof![1 => Just(100), 1 => spread(least, 1_000_000)].prop_map(|n| n as u32)
}

fn http2(temper: Temper) -> impl Strategy<Value = Http2Spec> {
    let header_table =
        prop::option::of(prop_oneof![1 => Just(0), 3 => spread(1, u64::from(u32::MAX))].prop_map(Bytes::new));
    (window(temper), window(temper), streams(temper), header_table).prop_map(
        |(stream_window_bytes, connection_window_bytes, max_concurrent_streams, header_table_bytes)| {
            Http2Spec {
                stream_window_bytes,
                connection_window_bytes,
                max_concurrent_streams,
                header_table_bytes,
            }
        },
    )
}

fn quic(temper: Temper) -> impl Strategy<Value = QuicSpec> {
    let initial_rtt = match temper {
        Temper::Mild | Temper::Lossy => spread(SECOND / 10, SECOND).boxed(),
        Temper::Any => prop_oneof![2 => Just(SECOND / 3), 1 => spread(SECOND / 1000, 100 * SECOND)].boxed(),
    };
    let windows = (window(temper), window(temper), window(temper));
    let payload = prop_oneof![2 => Just(u64::MAX), 1 => 1200..=8972_u64];
    let cwnd = (spread(1, 10_000_000), prop_oneof![3 => Just(None), 1 => Just(Some(Switch::Off))]);
    let cwnd = (cwnd, ack_frequency());
    (windows, cwnd, initial_rtt, payload, streams(temper)).prop_map(
        |((stream, connection, send), (cwnd, ack_frequency), initial_rtt, payload, streams)| {
            let (initial_window, cwnd_validation) = cwnd;
            QuicSpec {
                initial_window_bytes: Bytes::new(initial_window),
                initial_rtt_ns: Duration::from_nanos(initial_rtt),
                stream_receive_window_bytes: stream,
                receive_window_bytes: connection,
                send_window_bytes: send,
                udp_payload_bytes: Bytes::new(payload),
                max_concurrent_streams: streams,
                cwnd_validation,
                ack_frequency,
                ecn: None,
            }
        },
    )
}

/// Nothing, or from every packet to every hundredth, within a second.
fn ack_frequency() -> impl Strategy<Value = Option<AckFrequencySpec>> {
    let wanted = (0..100_u32, spread(SECOND / 1000, SECOND), 0..10_u32).prop_map(
        |(ack_eliciting_threshold, delay, reordering_threshold)| AckFrequencySpec {
            ack_eliciting_threshold,
            requested_max_ack_delay_ns: Duration::from_nanos(delay),
            reordering_threshold,
        },
    );
    prop::option::weighted(0.25, wanted)
}

fn workload(temper: Temper) -> BoxedStrategy<Workload> {
    match temper {
        Temper::Mild | Temper::Lossy => prop_oneof![4 => page_load(), 4 => bulk(temper), 1 => ping()].boxed(),
        // One flow may starve another beyond QUIC's patience.
        Temper::Any => prop_oneof![4 => page_load(), 2 => bulk(temper), 2 => flows(), 1 => ping()].boxed(),
    }
}

fn page_load() -> impl Strategy<Value = Workload> {
    let http = prop::sample::select(vec![
        Http::Http10,
        Http::Http10s,
        Http::H1,
        Http::H1,
        Http::H1s,
        Http::H1s,
        Http::H2,
        Http::H2c,
        Http::H3,
        Http::Spdy,
    ]);
    let connections = prop_oneof![1 => Just(6), 1 => spread(1, 1000)];
    let objects = prop::collection::vec(drawn_object(), 1..12);
    let visit = prop_oneof![2 => Just(None), 1 => Just(Some(Visit::Repeat))];
    let push_percent = prop::option::of(0..=100_u32);
    let priorities = prop::sample::select(vec![Priorities::Off, Priorities::Unstated, Priorities::On]);
    let limits = (prop::option::of(1..12_u32), prop::option::of(1..=32_u32));
    (http, connections, limits, objects, push_percent, priorities, visit).prop_map(
        |(http, connections, limits, objects, push_percent, priorities, visit)| {
            let (requests_per_connection, pipelining) = limits;
            let page = page_of(objects);
            let load = PageLoadSpec::new(http, connections as u32, page);
            Workload::PageLoad(PageLoadSpec {
                requests_per_connection,
                pipelining,
                push_percent,
                priorities,
                visit,
                ..load
            })
        },
    )
}

/// An object before it has its place in a page.
#[derive(Clone, Debug)]
struct Drawn {
    bytes: u64,
    kind: ObjectKind,
    host: Option<&'static str>,
    /// Which of those that may name it does; none: the document.
    after: Option<prop::sample::Index>,
    wait_ns: Option<u64>,
}

fn drawn_object() -> impl Strategy<Value = Drawn> {
    use ObjectKind::{Font, Image, Other, Script, Style};
    let kind = prop::sample::select(vec![Image, Image, Style, Style, Script, Script, Font, Other]);
    // Each further host costs handshakes.
    let further = prop::sample::select(vec!["a.example", "b.example"]);
    let host = prop_oneof![4 => Just(None), 1 => further.prop_map(Some)];
    let after = prop::option::of(any::<prop::sample::Index>());
    let wait_ns = prop_oneof![3 => Just(None), 1 => spread(1, 5 * SECOND).prop_map(Some)];
    (spread(1, 500_000), kind, host, after, wait_ns).prop_map(|(bytes, kind, host, after, wait_ns)| Drawn {
        bytes,
        kind,
        host,
        after,
        wait_ns,
    })
}

/// The page of these objects, each named by one before it or by the document.
fn page_of(drawn: Vec<Drawn>) -> PageSpec {
    let mut objects: Vec<ObjectSpec> = Vec::new();
    for (at, Drawn { bytes, kind, host, after, wait_ns }) in drawn.into_iter().enumerate() {
        let names: Vec<usize> = (0..at).filter(|parent| may_name(objects[*parent].kind, kind)).collect();
        let after = after.filter(|_| !names.is_empty()).map(|index| *index.get(&names));
        let can_wait = after.is_none_or(|after| objects[after].kind == ObjectKind::Script);
        let extension = match kind {
            ObjectKind::Image => "jpg",
            ObjectKind::Style => "css",
            ObjectKind::Script => "js",
            ObjectKind::Font => "woff2",
            ObjectKind::Other => "json",
        };
        objects.push(ObjectSpec {
            host: host.map(str::to_owned),
            kind,
            after,
            wait_ns: wait_ns.filter(|_| can_wait).map(Duration::from_nanos),
            ..ObjectSpec::new(format!("/object-{}.{extension}", at + 1), Bytes::new(bytes))
        });
    }
    PageSpec::new("any", objects)
}

/// Scripts name anything, style sheets what they can load.
fn may_name(parent: ObjectKind, child: ObjectKind) -> bool {
    match parent {
        ObjectKind::Script => true,
        ObjectKind::Style => !matches!(child, ObjectKind::Script | ObjectKind::Other),
        ObjectKind::Image | ObjectKind::Font | ObjectKind::Other => false,
    }
}

fn bulk(temper: Temper) -> impl Strategy<Value = Workload> {
    let transport = prop_oneof![Just(Transport::Tcp), Just(Transport::Quic)];
    let direction = prop_oneof![Just(Direction::Down), Just(Direction::Up)];
    let bytes = prop_oneof![1 => spread(1, MOST_PAYLOAD), 1 => 1..=MOST_PAYLOAD];
    let bytes = bytes.prop_map(|bytes| (Some(Bytes::new(bytes)), None));
    let span = spread(1, 5 * SECOND).prop_map(|ns| (None, Some(Duration::from_nanos(ns))));
    // Only a flow of a given length can be asked whether everything came.
    let limit = match temper {
        Temper::Mild | Temper::Lossy => bytes.boxed(),
        Temper::Any => prop_oneof![2 => bytes, 1 => span].boxed(),
    };
    (transport, direction, limit).prop_map(|(transport, direction, (bytes, duration_ns))| {
        Workload::Bulk(BulkSpec { transport, direction, bytes, duration_ns })
    })
}

fn flows() -> impl Strategy<Value = Workload> {
    let transport = prop_oneof![Just(Transport::Tcp), Just(Transport::Quic)];
    let start = prop_oneof![1 => Just(0), 1 => spread(1, 5 * SECOND)].prop_map(Duration::from_nanos);
    let flow = (congestion_control(), transport, start, mark())
        .prop_map(|(cc, transport, start_ns, dscp)| FlowSpec { cc, transport, start_ns, dscp });
    let direction = prop_oneof![Just(Direction::Down), Just(Direction::Up)];
    let limit = prop_oneof![
        spread(1, MOST_PAYLOAD).prop_map(|bytes| (Some(Bytes::new(bytes)), None)),
        spread(1, 5 * SECOND).prop_map(|ns| (None, Some(Duration::from_nanos(ns)))),
    ];
    (direction, limit, prop::collection::vec(flow, 1..6)).prop_map(
        |(direction, (bytes, duration_ns), flows)| {
            Workload::Flows(FlowsSpec { direction, bytes, duration_ns, flows })
        },
    )
}

fn mark() -> impl Strategy<Value = Option<Dscp>> {
    prop::option::of((0..64u8).prop_map(|code_point| Dscp::new(code_point).expect("six bits")))
}

fn ping() -> impl Strategy<Value = Workload> {
    (1..50_u32, spread(1, SECOND), spread(20, 8972)).prop_map(|(count, interval, payload)| {
        let (interval_ns, payload_bytes) = (Duration::from_nanos(interval), Bytes::new(payload));
        Workload::Ping(PingSpec { count, interval_ns, payload_bytes })
    })
}

fn timeout(temper: Temper) -> impl Strategy<Value = Duration> {
    let least = match temper {
        Temper::Mild | Temper::Lossy => LONG,
        Temper::Any => 1,
    };
    prop_oneof![3 => Just(LONG), 1 => spread(least, LONG)].prop_map(Duration::from_nanos)
}
