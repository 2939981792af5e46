//! The way to the origin through an HTTP proxy.

use std::net::SocketAddr;
use std::sync::Arc;

use bentpipe_http::http2;
use bentpipe_http::tls::{ClientTls, Memory, Processing, server_name};
use bentpipe_net::{Net, Stream};
use bentpipe_run::{ConnectionReport, PageLoadSpec, PepSpec, ProxySpec, Transport};
use bytes::Bytes;
use h2::client::SendRequest;
use http::{Method, Request, StatusCode, Uri};
use tokio::sync::OnceCell;
use tokio_rustls::TlsConnector;

use super::fetch::FetchError;
use crate::connection::{Connections, ProbeOf, Window};
use crate::page::Site;
use crate::pep::{Tunnel, proxy_at};
use crate::{Client, push};

/// The way to the origin through an HTTP proxy: one connection to it over HTTP/2, on which each connection to the
/// origin is a stream (RFC 9113 section 8.5).
pub(super) struct Proxy<N: Net> {
    net: N,
    client: Client,
    spec: ProxySpec,
    at: SocketAddr,
    /// Whose certificate it shows: the page's own host.
    name: String,
    promises: Option<usize>,
    connections: Connections<ProbeOf<N>>,
    connection: OnceCell<Open>,
}

struct Open {
    sender: SendRequest<Bytes>,
    client_port: u16,
}

/// A connection to the origin within that to the proxy.
pub(super) struct Tunnelled {
    pub(super) stream: Tunnel,
    /// The port of the connection to the proxy.
    pub(super) client_port: u16,
}

impl<N: Net> Proxy<N> {
    /// The proxy of a run, if there is one.
    pub(super) fn of(
        net: &N,
        client: &Client,
        connections: &Connections<ProbeOf<N>>,
        site: &Site,
        load: &PageLoadSpec,
    ) -> Option<Self> {
        let Some(PepSpec::Proxy(spec)) = &client.spec.pep else { return None };
        Some(Self {
            net: net.clone(),
            client: client.clone(),
            spec: spec.clone(),
            at: proxy_at(client.gateway),
            name: site.hosts().names()[0].clone(),
            promises: push::promises(load),
            connections: connections.clone(),
            connection: OnceCell::new(),
        })
    }

    /// Has the proxy connect to a port of a host.
    pub(super) async fn connect(&self, host: &str, port: u16) -> Result<Tunnelled, FetchError> {
        let open = self.connection.get_or_try_init(|| self.open()).await?;
        // Waits while the proxy's limit of concurrent streams is reached.
        let mut sender = open.sender.clone().ready().await?;
        let mut request = Request::new(());
        *request.method_mut() = Method::CONNECT;
        *request.uri_mut() = Uri::builder()
            .authority(format!("{host}:{port}"))
            .build()
            .expect("host and port are an authority");
        let (response, sender) = sender.send_request(request, false)?;
        let (head, receiver) = response.await?.into_parts();
        if head.status != StatusCode::OK {
            return Err(FetchError::Proxy(head.status));
        }
        Ok(Tunnelled { stream: Tunnel::new(sender, receiver), client_port: open.client_port })
    }

    async fn open(&self) -> Result<Open, FetchError> {
        let Self { net, client, connections, .. } = self;
        let started = net.now();
        let stream = net.with_tcp(&self.spec.tcp).connect(self.at, self.spec.cc, client.spec.mark()).await?;
        let client_port = stream.local_port()?;
        let report = ConnectionReport {
            transport: "tcp".to_owned(),
            protocol: ConnectionReport::TO_PROXY.to_owned(),
            client_port,
            started,
            connected: Some(net.now()),
            ..ConnectionReport::default()
        };
        let index = connections.add(report, Window::Tcp(stream.probe()));
        // What is remembered of the origin is not of the proxy.
        let memory = Memory::default();
        let tls = ClientTls { memory: &memory, ..client.tls() }.config(Transport::Tcp, "h2")?;
        let host = server_name(&self.name)?;
        let secured =
            TlsConnector::from(Arc::new(tls)).connect(host, Processing::new(stream, net.processor())).await?;
        connections.update(index, |report| report.secured = Some(net.now()));
        let mut builder = http2::client(&client.spec.http2, self.promises);
        let (sender, driver) = builder.enable_push(false).handshake(secured).await?;
        net.spawn(async move {
            // Errors reach the streams that meet them.
            let _ = driver.await;
        });
        Ok(Open { sender, client_port })
    }
}
