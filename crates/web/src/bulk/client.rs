use std::io;
use std::net::SocketAddr;

use bentpipe_run::{BulkSpec, ClientReport, ConnectionReport, Direction, TransferReport, Transport};
use tokio::io::AsyncReadExt;

use super::order::Order;
use super::transfer::{receive, send};
use crate::connection::{Connections, Window};
use crate::net::{Bulk, Net, Stream, within};
use crate::origin::Probe;
use crate::quic::{self, QuicError};
use crate::{Client, sampler};

#[derive(Debug, thiserror::Error)]
enum BulkError {
    #[error("bulk flow: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Quic(#[from] QuicError),
}

/// Runs the flow and reports what was seen; never fails, because faults are part of the report.
pub async fn run<N: Net>(net: &N, client: Client, bulk: BulkSpec) -> ClientReport {
    let connections = Connections::<Probe<N>>::new();
    if bulk.direction == Direction::Up {
        sampler::spawn(net, &connections);
    }
    let mut report = ClientReport { started: net.now(), ..ClientReport::default() };
    let timeout = client.spec.validity.timeout_ns;
    match within(net, timeout, flow(net, &client, &bulk, &connections)).await {
        Some(Ok(transfer)) => report.transfer = transfer,
        Some(Err(error)) => report.faults.push(error.to_string()),
        None => report.faults.push(format!("timed out after {timeout}")),
    }
    (report.connections, report.sender) = connections.finish();
    report.tls_secrets = client.secret_lines();
    report
}

async fn flow<N: Net>(
    net: &N,
    client: &Client,
    bulk: &BulkSpec,
    connections: &Connections<Probe<N>>,
) -> Result<Option<TransferReport>, BulkError> {
    match bulk.transport {
        Transport::Tcp => over_tcp(net, client, bulk, connections).await,
        Transport::Quic => over_quic(net, client, bulk, connections).await,
    }
}

async fn over_tcp<N: Net>(
    net: &N,
    client: &Client,
    bulk: &BulkSpec,
    connections: &Connections<Probe<N>>,
) -> Result<Option<TransferReport>, BulkError> {
    let started = net.now();
    let mut stream = net.connect(SocketAddr::new(client.origin, client.ports.bulk), client.spec.cc).await?;
    let report = ConnectionReport {
        transport: "tcp".to_owned(),
        protocol: "bulk".to_owned(),
        client_port: stream.local_port()?,
        started,
        connected: Some(net.now()),
        ..ConnectionReport::default()
    };
    connections.add(report, Window::Tcp(stream.probe()));
    Ok(exchange(net, bulk, &mut stream).await?)
}

async fn over_quic<N: Net>(
    net: &N,
    client: &Client,
    bulk: &BulkSpec,
    connections: &Connections<Probe<N>>,
) -> Result<Option<TransferReport>, BulkError> {
    let quic::Opened { connection, report, .. } =
        quic::connect(net, client, "bulk", client.ports.bulk).await?;
    connections.add(report, Window::Quic(connection.clone()));
    let (out, recv) = connection.open_bi().await.map_err(QuicError::from)?;
    let mut stream = tokio::io::join(recv, out);
    let transfer = exchange(net, bulk, &mut stream).await?;
    connection.close(0u32.into(), b"done");
    Ok(transfer)
}

/// The transfer, when the client is its receiver; the origin reports it otherwise.
async fn exchange<N: Net>(
    net: &N,
    bulk: &BulkSpec,
    stream: &mut impl Bulk,
) -> io::Result<Option<TransferReport>> {
    let order = Order::of(bulk);
    order.write(stream).await?;
    match bulk.direction {
        Direction::Down => receive(net, stream, order.limit).await.map(Some),
        Direction::Up => {
            send(net, stream, order.limit).await?;
            // The origin ends its side when everything has arrived.
            match stream.read(&mut [0]).await? {
                0 => Ok(None),
                _ => Err(io::Error::new(io::ErrorKind::InvalidData, "the receiver of the flow sent data")),
            }
        }
    }
}
