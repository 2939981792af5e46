use std::net::SocketAddr;
use std::rc::Rc;

use bentpipe_run::ConnectionReport;
use bytes::Bytes;
use h3::quic::BidiStream;
use h3::server::RequestStream;
use http::{Request, Response};

use super::respond::respond;
use super::{Config, OriginError, Probe};
use crate::connection::{Connections, Window};
use crate::net::Net;
use crate::page::Site;
use crate::quic::{self, H3Connection};

/// HTTP/3 (RFC 9114).
pub(super) fn serve<N: Net>(
    net: &N,
    at: SocketAddr,
    site: &Rc<Site>,
    connections: &Connections<Probe<N>>,
    config: &Config,
) -> Result<(), OriginError> {
    let site = Rc::clone(site);
    accept_loop(net, at, &["h3"], connections, config, move |accepted| {
        let site = Rc::clone(&site);
        async move {
            let AcceptedQuic { connection, net } = accepted;
            // Grease frames have random lengths.
            let mut builder = h3::server::builder();
            builder.send_grease(false);
            let Ok(mut connection) = builder.build::<_, Bytes>(H3Connection::new(connection)).await else {
                return;
            };
            while let Ok(Some(resolver)) = connection.accept().await {
                let site = Rc::clone(&site);
                net.spawn(async move {
                    // A request that the client gives up ends here, the connection goes on.
                    if let Ok((request, stream)) = resolver.resolve_request().await {
                        let _ = answer(&site, &request, stream).await;
                    }
                });
            }
        }
    })
}

/// A QUIC connection whose handshake is complete.
pub(crate) struct AcceptedQuic<N: Net> {
    pub(crate) connection: noq::Connection,
    pub(crate) net: N,
}

/// Accepts QUIC connections for ever and runs `serve` on each.
pub(crate) fn accept_loop<N: Net, F: Future<Output = ()> + 'static>(
    net: &N,
    at: SocketAddr,
    alpn: &[&str],
    connections: &Connections<Probe<N>>,
    config: &Config,
    serve: impl Fn(AcceptedQuic<N>) -> F + Clone + 'static,
) -> Result<(), OriginError> {
    let tls = config.identity.server_config(alpn)?;
    let endpoint = quic::server(net, at, tls, &config.spec, config.qlog.clone())?;
    let protocol = alpn.first().copied().unwrap_or_default().to_owned();
    let (net, connections) = (net.clone(), connections.clone());
    net.clone().spawn(async move {
        while let Some(incoming) = endpoint.accept().await {
            let started = net.now();
            let client_port = incoming.remote_address().port();
            let Ok(connecting) = incoming.accept() else { continue };
            let (net, connections, serve, protocol) =
                (net.clone(), connections.clone(), serve.clone(), protocol.clone());
            net.clone().spawn(async move {
                // A client that breaks off the handshake ends its own connection and no other.
                let Ok(connection) = connecting.await else { return };
                let report = ConnectionReport {
                    transport: "quic".to_owned(),
                    protocol,
                    client_port,
                    started,
                    connected: Some(net.now()),
                    ..ConnectionReport::default()
                };
                connections.add(report, Window::Quic(connection.clone()));
                serve(AcceptedQuic { connection, net }).await;
            });
        }
    });
    Ok(())
}

async fn answer<S: BidiStream<Bytes>>(
    site: &Site,
    request: &Request<()>,
    mut stream: RequestStream<S, Bytes>,
) -> Result<(), h3::error::StreamError> {
    let (head, body) = respond(site, request.method(), request.uri().path()).into_parts();
    stream.send_response(Response::from_parts(head, ())).await?;
    if !body.is_empty() {
        stream.send_data(body).await?;
    }
    stream.finish().await
}
