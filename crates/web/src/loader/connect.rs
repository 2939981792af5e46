//! Connections over TCP, ready for HTTP.

use std::net::SocketAddr;

use bentpipe_http::account::{Counted, Http2, Meter, Plain, Spdy, Unframed};
use bentpipe_http::tls::{self, Secured, TlsSettings, Told};
use bentpipe_net::{ByteStream, Net};
use bentpipe_run::{ConnectionReport, Http, RunSpec, Transport};
use bentpipe_units::Duration;
use tokio::io::BufWriter;

use super::activity::{Active, Activity};
use super::fetch::FetchError;
use super::proxy::{Proxy, Tunnelled};
use super::retry;
use super::session::{Found, Session};
use super::spares::Opened;
use crate::connection::Window;
use crate::hosts::Remote;

/// A connection to a host, ready for HTTP, and its index in the session's list.
pub(super) struct Connected {
    pub(super) stream: Box<dyn ByteStream>,
    pub(super) index: usize,
}

/// Opens a connection of TCP, or one through the proxy, and, where the protocol asks for it, TLS on top. With early data
/// the handshake is complete only when the first response comes.
pub(super) async fn tcp<N: Net>(session: &Session<N>, remote: &Remote) -> Result<Connected, FetchError> {
    let Session { net, client, load, connections, proxy, .. } = session;
    let http = load.http;
    let at = if http.is_tls() { client.ports.https } else { client.ports.http };
    let Connected { stream, index } = match proxy {
        Some(proxy) => through(proxy, session, remote, at).await?,
        None => {
            let Found { address, after } = session.find(remote).await?;
            let to = SocketAddr::new(address, at);
            let Opened { stream, index } = retry::open(session, &session.spares[remote.host], to).await?;
            connections.update(index, |report| report.name_lookup = after);
            Connected { stream: Box::new(stream), index }
        }
    };
    let meter = Meter::default();
    connections.count_by(index, &meter);
    let stream = Counted::transport(stream, &meter, connections.closing(index, net));
    let stream = first_flight_in_one(&client.spec, stream)?;
    let (stream, activity) = watchable(session, stream);
    let watch = move || {
        activity
            .into_iter()
            .for_each(|(activity, limit)| activity.watch(net, connections, limit, index, &session.resets));
    };
    if !http.is_tls() {
        watch();
        return Ok(Connected { stream: counted(http, stream, &meter), index });
    }
    let (clock, list, told) = (net.clone(), connections.clone(), Told::of(&client.spec));
    let on_secured = move |secured: Secured| {
        let now = clock.now();
        list.update(index, |report| {
            report.secured = Some(now);
            told.note(&secured, report);
            report.protocol = secured.protocol;
        });
    };
    let tls = client.tls().config(Transport::Tcp, http.alpn())?;
    let stream = tls::connect(tls, &remote.name, stream, net.processor(), on_secured).await?;
    watch();
    Ok(Connected { stream: counted(http, stream, &meter), index })
}

/// The stream itself; or, where one connection carries everything and is not to be idle for long, one whose activity can
/// be watched.
fn watchable<N: Net>(
    session: &Session<N>,
    stream: Box<dyn ByteStream>,
) -> (Box<dyn ByteStream>, Option<(Activity, Duration)>) {
    let Session { net, client, load, proxy, .. } = session;
    let is_alone = matches!(load.http, Http::H2 | Http::H2c | Http::Spdy);
    // What goes through a proxy is a stream of another connection, which has more.
    let Some(limit) = client.spec.tcp.idle_reset_ns.filter(|_| is_alone && proxy.is_none()) else {
        return (stream, None);
    };
    let (stream, activity) = Active::new(net, stream);
    (Box::new(stream), Some((activity, limit)))
}

/// The stream itself; or, where the first segment may carry a request, one that collects what is written until it is
/// flushed: requests and what goes before them (a ClientHello, HTTP/2's preface) are written piece by piece.
fn first_flight_in_one(
    spec: &RunSpec,
    stream: impl ByteStream + 'static,
) -> Result<Box<dyn ByteStream>, FetchError> {
    let is_collected = spec.tcp.fast_open.is_on() || TlsSettings::of(spec, Transport::Tcp)?.has_early_data();
    Ok(if is_collected { Box::new(BufWriter::new(stream)) } else { Box::new(stream) })
}

/// Counts what HTTP hands over, by the frames of its version.
fn counted(http: Http, stream: impl ByteStream + 'static, meter: &Meter) -> Box<dyn ByteStream> {
    match http {
        Http::H2 | Http::H2c => Box::new(Counted::<_, Plain<Http2>>::plain(stream, meter)),
        Http::Spdy => Box::new(Counted::<_, Plain<Spdy>>::plain(stream, meter)),
        Http::Http10 | Http::Http10s | Http::H1 | Http::H1s | Http::H3 => {
            Box::new(Counted::<_, Plain<Unframed>>::plain(stream, meter))
        }
    }
}

async fn through<N: Net>(
    proxy: &Proxy<N>,
    session: &Session<N>,
    remote: &Remote,
    port: u16,
) -> Result<Connected, FetchError> {
    let Session { net, load, connections, .. } = session;
    // Over TLS the protocol is negotiated.
    let protocol = if load.http.is_tls() { "" } else { load.http.alpn() };
    let started = net.now();
    let Tunnelled { stream, client_port } = proxy.connect(&remote.name, port).await?;
    let report = ConnectionReport {
        transport: ConnectionReport::TUNNEL.to_owned(),
        protocol: protocol.to_owned(),
        client_port,
        started,
        connected: Some(net.now()),
        ..ConnectionReport::default()
    };
    Ok(Connected { stream: Box::new(stream), index: connections.add(report, Window::Shut) })
}
