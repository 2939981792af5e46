//! The client of a proxy for UDP.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use bentpipe_http::limits::HEADER_LIST_BYTES;
use bentpipe_http::masque::{Capsules, DatagramError, HttpDatagram, Target, udp_packet};
use bentpipe_http::quic::{self, H3Connection, Opener};
use bentpipe_http::tls::{ClientTls, Memory};
use bentpipe_net::{Net, within};
use bentpipe_run::{ConnectionReport, MasqueSpec, PepSpec, RunSpec};
use bytes::{Buf, Bytes};
use futures_util::future::{poll_fn, select};
use h3::ConnectionState;
use h3::client::SendRequest;
use h3::ext::Protocol;
use http::{HeaderMap, Method, Request, Uri, header::HeaderName};
use tokio::sync::{OnceCell, oneshot};

use super::inbox::Inbox;
use super::net::ThroughProxy;
use super::socket::{TunnelSocket, UdpTunnel};
use super::{MasqueError, at, outer, sender};
use crate::Client;
use crate::connection::{Connections, ProbeOf, Window};
use crate::hosts::{Hosts, Remote};
use crate::pep::legs::buffer_bytes;

/// That the stream has capsules (RFC 9297 section 3.4).
pub(super) const CAPSULE_PROTOCOL: HeaderName = HeaderName::from_static("capsule-protocol");
/// Address and port of the proxy's socket (draft-ietf-masque-connect-udp-listen): by it both ends of a connection can be told
/// to be one's.
pub(super) const PUBLIC_ADDRESS: HeaderName = HeaderName::from_static("proxy-public-address");

type Stream = h3::client::RequestStream<<Opener as h3::quic::OpenStreams<Bytes>>::BidiStream, Bytes>;

/// The way to the origin's QUIC through a proxy for UDP: one connection to it over HTTP/3, opened when it is needed first,
/// and on it a request for each connection to the origin.
pub(crate) struct Masque<N: Net> {
    net: N,
    client: Client,
    spec: MasqueSpec,
    /// The run as the outer connection has it.
    outer: RunSpec,
    /// Whose certificate the proxy shows: the page's own host.
    name: String,
    connections: Connections<ProbeOf<N>>,
    open: OnceCell<Open>,
}

struct Open {
    sender: SendRequest<Opener, Bytes>,
    connection: noq::Connection,
    inboxes: Inboxes,
    /// Keeps the socket open.
    _endpoint: noq::Endpoint,
}

/// Where the datagrams of each request go, by quarter stream id.
#[derive(Clone, Default)]
struct Inboxes(Rc<RefCell<BTreeMap<u64, Arc<Inbox>>>>);

impl<N: Net> Masque<N> {
    /// The proxy of a run, if there is one.
    pub(crate) fn of(net: &N, client: &Client, connections: &Connections<ProbeOf<N>>) -> Option<Self> {
        let Some(PepSpec::Masque(spec)) = &client.spec.pep else { return None };
        Some(Self {
            net: net.clone(),
            client: client.clone(),
            spec: spec.clone(),
            outer: outer(&client.spec, spec),
            name: Hosts::of(&client.spec).names()[0].clone(),
            connections: connections.clone(),
            open: OnceCell::new(),
        })
    }

    /// Has the proxy open a socket towards a port of a host. QUIC of the network that is returned goes through it.
    pub(crate) async fn to(&self, remote: &Remote, port: u16) -> Result<ThroughProxy<N>, MasqueError> {
        let open = self.open.get_or_try_init(|| self.open()).await?;
        let target = Target { host: remote.name.clone(), port };
        // Waits while the proxy's limit of concurrent streams is reached.
        let mut stream = open.sender.clone().send_request(self.request(&target)).await.map_err(h3_error)?;
        let id = stream.id().index();
        // A datagram may overtake the answer.
        let inbox = open.inboxes.open(id, buffer_bytes(self.spec.relay_buffer_bytes));
        let answer = within(&self.net, super::HANDSHAKE_LIMIT, stream.recv_response()).await;
        let answer = answer.ok_or(MasqueError::NoAnswer).and_then(|head| head.map_err(h3_error));
        let head = match answer {
            Ok(head) if head.status().is_success() => head,
            Ok(head) => {
                open.inboxes.close(id);
                return Err(MasqueError::Refused(head.status()));
            }
            Err(error) => {
                open.inboxes.close(id);
                return Err(error);
            }
        };
        let (closing, closed) = oneshot::channel();
        let tunnel = UdpTunnel {
            outer: open.connection.clone(),
            quarter_stream_id: id,
            inbox: Arc::clone(&inbox),
            local: public_address(head.headers()).unwrap_or(SocketAddr::new(self.client.local, 0)),
            target: SocketAddr::new(remote.address, port),
            _closed: closing,
        };
        let inboxes = open.inboxes.clone();
        self.net.spawn(async move {
            // Until the proxy ends the stream, or nobody has the socket any more.
            select(pin!(read(&mut stream, &inbox)), closed).await;
            inboxes.close(id);
            let _ = stream.finish().await;
        });
        Ok(ThroughProxy { net: self.net.clone(), socket: TunnelSocket(Arc::new(tunnel)) })
    }

