//! What the origin pushes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bentpipe_net::Net;
use bentpipe_run::Reason;
use bentpipe_units::Time;
use h2::client::{PushPromise, PushPromises, PushedResponseFuture};
use http::uri::PathAndQuery;
use tokio::sync::oneshot;

use super::receive::receive;
use crate::hosts::Remote;
use crate::loader::fetch::{FetchError, Fetched};
use crate::loader::session::Session;
use crate::page::{INDEX, Place};

/// What the origin pushes.
///
/// A pushed object is received as it comes. It belongs to the page only once the document names it, but is as good as
/// discovered and requested from when its promise arrived.
pub(super) struct Pushes<N: Net> {
    session: Rc<Session<N>>,
    host: usize,
    /// By path; none once the object has been asked for.
    promised: RefCell<BTreeMap<String, Option<Pushed>>>,
    doubts: RefCell<Vec<Reason>>,
}

/// A response that arrives by itself.
pub(super) struct Pushed(oneshot::Receiver<Result<Fetched, FetchError>>);

impl<N: Net> Pushes<N> {
    pub(super) fn new(session: &Rc<Session<N>>, remote: &Remote) -> Self {
        Self {
            session: Rc::clone(session),
            host: remote.host,
            promised: RefCell::default(),
            doubts: RefCell::default(),
        }
    }

    /// Accepts the promises that have arrived with the document on a connection, and has its task woken for others.
    pub(super) fn collect(&self, connection: usize, promises: &mut PushPromises, cx: &mut Context<'_>) {
        // An error is the document's as well, which reports it.
        while let Poll::Ready(Some(Ok(promise))) = pin!(promises.push_promise()).poll(cx) {
            self.accept(connection, promise);
        }
    }

    /// The response to a request for `path`, where it has been promised.
    pub(super) fn take(&self, path: &str) -> Option<Pushed> {
        self.promised.borrow_mut().get_mut(path).and_then(Option::take)
    }

    /// What was promised and is not of the page, or the document did not name.
    pub(super) fn doubts(&self) -> Vec<Reason> {
        let promised = self.promised.borrow();
        let unasked = promised.iter().filter(|(_, pushed)| pushed.is_some());
        let unasked = unasked.map(|(path, _)| Reason::PushUnused { object: path.clone() });
        self.doubts.borrow().iter().cloned().chain(unasked).collect()
    }

    fn accept(&self, connection: usize, promise: PushPromise) {
        let (request, response) = promise.into_parts();
        let url = request.uri().to_string();
        let path = request.uri().path_and_query().map_or(INDEX, PathAndQuery::as_str).to_owned();
        let place = Place { host: self.host, path: path.clone() };
        let is_there = self.session.site.on(self.host, &path).is_some();
        let is_of_page = is_there && url == self.session.url(&place);
        let doubt = match self.promised.borrow_mut().entry(path) {
            _ if !is_of_page => Reason::PushUnknown { url },
            Entry::Occupied(_) => Reason::PushRepeated { url },
            Entry::Vacant(place) => {
                place.insert(Some(self.receive(connection, response)));
                return;
            }
        };
        // Dropped with its response, which resets the stream.
        self.doubts.borrow_mut().push(doubt);
    }

    fn receive(&self, connection: usize, response: PushedResponseFuture) -> Pushed {
        let net = &self.session.net;
        let (arrived, pushed) = oneshot::channel();
        let receiving = receive_pushed(net.clone(), connection, net.now(), response);
        net.spawn(async move {
            // Nobody asks once the load has timed out.
            let _ = arrived.send(receiving.await);
        });
        Pushed(pushed)
    }
}

impl Pushed {
    /// Waits until all of it is there.
    pub(super) async fn received(self) -> Result<Fetched, FetchError> {
        self.0.await.unwrap_or_else(|_| Err(h2::Error::from(h2::Reason::CANCEL).into()))
    }
}

async fn receive_pushed<N: Net>(
    net: N,
    connection: usize,
    promised: Time,
    response: PushedResponseFuture,
) -> Result<Fetched, FetchError> {
    let fetched = receive(&net, connection, response.await?, |_| (), |_| ()).await?;
    Ok(Fetched { requested: promised, ..fetched })
}
