use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use bentpipe_run::{BulkSpec, ClientReport, ConnectionReport, Direction, RunSpec, TransferReport, Transport};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

use super::order::Order;
use super::transfer::{receive, send};
use crate::connection::{Connections, Window};
use crate::net::{Net, Stream, within};
use crate::origin::Probe;
use crate::quic::{self, QuicError};
use crate::tls::{self, Secrets};
use crate::{HOST, Ports, sampler};

/// What a bulk client needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    /// The run.
    pub spec: RunSpec,
    /// Its flow.
    pub bulk: BulkSpec,
    /// The certificate authority to trust.
    pub authority_der: Vec<u8>,
    /// The origin's address.
    pub origin: IpAddr,
    /// The origin's ports.
    pub ports: Ports,
    /// The client's own address.
    pub local: IpAddr,
    /// Where TLS secrets go, when they are captured.
    pub secrets: Option<Arc<Secrets>>,
    /// Folder for QUIC event logs.
    pub qlog: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum BulkError {
    #[error("bulk flow: {0}")]
    Io(#[from] io::Error),
    #[error("bulk TLS: {0}")]
    Tls(#[from] rustls::Error),
    #[error(transparent)]
    Quic(#[from] QuicError),
}

/// Runs the flow and reports what was seen; never fails, because faults are part of the report.
pub async fn run<N: Net>(net: &N, config: Config) -> ClientReport {
    let connections = Connections::<Probe<N>>::new();
    if config.bulk.direction == Direction::Up {
        sampler::spawn(net, &connections);
    }
    let mut report = ClientReport { started: net.now(), ..ClientReport::default() };
    let timeout = config.spec.validity.timeout_ns;
    match within(net, timeout, flow(net, &config, &connections)).await {
        Some(Ok(transfer)) => report.transfer = transfer,
        Some(Err(error)) => report.faults.push(error.to_string()),
        None => report.faults.push(format!("timed out after {timeout}")),
    }
    (report.connections, report.sender) = connections.finish();
    report.tls_secrets = config.secrets.map(|secrets| secrets.lines()).unwrap_or_default();
    report
}

async fn flow<N: Net>(
    net: &N,
    config: &Config,
    connections: &Connections<Probe<N>>,
) -> Result<Option<TransferReport>, BulkError> {
    match config.bulk.transport {
        Transport::Tcp => over_tcp(net, config, connections).await,
        Transport::Quic => over_quic(net, config, connections).await,
    }
}

async fn over_tcp<N: Net>(
    net: &N,
    config: &Config,
    connections: &Connections<Probe<N>>,
) -> Result<Option<TransferReport>, BulkError> {
    let started = net.now();
    let stream = net.connect(SocketAddr::new(config.origin, config.ports.bulk), config.spec.cc).await?;
    let report = ConnectionReport {
        transport: "tcp".to_owned(),
        protocol: "bulk".to_owned(),
        client_port: stream.local_port()?,
        started,
        connected: Some(net.now()),
        ..ConnectionReport::default()
    };
    connections.add(report, Window::Tcp(stream.probe()));
    let (mut recv, mut out) = tokio::io::split(stream);
    Ok(exchange(net, &config.bulk, &mut recv, &mut out).await?)
}

async fn over_quic<N: Net>(
    net: &N,
    config: &Config,
    connections: &Connections<Probe<N>>,
) -> Result<Option<TransferReport>, BulkError> {
    let tls = tls::client_config(&config.authority_der, &["bulk"], config.secrets.clone())?;
    let started = net.now();
    let endpoint = quic::client(net, config.local, tls, &config.spec, config.qlog.clone())?;
    let origin = SocketAddr::new(config.origin, config.ports.bulk);
    let connecting = endpoint.connect(origin, HOST).map_err(QuicError::from)?;
    let connection = connecting.await.map_err(QuicError::from)?;
    let report = ConnectionReport {
        transport: "quic".to_owned(),
        protocol: quic::negotiated_protocol(&connection),
        client_port: endpoint.local_addr()?.port(),
        started,
        connected: Some(net.now()),
        ..ConnectionReport::default()
    };
    connections.add(report, Window::Quic(connection.clone()));
    let (mut out, mut recv) = connection.open_bi().await.map_err(QuicError::from)?;
    let transfer = exchange(net, &config.bulk, &mut recv, &mut out).await?;
    connection.close(0u32.into(), b"done");
    Ok(transfer)
}

/// The transfer, when the client is its receiver; the origin reports it otherwise.
async fn exchange<N: Net>(
    net: &N,
    bulk: &BulkSpec,
    recv: &mut (impl AsyncRead + Unpin),
    out: &mut (impl AsyncWrite + Unpin),
) -> io::Result<Option<TransferReport>> {
    let order = Order::of(bulk);
    order.write(out).await?;
    match bulk.direction {
        Direction::Down => receive(net, recv, order.limit).await.map(Some),
        Direction::Up => {
            send(net, out, order.limit).await?;
            // The origin ends its side when everything has arrived.
            recv.read(&mut [0]).await?;
            Ok(None)
        }
    }
}
