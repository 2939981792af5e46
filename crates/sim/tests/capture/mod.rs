//! Captures of simulated runs, read by a parser that knows packets from their RFCs alone (`packets`).

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

mod marking;
pub mod packets;

use std::fs;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bentpipe_run::{
    Algorithm, BulkSpec, CapacitySpec, CaptureSpec, Direction, DropCounts, Http, JitterSpec, LossSpec,
    PageLoadSpec, PingSpec, RunReports, RunSpec, Transport, Workload,
};
use bentpipe_sim::{Config, SimulationError, simulate};
use bentpipe_units::{Bytes, Rate};
use packets::{ACK, Contents, FIN, Packet, SYN, read};

const CLIENT: u32 = 0;
const SERVER: u32 = 1;
/// The emulator's addresses.
const CLIENT_ADDRESS: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
const VERSIONS: [Http; 4] = [Http::H1, Http::H1s, Http::H2, Http::H3];
/// Of the sample run, in each direction.
const DELAY: Duration = Duration::from_millis(265);

/// The sample run with a capture, over a link of 10 Mbit/s and 530 ms without losses.
fn sample() -> RunSpec {
    let mut spec: RunSpec = serde_json::from_str(include_str!("../../../run/tests/data/spec.json")).unwrap();
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.capacity = CapacitySpec::Constant { rate_bps: Rate::from_bps(10_000_000) };
        direction.jitter = JitterSpec::None;
        direction.loss = LossSpec::None;
    }
    spec.cc = Algorithm::Cubic;
    spec.capture = CaptureSpec { pcapng: true, qlog: false };
    spec
}

fn page_load(http: Http) -> RunSpec {
    let mut spec = sample();
    if let Workload::PageLoad(load) = &spec.workload {
        spec.workload = Workload::PageLoad(PageLoadSpec { http, connections: 1, ..load.clone() });
    }
    spec
}

/// A flow of 500 kB that loses one packet in fifty.
fn lossy(direction: Direction) -> RunSpec {
    let mut spec = sample();
    let bytes = Some(Bytes::new(500_000));
    spec.workload =
        Workload::Bulk(BulkSpec { transport: Transport::Tcp, direction, bytes, duration_ns: None });
    spec.link.forward.loss = LossSpec::Bernoulli { p: 0.02 };
    spec.link.return_.loss = LossSpec::Bernoulli { p: 0.02 };
    spec
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("capture").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn run_into(folder: PathBuf, spec: &RunSpec) -> Result<RunReports, SimulationError> {
    simulate(spec, &Config { artifacts: Some(folder), ..Config::new(Instant::now()) })
}

fn captured(name: &str, spec: &RunSpec) -> (RunReports, Contents) {
    let folder = folder(name);
    let reports = run_into(folder.clone(), spec).unwrap();
    (reports, read(&folder.join("packets.pcapng")))
}

fn at(packets: &[Packet], interface: u32) -> impl Iterator<Item = &Packet> {
    packets.iter().filter(move |packet| packet.interface == interface)
}

/// Packets of one sender at an end of the link.
fn from(packets: &[Packet], sender: u32, interface: u32) -> Vec<&Packet> {
    let is_clients = sender == CLIENT;
    at(packets, interface).filter(|packet| (packet.source() == CLIENT_ADDRESS) == is_clients).collect()
}

fn bytes<'a>(packets: &[&'a Packet]) -> Vec<&'a [u8]> {
    packets.iter().map(|packet| &packet.bytes[..]).collect()
}

#[test]
fn every_packet_of_every_protocol_has_right_lengths_and_checksums() {
    for http in VERSIONS {
        let (reports, contents) = captured(&format!("valid-{http:?}"), &page_load(http));
        contents.packets.iter().for_each(Packet::check);
        let bytes = |sender| {
            let sent = from(&contents.packets, sender, sender);
            Bytes::new(sent.iter().map(|packet| packet.bytes.len() as u64).sum())
        };
        assert_eq!(bytes(SERVER), reports.link.forward.offered_bytes, "{http:?}");
        assert_eq!(bytes(CLIENT), reports.link.return_.offered_bytes, "{http:?}");
    }
}

