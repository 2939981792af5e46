use std::net::SocketAddr;
use std::sync::Arc;

use bentpipe_run::{ConnectionReport, Http};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;

use super::{FetchError, Session};
use crate::account::{Counted, Http2, Meter, Plain, Spdy, Unframed};
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

/// Opens a TCP connection and, where the protocol asks for it, TLS on top.
pub(super) async fn tcp<N: Net>(session: &Session<N>) -> Result<Connected, FetchError> {
    let Session { net, client, load, connections } = session;
    let http = load.http;
    let at = if http.is_tls() { client.ports.https } else { client.ports.http };
    let started = net.now();
    let stream = net.connect(SocketAddr::new(client.origin, at), client.spec.cc, client.spec.mark()).await?;
    let report = ConnectionReport {
        transport: "tcp".to_owned(),
        client_port: stream.local_port()?,
        started,
        connected: Some(net.now()),
        ..ConnectionReport::default()
    };
    let index = connections.add(report, Window::Tcp(stream.probe()));
    let meter = Meter::default();
    connections.count_by(index, &meter);
    let stream = Counted::transport(stream, &meter, connections.closing(index, net));
    if !http.is_tls() {
        connections.update(index, |report| report.protocol = http.alpn().to_owned());
        return Ok(Connected { stream: counted(http, stream, &meter), index });
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
    Ok(Connected { stream: counted(http, stream, &meter), index })
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
