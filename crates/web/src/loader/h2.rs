//! HTTP/2 with one host.

mod pushes;
mod receive;

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Context;

use bentpipe_http::http2;
use bentpipe_net::Net;
use bentpipe_run::Reason;
use bytes::Bytes;
use futures_util::future::poll_fn;
use h2::client::SendRequest;
use tokio::sync::OnceCell;

use super::fetch::{FetchError, Fetched, MOST_REFUSALS};
use super::session::Session;
use super::{connect, request};
use crate::hosts::Remote;
use crate::{priority, push};
use pushes::Pushes;
use receive::receive;

/// HTTP/2 with one host: one connection for everything.
pub(super) struct Client<N: Net> {
    session: Rc<Session<N>>,
    remote: Remote,
    connection: OnceCell<Open>,
    pushes: Pushes<N>,
}

struct Open {
    sender: SendRequest<Bytes>,
    index: usize,
}

impl<N: Net> Client<N> {
    pub(super) fn new(session: &Rc<Session<N>>, remote: Remote) -> Self {
        let pushes = Pushes::new(session, &remote);
        Self { session: Rc::clone(session), remote, connection: OnceCell::new(), pushes }
    }

    pub(super) async fn fetch(
        &self,
        path: &str,
        mut on_data: impl FnMut(&[u8]),
    ) -> Result<Fetched, FetchError> {
        let open = self.connection.get_or_try_init(|| self.connect()).await?;
        if let Some(pushed) = self.pushes.take(path) {
            return pushed.received().await;
        }
        let asked = self.session.net.now();
        let mut refusals = 0;
        loop {
            match self.request(open, path, &mut on_data).await {
                Err(FetchError::H2(error)) if is_refusal(&error) && refusals < MOST_REFUSALS => refusals += 1,
                // It was asked for when it was for the first time.
                Ok(fetched) if refusals > 0 => return Ok(Fetched { requested: asked, ..fetched }),
                fetched => return fetched,
            }
        }
    }

    /// Requests it, after the streams that the origin allows have ended, and receives the response.
    async fn request(
        &self,
        open: &Open,
        path: &str,
        on_data: impl FnMut(&[u8]),
    ) -> Result<Fetched, FetchError> {
        let Session { net, load, .. } = &*self.session;
        let mut request = request::get(load.http, &self.remote.name, path);
        priority::state(request.headers_mut(), path, load.priorities);
        let request_header_bytes = request::header_bytes(request.headers());
        // Waits while the origin's limit of concurrent streams is reached.
        let mut sender = open.sender.clone().ready().await?;
        let requested = net.now();
        let (mut response, _) = sender.send_request(request, true)?;
        let mut promises = load.push_percent.map(|_| response.push_promises());
        let mut alongside = |cx: &mut Context<'_>| {
            if let Some(promises) = &mut promises {
                self.pushes.collect(open.index, promises, cx);
            }
        };
        let response = poll_fn(|cx| {
            alongside(cx);
            Pin::new(&mut response).poll(cx)
        });
        let fetched = receive(net, open.index, response.await?, alongside, on_data).await?;
        Ok(Fetched { requested, request_header_bytes, ..fetched })
    }

    /// What was promised and is not of the page, or nobody asked for.
    pub(super) fn doubts(&self) -> Vec<Reason> {
        self.pushes.doubts()
    }

    /// The place of its connection in the session's list, once it has one.
    pub(super) fn connection_index(&self) -> Option<usize> {
        self.connection.get().map(|open| open.index)
    }

    async fn connect(&self) -> Result<Open, FetchError> {
        let Session { net, client, load, .. } = &*self.session;
        let connected = connect::tcp(&self.session, &self.remote).await?;
        let (sender, driver) =
            http2::client(&client.spec.http2, push::promises(load)).handshake(connected.stream).await?;
        net.spawn(async move {
            // Errors reach the requests that meet them.
            let _ = driver.await;
        });
        Ok(Open { sender, index: connected.index })
    }
}

/// Whether the origin has done nothing for the request, so that it may be repeated (RFC 9113 section 8.7).
fn is_refusal(error: &h2::Error) -> bool {
    error.is_reset() && error.is_remote() && error.reason() == Some(h2::Reason::REFUSED_STREAM)
}
