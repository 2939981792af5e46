//! An HTTP proxy at the gateway (RFC 9110 section 9.3.6).

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;

use bentpipe_http::http2;
use bentpipe_http::tls::TlsSettings;
use bentpipe_net::{Listener, Net, Stream, within};
use bentpipe_run::{Algorithm, Dscp, Http2Spec, ProxySpec, Transport};
use bentpipe_units::Duration;
use bytes::Bytes;
use h2::RecvStream;
use h2::server::{Connection, SendResponse};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use super::config::Config;
use super::counters::Counters;
use super::error::PepError;
use super::legs::{ACCEPT_PAUSE, buffer_bytes, control_towards_hosts};
use super::relay::relay;
use super::tunnel::Tunnel;
use crate::hosts::Hosts;

/// The port of the HTTP proxy, as that of many.
const PROXY_PORT: u16 = 3128;
/// Clients served at once; a further one is reset.
const MOST_CLIENTS: usize = 256;
/// Header fields of a request: a CONNECT has two (RFC 9113 section 8.5), and clients may add some.
const HEADER_LIST_BYTES: u32 = 16 * 1024;
/// TLS and the preface of HTTP/2 together: two round trips, of seconds where bandwidth is on demand.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(30);

/// Where the proxy of a gateway listens.
pub(crate) fn proxy_at(gateway: IpAddr) -> SocketAddr {
    SocketAddr::new(gateway, PROXY_PORT)
}

/// What all connections of the proxy share.
struct Proxy<N> {
    /// The network on the origin's side.
    net: N,
    cc: Algorithm,
    dscp: Dscp,
    hosts: Hosts,
    /// Where the page's own host is served, over TLS and in clear text.
    origins: [SocketAddr; 2],
    http2: Http2Spec,
    buffer: usize,
    counters: Counters,
}

/// Accepts clients for ever.
pub(super) fn start<N: Net>(
    net: &N,
    config: &Config,
    proxy: &ProxySpec,
    counters: &Counters,
) -> Result<(), PepError> {
    let spec = &config.spec;
    let tls = TlsSettings::of(spec, Transport::Tcp)?.server(&config.identity, 0, &["h2"])?;
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let satellite = net.with_tcp(&proxy.tcp);
    let mut listener = satellite.listen(proxy_at(config.address), proxy.cc, spec.mark())?;
    let ports = [config.ports.https, config.ports.http];
    let proxy = Rc::new(Proxy {
        net: net.with_tcp(&spec.tcp),
        cc: control_towards_hosts(spec),
        dscp: spec.mark(),
        hosts: Hosts::of(spec),
        origins: ports.map(|port| SocketAddr::new(config.origin, port)),
        http2: spec.http2.clone(),
        buffer: buffer_bytes(proxy.relay_buffer_bytes),
        counters: counters.clone(),
    });
    let places = Arc::new(Semaphore::new(MOST_CLIENTS));
    net.spawn(async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // No descriptor was free: the client waits until one is.
                proxy.net.sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                stream.reset();
                continue;
            };
            let serving = Rc::clone(&proxy).serve(acceptor.clone(), stream);
            proxy.net.spawn(async move {
                serving.await;
                drop(place);
            });
        }
    });
    Ok(())
}

impl<N: Net> Proxy<N> {
    /// Serves a client until it closes.
    async fn serve(self: Rc<Self>, acceptor: TlsAcceptor, stream: N::Stream) {
        let handshakes = async {
            let secured = acceptor.accept(stream).await.ok()?;
            self.http2_over(secured).await.ok()
        };
        let Some(Some(mut connection)) = within(&self.net, HANDSHAKE_LIMIT, handshakes).await else { return };
        while let Some(Ok((request, response))) = connection.accept().await {
            let proxy = Rc::clone(&self);
            self.net.spawn(async move {
                // A stream that the client resets ends here, the connection goes on.
                let _ = proxy.answer(request, response).await;
            });
        }
    }

