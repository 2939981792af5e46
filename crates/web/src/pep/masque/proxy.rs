//! A proxy for UDP at the gateway (RFC 9298).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use bentpipe_http::limits::HEADER_LIST_BYTES;
use bentpipe_http::masque::{Capsules, DatagramError, HttpDatagram, Target, udp_packet};
use bentpipe_http::quic::{self, H3Connection, Opener, Paths};
use bentpipe_http::tls::TlsSettings;
use bentpipe_net::{Datagrams, Net, within};
use bentpipe_run::{Direction, Dscp, MasqueSpec, Transport, Workload};
use bytes::{Buf, Bytes};
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use h3::ConnectionState;
use h3::error::{Code, StreamError};
use h3::ext::Protocol;
use h3::quic::{BidiStream, OpenStreams};
use h3::server::{RequestResolver, RequestStream};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use noq::{ConnectionError, SendDatagramError};
use tokio::sync::{Semaphore, mpsc};

use super::client::{CAPSULE_PROTOCOL, PUBLIC_ADDRESS};
use super::{HANDSHAKE_LIMIT, at, most_packet_bytes, outer, sender};
use crate::hosts::Hosts;
use crate::pep::config::Config;
use crate::pep::counters::Counters;
use crate::pep::error::PepError;
use crate::pep::legs::buffer_bytes;

/// Clients served at once; a further one is refused.
const MOST_CLIENTS: usize = 256;
/// Packets of a request that wait for its socket; the kernel's takes them at once.
const PACKETS_TO_SEND: usize = 256;
/// Ports of the sockets towards targets: above those that a kernel gives out (`ip_local_port_range`, 60999).
const FIRST_PORT: u16 = 61_000;

type Both = <Opener as OpenStreams<Bytes>>::BidiStream;
type SendHalf = RequestStream<<Both as BidiStream<Bytes>>::SendStream, Bytes>;
type RecvHalf = RequestStream<<Both as BidiStream<Bytes>>::RecvStream, Bytes>;

/// What all connections of the proxy share.
struct Proxy<N> {
    /// The network on the origin's side.
    net: N,
    /// Its own address there.
    address: IpAddr,
    dscp: Dscp,
    hosts: Hosts,
    origin: IpAddr,
    /// Where the run's own services are, and no others.
    ports: Vec<u16>,
    most_packet_bytes: usize,
    counters: Counters,
}

/// One client's connection.
struct Session<N> {
    proxy: Rc<Proxy<N>>,
    connection: noq::Connection,
    /// Where the datagrams of each request go, by quarter stream id.
    requests: RefCell<BTreeMap<u64, mpsc::Sender<Bytes>>>,
}

/// Accepts clients for ever.
pub(in crate::pep) fn start<N: Net>(
    net: &N,
    config: &Config,
    masque: &MasqueSpec,
    counters: &Counters,
) -> Result<(), PepError> {
    let (spec, most) = (&config.spec, most_packet_bytes(masque));
    if spec.quic.udp_payload_bytes > most {
        return Err(PepError::TooSmall { most, found: spec.quic.udp_payload_bytes });
    }
    let tls = TlsSettings::of(spec, Transport::Quic)?.server(&config.identity, 0, &["h3"])?;
    let (outer, sender) = (outer(spec, masque), sender(spec, masque));
    let endpoint = quic::server(net, at(config.address), tls, &outer, sender, &Paths::default(), None)?;
    counters.has_datagrams();
    let proxy = Rc::new(Proxy {
        net: net.clone(),
        address: config.address,
        dscp: spec.mark(),
        hosts: Hosts::of(spec),
        origin: config.origin,
        ports: ports(config),
        most_packet_bytes: buffer_bytes(most),
        counters: counters.clone(),
    });
    let places = Arc::new(Semaphore::new(MOST_CLIENTS));
    net.spawn(async move {
        while let Some(incoming) = endpoint.accept().await {
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                incoming.refuse();
                continue;
            };
            let Ok(connecting) = incoming.accept() else { continue };
            let serving = Rc::clone(&proxy).serve(connecting);
            proxy.net.spawn(async move {
                serving.await;
                drop(place);
            });
        }
    });
    Ok(())
}

/// The ports of the origin that the run's QUIC uses: HTTP/3's, or that of each flow.
fn ports(config: &Config) -> Vec<u16> {
    match &config.spec.workload {
        Workload::PageLoad(_) => vec![config.ports.https],
        Workload::Bulk(_) | Workload::Flows(_) | Workload::Iperf3(_) | Workload::Ping(_) => {
            let flows = config.spec.flows().map_or(0, |flows| flows.flows.len());
            (config.ports.bulk..).take(flows).collect()
        }
    }
}