#[test]
fn a_lossless_link_shows_every_packet_at_both_ends_after_its_delay() {
    for http in VERSIONS {
        let (_, contents) = captured(&format!("both-{http:?}"), &page_load(http));
        for (sender, receiver) in [(CLIENT, SERVER), (SERVER, CLIENT)] {
            let (sent, delivered) =
                (from(&contents.packets, sender, sender), from(&contents.packets, sender, receiver));
            assert_eq!(bytes(&sent), bytes(&delivered), "{http:?}");
            for (sent, delivered) in sent.iter().zip(&delivered) {
                // At 10 Mbit/s a byte takes 800 ns; queueing comes on top.
                let transmission = Duration::from_nanos(800 * sent.bytes.len() as u64);
                assert!(delivered.at - sent.at >= DELAY + transmission);
            }
        }
    }
}

#[test]
fn the_first_packet_leaves_at_the_unix_epoch_and_time_never_goes_back() {
    let (_, contents) = captured("epoch", &page_load(Http::H1));
    assert_eq!(contents.packets[0].at, Duration::ZERO);
    assert!(contents.packets.is_sorted_by_key(|packet| packet.at));
}

#[test]
fn what_a_server_of_quic_sends_beside_its_handshake_leaves_with_it() {
    // RFC 9002 section 7.7: the first window may leave in one burst.
    let (_, contents) = captured("first-flight", &page_load(Http::H3));
    let first_flight = from(&contents.packets, SERVER, SERVER)
        .into_iter()
        .take_while(|packet| packet.at < 2 * DELAY)
        .map(|packet| packet.at)
        .collect::<Vec<_>>();
    assert!(
        first_flight.len() > 1 && first_flight.iter().all(|at| *at == first_flight[0]),
        "{first_flight:?}"
    );
}

#[test]
fn the_handshake_has_the_options_of_linux() {
    let (_, contents) = captured("handshake", &page_load(Http::H1));
    let [syn, syn_ack, ack] =
        [0, 1, 2].map(|number| at(&contents.packets, CLIENT).nth(number).unwrap().tcp());
    assert_eq!([syn.flags, syn_ack.flags, ack.flags], [SYN, SYN | ACK, ACK]);
    for (name, segment) in [("SYN", &syn), ("SYN-ACK", &syn_ack)] {
        assert_eq!(segment.option(2), Some(&1460_u16.to_be_bytes()[..]), "{name}: MSS, RFC 6691");
        assert_eq!(segment.option(4), Some(&[][..]), "{name}: SACK permitted, RFC 2018");
        // The smallest shift that tells 6 MiB of tcp_rmem in 16 bits (RFC 7323 section 2.2).
        assert_eq!(segment.option(3), Some(&[7][..]), "{name}: window scale");
    }
    let value = |option: Option<&[u8]>, at: usize| option.unwrap()[at..at + 4].to_vec();
    assert_eq!(value(syn.option(8), 4), [0; 4], "there is nothing to echo");
    assert_eq!(value(syn_ack.option(8), 4), value(syn.option(8), 0), "TSecr is the SYN's TSval, RFC 7323");
    assert_eq!(syn_ack.ack, syn.seq.wrapping_add(1));
    assert_eq!(ack.ack, syn_ack.seq.wrapping_add(1));
}

