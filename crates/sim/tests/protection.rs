//! Packets of QUIC that nothing encrypts: they have the instants and the lengths of encrypted ones, each of them.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::capture::packets::{Packet, read};
use crate::sample::{half_of, losing, quic_flow, sample, with_windows};
use bentpipe_net::Protection;
use bentpipe_run::{
    AckFrequencySpec, Algorithm, CaptureSpec, Direction, FlowSpec, FlowsSpec, HostSpec, HostsSpec, Http,
    KeyExchange, MasqueSpec, ObjectSpec, PageLoadSpec, PageSpec, PepSpec, QuicSplitSpec, Resumption,
    RunReports, RunSpec, TlsSpec, TlsVersion, Transport, Visit, Workload,
};
use bentpipe_sim::{Config, simulate};
use bentpipe_units::{Bytes, Rate};

const RTT: bentpipe_units::Duration = bentpipe_units::Duration::from_millis(600);
const RATE: Rate = Rate::from_bps(20_000_000);
/// What bulk flows carry: byte number i is i mod 251.
const PATTERN: [u8; 32] = {
    let mut pattern = [0; 32];
    let mut i = 0;
    while i < pattern.len() {
        pattern[i] = i as u8;
        i += 1;
    }
    pattern
};

/// A GEO path with a queue of one BDP, captured.
fn geo(workload: Workload) -> RunSpec {
    let mut spec = sample();
    spec.link.forward = half_of(RTT, RATE, RATE.volume_in(RTT));
    spec.link.return_ = spec.link.forward.clone();
    spec.cc = Algorithm::Cubic;
    with_windows(&mut spec, 16_000_000);
    spec.validity.timeout_ns = bentpipe_units::Duration::from_secs(1_000);
    spec.capture = CaptureSpec { pcapng: true, qlog: false };
    spec.workload = workload;
    spec
}

fn bulk(direction: Direction, bytes: u64) -> RunSpec {
    geo(quic_flow(direction, bytes))
}

fn page(visit: Option<Visit>) -> RunSpec {
    let object = |n: u64| ObjectSpec::new(format!("/{n}.jpg"), Bytes::new(1_000 + 9_999 * n));
    let load = PageLoadSpec::new(Http::H3, 6, PageSpec::new("some", (0..20).map(object)));
    geo(Workload::PageLoad(PageLoadSpec { visit, ..load }))
}

fn flows() -> RunSpec {
    let flow =
        |(cc, transport)| FlowSpec { cc, transport, start_ns: bentpipe_units::Duration::ZERO, dscp: None };
    let flows = [
        (Algorithm::Cubic, Transport::Quic),
        (Algorithm::Bbr, Transport::Quic),
        (Algorithm::Cubic, Transport::Tcp),
        (Algorithm::Prague, Transport::Quic),
    ];
    let (direction, bytes, duration_ns) = (Direction::Down, Some(Bytes::new(1_000_000)), None);
    geo(Workload::Flows(FlowsSpec { direction, bytes, duration_ns, flows: flows.map(flow).to_vec() }))
}

