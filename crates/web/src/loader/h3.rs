//! HTTP/3 with one host.

use std::net::SocketAddr;
use std::rc::Rc;

use bentpipe_http::account::Meter;
use bentpipe_http::limits::HEADER_LIST_BYTES;
use bentpipe_http::quic::{self, H3Connection, Opener};
use bentpipe_http::tls::Told;
use bentpipe_net::Net;
use bytes::{Buf, Bytes};
use futures_util::future::poll_fn;
use h3::client::SendRequest;
use tokio::sync::OnceCell;

use super::body::Received;
use super::fetch::{FetchError, Fetched};
use super::request;
use super::session::{Found, Session};
use crate::connection::Window;
use crate::hosts::Remote;
use crate::priority;

/// HTTP/3 with one host: one QUIC connection for everything.
pub(super) struct Client<N: Net> {
    session: Rc<Session<N>>,
    remote: Remote,
    connection: OnceCell<Open>,
}

struct Open {
    sender: SendRequest<Opener, Bytes>,
    index: usize,
    /// Keeps the socket open.
    _endpoint: noq::Endpoint,
}

impl<N: Net> Client<N> {
    pub(super) fn new(session: &Rc<Session<N>>, remote: Remote) -> Self {
        Self { session: Rc::clone(session), remote, connection: OnceCell::new() }
    }

    pub(super) async fn fetch(
        &self,
        path: &str,
        mut on_data: impl FnMut(&[u8]),
    ) -> Result<Fetched, FetchError> {
        let Session { net, load, .. } = &*self.session;
        let open = self.connection.get_or_try_init(|| self.connect()).await?;
        let mut request = request::get(load.http, &self.remote.name, path);
        priority::state(request.headers_mut(), path, load.priorities);
        let request_header_bytes = request::header_bytes(request.headers());
        let requested = net.now();
        // Waits while the origin's limit of concurrent streams is reached.
        let mut stream = open.sender.clone().send_request(request).await.map_err(h3_error)?;
        stream.finish().await.map_err(h3_error)?;
        let (head, ()) = stream.recv_response().await.map_err(h3_error)?.into_parts();
        let first_byte = net.now();
        let mut received = Received::new();
        while let Some(mut data) = stream.recv_data().await.map_err(h3_error)? {
            while data.has_remaining() {
                let chunk = data.chunk();
                received.add(chunk);
                on_data(chunk);
                let length = chunk.len();
                data.advance(length);
            }
        }
        Ok(Fetched {
            connection: open.index,
            requested,
            first_byte,
            last_byte: net.now(),
            status: head.status.as_u16(),
            request_header_bytes,
            response_header_bytes: request::header_bytes(&head.headers),
            body: received,
        })
    }

    async fn connect(&self) -> Result<Open, FetchError> {
        let Session { net, client, connections, masque, .. } = &*self.session;
        let port = client.ports.https;
        let sender = quic::Sender::with_host(&client.spec, self.remote.host);
        let client_quic = client.quic();
        let (quic::Opened { endpoint, connection, report }, early) = match masque {
            // The proxy is told the name.
            Some(masque) => {
                let (started, origin) = (net.now(), self.remote.service(port));
                let through = masque.to(&self.remote, port).await?;
                let mut opened = quic::connect_early(&through, &client_quic, origin, "h3", sender).await?;
                opened.0.report.started = started;
                opened
            }
            None => {
                let Found { address, after } = self.session.find(&self.remote).await?;
                let origin = quic::Host { name: &self.remote.name, at: SocketAddr::new(address, port) };
                let mut opened = quic::connect_early(net, &client_quic, origin, "h3", sender).await?;
                opened.0.report.name_lookup = after;
                opened
            }
        };
        let index = connections.add(report, Window::Quic(connection.clone()));
        if let Some(early) = early {
            let (clock, list, connection) = (net.clone(), connections.clone(), connection.clone());
            let told = Told::of(&client.spec);
            net.spawn(async move {
                let Some(secured) = early.secured(&connection).await else { return };
                let now = clock.now();
                list.update(index, |report| {
                    report.connected = Some(now);
                    told.note(&secured, report);
                    report.protocol = secured.protocol;
                });
            });
        }
        let meter = Meter::default();
        connections.count_by(index, &meter);
        // Grease frames have random lengths.
        let mut builder = h3::client::builder();
        builder.send_grease(false).max_field_section_size(HEADER_LIST_BYTES.into());
        let (mut driver, sender) = builder
            .build::<_, _, Bytes>(H3Connection::counted(connection, &meter))
            .await
            .map_err(h3_error)?;
        net.spawn(async move {
            // Errors reach the requests that meet them.
            let _ = poll_fn(|cx| driver.poll_close(cx)).await;
        });
        Ok(Open { sender, index, _endpoint: endpoint })
    }
}

fn h3_error(error: impl std::fmt::Display) -> FetchError {
    FetchError::H3(error.to_string())
}
