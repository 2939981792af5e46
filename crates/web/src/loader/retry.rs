//! Opening TCP connections as browsers do: another one beside one that is slow to come.
//!
//! Chromium's backup connect job: it is there for a SYN that was lost, and on a satellite path it opens a duplicate of
//! each connection, because the round trip is longer than its patience of 250 ms.

use std::io;
use std::net::SocketAddr;

use bentpipe_net::{Net, Stream, within};
use bentpipe_run::{Algorithm, ConnectionReport, Dscp, Purpose};
use futures_util::future::select_all;

use super::idle;
use super::session::Session;
use super::spares::{Opened, Spares};
use crate::connection::{Connections, ProbeOf, Window};

/// Opens a connection to `to`, or takes one of its spare ones.
///
/// As long as none has come, another one is opened each `connect_retry_ns`, `connect_retries` in all or once. The first to
/// come is the answer. With Fast Open and a cookie a connection comes at once.
pub(super) async fn open<N: Net>(
    session: &Session<N>,
    spares: &Spares<N::Stream>,
    to: SocketAddr,
) -> io::Result<Opened<N::Stream>> {
    if let Some(spare) = spares.take() {
        return Ok(spare);
    }
    let attempt = |purpose| Box::pin(Attempt::of(session, to, purpose).run());
    let tcp = &session.client.spec.tcp;
    let Some(patience) = tcp.connect_retry_ns else { return attempt(None).await };
    let mut left = tcp.connect_retries.unwrap_or(1);
    let mut attempts = vec![attempt(None)];
    loop {
        let mut any = select_all(attempts);
        let ended =
            if left > 0 { within(&session.net, patience, &mut any).await } else { Some((&mut any).await) };
        let Some((result, _, others)) = ended else {
            attempts = any.into_inner();
            attempts.push(attempt(Some(Purpose::Duplicate)));
            left -= 1;
            continue;
        };
        match result {
            Ok(opened) => {
                others.into_iter().for_each(|other| dispose_of(session, spares, other));
                return Ok(opened);
            }
            // Where one fails the others decide.
            Err(error) if others.is_empty() => return Err(error),
            Err(_) => attempts = others,
        }
    }
}

/// Does, when a connection comes that is too late, what becomes of it: a single one is spare, of several none is.
fn dispose_of<N: Net>(
    session: &Session<N>,
    spares: &Spares<N::Stream>,
    late: impl Future<Output = io::Result<Opened<N::Stream>>> + 'static,
) {
    let (net, connections) = (session.net.clone(), session.connections.clone());
    let (spares, tcp) = (spares.clone(), &session.client.spec.tcp);
    let (idle_reset, is_kept) = (tcp.idle_reset_ns, tcp.connect_retries.is_none());
    session.net.spawn(async move {
        // Nobody waits for it: that it failed changes nothing.
        let Ok(opened) = late.await else { return };
        if is_kept {
            let rest = idle::rest(&net, &connections, idle_reset, opened.index);
            spares.put(opened, rest);
        } else {
            drop(connections.closing(opened.index, &net));
        }
    });
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
