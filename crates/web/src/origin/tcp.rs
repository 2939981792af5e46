use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use bentpipe_run::ConnectionReport;
use tokio_rustls::TlsAcceptor;

use super::{Config, OriginError, Probe, h1, h2};
use crate::connection::{Connections, Window};
use crate::net::{Listener, Net, Stream};
use crate::page::Site;

/// HTTP/1.1 in clear text.
pub(super) fn serve_clear<N: Net>(
    net: &N,
    at: SocketAddr,
    site: &Rc<Site>,
    connections: &Connections<Probe<N>>,
    config: &Config,
) -> Result<(), OriginError> {
    let site = Rc::clone(site);
    accept_loop(net, at, connections, config, move |accepted| {
        let site = Rc::clone(&site);
        async move {
            let Accepted { stream, connections, index, .. } = accepted;
            connections.update(index, |report| report.protocol = "http/1.1".to_owned());
            h1::serve(stream, site).await;
        }
    })
}

/// HTTP/1.1 or HTTP/2 over TLS, as ALPN decides.
pub(super) fn serve_tls<N: Net>(
    net: &N,
    at: SocketAddr,
    site: &Rc<Site>,
    connections: &Connections<Probe<N>>,
    config: &Config,
) -> Result<(), OriginError> {
    let acceptor = TlsAcceptor::from(Arc::new(config.identity.server_config(&["h2", "http/1.1"])?));
    let http2 = config.spec.http2.clone();
    let site = Rc::clone(site);
    accept_loop(net, at, connections, config, move |accepted| {
        let (site, acceptor, http2) = (Rc::clone(&site), acceptor.clone(), http2.clone());
        async move {
            let Accepted { stream, net, connections, index } = accepted;
            // A client that breaks off the handshake ends its own connection and no other.
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let secured = net.now();
            let is_h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            connections.update(index, |report| {
                report.secured = Some(secured);
                report.protocol = if is_h2 { "h2" } else { "http/1.1" }.to_owned();
            });
            if is_h2 {
                h2::serve(&net, stream, site, &http2).await;
            } else {
                h1::serve(stream, site).await;
            }
        }
    })
}

/// A connection just accepted.
pub(crate) struct Accepted<N: Net> {
    pub(crate) stream: N::Stream,
    pub(crate) net: N,
    pub(crate) connections: Connections<Probe<N>>,
    pub(crate) index: usize,
}

/// Accepts connections for ever and runs `serve` on each.
pub(crate) fn accept_loop<N: Net, F: Future<Output = ()> + 'static>(
    net: &N,
    at: SocketAddr,
    connections: &Connections<Probe<N>>,
    config: &Config,
    serve: impl Fn(Accepted<N>) -> F + 'static,
) -> Result<(), OriginError> {
    let mut listener = net.listen(at, config.spec.cc)?;
    let (net, connections) = (net.clone(), connections.clone());
    net.clone().spawn(async move {
        // The listener fails only when its host is torn down.
        while let Ok((stream, peer)) = listener.accept().await {
            let now = net.now();
            let report = ConnectionReport {
                transport: "tcp".to_owned(),
                client_port: peer.port(),
                started: now,
                connected: Some(now),
                ..ConnectionReport::default()
            };
            let index = connections.add(report, Window::Tcp(stream.probe()));
            let accepted = Accepted { stream, net: net.clone(), connections: connections.clone(), index };
            net.spawn(serve(accepted));
        }
    });
    Ok(())
}
