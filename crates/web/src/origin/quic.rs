use std::rc::Rc;

use bentpipe_run::ConnectionReport;

use super::{Host, OriginError};
use crate::connection::Window;
use crate::net::Net;
use crate::quic::{self, Sender};

/// A QUIC connection whose handshake is complete.
pub(crate) struct AcceptedQuic<N: Net> {
    pub(crate) host: Rc<Host<N>>,
    pub(crate) connection: noq::Connection,
    /// Its place in the host's list of connections.
    pub(crate) index: usize,
}

/// Accepts QUIC connections for one application protocol for ever and runs `serve` on each.
pub(crate) fn accept<N: Net, F: Future<Output = ()> + 'static>(
    host: &Rc<Host<N>>,
    port: u16,
    protocol: &'static str,
    sender: Sender,
    serve: impl Fn(AcceptedQuic<N>) -> F + 'static,
) -> Result<(), OriginError> {
    let config = &host.config;
    let tls = config.identity.server_config(&[protocol])?;
    let endpoint = quic::server(&host.net, host.at(port), tls, &config.spec, sender, config.qlog.clone())?;
    let (host, serve) = (Rc::clone(host), Rc::new(serve));
    host.net.clone().spawn(async move {
        while let Some(incoming) = endpoint.accept().await {
            let started = host.net.now();
            let client_port = incoming.remote_address().port();
            let Ok(connecting) = incoming.accept() else { continue };
            let (host, serve) = (Rc::clone(&host), Rc::clone(&serve));
            host.net.clone().spawn(async move {
                // A client that breaks off the handshake ends its own connection and no other.
                let Ok(connection) = connecting.await else { return };
                let report = ConnectionReport {
                    transport: "quic".to_owned(),
                    protocol: protocol.to_owned(),
                    client_port,
                    started,
                    connected: Some(host.net.now()),
                    ..ConnectionReport::default()
                };
                let index = host.connections.add(report, Window::Quic(connection.clone()));
                serve(AcceptedQuic { host, connection, index }).await;
            });
        }
    });
    Ok(())
}
