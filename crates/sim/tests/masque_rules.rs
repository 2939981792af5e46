//! The rules of RFC 9297 and RFC 9298 that a proxy for UDP keeps, shown to clients that know them and to clients that mean
//! harm.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use bentpipe_http::masque::{HttpDatagram, Target, udp_packet};
use bentpipe_http::quic::{self, H3Connection, Opener, Sender};
use bentpipe_http::tls::{ClientTls, Identity, Memory};
use bentpipe_net::{Addresses, Datagrams, Net, within};
use bentpipe_run::{
    Algorithm, CaptureSpec, Dscp, Http, MasqueSpec, ObjectSpec, PageLoadSpec, PageSpec, PepSpec, RunSpec,
    Workload,
};
use bentpipe_sim::{Content, Network, SimDatagrams, SimNet};
use bentpipe_units::{Bytes as Size, Duration, Rate};
use bentpipe_web::HOST;
use bentpipe_web::pep::{Pep, PepReport};
use bytes::{Buf, Bytes};
use futures_util::future::poll_fn;
use h3::client::SendRequest;
use h3::ext::Protocol;
use h3::quic::OpenStreams;
use http::{Method, Request, StatusCode};

use crate::sample::{half_of, sample};

const RTT: Duration = Duration::from_millis(100);
/// The UDP payload that a datagram has room for over an MTU of 1500.
const MOST: usize = 1_431;

type Stream = h3::client::RequestStream<<Opener as OpenStreams<Bytes>>::BidiStream, Bytes>;

/// A client of the proxy that does as a test says.
struct Asking {
    net: SimNet,
    sender: SendRequest<Opener, Bytes>,
    connection: noq::Connection,
    /// The target's socket, the origin's port of HTTP/3.
    target: SimDatagrams,
    _endpoint: noq::Endpoint,
}

fn spec() -> RunSpec {
    let mut spec = sample();
    spec.link.forward = half_of(RTT, Rate::from_bps(10_000_000), Size::new(1_000_000));
    spec.link.return_ = spec.link.forward.clone();
    spec.quic.udp_payload_bytes = Size::new(MOST as u64);
    spec.capture = CaptureSpec { pcapng: false, qlog: false };
    let page = PageSpec::new("page", [ObjectSpec::new("/a.jpg", Size::new(1))]);
    spec.workload = Workload::PageLoad(PageLoadSpec::new(Http::H3, 6, page));
    spec.pep = Some(PepSpec::Masque(MasqueSpec {
        cc: Algorithm::Cubic,
        udp_payload_bytes: Size::new(1_472),
        relay_buffer_bytes: Size::new(64 * 1024),
    }));
    spec
}

fn mark() -> Dscp {
    Dscp::try_from(0).unwrap()
}

/// Has a client ask the proxy, with nobody but the test behind it; what the proxy counted.
fn asking<T: 'static>(ask: impl AsyncFnOnce(&Asking) -> T + 'static) -> (T, PepReport) {
    let spec = spec();
    let network = Network::new(&spec, Instant::now(), Content::Bytes);
    let identity = Identity::from_seed(&[HOST], spec.seed).unwrap();
    let peps: Vec<Pep> = network.start_pep(&identity).unwrap();
    let server = SocketAddr::new(IpAddr::V4(Addresses::STANDARD.server), 443);
    let target = network.server().datagrams(server, mark()).unwrap();
    let net = network.client();
    let result = network
        .run(async move {
            let asking = Asking::connect(net, &spec, &identity, target).await;
            ask(&asking).await
        })
        .unwrap();
    (result, peps[0].report())
}

/// A capsule of up to 63 bytes.
fn capsule(kind: u8, content: &[u8]) -> Vec<u8> {
    [&[kind, u8::try_from(content.len()).unwrap()], content].concat()
}

fn connect(path: &str) -> Request<()> {
    let mut request = Request::new(());
    *request.method_mut() = Method::CONNECT;
    *request.uri_mut() = format!("https://{HOST}{path}").parse().unwrap();
    request.extensions_mut().insert(Protocol::CONNECT_UDP);
    request
}

