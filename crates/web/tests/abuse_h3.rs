//! HTTP/3 peers that are broken or mean harm, over QUIC: each ends with an error and costs bounded memory, and who else is
//! connected notices nothing.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::net::SocketAddr;
use std::sync::Arc;

use bentpipe_http::tls::TlsSettings;
use bentpipe_net::Net;
use bentpipe_net::testing::{ADDRESS, MemoryNet};
use bentpipe_run::{ClientReport, Http, Resumption, TlsSpec, TlsVersion, Transport};
use bentpipe_units::Duration;
use bentpipe_web::{HOST, loader};
use noq::{Connection, ConnectionError, Endpoint, EndpointConfig, RecvStream, SendStream, VarInt};
use noq_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};

use crate::common::{client, load_of, page_load, peak_of, start_origin};

/// More than any of these attacks may make a peer hold: endpoints, connections and windows of 6 MiB.
const MOST_MEMORY: usize = 24 << 20;
/// A length of 1,073,741,823 bytes, in four (RFC 9000 section 16).
const HUGE: [u8; 4] = [0xBF, 0xFF, 0xFF, 0xFF];
/// The origin's port.
const HTTPS: u16 = 443;

// Frames (RFC 9114 section 7.2).
const DATA: u8 = 0x00;
const HEADERS: u8 = 0x01;
const SETTINGS: u8 = 0x04;
const MAX_PUSH_ID: u8 = 0x0D;
// Stream types (section 6.2).
const CONTROL: u8 = 0x00;

/// GET https://test/: no dynamic table (RFC 9204 section 4.5.1), then from the static one (appendix A) 17 method, 23
/// scheme, 1 path, and 0, the authority, with a value of four bytes.
const GET: [u8; 11] = [0, 0, 0xC0 | 17, 0xC0 | 23, 0xC0 | 1, 0x50, 4, b't', b'e', b's', b't'];

// Errors (RFC 9114 section 8.1, RFC 9204 section 6).
const H3_INTERNAL_ERROR: u64 = 0x0102;
const H3_CLOSED_CRITICAL_STREAM: u64 = 0x0104;
const H3_FRAME_UNEXPECTED: u64 = 0x0105;
const H3_MISSING_SETTINGS: u64 = 0x010A;
const QPACK_DECOMPRESSION_FAILED: u64 = 0x0200;

/// A client that sends bytes.
struct Attacker {
    net: MemoryNet,
    connection: Connection,
    _endpoint: Endpoint,
}

/// A frame of up to 63 bytes.
fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    [&[kind, u8::try_from(payload.len()).unwrap()], payload].concat()
}

/// One of up to 16,383.
fn long_frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16 | 0x4000).to_be_bytes();
    [&[kind], &length[..], payload].concat()
}

fn with_origin<T: 'static>(attack: impl AsyncFnOnce(&Attacker) -> T + 'static) -> T {
    let (result, peak) = peak_of(|| {
        MemoryNet::run(|net| async move {
            let (spec, identity) = page_load(Http::H3);
            let origin = start_origin(&net, &spec, &identity);
            let bystander = Attacker::connect(&net, &identity.authority_der).await;
            let attacker = Attacker::connect(&net, &identity.authority_der).await;
            let result = attack(&attacker).await;
            let (mut sending, mut receiving) = bystander.connection.open_bi().await.unwrap();
            sending.write_all(&frame(HEADERS, &GET)).await.unwrap();
            sending.finish().unwrap();
            let answer = receiving.read_to_end(1 << 20).await.unwrap();
            assert_eq!(answer[0], HEADERS, "the bystander was not served");
            assert_eq!(origin.report().faults, []);
            result
        })
    });
    assert!(peak < MOST_MEMORY, "{peak} bytes");
    result
}

/// A client that trusts one authority.
fn offering_h3(authority_der: &[u8]) -> rustls::ClientConfig {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(authority_der.to_vec().into()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"h3".to_vec()];
    tls
}

impl Attacker {
    async fn connect(net: &MemoryNet, authority_der: &[u8]) -> Self {
        Self::with(net, offering_h3(authority_der)).await
    }

    async fn with(net: &MemoryNet, tls: rustls::ClientConfig) -> Self {
        let crypto = QuicClientConfig::try_from(tls).unwrap();
        let (socket, runtime) =
            net.quic_socket(SocketAddr::new(ADDRESS, 0), bentpipe_run::Dscp::try_from(0).unwrap()).unwrap();
        let endpoint =
            Endpoint::new_with_abstract_socket(EndpointConfig::default(), None, socket, runtime).unwrap();
        endpoint.set_default_client_config(noq::ClientConfig::new(Arc::new(crypto)));
        let connection = endpoint.connect(SocketAddr::new(ADDRESS, HTTPS), HOST).unwrap().await.unwrap();
        Self { net: net.clone(), connection, _endpoint: endpoint }
    }

    /// Sends bytes on a stream of their own, of a request or of another type.
    async fn request(&self, bytes: &[u8]) -> (SendStream, RecvStream) {
        let (mut sending, receiving) = self.connection.open_bi().await.unwrap();
        // The origin may have had enough.
        let _ = sending.write_all(bytes).await;
        (sending, receiving)
    }

