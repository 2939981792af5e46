use std::rc::Rc;
use std::sync::Arc;

use bentpipe_run::{CongestionControl, ConnectionReport, Dscp, Http, RunSpec, Transport, Workload};
use bentpipe_units::Duration;
use tokio_rustls::TlsAcceptor;

use super::{Host, OriginError, h1, h2};
use crate::connection::Window;
use crate::net::{Listener, Net, Stream};
use crate::page::Site;

/// Rest after a connection that could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// A TCP connection just accepted.
pub(crate) struct AcceptedTcp<N: Net> {
    pub(crate) host: Rc<Host<N>>,
    pub(crate) stream: N::Stream,
    /// Its place in the host's list of connections.
    pub(crate) index: usize,
}

/// Accepts TCP connections for ever, whose senders use `cc` and mark with `dscp`, and runs `serve` on each.
pub(crate) fn accept<N: Net, F: Future<Output = ()> + 'static>(
    host: &Rc<Host<N>>,
    port: u16,
    cc: CongestionControl,
    dscp: Dscp,
    serve: impl Fn(AcceptedTcp<N>) -> F + 'static,
) -> Result<(), OriginError> {
    let mut listener = host.net.listen(host.at(port), cc, dscp)?;
    let host = Rc::clone(host);
    host.net.clone().spawn(async move {
        loop {
            let Ok((stream, peer)) = listener.accept().await else {
                // No descriptor was free, or the client has left already: the next one may have more luck.
                host.net.sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let now = host.net.now();
            let report = ConnectionReport {
                transport: "tcp".to_owned(),
                client_port: peer.port(),
                started: now,
                connected: Some(now),
                ..ConnectionReport::default()
            };
            let index = host.connections.add(report, Window::Tcp(stream.probe()));
            host.net.spawn(serve(AcceptedTcp { host: Rc::clone(&host), stream, index }));
        }
    });
    Ok(())
}

/// The run's; beside a page over QUIC, whose own need not be one of the kernel's, the one that every kernel has.
fn congestion_control(spec: &RunSpec) -> CongestionControl {
    match &spec.workload {
        Workload::PageLoad(load) if load.http.transport() == Transport::Quic => CongestionControl::Reno,
        _ => spec.cc,
    }
}

/// HTTP/1.0 or HTTP/1.1 in clear text.
pub(super) fn serve_clear<N: Net>(host: &Rc<Host<N>>, site: &Arc<Site>) -> Result<(), OriginError> {
    let site = Arc::clone(site);
    let spec = &host.config.spec;
    accept(host, host.config.ports.http, congestion_control(spec), spec.mark(), move |accepted| {
        let site = Arc::clone(&site);
        async move {
            let AcceptedTcp { host, stream, index } = accepted;
            let protocol = clear_protocol(&host.config.spec);
            host.connections.update(index, |report| report.protocol = protocol.to_owned());
            h1::serve(&host, stream, &site).await;
        }
    })
}

/// What a run in clear text speaks; nothing in it says so but the requests.
fn clear_protocol(spec: &RunSpec) -> &'static str {
    match &spec.workload {
        Workload::PageLoad(load) if !load.http.is_tls() => load.http.alpn(),
        _ => Http::H1.alpn(),
    }
}

/// HTTP/1.x or HTTP/2 over TLS, as ALPN decides.
pub(super) fn serve_tls<N: Net>(host: &Rc<Host<N>>, site: &Arc<Site>) -> Result<(), OriginError> {
    let tls = host.config.identity.server_config(&["h2", "http/1.1", "http/1.0"])?;
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let site = Arc::clone(site);
    let spec = &host.config.spec;
    accept(host, host.config.ports.https, congestion_control(spec), spec.mark(), move |accepted| {
        let (site, acceptor) = (Arc::clone(&site), acceptor.clone());
        async move {
            let AcceptedTcp { host, stream, index } = accepted;
            // A client that breaks off the handshake ends its own connection and no other.
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let secured = host.net.now();
            let negotiated = stream.get_ref().1.alpn_protocol().unwrap_or(b"http/1.1");
            let negotiated = String::from_utf8_lossy(negotiated).into_owned();
            let is_h2 = negotiated == Http::H2.alpn();
            host.connections.update(index, |report| {
                report.secured = Some(secured);
                report.protocol = negotiated;
            });
            if is_h2 {
                h2::serve(&host, stream, site).await;
            } else {
                h1::serve(&host, stream, &site).await;
            }
        }
    })
}
