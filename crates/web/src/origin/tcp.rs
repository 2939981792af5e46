//! Accepting TCP connections, and what is spoken on them.

use std::net::SocketAddr;
use std::rc::Rc;

use bentpipe_http::tls::{Accepted, Acceptor, Secured, TlsSettings, Told};
use bentpipe_net::{Listener, Net, Stream};
use bentpipe_run::{Algorithm, ConnectionReport, Dscp, Http, RunSpec, Transport, Workload};
use bentpipe_units::Duration;

use super::error::OriginError;
use super::host::Host;
use super::preface::{Spoken, recognise};
use super::served::Served;
use super::{h1, h2, spdy};
use crate::connection::Window;

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
    at: SocketAddr,
    cc: Algorithm,
    dscp: Dscp,
    serve: impl Fn(AcceptedTcp<N>) -> F + 'static,
) -> Result<(), OriginError> {
    let mut listener = host.net.listen(at, cc, dscp)?;
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
fn congestion_control(spec: &RunSpec) -> Algorithm {
    match &spec.workload {
        Workload::PageLoad(load) if load.http.transport() == Transport::Quic => Algorithm::Reno,
        _ => spec.cc,
    }
}

/// HTTP/1 or HTTP/2 in clear text, as the client's first bytes say.
pub(super) fn serve_clear<N: Net>(host: &Rc<Host<N>>, served: &Served) -> Result<(), OriginError> {
    let served = served.clone();
    let spec = &host.config.spec;
    let at = host.at_host(served.number(), host.config.ports.http);
    accept(host, at, congestion_control(spec), spec.mark(), move |accepted| {
        let served = served.clone();
        async move {
            let AcceptedTcp { host, stream, index } = accepted;
            let Ok((spoken, stream)) = recognise(stream).await else { return };
            let protocol = match spoken {
                Spoken::Http1 => http1_version(&host.config.spec),
                Spoken::Http2 => Http::H2c.alpn(),
            };
            host.connections.update(index, |report| report.protocol = protocol.to_owned());
            match spoken {
                Spoken::Http1 => h1::serve(&host, stream, &served).await,
                Spoken::Http2 => h2::serve(&host, stream, served).await,
            }
        }
    })
}

/// Which HTTP/1 a run in clear text speaks; nothing in it says so but the requests.
fn http1_version(spec: &RunSpec) -> &'static str {
    match &spec.workload {
        Workload::PageLoad(load) if load.http == Http::Http10 => Http::Http10.alpn(),
        _ => Http::H1.alpn(),
    }
}

/// What is spoken over TLS (RFC 7301).
const ALPN: [&str; 4] = ["h2", "spdy/3.1", "http/1.1", "http/1.0"];

/// HTTP/1, HTTP/2 or SPDY over TLS, as ALPN decides.
pub(super) fn serve_tls<N: Net>(host: &Rc<Host<N>>, served: &Served) -> Result<(), OriginError> {
    let spec = &host.config.spec;
    let at = host.at_host(served.number(), host.config.ports.https);
    let settings = TlsSettings::of(spec, Transport::Tcp)?;
    let processor = host.net.processor();
    let acceptor = Acceptor::new(settings, &host.config.identity, served.number(), &ALPN, processor)?;
    let served = served.clone();
    accept(host, at, congestion_control(spec), spec.mark(), move |accepted| {
        let (served, acceptor) = (served.clone(), acceptor.clone());
        async move {
            let AcceptedTcp { host, stream, index } = accepted;
            let on_secured = note_completion(&host, index);
            // A client that breaks off the handshake ends its own connection and no other.
            let Ok(Accepted { stream, protocol }) = acceptor.accept(stream, on_secured).await else { return };
            let protocol = ALPN.into_iter().find(|known| known.as_bytes() == protocol).unwrap_or("http/1.1");
            host.connections.update(index, |report| {
                report.protocol = protocol.to_owned();
            });
            match protocol {
                "h2" => h2::serve(&host, stream, served).await,
                "spdy/3.1" => spdy::serve(&host, stream, served).await,
                _ => h1::serve(&host, stream, &served).await,
            }
        }
    })
}

/// Writes down when the handshake is complete, and how it went.
fn note_completion<N: Net>(host: &Rc<Host<N>>, index: usize) -> impl FnOnce(Secured) + 'static {
    let host = Rc::clone(host);
    move |secured| {
        let (now, told) = (host.net.now(), Told::of(&host.config.spec));
        host.connections.update(index, |report| {
            report.secured = Some(now);
            told.note(&secured, report);
        });
    }
}