    /// RFC 9298 section 3.4.
    fn request(&self, target: &Target) -> Request<()> {
        let mut request = Request::new(());
        *request.method_mut() = Method::CONNECT;
        *request.uri_mut() = Uri::builder()
            .scheme("https")
            .authority(format!("{}:{}", self.name, super::PORT))
            .path_and_query(target.path())
            .build()
            .expect("names of hosts are of a URI");
        request.extensions_mut().insert(Protocol::CONNECT_UDP);
        request.headers_mut().insert(CAPSULE_PROTOCOL, http::HeaderValue::from_static("?1"));
        request
    }

    async fn open(&self) -> Result<Open, MasqueError> {
        let Self { net, client, spec, connections, .. } = self;
        // What is remembered of the origin is not of the proxy.
        let memory = Memory::default();
        let tls = ClientTls { spec: &self.outer, memory: &memory, ..client.tls() };
        let quic_client = quic::Client { tls, ..client.quic() };
        let proxy = quic::Host { name: &self.name, at: at(client.gateway) };
        let opened = quic::connect(net, &quic_client, proxy, "h3", sender(&client.spec, spec)).await?;
        let quic::Opened { endpoint, connection, report } = opened;
        let report = ConnectionReport { protocol: ConnectionReport::TO_PROXY.to_owned(), ..report };
        connections.add(report, Window::Quic(connection.clone()));

        let mut builder = h3::client::builder();
        builder.send_grease(false).max_field_section_size(HEADER_LIST_BYTES.into());
        builder.enable_datagram(true).enable_extended_connect(true);
        let (mut driver, sender) =
            builder.build::<_, _, Bytes>(H3Connection::new(connection.clone())).await.map_err(h3_error)?;
        let (told, settled) = oneshot::channel();
        net.spawn(async move {
            let mut told = Some(told);
            // Errors reach the requests that meet them.
            let _ = poll_fn(|cx| {
                let closed = driver.poll_close(cx);
                let settings = driver.settings();
                if settings.enable_extended_connect() && settings.enable_datagram() {
                    told.take().map(|told| told.send(()));
                }
                closed
            })
            .await;
        });
        // RFC 9220 section 3 and RFC 9297 section 2.1.1: neither before the proxy's settings have said so.
        let is_told = within(net, super::HANDSHAKE_LIMIT, settled).await;
        if !matches!(is_told, Some(Ok(()))) || connection.max_datagram_size().is_none() {
            return Err(MasqueError::NoDatagrams);
        }
        let inboxes = Inboxes::default();
        net.spawn(deliver(connection.clone(), inboxes.clone()));
        Ok(Open { sender, connection, inboxes, _endpoint: endpoint })
    }
}

impl Inboxes {
    fn open(&self, id: u64, most: usize) -> Arc<Inbox> {
        let inbox = Arc::new(Inbox::new(most));
        self.0.borrow_mut().insert(id, Arc::clone(&inbox));
        inbox
    }

    fn close(&self, id: u64) {
        if let Some(inbox) = self.0.borrow_mut().remove(&id) {
            inbox.close();
        }
    }
}

/// Gives the datagrams of a connection to the sockets they are for, until it is lost. Those of no request are dropped
/// (RFC 9297 section 2.1).
async fn deliver(connection: noq::Connection, inboxes: Inboxes) {
    while let Ok(frame) = connection.read_datagram().await {
        let Ok(datagram) = HttpDatagram::read(frame) else {
            connection.close(DatagramError::CODE.into(), b"a datagram of no stream");
            break;
        };
        let inbox = inboxes.0.borrow().get(&datagram.quarter_stream_id).cloned();
        if let (Some(inbox), Some(packet)) = (inbox, udp_packet(datagram.payload)) {
            inbox.push(packet);
        }
    }
    let left = std::mem::take(&mut *inboxes.0.borrow_mut());
    left.into_values().for_each(|inbox| inbox.close());
}

/// Reads the capsules of a request's stream to its end.
async fn read(stream: &mut Stream, inbox: &Inbox) {
    let mut capsules = Capsules::default();
    while let Ok(Some(mut data)) = stream.recv_data().await {
        while data.has_remaining() {
            let chunk = data.chunk();
            let length = chunk.len();
            let read = capsules.read(chunk, |payload| {
                if let Some(packet) = udp_packet(payload) {
                    inbox.push(packet);
                }
            });
            if read.is_err() {
                stream_error(stream);
                return;
            }
            data.advance(length);
        }
    }
}

/// RFC 9297 section 3.3: what is malformed ends the stream with `H3_MESSAGE_ERROR`.
fn stream_error(stream: &mut Stream) {
    stream.stop_sending(h3::error::Code::H3_MESSAGE_ERROR);
    stream.stop_stream(h3::error::Code::H3_MESSAGE_ERROR);
}

/// The address that the proxy tells, as a string of a structured field (RFC 9651 section 3.3.3).
fn public_address(headers: &HeaderMap) -> Option<SocketAddr> {
    headers.get(PUBLIC_ADDRESS)?.to_str().ok()?.trim_matches('"').parse().ok()
}

fn h3_error(error: impl std::fmt::Display) -> MasqueError {
    MasqueError::H3(error.to_string())
}