fn web_transport() -> http::Extensions {
    let mut extensions = http::Extensions::new();
    extensions.insert(Protocol::WEB_TRANSPORT);
    extensions
}

fn path(port: u16) -> String {
    Target { host: HOST.to_owned(), port }.path()
}

impl Asking {
    async fn connect(net: SimNet, spec: &RunSpec, identity: &Identity, target: SimDatagrams) -> Self {
        let mut outer = spec.clone();
        outer.quic.udp_payload_bytes = Size::new(1_472);
        let memory = Memory::default();
        let tls = ClientTls {
            spec: &outer,
            authority_der: &identity.authority_der,
            secrets: None,
            memory: &memory,
        };
        let local = IpAddr::V4(Addresses::STANDARD.client);
        let client = quic::Client { tls, local, qlog: None };
        let at = SocketAddr::new(IpAddr::V4(Addresses::STANDARD.gateway), 4443);
        let sender = Sender::new(Algorithm::Cubic, 7, mark());
        let opened = quic::connect(&net, &client, quic::Host { name: HOST, at }, "h3", sender).await.unwrap();
        let mut builder = h3::client::builder();
        builder.send_grease(false).enable_datagram(true).enable_extended_connect(true);
        let connection = opened.connection;
        let (mut driver, sender) =
            builder.build::<_, _, Bytes>(H3Connection::new(connection.clone())).await.unwrap();
        net.spawn(async move {
            let _ = poll_fn(|cx| driver.poll_close(cx)).await;
        });
        Self { net, sender, connection, target, _endpoint: opened.endpoint }
    }

    /// A request, and what it is answered with.
    async fn request(&self, request: Request<()>) -> (Stream, StatusCode) {
        let mut stream = self.sender.clone().send_request(request).await.unwrap();
        let status = stream.recv_response().await.unwrap().status();
        (stream, status)
    }

    /// One for the target that is there.
    async fn tunnel(&self) -> (Stream, u64) {
        let (stream, status) = self.request(connect(&path(443))).await;
        assert_eq!(status, StatusCode::OK);
        let id = stream.id().index();
        (stream, id)
    }

    fn send(&self, frame: impl Into<Bytes>) {
        self.connection.send_datagram(frame.into()).unwrap();
    }

    /// What the target receives next, and from where; nothing within some round trips.
    async fn arrives(&self) -> Option<(Vec<u8>, SocketAddr)> {
        let mut buffer = vec![0; 2_000];
        let (length, from) = within(&self.net, RTT * 5, self.target.recv_from(&mut buffer)).await?.unwrap();
        Some((buffer[..length].to_vec(), from))
    }

    /// What the client receives next, and for which request.
    async fn comes_back(&self) -> Option<(u64, Bytes)> {
        let frame = within(&self.net, RTT * 5, self.connection.read_datagram()).await?.unwrap();
        let datagram = HttpDatagram::read(frame).unwrap();
        Some((datagram.quarter_stream_id, udp_packet(datagram.payload).unwrap()))
    }
}

#[test]
fn packets_go_to_the_target_and_come_back_as_datagrams_of_the_request() {
    let (_, report) = asking(async |client| {
        let (_stream, id) = client.tunnel().await;
        for packet in [&b"one"[..], b"", &[7; MOST]] {
            client.send(HttpDatagram::of_udp(id, packet));
            let (arrived, from) = client.arrives().await.unwrap();
            assert_eq!((&*arrived, from.ip()), (packet, IpAddr::V4(Addresses::STANDARD.gateway)));
            client.target.send_to(&arrived, from).await.unwrap();
            assert_eq!(client.comes_back().await.unwrap(), (id, Bytes::copy_from_slice(packet)));
        }
    });
    let carried = Size::new(3 + MOST as u64);
    let (datagrams, dropped_datagrams) = (Some(6), Some(0));
    let expected = PepReport {
        connections: 1,
        errors: 0,
        up_bytes: carried,
        down_bytes: carried,
        datagrams,
        dropped_datagrams,
    };
    assert_eq!(report, expected);
}

