//! Accepting QUIC connections.

use std::rc::Rc;

use bentpipe_http::quic::{self, Early, Sender, secured};
use bentpipe_http::tls::{EarlyData, TlsSettings, Told};
use bentpipe_net::Net;
use bentpipe_run::{ConnectionReport, Transport};

use super::error::OriginError;
use super::host::Host;
use crate::connection::Window;

/// A QUIC connection over which data may flow: one whose handshake is complete, or, where clients may send early data,
/// one that has started.
pub(crate) struct AcceptedQuic<N: Net> {
    pub(crate) host: Rc<Host<N>>,
    pub(crate) connection: noq::Connection,
    /// Its place in the host's list of connections.
    pub(crate) index: usize,
}

/// Accepts QUIC connections to host number `number` for one application protocol for ever and runs `serve` on
/// each.
pub(crate) fn accept<N: Net, F: Future<Output = ()> + 'static>(
    host: &Rc<Host<N>>,
    number: usize,
    port: u16,
    protocol: &'static str,
    sender: Sender,
    serve: impl Fn(AcceptedQuic<N>) -> F + 'static,
) -> Result<(), OriginError> {
    let config = &host.config;
    let settings = TlsSettings::of(&config.spec, Transport::Quic)?;
    let tls = settings.server(&config.identity, number, &[protocol])?;
    let at = host.at_host(number, port);
    let endpoint = quic::server(&host.net, at, tls, &config.spec, sender, &host.paths, config.qlog.as_ref())?;
    let (host, serve) = (Rc::clone(host), Rc::new(serve));
    host.net.clone().spawn(async move {
        while let Some(incoming) = endpoint.accept().await {
            let started = host.net.now();
            let client_port = incoming.remote_address().port();
            let Ok(mut connecting) = incoming.accept() else { continue };
            let (host, serve) = (Rc::clone(&host), Rc::clone(&serve));
            host.net.clone().spawn(async move {
                let mut report = ConnectionReport {
                    transport: "quic".to_owned(),
                    protocol: protocol.to_owned(),
                    client_port,
                    started,
                    ..ConnectionReport::default()
                };
                if settings.has_early_data() {
                    // The client's limits come with its ClientHello, of which there may be more than one datagram. A
                    // stream that is asked for before them is never opened, for the library tells nobody that it may be.
                    if connecting.handshake_data().await.is_err() {
                        return;
                    }
                    let Ok((connection, complete)) = connecting.into_0rtt() else { return };
                    let index = host.connections.add(report, Window::Quic(connection.clone()));
                    note_completion(&host, index, connection.clone(), Early::of_origin(complete));
                    serve(AcceptedQuic { host, connection, index }).await;
                    return;
                }
                // A client that breaks off the handshake ends its own connection and no other.
                let Ok(connection) = connecting.await else { return };
                report.connected = Some(host.net.now());
                if let Some(secured) = secured(&connection, EarlyData::NotTried) {
                    Told::of(&host.config.spec).note(&secured, &mut report);
                }
                let index = host.connections.add(report, Window::Quic(connection.clone()));
                serve(AcceptedQuic { host, connection, index }).await;
            });
        }
    });
    Ok(())
}

/// Writes down when the handshake is complete, and how it went.
fn note_completion<N: Net>(host: &Rc<Host<N>>, index: usize, connection: noq::Connection, early: Early) {
    let host = Rc::clone(host);
    host.net.clone().spawn(async move {
        let Some(secured) = early.secured(&connection).await else { return };
        let (now, told) = (host.net.now(), Told::of(&host.config.spec));
        host.connections.update(index, |report| {
            report.connected = Some(now);
            told.note(&secured, report);
        });
    });
}
