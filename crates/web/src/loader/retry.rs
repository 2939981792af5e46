//! Opening TCP connections as browsers do: a second one beside one that is slow to come.
//!
//! Chromium's backup connect job: it is there for a SYN that was lost, and on a satellite path it opens a duplicate of
//! each connection, because the round trip is longer than its patience of 250 ms.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;

use bentpipe_net::{Net, Stream, within};
use bentpipe_run::{Algorithm, ConnectionReport, Dscp, Purpose};
use futures_util::future::{Either, select};

use super::idle;
use super::session::Session;
use super::spares::{Opened, Spares};
use crate::connection::{Connections, ProbeOf, Window};

/// Opens a connection to `to`, or takes one of its spare ones.
///
/// When a connection has not come within `connect_retry_ns`, a second one is opened beside it, once. The first to come is
/// the answer; the other is a spare one when it comes. With Fast Open and a cookie a connection comes at once.
pub(super) async fn open<N: Net>(
    session: &Session<N>,
    spares: &Spares<N::Stream>,
    to: SocketAddr,
) -> io::Result<Opened<N::Stream>> {
    if let Some(spare) = spares.take() {
        return Ok(spare);
    }
    let attempt = |purpose| Attempt::of(session, to, purpose).run();
    let Some(patience) = session.client.spec.tcp.connect_retry_ns else { return attempt(None).await };
    let mut first = Box::pin(attempt(None));
    if let Some(result) = within(&session.net, patience, &mut first).await {
        return result;
    }
    let second = Box::pin(attempt(Some(Purpose::Duplicate)));
    match select(first, second).await {
        // Where one fails the other decides.
        Either::Left((result, other)) => settle(session, spares, result, other).await,
        Either::Right((result, other)) => settle(session, spares, result, other).await,
    }
}

/// One of two attempts has ended, and `other` has not.
async fn settle<N: Net>(
    session: &Session<N>,
    spares: &Spares<N::Stream>,
    result: io::Result<Opened<N::Stream>>,
    other: impl Future<Output = io::Result<Opened<N::Stream>>> + 'static,
) -> io::Result<Opened<N::Stream>> {
    let Ok(opened) = result else { return other.await };
    let (net, connections) = (session.net.clone(), session.connections.clone());
    let (spares, idle_reset) = (spares.clone(), session.client.spec.tcp.idle_reset_ns);
    session.net.spawn(async move {
        // Nobody waits for it: that it failed changes nothing.
        if let Ok(opened) = pin!(other).await {
            let rest = idle::rest(&net, &connections, idle_reset, opened.index);
            spares.put(opened, rest);
        }
    });
    Ok(opened)
}

/// What opening a connection needs, apart from the session: the slower of two outlives its request.
struct Attempt<N: Net> {
    net: N,
    connections: Connections<ProbeOf<N>>,
    to: SocketAddr,
    cc: Algorithm,
    mark: Dscp,
    report: ConnectionReport,
}

impl<N: Net> Attempt<N> {
    fn of(session: &Session<N>, to: SocketAddr, purpose: Option<Purpose>) -> Self {
        let Session { net, client, load, connections, .. } = session;
        // Over TLS the protocol is negotiated.
        let protocol = if load.http.is_tls() { "" } else { load.http.alpn() };
        let report = ConnectionReport {
            transport: "tcp".to_owned(),
            protocol: protocol.to_owned(),
            started: net.now(),
            purpose,
            ..ConnectionReport::default()
        };
        let (net, connections) = (net.clone(), connections.clone());
        Self { net, connections, to, cc: client.spec.cc, mark: client.spec.mark(), report }
    }

    async fn run(self) -> io::Result<Opened<N::Stream>> {
        let Self { net, connections, to, cc, mark, report } = self;
        let stream = net.connect(to, cc, mark).await?;
        let report = ConnectionReport { client_port: stream.local_port()?, ..report };
        let index = connections.add(report, Window::Tcp(stream.probe()));
        Ok(Opened { stream, index })
    }
}
