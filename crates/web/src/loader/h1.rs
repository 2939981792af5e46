use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::sync::Semaphore;

use super::body::Received;
use super::{FetchError, Fetched, Session, connect, request};
use crate::net::Net;

/// HTTP/1.1: at most N connections, one request at a time on each, in order of asking.
pub(super) struct Pool<N: Net> {
    session: Rc<Session<N>>,
    /// Hands out turns in the order in which they were asked for.
    turns: Semaphore,
    idle: RefCell<Vec<Idle>>,
}

struct Idle {
    sender: SendRequest<Empty<Bytes>>,
    index: usize,
}

impl<N: Net> Pool<N> {
    pub(super) fn new(session: &Rc<Session<N>>) -> Self {
        let connections = session.load.connections.max(1) as usize;
        Self { session: Rc::clone(session), turns: Semaphore::new(connections), idle: RefCell::default() }
    }

    pub(super) async fn fetch(
        &self,
        path: &str,
        mut on_data: impl FnMut(&[u8]),
    ) -> Result<Fetched, FetchError> {
        let net = &self.session.net;
        let _turn = self.turns.acquire().await.expect("the semaphore is never closed");
        let mut connection = self.connection().await?;
        let request = request::get(self.session.load.http, path).map(|()| Empty::new());
        let request_header_bytes = request::header_bytes(request.headers());
        connection.sender.ready().await?;
        let requested = net.now();
        let response = connection.sender.send_request(request).await?;
        let first_byte = net.now();
        let (head, mut body) = response.into_parts();
        let mut received = Received::new();
        while let Some(frame) = body.frame().await {
            if let Ok(chunk) = frame?.into_data() {
                received.add(&chunk);
                on_data(&chunk);
            }
        }
        let last_byte = net.now();
        let index = connection.index;
        self.idle.borrow_mut().push(connection);
        Ok(Fetched {
            connection: index,
            requested,
            first_byte,
            last_byte,
            status: head.status.as_u16(),
            request_header_bytes,
            response_header_bytes: request::header_bytes(&head.headers),
            body: received,
        })
    }

    /// A connection nobody uses: an idle one, or a new one.
    async fn connection(&self) -> Result<Idle, FetchError> {
        let idle = self.idle.borrow_mut().pop();
        if let Some(idle) = idle.filter(|idle| !idle.sender.is_closed()) {
            return Ok(idle);
        }
        let connected = connect::tcp(&self.session).await?;
        let (sender, driver) = handshake(TokioIo::new(connected.stream)).await?;
        self.session.net.spawn(async move {
            // Errors reach the request that meets them.
            let _ = driver.await;
        });
        Ok(Idle { sender, index: connected.index })
    }
}
