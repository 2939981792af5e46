//! What is fetched from one host by one protocol.

use std::rc::Rc;

use bentpipe_net::Net;
use bentpipe_run::{Http, Reason};

use super::fetch::{FetchError, Fetched};
use super::session::Session;
use super::{h1, h2, h3, spdy};
use crate::hosts::Remote;

/// The protocol's way of fetching.
pub(super) enum Protocol<N: Net> {
    H1(h1::Pool<N>),
    H2(h2::Client<N>),
    H3(h3::Client<N>),
    Spdy(spdy::Client<N>),
}

impl<N: Net> Protocol<N> {
    pub(super) fn new(session: &Rc<Session<N>>, remote: Remote) -> Self {
        match session.load.http {
            Http::Http10 | Http::Http10s | Http::H1 | Http::H1s => Self::H1(h1::Pool::new(session, remote)),
            Http::H2 | Http::H2c => Self::H2(h2::Client::new(session, remote)),
            Http::H3 => Self::H3(h3::Client::new(session, remote)),
            Http::Spdy => Self::Spdy(spdy::Client::new(session, remote)),
        }
    }

    pub(super) async fn fetch(&self, path: &str, on_data: impl FnMut(&[u8])) -> Result<Fetched, FetchError> {
        match self {
            Self::H1(pool) => pool.fetch(path, on_data).await,
            Self::H2(client) => client.fetch(path, on_data).await,
            Self::H3(client) => client.fetch(path, on_data).await,
            Self::Spdy(client) => client.fetch(path, on_data).await,
        }
    }

    /// Whether its connection was reset because it was idle; HTTP/1 sees to that by itself.
    pub(super) fn was_reset(&self, session: &Session<N>) -> bool {
        let index = match self {
            Self::H1(_) | Self::H3(_) => None,
            Self::H2(client) => client.connection_index(),
            Self::Spdy(client) => client.connection_index(),
        };
        index.is_some_and(|index| session.resets.contain(index))
    }

    /// What was odd about the connections, beside the objects.
    pub(super) fn doubts(&self) -> Vec<Reason> {
        match self {
            Self::H1(_) | Self::H3(_) | Self::Spdy(_) => Vec::new(),
            Self::H2(client) => client.doubts(),
        }
    }
}