impl<N: Net> Proxy<N> {
    /// Serves a client until it closes.
    async fn serve(self: Rc<Self>, connecting: noq::Connecting) {
        let Some(Some(connection)) = within(&self.net, HANDSHAKE_LIMIT, settings_early(connecting)).await
        else {
            return;
        };
        let mut builder = h3::server::builder();
        builder.send_grease(false).max_field_section_size(HEADER_LIST_BYTES.into());
        builder.enable_datagram(true).enable_extended_connect(true);
        let Ok(mut h3) = builder.build::<_, Bytes>(H3Connection::new(connection.clone())).await else {
            return;
        };
        let session = Rc::new(Session { proxy: Rc::clone(&self), connection, requests: RefCell::default() });
        let delivering = Rc::clone(&session);
        self.net.spawn(async move { delivering.deliver().await });
        while let Ok(Some(resolver)) = h3.accept().await {
            let session = Rc::clone(&session);
            self.net.spawn(async move {
                // A stream that the client resets ends here, the connection goes on.
                let _ = session.answer(resolver).await;
            });
        }
    }

    /// Where the packets of a request go: nowhere but to the services of the run's hosts.
    fn asked_for(&self, request: &Request<()>) -> Result<SocketAddr, StatusCode> {
        if request.method() != Method::CONNECT {
            return Err(StatusCode::METHOD_NOT_ALLOWED);
        }
        // RFC 9298 section 3.4.
        let is_udp = request.extensions().get::<Protocol>() == Some(&Protocol::CONNECT_UDP);
        let is_https = request.uri().scheme_str() == Some("https");
        if !is_udp || !is_https {
            return Err(StatusCode::BAD_REQUEST);
        }
        let path = request.uri().path_and_query().map_or("", |path| path.as_str());
        let target = Target::of_path(path).map_err(|_| StatusCode::BAD_REQUEST)?;
        let host = self.hosts.number(&target.host).ok_or(StatusCode::FORBIDDEN)?;
        if !self.ports.contains(&target.port) {
            return Err(StatusCode::FORBIDDEN);
        }
        Ok(SocketAddr::new(Hosts::address(self.origin, host), target.port))
    }

    /// A socket of its own, and where it is.
    fn socket(&self) -> Option<(N::Datagrams, SocketAddr)> {
        (FIRST_PORT..=u16::MAX).find_map(|port| {
            let at = SocketAddr::new(self.address, port);
            Some((self.net.datagrams(at, self.dscp).ok()?, at))
        })
    }
}

impl<N: Net> Session<N> {
    /// Gives the client's datagrams to the requests they are for, until the connection is lost. Those of no request are
    /// dropped (RFC 9297 section 2.1), also those that come before it.
    async fn deliver(&self) {
        while let Ok(frame) = self.connection.read_datagram().await {
            let Ok(datagram) = HttpDatagram::read(frame) else {
                self.connection.close(DatagramError::CODE.into(), b"a datagram of no stream");
                break;
            };
            self.pass_up(datagram.quarter_stream_id, datagram.payload);
        }
        // The sockets of what is left close.
        self.requests.borrow_mut().clear();
    }

    fn pass_up(&self, request: u64, payload: Bytes) {
        let requests = self.requests.borrow();
        // A capsule may have more than fits into a packet of the path; what waits is bounded by that.
        let packet = udp_packet(payload).filter(|packet| packet.len() <= self.proxy.most_packet_bytes);
        let waits = match (requests.get(&request), packet) {
            (Some(socket), Some(packet)) => socket.try_send(packet).is_ok(),
            _ => false,
        };
        if !waits {
            self.proxy.counters.dropped();
        }
    }

    /// Opens a socket for a request and forwards until the client ends the stream.
    async fn answer(&self, resolver: RequestResolver<H3Connection, Bytes>) -> Result<(), StreamError> {
        let (request, mut stream) = resolver.resolve_request().await?;
        let target = match self.proxy.asked_for(&request) {
            Ok(target) => target,
            Err(status) => return refuse(stream, status).await,
        };
        let counters = &self.proxy.counters;
        counters.opened();
        let Some((socket, at)) = self.proxy.socket() else {
            counters.failed();
            // RFC 9110 section 15.6.4: no port is free now.
            return refuse(stream, StatusCode::SERVICE_UNAVAILABLE).await;
        };
        let id = stream.id().index();
        let (packets, to_send) = mpsc::channel(PACKETS_TO_SEND);
        // The client's first datagrams follow the answer, and may not be dropped for being too early.
        self.requests.borrow_mut().insert(id, packets);
        let forwarded = async {
            stream.send_response(accepted(at)).await?;
            let (mut sending, mut receiving) = stream.split();
            let forwarding = self.forward(&socket, target, to_send, (&sending, &mut receiving));
            let has_failed = forwarding.await.is_err();
            if has_failed && !self.is_closed() {
                counters.failed();
                // RFC 9297 section 3.3.
                sending.stop_stream(Code::H3_MESSAGE_ERROR);
                receiving.stop_sending(Code::H3_MESSAGE_ERROR);
                return Ok(());
            }
            sending.finish().await
        };
        let result = forwarded.await;
        self.requests.borrow_mut().remove(&id);
        result
    }

