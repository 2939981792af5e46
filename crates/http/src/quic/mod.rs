//! QUIC by the noq library: endpoints configured from the run's spec.

mod controller;
mod early;
mod event_logs;
mod h3_frames;
mod h3_transport;
mod paths;
mod processing;
mod protection;
mod relayed;
mod resume_events;
mod sender;
mod tokens;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use bentpipe_net::{Net, TcpSample};
use bentpipe_run::{AckFrequencySpec, ConnectionReport, QuicSpec, RunSpec, Transport};
use bentpipe_units::Bytes;
use noq::{AckFrequencyConfig, Endpoint, EndpointConfig, TransportConfig, VarInt};
use noq_proto::PathId;

pub use early::{Early, secured};
pub use event_logs::EventLogs;
pub use h3_transport::{H3Connection, Opener, StreamPriorities};
pub use paths::Paths;
pub use relayed::{ProxyEnd, asked_for};
pub use sender::{Role, Sender};

use crate::tls::{ClientTls, EarlyData, Told};
use controller::{Adapter, Factory};
use processing::ProcessingSocket;

/// Idle time after which a connection is given up: longer than the longest fade a page load outlives.
const IDLE_TIMEOUT_MS: u32 = 60_000;

/// What an endpoint could not do.
#[derive(Debug, thiserror::Error)]
pub enum QuicError {
    /// The UDP socket.
    #[error("QUIC socket: {0}")]
    Socket(#[from] std::io::Error),
    /// TLS settings that QUIC cannot use.
    #[error("QUIC TLS: {0}")]
    Tls(String),
    /// The connection could not be started.
    #[error("QUIC connect: {0}")]
    Connect(#[from] noq::ConnectError),
    /// The connection was lost.
    #[error("QUIC connection: {0}")]
    Connection(#[from] noq::ConnectionError),
}

/// A client as QUIC needs to know it.
#[derive(Clone, Copy, Debug)]
pub struct Client<'a> {
    /// Its run, and how it secures its connections.
    pub tls: ClientTls<'a>,
    /// Its address.
    pub local: IpAddr,
    /// Where events are logged, when they are.
    pub qlog: Option<&'a EventLogs>,
}

/// A service of a host.
#[derive(Clone, Copy, Debug)]
pub struct Host<'a> {
    /// The host's name, which its certificate must have.
    pub name: &'a str,
    /// Address and port of the service.
    pub at: SocketAddr,
}

/// Opens the server's endpoint at `at`.
///
/// # Errors
/// When the port is taken or QUIC cannot use the settings of TLS.
pub fn server<N: Net>(
    net: &N,
    at: SocketAddr,
    tls: rustls::ServerConfig,
    spec: &RunSpec,
    sender: Sender,
    paths: &Paths,
    qlog: Option<&EventLogs>,
) -> Result<Endpoint, QuicError> {
    let mut config = noq::ServerConfig::with_crypto(protection::server(net, tls)?);
    let factory = Factory::new(spec, Role::Origin, sender, paths.to(None, spec), qlog);
    config.transport_config(Arc::new(transport(spec, Role::Origin, sender, factory, qlog)));
    tokens::give_out(&mut config, spec);
    let (socket, runtime) = net.quic_socket(at, sender.dscp)?;
    let socket = ProcessingSocket::over(socket, net.processor());
    Ok(Endpoint::new_with_abstract_socket(
        endpoint(spec, Role::Origin, sender),
        Some(config),
        socket,
        runtime,
    )?)
}

/// A connection that a client has opened.
pub struct Opened {
    /// Keeps the socket open.
    pub endpoint: Endpoint,
    /// The library's.
    pub connection: noq::Connection,
    /// What is known of it so far.
    pub report: ConnectionReport,
}

/// Connects to a service and completes the handshake for one application protocol.
///
/// # Errors
/// When there is no socket, or the handshake fails.
pub async fn connect<N: Net>(
    net: &N,
    client: &Client<'_>,
    host: Host<'_>,
    protocol: &str,
    sender: Sender,
) -> Result<Opened, QuicError> {
    let Started { endpoint, connecting, mut report } = start(net, client, host, protocol, sender)?;
    let connection = connecting.await?;
    complete(net, client, &connection, &mut report).await;
    Ok(Opened { endpoint, connection, report })
}

/// As [`connect`], but with a ticket for early data it returns at once, and with what tells when the handshake is
/// complete.
///
/// # Errors
/// As [`connect`].
pub async fn connect_early<N: Net>(
    net: &N,
    client: &Client<'_>,
    host: Host<'_>,
    protocol: &str,
    sender: Sender,
) -> Result<(Opened, Option<Early>), QuicError> {
    let Started { endpoint, connecting, mut report } = start(net, client, host, protocol, sender)?;
    match connecting.into_0rtt() {
        Ok((connection, accepted)) => {
            Ok((Opened { endpoint, connection, report }, Some(Early::of_client(accepted))))
        }
        Err(connecting) => {
            let connection = connecting.await?;
            complete(net, client, &connection, &mut report).await;
            Ok((Opened { endpoint, connection, report }, None))
        }
    }
}

/// The sender's state of a connection: QUIC's statistics in the terms of TCP's: packets declared lost are the ones retransmitted.
pub fn sample(connection: &noq::Connection) -> Option<TcpSample> {
    let stats = connection.path_stats(PathId::ZERO)?;
    let controller = connection.congestion_state(PathId::ZERO)?.into_any().downcast::<Adapter>().ok()?;
    Some(TcpSample {
        connected: None,
        congestion_control: controller.name().to_owned(),
        cwnd: Bytes::new(stats.cwnd),
        in_flight: controller.in_flight(),
        srtt: Some(stats.rtt.into()),
        min_rtt: controller.min_rtt(),
        delivery_rate: controller.delivery_rate(),
        retransmitted_packets: stats.lost_packets,
        rwnd_limited: None,
        sndbuf_limited: None,
        resumption: controller.resumption().to_vec(),
    })
}

/// A connection whose first flight is on its way.
struct Started {
    endpoint: Endpoint,
    connecting: noq::Connecting,
    report: ConnectionReport,
}

fn start<N: Net>(
    net: &N,
    client: &Client<'_>,
    host: Host<'_>,
    protocol: &str,
    sender: Sender,
) -> Result<Started, QuicError> {
    let tls =
        client.tls.config(Transport::Quic, protocol).map_err(|error| QuicError::Tls(error.to_string()))?;
    let started = net.now();
    let endpoint = client_endpoint(net, client, host, sender, tls)?;
    let connecting = endpoint.connect(host.at, host.name)?;
    let report = ConnectionReport {
        transport: "quic".to_owned(),
        client_port: endpoint.local_addr()?.port(),
        started,
        ..ConnectionReport::default()
    };
    Ok(Started { endpoint, connecting, report })
}

async fn complete<N: Net>(
    net: &N,
    client: &Client<'_>,
    connection: &noq::Connection,
    report: &mut ConnectionReport,
) {
    if let Some(processor) = net.processor() {
        processor.idle().await;
    }
    report.connected = Some(net.now());
    if let Some(secured) = secured(connection, EarlyData::NotTried) {
        Told::of(client.tls.spec).note(&secured, report);
        report.protocol = secured.protocol;
    }
}

fn client_endpoint<N: Net>(
    net: &N,
    client: &Client<'_>,
    host: Host<'_>,
    sender: Sender,
    tls: rustls::ClientConfig,
) -> Result<Endpoint, QuicError> {
    let mut config = noq::ClientConfig::new(protection::client(net, tls)?);
    let path = client.tls.memory.paths.to(Some(host.at.ip()), client.tls.spec);
    let factory = Factory::new(client.tls.spec, Role::Client, sender, path, client.qlog);
    config.transport_config(Arc::new(transport(client.tls.spec, Role::Client, sender, factory, client.qlog)));
    config.token_store(client.tls.memory.store());
    let (socket, runtime) = net.quic_socket(SocketAddr::new(client.local, 0), sender.dscp)?;
    let socket = ProcessingSocket::over(socket, net.processor());
    let settings = endpoint(client.tls.spec, Role::Client, sender);
    let endpoint = Endpoint::new_with_abstract_socket(settings, None, socket, runtime)?;
    endpoint.set_default_client_config(config);
    Ok(endpoint)
}

fn endpoint(spec: &RunSpec, role: Role, sender: Sender) -> EndpointConfig {
    let mut config = EndpointConfig::default();
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&spec.seed.to_le_bytes());
    seed[8] = role as u8;
    seed[9..11].copy_from_slice(&sender.index.to_le_bytes());
    config.rng_seed(Some(seed));
    config.grease_quic_bit(false);
    config
}

