//! The client's end of all flows.

use std::io;
use std::net::SocketAddr;

use bentpipe_http::quic::{self, QuicError};
use bentpipe_net::{Bulk, Net, Stream, within};
use bentpipe_run::{ClientReport, ConnectionReport, Direction, Reason, TransferReport, Transport};
use bentpipe_units::Time;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::io::AsyncReadExt;

use super::flow::Flow;
use super::order::Order;
use super::transfer::{Receiver, send};
use crate::connection::{Connections, ProbeOf, Window};
use crate::hosts::Remote;
use crate::pep::{Masque, MasqueError};
use crate::{Client, sampler};

#[derive(Debug, thiserror::Error)]
enum BulkError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Quic(#[from] QuicError),
    #[error(transparent)]
    Masque(#[from] MasqueError),
}

/// Runs the flows of the client's spec and reports what was seen; never fails, because faults are part of the report.
pub async fn run<N: Net>(net: &N, client: Client) -> ClientReport {
    let connections = Connections::<ProbeOf<N>>::new();
    let flows = Flow::all(&client.spec);
    if flows.iter().any(|flow| flow.direction == Direction::Up) {
        sampler::spawn(net, &connections);
    }
    let masque = Masque::of(net, &client, &connections);
    let started = net.now();
    let mut report = ClientReport { started, ..ClientReport::default() };
    let work = async {
        let each = |flow: &Flow| {
            let (client, connections, masque) = (&client, &connections, masque.as_ref());
            let task = Task { net, client, connections, masque, started, flow: *flow };
            async move { (task.flow, task.run().await) }
        };
        let mut running: FuturesUnordered<_> = flows.iter().map(each).collect();
        while let Some((flow, result)) = running.next().await {
            match result {
                Ok(transfer) => report.transfers.extend(transfer),
                Err(error) => report.faults.push(Reason::FlowFailed {
                    flow: flow.index,
                    flows: u16::try_from(flows.len()).expect("flows have 16-bit places"),
                    error: error.to_string(),
                }),
            }
        }
    };
    let timeout = client.spec.validity.timeout_ns;
    if within(net, timeout, work).await.is_none() {
        report.faults.push(Reason::TimedOut { timeout_ns: timeout, loaded_objects: None });
    }
    (report.connections, report.sender) = connections.finish();
    report.tls_secrets = client.secret_lines();
    report
}

/// One flow at work.
struct Task<'a, N: Net> {
    net: &'a N,
    client: &'a Client,
    connections: &'a Connections<ProbeOf<N>>,
    /// Through which QUIC goes, where there is one.
    masque: Option<&'a Masque<N>>,
    /// When the workload started.
    started: Time,
    flow: Flow,
}

impl<N: Net> Task<'_, N> {
    /// The transfer, when the client is its receiver; the origin reports it otherwise.
    async fn run(&self) -> Result<Option<TransferReport>, BulkError> {
        let start = self.started + self.flow.start;
        if start > self.net.now() {
            self.net.sleep_until(start).await;
        }
        match self.flow.transport {
            Transport::Tcp => self.over_tcp().await,
            Transport::Quic => self.over_quic().await,
        }
    }

    async fn over_tcp(&self) -> Result<Option<TransferReport>, BulkError> {
        let started = self.net.now();
        let origin = SocketAddr::new(self.client.origin, self.flow.port(self.client.ports));
        let mut stream = self.net.connect(origin, self.flow.cc, self.flow.dscp).await?;
        let report = ConnectionReport {
            transport: "tcp".to_owned(),
            protocol: "bulk".to_owned(),
            client_port: stream.local_port()?,
            flow: Some(self.flow.index),
            started,
            ..ConnectionReport::default()
        };
        self.connections.add(report, Window::Tcp(stream.probe()));
        Ok(self.exchange(&mut stream).await?)
    }

    async fn over_quic(&self) -> Result<Option<TransferReport>, BulkError> {
        let port = self.flow.port(self.client.ports);
        let (remote, client) = (Remote::only(self.client.origin), self.client.quic());
        let (origin, sender) = (remote.service(port), self.flow.sender());
        let opened = match self.masque {
            Some(masque) => {
                let started = self.net.now();
                let through = masque.to(&remote, port).await?;
                let mut opened = quic::connect(&through, &client, origin, "bulk", sender).await?;
                opened.report.started = started;
                opened
            }
            None => quic::connect(self.net, &client, origin, "bulk", sender).await?,
        };
        let quic::Opened { connection, report, .. } = opened;
        let report = ConnectionReport { flow: Some(self.flow.index), ..report };
        self.connections.add(report, Window::Quic(connection.clone()));
        let (out, recv) = connection.open_bi().await.map_err(QuicError::from)?;
        let mut stream = tokio::io::join(recv, out);
        let transfer = self.exchange(&mut stream).await?;
        connection.close(0u32.into(), b"done");
        Ok(transfer)
    }

    async fn exchange(&self, stream: &mut impl Bulk) -> io::Result<Option<TransferReport>> {
        let (net, flow) = (self.net, self.flow);
        let order = Order { direction: flow.direction, limit: flow.limit(self.started, net.now()) };
        order.write(stream).await?;
        match flow.direction {
            Direction::Down => {
                let mut receiver = Receiver::new(net, order.limit);
                let receiving = receiver.run(net, stream);
                match flow.deadline(self.started) {
                    // A flow that is starved at the end would wait for its next byte beyond it.
                    Some(end) => within(net, end.since(net.now()), receiving).await.unwrap_or(Ok(()))?,
                    None => receiving.await?,
                }
                Ok(Some(receiver.report(flow.index)))
            }
            Direction::Up => {
                send(net, stream, order.limit).await?;
                // The origin ends its side when everything has arrived.
                match stream.read(&mut [0]).await? {
                    0 => Ok(None),
                    _ => {
                        Err(io::Error::new(io::ErrorKind::InvalidData, "the receiver of the flow sent data"))
                    }
                }
            }
        }
    }
}