#[test]
fn a_request_for_something_else_is_refused_by_what_is_wrong_with_it() {
    // RFC 9298 section 3.4: malformed; RFC 9110 sections 15.5.1, 15.5.4 and 15.5.6.
    let (_, report) = asking(async |client| {
        let with = |change: fn(&mut Request<()>)| {
            let mut request = connect(&path(443));
            change(&mut request);
            request
        };
        for (request, expected) in [
            (connect("/"), 400),
            (connect("/.well-known/masque/udp/"), 400),
            (connect(&path(443).replace("443", "0")), 400),
            (connect(&path(443).replace("443", "65536")), 400),
            (connect(&path(443).replace("443", "x")), 400),
            (connect(&path(22)), 403),
            (connect(&path(80)), 403),
            (connect("/.well-known/masque/udp/another.test/443/"), 403),
            (connect("/.well-known/masque/udp/127.0.0.1/443/"), 403),
            (connect("/.well-known/masque/udp/%3A%3A1/443/"), 403),
            (with(|request| *request.method_mut() = Method::GET), 405),
            (with(|request| request.extensions_mut().clear()), 400),
            (with(|request| request.extensions_mut().extend(web_transport())), 400),
        ] {
            let told = format!("{request:?}");
            assert_eq!(client.request(request).await.1.as_u16(), expected, "{told}");
        }
        // The connection goes on.
        client.tunnel().await;
    });
    assert_eq!((report.connections, report.errors), (1, 0));
}

#[test]
fn datagrams_of_other_contexts_and_of_requests_that_are_not_there_are_dropped_and_the_others_go_on() {
    let (_, report) = asking(async |client| {
        // Before there is a request (RFC 9297 section 2.1).
        client.send(HttpDatagram::of_udp(0, b"early"));
        client.net.sleep(RTT).await;
        let (_stream, id) = client.tunnel().await;
        // RFC 9298 section 4: a context that nobody has registered.
        client.send(vec![u8::try_from(id).unwrap(), 2, b'x']);
        client.send(vec![u8::try_from(id).unwrap()]);
        client.send(HttpDatagram::of_udp(id + 1, b"of another request"));
        client.send(HttpDatagram::of_udp(id, b"mine"));
        assert_eq!(client.arrives().await.unwrap().0, b"mine");
        assert_eq!(client.arrives().await, None);
    });
    assert_eq!((report.datagrams, report.dropped_datagrams), (Some(1), Some(4)));
}

#[test]
fn a_datagram_of_no_stream_ends_the_connection_by_the_error_of_the_rfc() {
    // RFC 9297 section 2.1: H3_DATAGRAM_ERROR is 0x33; a number that is cut off, and 2^60.
    for frame in [vec![0x40], ((1_u64 << 60) | 0b11 << 62).to_be_bytes().to_vec()] {
        asking(async move |client| {
            client.tunnel().await;
            client.send(frame);
            let noq::ConnectionError::ApplicationClosed(close) = client.connection.closed().await else {
                panic!("another end")
            };
            assert_eq!(close.error_code.into_inner(), 0x33);
        });
    }
}

#[test]
fn capsules_of_unknown_types_are_skipped_and_those_of_datagrams_forwarded() {
    // RFC 9297 sections 3.2 and 3.5.
    asking(async |client| {
        let (mut stream, _) = client.tunnel().await;
        let bytes =
            [capsule(0x17, b"unknown"), capsule(0, b"\0by capsule"), capsule(0, b"\x02other")].concat();
        // Also where they are cut.
        for piece in bytes.chunks(5) {
            stream.send_data(Bytes::copy_from_slice(piece)).await.unwrap();
        }
        // One packet that no path here takes: 1 + 1432 bytes in two, 0x4000 | 1433.
        let too_long = [&[0, 0x45, 0x99, 0][..], &[1; MOST + 1]].concat();
        stream.send_data(Bytes::from(too_long)).await.unwrap();
        assert_eq!(client.arrives().await.unwrap().0, b"by capsule");
        assert_eq!(client.arrives().await, None);
    });
}

