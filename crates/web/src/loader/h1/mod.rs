//! HTTP/1 with one host.

mod connection;
mod error;
mod schedule;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use bentpipe_net::Net;
use bentpipe_run::{Http, PageLoadSpec};
use tokio::sync::oneshot;

use super::fetch::{FetchError, Fetched};
use super::session::Session;
use crate::hosts::Remote;
use connection::Connection;
pub(super) use error::H1Error;
use schedule::{Limits, Place, Schedule};

/// HTTP/1.0 and HTTP/1.1 with one host: at most N connections, on each at most so many requests at once and
/// in all, in order of asking.
pub(super) struct Pool<N: Net> {
    session: Rc<Session<N>>,
    remote: Remote,
    state: RefCell<State>,
}

struct State {
    schedule: Schedule<Connection>,
    /// Requests without a place, in the order in which they were first asked for.
    waiting: BTreeMap<u64, oneshot::Sender<Place<Connection>>>,
    asked: u64,
}

impl<N: Net> Pool<N> {
    pub(super) fn new(session: &Rc<Session<N>>, remote: Remote) -> Self {
        let schedule = Schedule::new(limits(&session.load));
        let state = State { schedule, waiting: BTreeMap::new(), asked: 0 };
        Self { session: Rc::clone(session), remote, state: RefCell::new(state) }
    }

    pub(super) async fn fetch(
        &self,
        path: &str,
        mut on_data: impl FnMut(&[u8]),
    ) -> Result<Fetched, FetchError> {
        let (order, mut turn) = self.state.borrow_mut().ask();
        loop {
            let place = turn.await.expect("a request waits until it has a place");
            let result =
                place.connection.fetch(&self.session, &self.remote, path, &place, &mut on_data).await;
            let mut state = self.state.borrow_mut();
            let Some(result) = result.transpose() else {
                // RFC 9112 section 9.3.1: a GET may be retried. That ends, because each time the connection has
                // answered something.
                turn = state.wait(order);
                state.leave(&place.connection);
                continue;
            };
            state.leave(&place.connection);
            return result;
        }
    }
}

impl State {
    /// A new request: its order and its turn.
    fn ask(&mut self) -> (u64, oneshot::Receiver<Place<Connection>>) {
        self.asked += 1;
        let order = self.asked;
        let turn = self.wait(order);
        self.fill();
        (order, turn)
    }

    /// Has a request wait for its turn, before later ones.
    fn wait(&mut self, order: u64) -> oneshot::Receiver<Place<Connection>> {
        let (give, turn) = oneshot::channel();
        self.waiting.insert(order, give);
        turn
    }

    /// Gives every place that is free.
    fn fill(&mut self) {
        while !self.waiting.is_empty() {
            self.close_broken();
            let Some(place) = self.schedule.place(Connection::new) else { return };
            let Some((_, give)) = self.waiting.pop_first() else { return };
            if let Err(place) = give.send(place) {
                // Its load has timed out.
                self.schedule.leave(&place.connection);
            }
        }
    }

    /// Closes the idle connections that the origin has closed, as far as they would be taken.
    fn close_broken(&mut self) {
        while let Some(connection) = self.schedule.idle().filter(|connection| connection.is_broken()).cloned()
        {
            self.schedule.close(&connection);
        }
    }

    fn leave(&mut self, connection: &Rc<Connection>) {
        if connection.is_closed() {
            self.schedule.close(connection);
        }
        self.schedule.leave(connection);
        self.fill();
    }
}

fn limits(load: &PageLoadSpec) -> Limits {
    let connections = load.connections.max(1) as usize;
    let pipelining = load.pipelining.unwrap_or(1).max(1);
    match load.http {
        // RFC 1945 section 1.3: the connection is established before each request and closed after the response.
        Http::Http10 | Http::Http10s => {
            Limits { connections, pipelining: 1, optimistic_pipelining: 1, requests: Some(1) }
        }
        Http::H1 | Http::H1s | Http::H2 | Http::H2c | Http::H3 | Http::Spdy => Limits {
            connections,
            pipelining,
            optimistic_pipelining: load
                .optimistic_pipelining
                .map_or(pipelining, |most| most.clamp(1, pipelining)),
            requests: load.requests_per_connection.map(|most| most.max(1)),
        },
    }
}
