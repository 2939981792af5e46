//! Transfers between programs of our own through proxies that split: each byte is compared with the one that was sent.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::cell::Cell;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;

use crate::sample::{half_of, sample};
use crate::transfers::{Fate, Noise, PORT, Part, SERVER, Transfer, network, run_all, take_part};
use bentpipe_net::{Listener, Net, Stream};
use bentpipe_run::{Algorithm, Dscp, LossSpec, PepPlace, PepSpec, RunSpec, SplitSpec, Switch};
use bentpipe_units::{Bytes, Duration, Rate};
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1));
const PLACES: [PepPlace; 3] = [PepPlace::Terminal, PepPlace::Gateway, PepPlace::Both];
const MEGABYTE: u64 = 1_000_000;
/// The buffers of a TCP connection and of a relay, in bytes: small, for them to fill up.
const SOCKET: u64 = 300_000;
const RELAY: u64 = 100_000;

/// A path of this rate and round trip, with proxies at `place`.
fn spec(rate: u64, rtt: Duration, place: PepPlace) -> RunSpec {
    let mut spec = sample();
    let rate_bps = Rate::from_bps(rate);
    spec.link.forward = half_of(rtt, rate_bps, rate_bps.volume_in(rtt).max(Bytes::new(100_000)));
    spec.link.return_ = spec.link.forward.clone();
    spec.cc = Algorithm::Cubic;
    (spec.tcp.receive_buffer_bytes, spec.tcp.send_buffer_bytes) = (Bytes::new(SOCKET), Bytes::new(SOCKET));
    let (cc, tcp) = (spec.cc, spec.tcp.clone());
    spec.pep = Some(PepSpec::Split(SplitSpec {
        place,
        cc,
        tcp,
        relay_buffer_bytes: Bytes::new(RELAY),
        standing: Switch::Off,
    }));
    spec
}

fn split_of(spec: &mut RunSpec) -> &mut SplitSpec {
    let Some(PepSpec::Split(split)) = &mut spec.pep else { panic!("a split") };
    split
}

fn geo(place: PepPlace) -> RunSpec {
    spec(20_000_000, Duration::from_millis(600), place)
}

fn at(port: u16) -> SocketAddr {
    SocketAddr::new(SERVER, port)
}

const CUBIC: Algorithm = Algorithm::Cubic;

#[test]
fn the_origin_sees_the_clients_address_and_port() {
    for place in PLACES {
        let (network, _) = network(&geo(place));
        let (client, mut listener) =
            (network.client(), network.server().listen(at(PORT), CUBIC, Dscp::DEFAULT).unwrap());
        let (port, peer) = network
            .run(async move {
                let mut stream = client.connect(at(PORT), CUBIC, Dscp::DEFAULT).await.unwrap();
                stream.write_all(b"?").await.unwrap();
                let (_, peer) = listener.accept().await.unwrap();
                (stream.local_port().unwrap(), peer)
            })
            .unwrap();
        assert_eq!(peer, SocketAddr::new(CLIENT, port), "{place:?}");
    }
}

#[test]
fn one_direction_may_end_long_before_the_other() {
    for place in PLACES {
        let (network, peps) = network(&geo(place));
        let (client, mut listener) =
            (network.client(), network.server().listen(at(PORT), CUBIC, Dscp::DEFAULT).unwrap());
        network.client().spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut question = Vec::new();
            stream.read_to_end(&mut question).await.unwrap();
            // The answer starts when the question has ended.
            question.reverse();
            stream.write_all(&question).await.unwrap();
            stream.shutdown().await.unwrap();
        });
        let sent: Vec<u8> = (0..500_000_u32).map(|n| (n % 251) as u8).collect();
        let question = sent.clone();
        let mut answer = network
            .run(async move {
                let mut stream = client.connect(at(PORT), CUBIC, Dscp::DEFAULT).await.unwrap();
                stream.write_all(&question).await.unwrap();
                stream.shutdown().await.unwrap();
                let mut answer = Vec::new();
                stream.read_to_end(&mut answer).await.unwrap();
                answer
            })
            .unwrap();
        answer.reverse();
        assert!(answer == sent, "{place:?}");
        network.run_for(Duration::from_secs(10));
        for pep in peps {
            let report = pep.report();
            assert_eq!((report.connections, report.errors), (1, 0));
            assert_eq!((report.up_bytes, report.down_bytes), (Bytes::new(500_000), Bytes::new(500_000)));
        }
    }
}