#[test]
fn a_capsule_longer_than_udp_and_one_that_is_cut_off_abort_the_request_and_no_other() {
    // RFC 9298 section 5, RFC 9297 section 3.3. 65,536 bytes in four: 0x8001_0000.
    for (bytes, is_last) in [(&b"\0\x80\x01\0\0"[..], false), (b"\0\x05ab", true)] {
        let (_, report) = asking(async move |client| {
            let (_other, id) = client.tunnel().await;
            let (mut stream, _) = client.tunnel().await;
            stream.send_data(Bytes::from_static(bytes)).await.unwrap();
            if is_last {
                stream.finish().await.unwrap();
            }
            let error = stream.recv_data().await.map(|data| data.is_some()).unwrap_err();
            assert!(
                error.to_string().contains("MESSAGE_ERROR") || error.to_string().contains("270"),
                "{error}"
            );
            client.send(HttpDatagram::of_udp(id, b"goes on"));
            assert_eq!(client.arrives().await.unwrap().0, b"goes on");
        });
        assert_eq!((report.connections, report.errors), (2, 1));
    }
}

#[test]
fn the_end_of_the_stream_closes_the_socket_and_frees_its_port() {
    // RFC 9298 section 3.1: the socket lives as long as the stream of the request.
    let (_, report) = asking(async |client| {
        let (mut stream, id) = client.tunnel().await;
        client.send(HttpDatagram::of_udp(id, b"first"));
        let (_, from) = client.arrives().await.unwrap();
        stream.finish().await.unwrap();
        assert!(stream.recv_data().await.unwrap().is_none(), "the proxy ends it too");
        client.target.send_to(b"late", from).await.unwrap();
        assert_eq!(client.comes_back().await, None);
        client.send(HttpDatagram::of_udp(id, b"late"));
        assert_eq!(client.arrives().await, None);
        let (_stream, id) = client.tunnel().await;
        client.send(HttpDatagram::of_udp(id, b"second"));
        assert_eq!(client.arrives().await.unwrap().1, from, "the port is free again");
    });
    assert_eq!((report.connections, report.errors, report.dropped_datagrams), (2, 0, Some(1)));
}

#[test]
fn what_is_too_long_for_a_datagram_and_what_comes_from_others_than_the_target_is_dropped() {
    let (_, report) = asking(async |client| {
        let (_stream, id) = client.tunnel().await;
        client.send(HttpDatagram::of_udp(id, b"hello"));
        let (_, from) = client.arrives().await.unwrap();
        client.target.send_to(&[1; MOST + 1], from).await.unwrap();
        // From the client itself, around the proxy's request.
        let stranger = SocketAddr::new(IpAddr::V4(Addresses::STANDARD.client), 0);
        let stranger = client.net.datagrams(stranger, mark()).unwrap();
        stranger.send_to(b"from a stranger", from).await.unwrap();
        client.net.sleep(RTT).await;
        client.target.send_to(&[2; MOST], from).await.unwrap();
        assert_eq!(client.comes_back().await.unwrap(), (id, Bytes::from(vec![2; MOST])));
    });
    assert_eq!(report.dropped_datagrams, Some(1));
}

#[test]
fn packets_beyond_the_queue_are_dropped_newest_first_and_counted() {
    let (came, report) = asking(async |client| {
        let (_stream, id) = client.tunnel().await;
        client.send(HttpDatagram::of_udp(id, b"hello"));
        let (_, from) = client.arrives().await.unwrap();
        // 500 kB into a queue of 64 KiB and an initial window.
        for number in 0..500_u32 {
            let mut packet = [0; 1_000];
            packet[..4].copy_from_slice(&number.to_be_bytes());
            client.target.send_to(&packet, from).await.unwrap();
        }
        let mut came = Vec::new();
        while let Some((_, mut packet)) = client.comes_back().await {
            came.push(packet.get_u32());
        }
        came
    });
    let first: Vec<u32> = (0..came.len() as u32).collect();
    assert_eq!(came, first, "the newest are dropped");
    assert!((60..200).contains(&came.len()), "{}", came.len());
    assert_eq!(report.dropped_datagrams, Some(500 - came.len() as u64));
    assert_eq!(report.datagrams, Some(1 + came.len() as u64));
}
