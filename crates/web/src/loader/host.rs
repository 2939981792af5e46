//! What is fetched from one host, over however many connections that takes.

use std::cell::RefCell;
use std::rc::Rc;

use bentpipe_net::Net;
use bentpipe_run::{Http, Reason};

use super::fetch::{FetchError, Fetched};
use super::protocol::Protocol;
use super::session::Session;
use crate::hosts::Remote;

/// A host as a load fetches from it: by the protocol of the run, of which a client begins anew, or falls back to HTTP/1.1
/// over TLS, when its connection was reset because it was idle.
pub(super) struct Host<N: Net> {
    session: Rc<Session<N>>,
    remote: Remote,
    protocol: RefCell<Rc<Protocol<N>>>,
}

impl<N: Net> Host<N> {
    pub(super) fn new(session: &Rc<Session<N>>, remote: Remote) -> Self {
        let protocol = RefCell::new(Rc::new(Protocol::new(session, remote.clone())));
        Self { session: Rc::clone(session), remote, protocol }
    }

    /// Fetches a path; asks again for what was not complete on a connection that was reset (RFC 9110 section 9.2.2: a GET
    /// may be). `on_data` gets each byte of the body once.
    pub(super) async fn fetch(
        &self,
        path: &str,
        mut on_data: impl FnMut(&[u8]),
    ) -> Result<Fetched, FetchError> {
        let mut known = 0;
        loop {
            let protocol = Rc::clone(&self.protocol.borrow());
            let mut received = 0;
            let result = protocol
                .fetch(path, |chunk: &[u8]| {
                    let new = &chunk[usize::min(known - received.min(known), chunk.len())..];
                    received += chunk.len();
                    known = known.max(received);
                    if !new.is_empty() {
                        on_data(new);
                    }
                })
                .await;
            if result.is_ok() || !protocol.was_reset(&self.session) {
                return result;
            }
            self.replace(&protocol);
        }
    }

    /// What was odd about the connections, beside the objects.
    pub(super) fn doubts(&self) -> Vec<Reason> {
        self.protocol.borrow().doubts()
    }

    /// Puts another client in the place of one whose connection is gone, unless that has happened already.
    fn replace(&self, gone: &Rc<Protocol<N>>) {
        let mut current = self.protocol.borrow_mut();
        if !Rc::ptr_eq(&current, gone) {
            return;
        }
        let Session { client, load, .. } = &*self.session;
        let falls_back = client.spec.tcp.idle_fallback.is_on() && load.http.is_tls();
        let session = if falls_back { Rc::new(self.session.by(Http::H1s)) } else { Rc::clone(&self.session) };
        *current = Rc::new(Protocol::new(&session, self.remote.clone()));
    }
}