fn transport(
    spec: &RunSpec,
    role: Role,
    sender: Sender,
    factory: Factory,
    qlog: Option<&EventLogs>,
) -> TransportConfig {
    let quic: &QuicSpec = &spec.quic;
    let payload = u16::try_from(quic.udp_payload_bytes.get()).unwrap_or(u16::MAX);
    let mut config = TransportConfig::default();
    config
        .congestion_controller_factory(Arc::new(factory))
        .initial_rtt(quic.initial_rtt_ns.into())
        .stream_receive_window(varint(quic.stream_receive_window_bytes.get()))
        .receive_window(varint(quic.receive_window_bytes.get()))
        .send_window(quic.send_window_bytes.get())
        .max_concurrent_bidi_streams(quic.max_concurrent_streams.into())
        .max_idle_timeout(Some(VarInt::from_u32(IDLE_TIMEOUT_MS).into()))
        // The link's MTU is known: probing for it would be traffic that TCP does not have.
        .initial_mtu(payload)
        .mtu_discovery_config(None)
        // One packet a datagram, as the simulator sends them; bursts are the pacer's business.
        .enable_segmentation_offload(false)
        // A random bit per packet tells nothing here, and draws would shift with the traffic.
        .allow_spin(false)
        .ack_frequency_config(quic.ack_frequency.map(ack_frequency));
    if let Some(most) = sender.datagrams {
        config
            .datagram_send_buffer_size(usize::try_from(most.get()).unwrap_or(usize::MAX))
            // The library takes bursts of losses for a path with a smaller MTU than it had, and sends smaller packets from
            // then on, in which no full datagram has room (RFC 9298 section 6.1).
            .min_mtu(payload);
    }
    if let Some(logs) = qlog {
        config.qlog_factory(logs.factory(match role {
            Role::Client => "client",
            Role::Origin => "origin",
            Role::TerminalAccepting | Role::TerminalOpening => "terminal",
            Role::GatewayAccepting | Role::GatewayOpening => "gateway",
        }));
    }
    config
}

/// What this end asks of its peer (draft-ietf-quic-ack-frequency section 4).
fn ack_frequency(wanted: AckFrequencySpec) -> AckFrequencyConfig {
    let mut config = AckFrequencyConfig::default();
    config
        .ack_eliciting_threshold(wanted.ack_eliciting_threshold.into())
        .max_ack_delay(Some(wanted.requested_max_ack_delay_ns.into()))
        .reordering_threshold(wanted.reordering_threshold.into());
    config
}

fn varint(value: u64) -> VarInt {
    VarInt::from_u64(value).unwrap_or(VarInt::MAX)
}