#[test]
fn a_client_whose_server_does_not_listen_is_reset() {
    for place in PLACES {
        let (network, peps) = network(&geo(place));
        let client = network.client();
        let error = network
            .run(async move {
                let mut stream = client.connect(at(PORT), CUBIC, Dscp::DEFAULT).await.unwrap();
                stream.read_u8().await.unwrap_err()
            })
            .unwrap();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{place:?}");
        assert!(peps.iter().all(|pep| pep.report().errors == 1));
    }
}

#[test]
fn a_client_that_does_not_read_holds_the_server_up_within_the_buffers_of_the_path() {
    for place in PLACES {
        let spec = geo(place);
        let (network, peps) = network(&spec);
        let length = 20 * MEGABYTE;
        let sends = Noise::new(7, length);
        let part = Part { sends, expects: Noise::new(0, 0), resets_after: None };
        let sent = Rc::new(Cell::new(0));
        let (server, counted) = (network.server(), Rc::clone(&sent));
        let mut listener = server.listen(at(PORT), CUBIC, Dscp::DEFAULT).unwrap();
        network.server().spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            take_part(&server, stream, part, &counted).await;
        });
        let client = network.client();
        let mut stream = network
            .run(async move { client.connect(at(PORT), CUBIC, Dscp::DEFAULT).await.unwrap() })
            .unwrap();
        network.run_for(Duration::from_secs(120));
        let held = sent.get();
        network.run_for(Duration::from_secs(120));
        assert_eq!(sent.get(), held, "{place:?}: the server still sends");
        // Two sockets for each leg, a relay between legs.
        let relays = peps.len() as u64;
        let most = (relays + 1) * 2 * SOCKET + relays * RELAY;
        assert!((RELAY..=most).contains(&held), "{place:?}: {held} bytes are on the path, {most} have room");
        // Whatever was held up comes all the same.
        let received = network
            .run(async move {
                let mut bytes = Vec::new();
                stream.read_to_end(&mut bytes).await.unwrap();
                bytes
            })
            .unwrap();
        assert_eq!(received.len() as u64, length);
        assert!(sends.matches(0, &received));
    }
}

// ---- many transfers at once ------------------------------------------------------------------------------------

/// Numbers of any length in bits, each as often as any other.
fn spread(least: u64, most: u64) -> impl Strategy<Value = u64> {
    (least.max(1).ilog2()..=most.ilog2())
        .prop_flat_map(move |bits| least.max(1 << bits)..=most.min((2 << bits) - 1))
}

fn transfer() -> impl Strategy<Value = Transfer> {
    let start = spread(1, 10_000_000_000).prop_map(Duration::from_nanos);
    let reset = || prop_oneof![4 => Just(None), 1 => spread(1, 100_000).prop_map(Some)];
    (start, spread(1, 60_000), spread(1, 60_000), reset(), reset()).prop_map(
        |(start, up, down, client_resets_after, server_resets_after)| Transfer {
            start,
            up,
            down,
            client_resets_after,
            server_resets_after,
        },
    )
}