    async fn http2_over<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
    ) -> Result<Connection<S, Bytes>, h2::Error> {
        http2::server(&self.http2)
            .max_header_list_size(HEADER_LIST_BYTES)
            .max_send_buffer_size(self.buffer)
            .handshake(stream)
            .await
    }

    /// Opens what is asked for and relays until both directions have ended.
    async fn answer(
        &self,
        request: Request<RecvStream>,
        mut response: SendResponse<Bytes>,
    ) -> Result<(), h2::Error> {
        let origin = match asked_for(&request, &self.hosts, &self.origins) {
            Ok(origin) => origin,
            Err(status) => return refuse(&mut response, status),
        };
        self.counters.opened();
        let Ok(mut server) = self.net.connect(origin, self.cc, self.dscp).await else {
            self.counters.failed();
            // RFC 9110 section 15.6.3.
            return refuse(&mut response, StatusCode::BAD_GATEWAY);
        };
        let sender = response.send_response(Response::new(()), false)?;
        let mut client = Tunnel::new(sender, request.into_body());
        let carried = |direction, bytes| self.counters.carried(direction, bytes);
        if relay(&mut client, &mut server, self.buffer, carried).await.is_err() {
            self.counters.failed();
            client.reset();
            server.reset();
        }
        Ok(())
    }
}

/// Where the connection that is asked for leads: nowhere but to the hosts of the page.
fn asked_for<T>(
    request: &Request<T>,
    hosts: &Hosts,
    origins: &[SocketAddr],
) -> Result<SocketAddr, StatusCode> {
    if request.method() != Method::CONNECT {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    let authority = request.uri().authority().ok_or(StatusCode::FORBIDDEN)?;
    let host = hosts.number(authority.host()).ok_or(StatusCode::FORBIDDEN)?;
    let origin = origins.iter().find(|origin| authority.port_u16() == Some(origin.port()));
    origin
        .map(|origin| SocketAddr::new(Hosts::address(origin.ip(), host), origin.port()))
        .ok_or(StatusCode::FORBIDDEN)
}

fn refuse(response: &mut SendResponse<Bytes>, status: StatusCode) -> Result<(), h2::Error> {
    let mut head = Response::new(());
    *head.status_mut() = status;
    if status == StatusCode::METHOD_NOT_ALLOWED {
        // RFC 9110 section 15.5.6.
        head.headers_mut().insert(header::ALLOW, HeaderValue::from_static("CONNECT"));
    }
    response.send_response(head, true).map(|_| ())
}

#[cfg(test)]
mod tests {
    use bentpipe_run::{ObjectSpec, PageSpec};
    use bentpipe_units::Bytes as ByteCount;

    use super::*;

    #[test]
    fn a_connection_leads_to_the_ports_of_the_page_s_hosts_and_nowhere_else() {
        let cdn = ObjectSpec {
            host: Some("cdn.example".to_owned()),
            ..ObjectSpec::new("/a.jpg", ByteCount::new(1))
        };
        let hosts = Hosts::of_page(&PageSpec::new("page", [cdn]));
        let origins = [443, 80].map(|port| SocketAddr::from(([198, 18, 0, 2], port)));
        for (method, uri, expected) in [
            ("CONNECT", "origin.bentpipe.test:443", Ok(origins[0])),
            ("CONNECT", "origin.bentpipe.test:80", Ok(origins[1])),
            ("CONNECT", "cdn.example:443", Ok(SocketAddr::from(([198, 18, 1, 1], 443)))),
            ("CONNECT", "origin.bentpipe.test:22", Err(StatusCode::FORBIDDEN)),
            ("CONNECT", "origin.bentpipe.test", Err(StatusCode::FORBIDDEN)),
            ("CONNECT", "another.bentpipe.test:443", Err(StatusCode::FORBIDDEN)),
            ("CONNECT", "127.0.0.1:80", Err(StatusCode::FORBIDDEN)),
            ("CONNECT", "198.18.0.2:443", Err(StatusCode::FORBIDDEN)),
            ("GET", "https://origin.bentpipe.test:443/", Err(StatusCode::METHOD_NOT_ALLOWED)),
            ("POST", "/", Err(StatusCode::METHOD_NOT_ALLOWED)),
        ] {
            let request = Request::builder().method(method).uri(uri).body(()).unwrap();
            assert_eq!(asked_for(&request, &hosts, &origins), expected, "{method} {uri}");
        }
    }
}