/// The bytes of one direction of a connection, put together at the receiver's end.
fn stream(packets: &[&Packet]) -> Vec<u8> {
    let first = packets.iter().map(|packet| packet.tcp()).find(|segment| segment.flags & SYN != 0).unwrap();
    let mut segments: Vec<_> = packets
        .iter()
        .map(|packet| packet.tcp())
        .filter(|segment| segment.ports == first.ports && segment.flags & SYN == 0)
        .map(|segment| (segment.seq.wrapping_sub(first.seq).wrapping_sub(1), segment))
        .collect();
    segments.sort_by_key(|(offset, _)| *offset);
    let mut stream = Vec::new();
    let mut end = None;
    for (offset, segment) in segments {
        let (offset, known) = (offset as usize, stream.len());
        if !segment.payload.is_empty() && offset + segment.payload.len() > known {
            assert!(offset <= known, "a gap at {known}");
            stream.extend_from_slice(&segment.payload[known - offset..]);
        }
        if segment.flags & FIN != 0 {
            end = Some(offset + segment.payload.len());
        }
    }
    assert_eq!(end, Some(stream.len()), "the FIN stands behind the last byte");
    stream
}

#[test]
fn the_sequence_numbers_tell_the_bytes_that_the_hosts_exchanged() {
    let (_, contents) = captured("bytes", &page_load(Http::H1));
    let request = stream(&from(&contents.packets, CLIENT, SERVER));
    assert!(request.starts_with(b"GET / HTTP/1.1\r\n"), "{}", String::from_utf8_lossy(&request));
    let response = stream(&from(&contents.packets, SERVER, CLIENT));
    let status = b"HTTP/1.1 200 OK\r\n";
    assert!(response.starts_with(status));
    // The document and two objects of 20 000 and 50 000 bytes.
    assert_eq!(response.windows(status.len()).filter(|window| window == status).count(), 3);
    assert!(response.len() > 70_000);
}

#[test]
fn the_stream_is_whole_through_losses_in_either_direction() {
    for (direction, sender) in [(Direction::Down, SERVER), (Direction::Up, CLIENT)] {
        let (_, contents) = captured(&format!("whole-{direction:?}"), &lossy(direction));
        contents.packets.iter().for_each(Packet::check);
        let receiver = if sender == CLIENT { SERVER } else { CLIENT };
        let received = stream(&from(&contents.packets, sender, receiver));
        // The client's side starts with its order of 16 bytes.
        let order = if direction == Direction::Up { 16 } else { 0 };
        assert_eq!(received.len(), 500_000 + order);
        let reports_blocks = |packet: &&&Packet| packet.tcp().option(5).is_some();
        assert_ne!(from(&contents.packets, receiver, receiver).iter().filter(reports_blocks).count(), 0);
    }
}

#[test]
fn what_the_link_dropped_was_seen_by_the_sender_alone() {
    let (reports, contents) = captured("drops", &lossy(Direction::Down));
    let lost = |sender, receiver| {
        let packets = &contents.packets;
        from(packets, sender, sender).len() - from(packets, sender, receiver).len()
    };
    let dropped = |drops: &DropCounts| (drops.queue + drops.channel + drops.oversize) as usize;
    let link = &reports.link;
    assert_ne!(dropped(&link.forward.drops), 0);
    // The run lasts until both ends have closed, so that nothing is on its way at its end.
    assert_eq!(lost(SERVER, CLIENT), dropped(&link.forward.drops));
    assert_eq!(lost(CLIENT, SERVER), dropped(&link.return_.drops));
}

#[test]
fn a_ping_is_a_datagram_there_and_back() {
    let mut spec = sample();
    let interval_ns = bentpipe_units::Duration::from_millis(200);
    spec.workload = Workload::Ping(PingSpec { count: 3, interval_ns, payload_bytes: Bytes::new(21) });
    let (_, contents) = captured("ping", &spec);
    contents.packets.iter().for_each(Packet::check);
    // 21 bytes of payload, 8 of UDP, 20 of IP; each at both ends, there and back.
    assert_eq!(contents.packets.iter().filter(|packet| packet.bytes.len() == 49).count(), 12);
    assert_eq!(contents.packets.len(), 12);
}