fn paths() -> impl Strategy<Value = RunSpec> {
    let loss = || (0.0..0.03).prop_map(|p| LossSpec::Bernoulli { p });
    let cc = || prop::sample::select(Algorithm::OVER_TCP.to_vec());
    let ends = (prop::sample::select(PLACES.to_vec()), cc(), cc(), spread(1, 200_000), any::<u64>());
    (spread(10_000_000, 1_000_000_000), spread(1, 600), loss(), loss(), ends).prop_map(
        |(rate, ms, forward, return_, (place, cc, satellite, buffer, seed))| {
            let mut spec = spec(rate, Duration::from_millis(ms), place);
            (spec.link.forward.loss, spec.link.return_.loss) = (forward, return_);
            (spec.cc, spec.seed) = (cc, seed);
            let split = split_of(&mut spec);
            (split.cc, split.relay_buffer_bytes) = (satellite, Bytes::new(buffer));
            spec
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn two_hundred_connections_arrive_byte_by_byte_or_end_in_a_reset(
        spec in paths(),
        transfers in prop::collection::vec(transfer(), 200),
    ) {
        let (network, peps) = network(&spec);
        // Every byte was the right one, and no stream ended before its end: an end of a transfer fails otherwise.
        for (transfer, fates) in transfers.iter().zip(run_all(&network, &transfers)) {
            prop_assert!(fates[0].is_some(), "{transfer:?}: the client waits");
            if !transfer.may_be_reset() {
                prop_assert!(fates == [Some(Fate::Whole); 2], "{transfer:?}: {fates:?}");
            }
        }
        let resets = transfers.iter().filter(|transfer| transfer.may_be_reset()).count() as u64;
        for pep in peps {
            let report = pep.report();
            prop_assert!(report.connections >= 200 - resets && report.errors <= resets, "{report:?}");
        }
    }
}

/// So many bytes in transfers of all lengths, in both directions, some at a time, over a fast link that loses packets.
fn mixed(total: u64) {
    let rate = 1_000_000_000;
    let mut spec = spec(rate, Duration::from_millis(20), PepPlace::Both);
    spec.link.forward.loss = LossSpec::Bernoulli { p: 1e-5 };
    spec.link.return_.loss = LossSpec::Bernoulli { p: 1e-5 };
    let buffer = Bytes::new(8 << 20);
    (spec.tcp.receive_buffer_bytes, spec.tcp.send_buffer_bytes) = (buffer, buffer);
    spec.cc = Algorithm::Bbr;
    let split = split_of(&mut spec);
    (split.tcp.receive_buffer_bytes, split.tcp.send_buffer_bytes) = (buffer, buffer);
    split.cc = Algorithm::Bbr;
    split.relay_buffer_bytes = Bytes::new(1 << 20);
    let mut transfers = Vec::new();
    let (mut planned, mut start) = (0, Duration::ZERO);
    for length in [1, 1_000, 50_000, 1_448, 20 * MEGABYTE, 65_536, 3 * MEGABYTE, 7].into_iter().cycle() {
        if planned >= total {
            break;
        }
        let (up, down) = if transfers.len() % 3 == 0 { (length, length / 2) } else { (length / 3, length) };
        let (up, down) = (up.min(total - planned), down.min(total - planned));
        transfers.push(Transfer { start, up, down, client_resets_after: None, server_resets_after: None });
        planned += up + down;
        start += Rate::from_bps(rate).time_for(Bytes::new(up.max(down)));
    }
    let (network, peps) = network(&spec);
    let fates = run_all(&network, &transfers);
    assert!(fates.iter().flatten().all(|fate| *fate == Some(Fate::Whole)));
    for pep in peps {
        let report = pep.report();
        assert_eq!((report.connections, report.errors), (transfers.len() as u64, 0));
        assert_eq!(report.up_bytes.get() + report.down_bytes.get(), planned);
    }
    println!("{} transfers of {planned} bytes", transfers.len());
}

#[test]
fn mixed_transfers_of_200_mb_arrive_without_a_wrong_byte() {
    mixed(200 * MEGABYTE);
}

#[test]
#[ignore = "takes minutes: cargo test --release -- --ignored"]
fn mixed_transfers_of_10_gb_arrive_without_a_wrong_byte() {
    mixed(10_000 * MEGABYTE);
}
