//! The origin outlives whatever comes to its ports, and then serves a page over every protocol.
#![allow(clippy::disallowed_methods)] // the IO boundary of clippy.toml lies in this crate

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use crate::common::{
    ALL_HTTP, PORTS, Site, address, available_cc, client, load, page, page_load, record, run, spec,
};
use bentpipe_http::tls::{Identity, KeyKind};
use bentpipe_run::{Http, Status, Workload};
use bentpipe_units::Duration;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Loads a page over every protocol after `abuse`.
fn survives(abuse: impl AsyncFn(&Site)) {
    let cc = available_cc()[0];
    run(async {
        let site = Site::start(&spec(cc, page_load(Http::H1, page(5, 5_000))));
        abuse(&site).await;
        // What the abuse left behind in the list of connections is not this load's.
        site.origin.report();
        for http in ALL_HTTP {
            let spec = spec(cc, page_load(http, page(5, 5_000)));
            let report = load(site.client(&spec)).await;
            let record = record(&spec, report, Default::default());
            assert_eq!((record.status, record.reasons), (Status::Succeeded, Vec::new()), "{http:?}");
        }
        assert_eq!(site.origin.report().faults, []);
    });
}

fn noise(seed: u64, most: u64) -> Vec<u8> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut bytes = vec![0; (random.next_u64() % most) as usize];
    random.fill_bytes(&mut bytes);
    bytes
}

/// Sends bytes to a TCP port, ends the stream, and waits until the origin has had enough of it.
async fn throw(site: &Site, port: u16, bytes: &[u8]) {
    let mut stream = TcpStream::connect((site.address, port)).await.unwrap();
    // The origin may close before it has read everything.
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    let _ = stream.read_to_end(&mut Vec::new()).await;
}

#[test]
fn random_bytes_on_its_tcp_ports() {
    survives(async |site| {
        for seed in 0..60 {
            throw(site, PORTS.http, &noise(seed, 3_000)).await;
            throw(site, PORTS.https, &noise(seed, 3_000)).await;
        }
    });
}

#[test]
fn starts_of_its_own_protocols_followed_by_random_bytes() {
    // RFC 9112 section 3, RFC 8446 section 5.1 (a handshake record) and RFC 9113 section 3.4 (the preface).
    let heads: [&[u8]; 4] = [
        b"GET / HTTP/1.1\r\nHost: ",
        b"GET /object-1.jpg HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        &[0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    survives(async |site| {
        for (head, seed) in heads.into_iter().flat_map(|head| (100..110).map(move |seed| (head, seed))) {
            let bytes = [head, &noise(seed, 1_000)].concat();
            throw(site, PORTS.http, &bytes).await;
            throw(site, PORTS.https, &bytes).await;
        }
    });
}

#[test]
fn random_datagrams_on_its_quic_port() {
    survives(async |site| {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        for seed in 200..800 {
            let mut datagram = noise(seed, 1_500);
            // A third each: as they are, long headers of version 1 (RFC 9000 section 17.2), short headers.
            match (seed % 3, datagram.as_mut_slice()) {
                (1, [first, version @ .., _]) if version.len() > 4 => {
                    *first |= 0xC0;
                    version[..4].copy_from_slice(&[0, 0, 0, 1]);
                }
                (2, [first, ..]) => *first = (*first | 0x40) & 0x7F,
                _ => {}
            }
            socket.send_to(&datagram, (site.address, PORTS.https)).unwrap();
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn connections_that_are_opened_and_left_silent() {
    let open = std::cell::RefCell::new(Vec::new());
    survives(async |site| {
        for _ in 0..100 {
            for port in [PORTS.http, PORTS.https] {
                let mut stream = TcpStream::connect((site.address, port)).await.unwrap();
                // The first byte of a request and of a TLS record.
                stream.write_all(if port == PORTS.http { b"G" } else { &[0x16] }).await.unwrap();
                open.borrow_mut().push(stream);
            }
        }
    });
    assert_eq!(open.borrow().len(), 200, "open until the page was loaded");
}

#[test]
fn connections_that_are_reset_at_once() {
    survives(async |site| {
        for _ in 0..100 {
            for port in [PORTS.http, PORTS.https] {
                let stream = TcpStream::connect((site.address, port)).await.unwrap();
                // Closing with a linger of zero sends RST, also before the origin has accepted.
                socket2::SockRef::from(&stream).set_linger(Some(std::time::Duration::ZERO)).unwrap();
            }
        }
    });
}

#[test]
fn handshakes_that_the_client_aborts_over_an_unknown_authority() {
    survives(async |site| {
        for http in [Http::H1s, Http::H2, Http::H3] {
            for _ in 0..10 {
                let spec = spec(available_cc()[0], page_load(http, page(1, 5_000)));
                let stranger =
                    Identity::generate(&[bentpipe_web::HOST], KeyKind::Ed25519).unwrap().authority_der;
                let report = load(client(&spec, site.address, stranger)).await;
                assert_eq!(report.faults.len(), 1, "{http:?}: {:?}", report.faults);
            }
        }
    });
}

/// The first datagram that a client sends to an origin, which is never answered.
async fn first_datagram() -> Vec<u8> {
    let well = address();
    let socket = UdpSocket::bind(SocketAddr::new(well, PORTS.https)).unwrap();
    let mut spec = spec(available_cc()[0], page_load(Http::H3, page(1, 5_000)));
    spec.validity.timeout_ns = Duration::from_millis(100);
    let authority_der = Identity::generate(&[bentpipe_web::HOST], KeyKind::Ed25519).unwrap().authority_der;
    let Workload::PageLoad(_) = &spec.workload else { unreachable!() };
    load(client(&spec, well, authority_der)).await;
    let mut datagram = vec![0; 1_500];
    let length = socket.recv(&mut datagram).unwrap();
    datagram.truncate(length);
    // RFC 9000 section 14.1: an Initial is at least this long.
    assert!(length >= 1_200, "{length} bytes");
    datagram
}

#[test]
fn quic_handshakes_whose_client_is_never_heard_of_again() {
    survives(async |site| {
        let initial = first_datagram().await;
        for _ in 0..100 {
            // Every time from another port: a hundred connections half open.
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            socket.send_to(&initial, (site.address, PORTS.https)).unwrap();
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn quic_handshakes_with_a_bit_turned_anywhere() {
    survives(async |site| {
        let initial = first_datagram().await;
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        for byte in 0..400 {
            let mut datagram = initial.clone();
            datagram[byte] ^= 1 << (byte % 8);
            socket.send_to(&datagram, (site.address, PORTS.https)).unwrap();
            tokio::task::yield_now().await;
        }
    });
}