/// What could make a packet longer, later or another one with other keys.
fn specs() -> Vec<(&'static str, RunSpec)> {
    let often = |spec: RunSpec| {
        let quic = bentpipe_run::QuicSpec {
            ack_frequency: Some(AckFrequencySpec {
                ack_eliciting_threshold: 9,
                requested_max_ack_delay_ns: bentpipe_units::Duration::from_millis(25),
                reordering_threshold: 1,
            }),
            ..spec.quic.clone()
        };
        RunSpec { quic, ..spec }
    };
    let slow = HostSpec {
        tls_handshake_ns: bentpipe_units::Duration::from_millis(7),
        tls_record_ns: bentpipe_units::Duration::ZERO,
        quic_packet_ns: bentpipe_units::Duration::from_micros(20),
    };
    let masque = MasqueSpec {
        cc: Algorithm::Cubic,
        udp_payload_bytes: Bytes::new(1_472),
        relay_buffer_bytes: Bytes::new(1 << 20),
    };
    let through_masque = |spec: RunSpec| {
        let quic = bentpipe_run::QuicSpec { udp_payload_bytes: Bytes::new(1_431), ..spec.quic.clone() };
        RunSpec { pep: Some(PepSpec::Masque(masque.clone())), quic, ..spec }
    };
    let split = |spec: RunSpec| {
        let relay_buffer_bytes = Bytes::new(1 << 18);
        let pep = QuicSplitSpec { cc: Algorithm::Cubic, quic: spec.quic.clone(), relay_buffer_bytes };
        RunSpec { pep: Some(PepSpec::QuicSplit(pep)), ..spec }
    };
    let tls = Some(TlsSpec { version: TlsVersion::V1_3, resumption: Resumption::EarlyData });
    vec![
        ("page", page(None)),
        ("page-lossy", losing(page(None), 0.02)),
        ("page-early", RunSpec { tls, ..losing(page(Some(Visit::Repeat)), 0.02) }),
        ("page-hybrid", RunSpec { key_exchange: Some(KeyExchange::X25519Mlkem768), ..page(None) }),
        ("page-masque", through_masque(page(None))),
        ("page-split", split(page(None))),
        (
            "page-slow",
            RunSpec {
                host: Some(HostsSpec {
                    client: slow,
                    server: slow,
                    wakeup_latency: None,
                    packet_spacing_ns: None,
                }),
                ..page(None)
            },
        ),
        // Slow start overshoots the queue: thousands of packets are lost.
        ("down", bulk(Direction::Down, 12_000_000)),
        ("up", losing(bulk(Direction::Up, 3_000_000), 0.01)),
        ("down-ack-frequency", often(bulk(Direction::Down, 6_000_000))),
        ("down-masque", through_masque(losing(bulk(Direction::Down, 2_000_000), 0.005))),
        ("flows", flows()),
    ]
}

/// The packets of a run with what its ends and its link have told.
fn captured(name: &str, spec: &RunSpec, protection: Option<Protection>) -> (RunReports, Vec<Packet>) {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("protection").join(format!("{name}-{protection:?}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let config = Config { artifacts: Some(folder.clone()), protection, ..Config::new(Instant::now()) };
    let reports = simulate(spec, &config).unwrap();
    assert!(reports.client.faults.is_empty(), "{name}: {:?}", reports.client.faults);
    let packets = read(&folder.join("packets.pcapng")).packets;
    fs::remove_dir_all(&folder).unwrap();
    (reports, packets)
}

/// Where and when a packet passed, its IP header with length and ECN field, its ports and its length.
fn outline(packet: &Packet) -> (u32, Duration, &[u8], usize) {
    (packet.interface, packet.at, &packet.bytes[..24], packet.bytes.len())
}

fn shows_the_pattern(packets: &[Packet]) -> bool {
    let is_quic = |packet: &&Packet| packet.bytes[9] == 17;
    packets
        .iter()
        .filter(is_quic)
        .any(|packet| packet.bytes.windows(PATTERN.len()).any(|window| window == PATTERN))
}

#[test]
fn every_packet_has_the_instant_and_the_length_that_it_has_by_the_cipher() {
    for (name, spec) in specs() {
        let [(by_cipher, encrypted), (by_length, clear)] = [Protection::Cipher, Protection::Length]
            .map(|protection| captured(name, &spec, Some(protection)));
        assert_eq!(encrypted.len(), clear.len(), "{name}");
        for (number, (encrypted, clear)) in encrypted.iter().zip(&clear).enumerate() {
            assert_eq!(outline(encrypted), outline(clear), "{name}: packet {number}");
        }
        assert_eq!(by_cipher.link, by_length.link, "{name}");
        assert_eq!(by_cipher.client.transfers, by_length.client.transfers, "{name}");
        assert_eq!(by_cipher.client.connections, by_length.client.connections, "{name}");
    }
}

#[test]
fn only_packets_that_nothing_encrypts_show_what_a_flow_carries() {
    let spec = bulk(Direction::Down, 100_000);
    let [cipher, length] = [Protection::Cipher, Protection::Length]
        .map(|protection| shows_the_pattern(&captured("pattern", &spec, Some(protection)).1));
    assert_eq!((cipher, length), (false, true));
}

#[test]
fn a_capture_has_encrypted_packets_unless_others_are_asked_for() {
    let (_, packets) = captured("default", &bulk(Direction::Down, 100_000), None);
    assert!(!shows_the_pattern(&packets));
}
