use std::rc::Rc;

use bytes::Bytes;
use h2::client::{Builder, SendRequest};
use tokio::sync::OnceCell;

use super::body::Received;
use super::{FetchError, Fetched, Session, connect, request};
use crate::http2::{RESET_STREAM_DURATION, window};
use crate::net::Net;

/// HTTP/2: one connection for everything.
pub(super) struct Client<N: Net> {
    session: Rc<Session<N>>,
    connection: OnceCell<Open>,
}

struct Open {
    sender: SendRequest<Bytes>,
    index: usize,
}

impl<N: Net> Client<N> {
    pub(super) fn new(session: &Rc<Session<N>>) -> Self {
        Self { session: Rc::clone(session), connection: OnceCell::new() }
    }

    pub(super) async fn fetch(
        &self,
        path: &str,
        mut on_data: impl FnMut(&[u8]),
    ) -> Result<Fetched, FetchError> {
        let net = &self.session.net;
        let open = self.connection.get_or_try_init(|| self.connect()).await?;
        let request = request::get(self.session.load.http, path);
        let request_header_bytes = request::header_bytes(request.headers());
        // Waits while the origin's limit of concurrent streams is reached.
        let mut sender = open.sender.clone().ready().await?;
        let requested = net.now();
        let (response, _) = sender.send_request(request, true)?;
        let (head, mut body) = response.await?.into_parts();
        let first_byte = net.now();
        let mut received = Received::new();
        while let Some(chunk) = body.data().await {
            let chunk = chunk?;
            body.flow_control().release_capacity(chunk.len())?;
            received.add(&chunk);
            on_data(&chunk);
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
        let spec = &self.session.client.spec.http2;
        let connected = connect::tcp(&self.session).await?;
        let (sender, driver) = Builder::new()
            .enable_push(false)
            .initial_window_size(window(spec.stream_window_bytes))
            .initial_connection_window_size(window(spec.connection_window_bytes))
            .max_concurrent_streams(spec.max_concurrent_streams)
            .reset_stream_duration(RESET_STREAM_DURATION)
            .handshake(connected.stream)
            .await?;
        self.session.net.spawn(async move {
            // Errors reach the requests that meet them.
            let _ = driver.await;
        });
        Ok(Open { sender, index: connected.index })
    }
}