    async fn control(&self, bytes: &[u8]) -> SendStream {
        let mut sending = self.connection.open_uni().await.unwrap();
        let _ = sending.write_all(bytes).await;
        sending
    }

    /// The error by which the origin closed the connection.
    async fn error(&self) -> u64 {
        match self.connection.closed().await {
            ConnectionError::ApplicationClosed(close) => close.error_code.into_inner(),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_request_by_hand_is_answered() {
    with_origin(async |attacker| {
        let (mut sending, mut receiving) = attacker.request(&frame(HEADERS, &GET)).await;
        sending.finish().unwrap();
        assert_eq!(receiving.read_to_end(1 << 20).await.unwrap()[0], HEADERS);
    });
}

#[test]
fn a_client_hello_of_two_datagrams_is_answered_where_there_may_be_early_data() {
    // As that of quic-go 0.65, whose key share has 1.2 kB; here it is the protocols offered that make it long.
    MemoryNet::run(|net| async move {
        let (mut spec, identity) = page_load(Http::H3);
        spec.tls = Some(TlsSpec { version: TlsVersion::V1_3, resumption: Resumption::EarlyData });
        let _origin = start_origin(&net, &spec, &identity);
        let mut tls = offering_h3(&identity.authority_der);
        tls.alpn_protocols.extend((0..20).map(|n| vec![b'a' + n; 100]));
        let client = Attacker::with(&net, tls).await;
        let (mut sending, mut receiving) = client.request(&frame(HEADERS, &GET)).await;
        sending.finish().unwrap();
        assert_eq!(receiving.read_to_end(1 << 20).await.unwrap()[0], HEADERS);
    });
}

#[test]
fn a_request_that_has_ended_is_not_stopped() {
    with_origin(async |attacker| {
        let (mut sending, mut receiving) = attacker.request(&frame(HEADERS, &GET)).await;
        sending.finish().unwrap();
        receiving.read_to_end(1 << 20).await.unwrap();
        assert_eq!(sending.stopped().await.unwrap(), None);
    });
}

#[test]
fn unexpected_frames_end_the_connection() {
    for (name, bytes) in [
        // RFC 9114 sections 4.1, 7.2.1, 7.2.4, 7.2.7
        ("DATA before HEADERS", frame(DATA, &[0; 10])),
        ("SETTINGS on a request", frame(SETTINGS, &[])),
        ("MAX_PUSH_ID on a request", frame(MAX_PUSH_ID, &[0])),
    ] {
        let error = with_origin(async move |attacker| {
            let _streams = attacker.request(&bytes).await;
            attacker.error().await
        });
        assert_eq!(error, H3_FRAME_UNEXPECTED, "{name}");
    }
}

#[test]
fn a_control_stream_that_breaks_its_rules_ends_the_connection() {
    // RFC 9114 sections 6.2.1, 7.2.1
    for (name, bytes, expected) in [
        ("no SETTINGS first", [&[CONTROL][..], &frame(MAX_PUSH_ID, &[0])].concat(), H3_MISSING_SETTINGS),
        ("DATA", [&[CONTROL][..], &frame(SETTINGS, &[]), &frame(DATA, &[0])].concat(), H3_FRAME_UNEXPECTED),
        (
            "SETTINGS twice",
            [&[CONTROL][..], &frame(SETTINGS, &[]), &frame(SETTINGS, &[])].concat(),
            H3_FRAME_UNEXPECTED,
        ),
    ] {
        let error = with_origin(async move |attacker| {
            let _stream = attacker.control(&bytes).await;
            attacker.error().await
        });
        assert_eq!(error, expected, "{name}");
    }
}

#[test]
fn the_end_of_the_control_stream_ends_the_connection() {
    // RFC 9114 section 6.2.1
    let error = with_origin(async |attacker| {
        let mut stream = attacker.control(&[&[CONTROL][..], &frame(SETTINGS, &[])].concat()).await;
        stream.finish().unwrap();
        attacker.error().await
    });
    assert_eq!(error, H3_CLOSED_CRITICAL_STREAM);
}

#[test]
fn a_header_that_refers_to_a_table_that_is_not_there_ends_the_connection() {
    // RFC 9204 section 2.2.3: the origin has announced no dynamic table, and 99 is beyond the static one.
    for block in [&[0, 0, 0x80][..], &[0, 0, 0xFF, 0x24]] {
        let block = block.to_vec();
        let error = with_origin(async move |attacker| {
            let _streams = attacker.request(&frame(HEADERS, &block)).await;
            attacker.error().await
        });
        assert_eq!(error, QPACK_DECOMPRESSION_FAILED);
    }
}

#[test]
fn a_header_above_the_limit_is_refused_and_the_next_request_served() {
    // The same field of 32 + 14 + 29 bytes from the static table (RFC 9204 appendix A, 59) 10,000 times: an entry takes
    // two bytes, its 750 kB are above the 32 KiB that the origin takes (RFC 9114 section 4.2.2).
    let mut block = GET.to_vec();
    block.extend([0xC0 | 59; 10_000]);
    with_origin(async move |attacker| {
        let (mut sending, mut receiving) = attacker.request(&long_frame(HEADERS, &block)).await;
        let _ = sending.finish();
        // 431 without a body, or a reset.
        let answer = receiving.read_to_end(1 << 20).await.unwrap_or_default();
        assert!(answer.len() < 100, "{} bytes", answer.len());
        let (mut sending, mut receiving) = attacker.request(&frame(HEADERS, &GET)).await;
        sending.finish().unwrap();
        assert_eq!(receiving.read_to_end(1 << 20).await.unwrap()[0], HEADERS);
    });
}

#[test]
fn frames_that_announce_a_gigabyte_end_the_connection_before_it_comes() {
    for (name, start) in
        [("HEADERS", [&[HEADERS][..], &HUGE].concat()), ("a reserved type", [&[0x21][..], &HUGE].concat())]
    {
        let error = with_origin(async move |attacker| {
            let (mut sending, _receiving) = attacker.request(&start).await;
            let part = vec![0; 1 << 20];
            for _ in 0..100 {
                if sending.write_all(&part).await.is_err() {
                    break;
                }
            }
            attacker.error().await
        });
        assert_eq!(error, H3_INTERNAL_ERROR, "{name}");
    }
}

#[test]
fn malformed_requests_end_their_stream_alone() {
    for (name, bytes) in [
        // RFC 9114 sections 4.1.2, 4.3.1, 7.1
        ("no method", frame(HEADERS, &[&[0, 0], &GET[3..]].concat())),
        ("nothing", Vec::new()),
        ("half a frame", vec![HEADERS, 20, 0, 0]),
    ] {
        with_origin(async move |attacker| {
            let (mut sending, mut receiving) = attacker.request(&bytes).await;
            let _ = sending.finish();
            let answer = receiving.read_to_end(1 << 20).await;
            assert!(answer.is_err() || answer.is_ok_and(|answer| answer.is_empty()), "{name}");
        });
    }
}

#[test]
fn requests_that_are_reset_at_once_cost_nothing_that_lasts() {
    with_origin(async |attacker| {
        for _ in 0..2_000 {
            let (mut sending, mut receiving) = attacker.request(&frame(HEADERS, &GET)).await;
            // H3_REQUEST_CANCELLED
            let _ = sending.reset(VarInt::from_u32(0x010C));
            let _ = receiving.stop(VarInt::from_u32(0x010C));
            attacker.net.sleep(Duration::from_millis(1)).await;
        }
    });
}

/// What the loader reports of an origin that answers its first request by `bytes`.
fn loaded_from(bytes: Vec<u8>) -> ClientReport {
    let (spec, identity) = page_load(Http::H3);
    let (report, peak) = peak_of(|| {
        MemoryNet::run(|net| async move {
            let tls = TlsSettings::of(&spec, Transport::Quic).unwrap().server(&identity, 0, &["h3"]).unwrap();
            let crypto = QuicServerConfig::try_from(tls).unwrap();
            let config = noq::ServerConfig::with_crypto(Arc::new(crypto));
            let (socket, runtime) = net.quic_socket(SocketAddr::new(ADDRESS, HTTPS), spec.mark()).unwrap();
            let endpoint =
                Endpoint::new_with_abstract_socket(EndpointConfig::default(), Some(config), socket, runtime)
                    .unwrap();
            net.spawn(async move {
                let connection = endpoint.accept().await.unwrap().await.unwrap();
                let mut control = connection.open_uni().await.unwrap();
                let _ = control.write_all(&[CONTROL, SETTINGS, 0]).await;
                let (mut sending, _receiving) = connection.accept_bi().await.unwrap();
                let _ = sending.write_all(&bytes).await;
                let _ = sending.finish();
                connection.closed().await;
            });
            loader::load(&net, client(&spec, &identity), load_of(&spec)).await
        })
    });
    assert!(peak < MOST_MEMORY, "{peak} bytes");
    report
}

#[test]
fn answers_that_are_broken_or_too_large_are_faults_of_the_load() {
    let gigabyte = [&[HEADERS][..], &HUGE, &vec![0; 4 << 20]].concat();
    for (name, bytes) in [
        ("nothing", Vec::new()),
        ("DATA before HEADERS", frame(DATA, &[0; 10])),
        ("a header that cannot be decoded", frame(HEADERS, &[0, 0, 0x80])),
        ("a header without status", frame(HEADERS, &[0, 0])),
        ("half a frame", vec![HEADERS, 20, 0, 0]),
        ("a header of a gigabyte", gigabyte),
        (
            "a header above the limit",
            long_frame(HEADERS, &[&[0, 0, 0xC0 | 25][..], &[0xC0 | 59; 10_000]].concat()),
        ),
    ] {
        let report = loaded_from(bytes);
        assert!(!report.faults.is_empty(), "{name}: {:?}", report.objects);
    }
}