    /// Forwards both ways until the client ends the stream, or by an error.
    async fn forward(
        &self,
        socket: &N::Datagrams,
        target: SocketAddr,
        to_send: mpsc::Receiver<Bytes>,
        (sending, receiving): (&SendHalf, &mut RecvHalf),
    ) -> Result<(), ()> {
        let id = sending.send_id().index();
        let up = pin!(self.send_up(socket, target, to_send));
        let down = pin!(self.send_down(socket, target, id, sending));
        let ended = pin!(self.capsules(receiving, id));
        match select(ended, select(up, down)).await {
            Either::Left((ended, _)) => ended,
            // The connection is lost.
            Either::Right(_) => Err(()),
        }
    }

    /// Whether the client has closed the connection as one that it needs no longer (RFC 9114 section 8.1).
    fn is_closed(&self) -> bool {
        matches!(self.connection.close_reason(), Some(ConnectionError::ApplicationClosed(close))
            if close.error_code.into_inner() == Code::H3_NO_ERROR.value())
    }

    /// Reads the capsules of a request to the end of its stream.
    async fn capsules(&self, stream: &mut RecvHalf, id: u64) -> Result<(), ()> {
        let mut capsules = Capsules::default();
        while let Some(mut data) = stream.recv_data().await.map_err(|_| ())? {
            while data.has_remaining() {
                let chunk = data.chunk();
                let length = chunk.len();
                capsules.read(chunk, |payload| self.pass_up(id, payload)).map_err(|_| ())?;
                data.advance(length);
            }
        }
        capsules.end().map_err(|_| ())
    }

    /// Sends the client's packets; ends when no more can come.
    async fn send_up(&self, socket: &N::Datagrams, target: SocketAddr, mut packets: mpsc::Receiver<Bytes>) {
        while let Some(packet) = packets.recv().await {
            match socket.send_to(&packet, target).await {
                Ok(()) => self.proxy.counters.forwarded(Direction::Up, packet.len()),
                // An ICMP error, or a packet too long: UDP loses packets.
                Err(_) => self.proxy.counters.dropped(),
            }
        }
    }

    /// Has the target's packets wait for the outer connection; ends when that is lost. When its queue is full the newest
    /// is dropped, as by a router.
    async fn send_down(&self, socket: &N::Datagrams, target: SocketAddr, id: u64, stream: &SendHalf) {
        let counters = &self.proxy.counters;
        // A longer one fills it, and is none that fits.
        let mut buffer = vec![0; self.proxy.most_packet_bytes + 1];
        loop {
            // An ICMP error is about a packet that was lost.
            let Ok((length, from)) = socket.recv_from(&mut buffer).await else { continue };
            // RFC 9298 section 3.1: of the target alone.
            if from != target {
                continue;
            }
            // RFC 9297 section 2.1.1: not before the client has said that it takes datagrams.
            if length > self.proxy.most_packet_bytes || !stream.settings().enable_datagram() {
                counters.dropped();
                continue;
            }
            let frame = HttpDatagram::of_udp(id, &buffer[..length]);
            match self.connection.send_datagram_wait(frame).now_or_never() {
                Some(Ok(())) => counters.forwarded(Direction::Down, length),
                Some(Err(SendDatagramError::ConnectionLost(_))) => return,
                // Too long for the client's limit, or the queue is full.
                Some(Err(_)) | None => counters.dropped(),
            }
        }
    }
}

/// The connection as soon as it can say something: its settings travel with the end of the proxy's handshake, so that the
/// client need not wait for them.
async fn settings_early(mut connecting: noq::Connecting) -> Option<noq::Connection> {
    // The client's limits come with its ClientHello, of which there may be more than one datagram.
    connecting.handshake_data().await.ok()?;
    connecting.into_0rtt().ok().map(|(connection, _)| connection)
}

/// RFC 9298 section 3.5.
fn accepted(at: SocketAddr) -> Response<()> {
    let mut head = Response::new(());
    head.headers_mut().insert(CAPSULE_PROTOCOL, HeaderValue::from_static("?1"));
    let address = HeaderValue::try_from(format!("\"{at}\"")).expect("digits and punctuation");
    head.headers_mut().insert(PUBLIC_ADDRESS, address);
    head
}

async fn refuse(mut stream: RequestStream<Both, Bytes>, status: StatusCode) -> Result<(), StreamError> {
    let mut head = Response::new(());
    *head.status_mut() = status;
    if status == StatusCode::METHOD_NOT_ALLOWED {
        // RFC 9110 section 15.5.6.
        head.headers_mut().insert(header::ALLOW, HeaderValue::from_static("CONNECT"));
    }
    stream.send_response(head).await?;
    stream.finish().await
}
