//! Server push (RFC 9113 section 8.4).

use std::cell::RefCell;
use std::collections::VecDeque;

use bentpipe_http::priority::{FIELD, Priority};
use bentpipe_run::PageLoadSpec;
use bentpipe_units::Time;
use h2::server::{SendPushedResponse, SendResponse};
use http::uri::PathAndQuery;
use http::{HeaderMap, Method, Request, Response, Uri};

use super::bodies::{Bodies, Chunk};
use crate::origin::header::Circumstances;
use crate::origin::respond::{asked_host, respond_of};
use crate::origin::served::Served;
use crate::page::INDEX;
use crate::{priority, push};

/// What the client has been promised and not been sent yet, in the order of the page.
pub(super) struct Pushes(RefCell<VecDeque<Promise>>);

/// The answer to a request that the client need not make.
pub(super) struct Promise {
    sender: SendPushedResponse<Chunk>,
    path: String,
    priority: Priority,
}

impl Pushes {
    /// Promises the objects that go with the document (RFC 9113 section 8.4), where `request` is for it.
    pub(super) fn promise<T>(
        load: &PageLoadSpec,
        served: &Served,
        request: &Request<T>,
        sender: &mut SendResponse<Chunk>,
    ) -> Self {
        let is_document = request.method() == Method::GET
            && request.uri().path() == INDEX
            && asked_host(served, request.uri(), request.headers()) == Some(0);
        let objects = if is_document { push::objects(load) } else { Vec::new() };
        let promises = objects.into_iter().map_while(|object| {
            let promised = promised_request(load, request, &object.path)?;
            let priority = Priority::of_request(promised.headers());
            // A client may have switched push off; then it asks.
            let sender = sender.push_request(promised).ok()?;
            Some(Promise { sender, path: object.path.clone(), priority })
        });
        Self(RefCell::new(promises.collect()))
    }

    pub(super) fn len(&self) -> usize {
        self.0.borrow().len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn next(&self) -> Option<Promise> {
        self.0.borrow_mut().pop_front()
    }
}

impl Promise {
    /// Sends the response of the page's own host, and returns when it has left.
    pub(super) async fn fulfil(
        mut self,
        served: &Served,
        bodies: &Bodies,
        now: Time,
    ) -> Result<(), h2::Error> {
        let circumstances = Circumstances::of_stream(now);
        let (head, body) = respond_of(served, &Method::GET, Some(0), &self.path, circumstances).into_parts();
        let stream = self.sender.send_response(Response::from_parts(head, ()), body.is_empty())?;
        bodies.send(stream, body, self.priority).await?.departure().await;
        Ok(())
    }
}

/// The request for `path` that the client would make: as that for the document, with the object's own priority.
fn promised_request<T>(load: &PageLoadSpec, document: &Request<T>, path: &str) -> Option<Request<()>> {
    let mut parts = document.uri().clone().into_parts();
    parts.path_and_query = Some(path.parse::<PathAndQuery>().ok()?);
    let mut promised = Request::new(());
    *promised.uri_mut() = Uri::from_parts(parts).ok()?;
    let mut headers: HeaderMap = document.headers().clone();
    headers.remove(FIELD);
    priority::state(&mut headers, path, load.priorities);
    *promised.headers_mut() = headers;
    Some(promised)
}
