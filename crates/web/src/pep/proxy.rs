use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use bentpipe_run::{CongestionControl, Dscp, Http2Spec, ProxySpec};
use bentpipe_units::Duration;
use bytes::Bytes;
use h2::RecvStream;
use h2::server::{Builder, Connection, SendResponse};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use super::{
    ACCEPT_PAUSE, Config, Counters, PepError, Tunnel, buffer_octets, control_towards_hosts, proxy_at, relay,
};
use crate::HOST;
use crate::http2::{RESET_STREAM_DURATION, window};
use crate::net::{Listener, Net, Stream, within};

/// Clients served at once; a further one is reset.
const MOST_CLIENTS: usize = 256;
/// Header fields of a request: a CONNECT has two (RFC 9113 section 8.5), and clients may add some.
const HEADER_LIST_OCTETS: u32 = 16 * 1024;
/// TLS and the preface of HTTP/2 together: two round trips, of seconds where bandwidth is on demand.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(30);

/// What all connections of the proxy share.
struct Proxy<N> {
    /// The network on the origin's side.
    net: N,
    cc: CongestionControl,
    dscp: Dscp,
    /// Where the origin serves, over TLS and in clear text.
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
    let acceptor = TlsAcceptor::from(Arc::new(config.identity.server_config(&["h2"])?));
    let satellite = net.with_tcp(&proxy.tcp);
    let mut listener = satellite.listen(proxy_at(config.address), proxy.cc, spec.mark())?;
    let ports = [config.ports.https, config.ports.http];
    let proxy = Rc::new(Proxy {
        net: net.with_tcp(&spec.tcp),
        cc: control_towards_hosts(spec),
        dscp: spec.mark(),
        origins: ports.map(|port| SocketAddr::new(config.origin, port)),
        http2: spec.http2.clone(),
        buffer: buffer_octets(proxy.relay_buffer_bytes),
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
        Builder::new()
            .initial_window_size(window(self.http2.stream_window_bytes))
            .initial_connection_window_size(window(self.http2.connection_window_bytes))
            .max_concurrent_streams(self.http2.max_concurrent_streams)
            .max_header_list_size(HEADER_LIST_OCTETS)
            .max_send_buffer_size(self.buffer)
            .reset_stream_duration(RESET_STREAM_DURATION)
            .handshake(stream)
            .await
    }

    /// Opens what is asked for and relays until both directions have ended.
    async fn answer(
        &self,
        request: Request<RecvStream>,
        mut response: SendResponse<Bytes>,
    ) -> Result<(), h2::Error> {
        let mut refuse = |status, allowed: Option<&'static str>| {
            let mut head = Response::new(());
            *head.status_mut() = status;
            if let Some(allowed) = allowed {
                head.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
            }
            response.send_response(head, true).map(|_| ())
        };
        if request.method() != Method::CONNECT {
            return refuse(StatusCode::METHOD_NOT_ALLOWED, Some("CONNECT"));
        }
        let Some(origin) = self.origin_of(&request) else { return refuse(StatusCode::FORBIDDEN, None) };
        self.counters.opened();
        let Ok(mut server) = self.net.connect(origin, self.cc, self.dscp).await else {
            self.counters.failed();
            // RFC 9110 section 15.6.3.
            return refuse(StatusCode::BAD_GATEWAY, None);
        };
        let sender = response.send_response(Response::new(()), false)?;
        let mut client = Tunnel::new(sender, request.into_body());
        let carried = |way, octets| self.counters.carried(way, octets);
        if relay(&mut client, &mut server, self.buffer, carried).await.is_err() {
            self.counters.failed();
            client.reset();
            server.reset();
        }
        Ok(())
    }

    /// Where the connection that is asked for leads: nowhere but to the origin.
    fn origin_of<T>(&self, request: &Request<T>) -> Option<SocketAddr> {
        let authority = request.uri().authority().filter(|authority| authority.host() == HOST)?;
        self.origins.into_iter().find(|origin| authority.port_u16() == Some(origin.port()))
    }
}
