use std::net::SocketAddr;
use std::sync::Arc;

use bentpipe_run::ConnectionReport;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;

use super::proxy::{Proxy, Tunnelled};
use super::{FetchError, Session};
use crate::connection::Window;
use crate::net::{Net, Stream};
use crate::{HOST, tls};

/// Any byte stream; HTTP does not care what is below.
pub(super) trait ByteStream: AsyncRead + AsyncWrite + Unpin {}
impl<S: AsyncRead + AsyncWrite + Unpin> ByteStream for S {}

/// A connection to the origin, ready for HTTP, and its index in the session's list.
pub(super) struct Connected {
    pub(super) stream: Box<dyn ByteStream>,
    pub(super) index: usize,
}

/// Opens a connection of TCP, or one through the proxy, and, where the protocol asks for it, TLS on top.
pub(super) async fn tcp<N: Net>(session: &Session<N>) -> Result<Connected, FetchError> {
    let Session { net, client, load, connections, proxy } = session;
    let http = load.http;
    let at = if http.is_tls() { client.ports.https } else { client.ports.http };
    let Connected { stream, index } = match proxy {
        Some(proxy) => through(proxy, session, at).await?,
        None => direct(session, SocketAddr::new(client.origin, at)).await?,
    };
    if !http.is_tls() {
        connections.update(index, |report| report.protocol = http.alpn().to_owned());
        return Ok(Connected { stream, index });
    }
    let tls = tls::client_config(&client.authority_der, &[http.alpn()], client.secrets.clone())?;
    let host = ServerName::try_from(HOST).expect("the origin's name is a DNS name");
    let stream = TlsConnector::from(Arc::new(tls)).connect(host, stream).await?;
    let secured = net.now();
    let negotiated = stream.get_ref().1.alpn_protocol().unwrap_or_default();
    let negotiated = String::from_utf8_lossy(negotiated).into_owned();
    connections.update(index, |report| {
        report.secured = Some(secured);
        report.protocol = negotiated;
    });
    Ok(Connected { stream: Box::new(stream), index })
}

async fn direct<N: Net>(session: &Session<N>, to: SocketAddr) -> Result<Connected, FetchError> {
    let Session { net, client, connections, .. } = session;
    let started = net.now();
    let stream = net.connect(to, client.spec.cc, client.spec.mark()).await?;
    let report = ConnectionReport {
        transport: "tcp".to_owned(),
        client_port: stream.local_port()?,
        started,
        connected: Some(net.now()),
        ..ConnectionReport::default()
    };
    let index = connections.add(report, Window::Tcp(stream.probe()));
    Ok(Connected { stream: Box::new(stream), index })
}

async fn through<N: Net>(proxy: &Proxy, session: &Session<N>, port: u16) -> Result<Connected, FetchError> {
    let Session { net, connections, .. } = session;
    let started = net.now();
    let Tunnelled { stream, client_port } = proxy.connect(session, port).await?;
    let report = ConnectionReport {
        transport: ConnectionReport::TUNNEL.to_owned(),
        client_port,
        started,
        connected: Some(net.now()),
        ..ConnectionReport::default()
    };
    Ok(Connected { stream: Box::new(stream), index: connections.add(report, Window::Shut) })
}