#[test]
fn secrets_stand_before_the_packets_of_encrypted_runs_only() {
    for http in VERSIONS {
        let (_, contents) = captured(&format!("secrets-{http:?}"), &page_load(http));
        let Some(secrets) = contents.secrets else {
            assert_eq!(http, Http::H1);
            continue;
        };
        // The labels of the NSS key log for TLS 1.3 (RFC 9850 section 2), once for the only connection.
        for label in [
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET ",
            "SERVER_HANDSHAKE_TRAFFIC_SECRET ",
            "CLIENT_TRAFFIC_SECRET_0 ",
            "SERVER_TRAFFIC_SECRET_0 ",
        ] {
            assert_eq!(secrets.lines().filter(|line| line.starts_with(label)).count(), 1, "{http:?} {label}");
        }
    }
}

#[test]
fn a_capture_changes_nothing_of_the_run() {
    for http in VERSIONS {
        let spec = page_load(http);
        let (with, _) = captured(&format!("same-{http:?}"), &spec);
        let without = simulate(&spec, &Config::new(Instant::now())).unwrap();
        assert_eq!(with.link, without.link, "{http:?}");
    }
}

#[test]
fn a_run_that_asks_for_no_capture_writes_none() {
    let folder = folder("none");
    let mut spec = page_load(Http::H3);
    spec.capture = CaptureSpec { pcapng: false, qlog: false };
    run_into(folder.clone(), &spec).unwrap();
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}

#[test]
fn equal_runs_in_clear_text_have_equal_captures_byte_for_byte() {
    let bytes = |name: &str| {
        let folder = folder(&format!("equal-{name}"));
        run_into(folder.clone(), &page_load(Http::H1)).unwrap();
        fs::read(folder.join("packets.pcapng")).unwrap()
    };
    assert!(bytes("one") == bytes("other"));
}

#[test]
fn equal_runs_with_tls_differ_in_what_is_encrypted_alone() {
    // TLS draws its randoms and keys from the system (RFC 8446 appendix C.1).
    for http in VERSIONS {
        let packets = |name: &str| {
            let (_, contents) = captured(&format!("alike-{http:?}-{name}"), &page_load(http));
            let outline = |packet: &Packet| {
                let tcp_header = (packet.bytes[9] == 6).then(|| packet.bytes[20..36].to_vec());
                (packet.interface, packet.at, packet.bytes[..20].to_vec(), tcp_header)
            };
            contents.packets.iter().map(outline).collect::<Vec<_>>()
        };
        assert!(packets("one") == packets("other"), "{http:?}");
    }
}

#[test]
fn a_capture_that_cannot_be_written_fails_the_run() {
    let folder = folder("missing").join("nowhere");
    let error = run_into(folder, &page_load(Http::H1)).unwrap_err();
    assert!(matches!(error, SimulationError::Capture(_)), "{error}");
}

#[test]
fn the_event_logs_of_both_ends_tell_of_the_last_packet() {
    let folder = folder("qlog");
    let mut spec = page_load(Http::H3);
    spec.capture = CaptureSpec { pcapng: true, qlog: true };
    let reports = run_into(folder.clone(), &spec).unwrap();
    for (end, packets) in
        [("client-", reports.link.return_.offered_packets), ("origin-", reports.link.forward.offered_packets)]
    {
        let logs = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let named = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(end);
        let [log] = logs.filter(named).collect::<Vec<_>>().try_into().unwrap();
        let text = fs::read_to_string(log).unwrap();
        let sent = text.matches("\"quic:packet_sent\"").count() as u64;
        // Several QUIC packets may share a datagram in the handshake (RFC 9000 section 12.2).
        assert!((packets..=packets + 5).contains(&sent), "{end} {sent} of {packets}");
        assert!(text.ends_with('\n'), "the log is whole");
    }
}

#[test]
fn event_logs_that_cannot_be_written_fail_the_run() {
    let mut spec = page_load(Http::H3);
    spec.capture = CaptureSpec { pcapng: false, qlog: true };
    let folder = folder("qlog-missing").join("nowhere");
    let error = run_into(folder.clone(), &spec).unwrap_err().to_string();
    let told = format!("cannot write the event log {}", folder.join("client-0-").display());
    assert!(error.starts_with(&told) && error.contains("No such file"), "{error}");
}
