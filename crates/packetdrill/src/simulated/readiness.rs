//! What sockets are ready for (`tcp_poll`): poll and epoll.

use bentpipe_tcp::State;
use bentpipe_units::Duration;

use crate::outcome::{Handle, Outcome, Output};
use crate::simulated::Simulated;
use crate::simulated::socket::{Interest, Kind, peer_finished};
use crate::simulated::sockets::{Attempt, done, error};

const READABLE: i64 = (libc::POLLIN | libc::POLLRDNORM) as i64;

impl Simulated<'_> {
    /// `tcp_poll`.
    fn events(&self, socket: Handle) -> Option<i64> {
        let found = self.sockets.get(&socket)?;
        let connected = match &found.kind {
            Kind::Listening { ready, .. } => return Some(if ready.is_empty() { 0 } else { READABLE }),
            Kind::Connection(id) => self.connections.get(id)?,
            Kind::Pipe { pipe, end } => return self.pipes.get(pipe).map(|pipe| pipe.events(*end)),
            Kind::File { .. } => return Some(READABLE | i64::from(libc::POLLOUT | libc::POLLWRNORM)),
            _ if found.is_deferred => return Some(i64::from(libc::POLLOUT | libc::POLLWRNORM)),
            _ => return Some(i64::from(libc::POLLOUT | libc::POLLWRNORM | libc::POLLHUP)),
        };
        let connection = &connected.connection;
        let mut events = 0;
        if connected.is_opening() {
            return Some(events);
        }
        let has_ended = connection.is_closed() || connection.state() == State::TimeWait;
        let peer_finished = has_ended || found.no_reads || peer_finished(connection);
        if connection.unread() > 0 || peer_finished {
            events |= READABLE;
        }
        if peer_finished {
            events |= i64::from(libc::POLLRDHUP);
        }
        if connection.has_space() || !connection.state().may_write() {
            events |= i64::from(libc::POLLOUT | libc::POLLWRNORM);
        }
        if has_ended || (peer_finished && !connection.state().may_write()) {
            events |= i64::from(libc::POLLHUP);
        }
        if connected.error.is_some() || !connected.errors.is_empty() {
            events |= i64::from(libc::POLLERR);
        }
        Some(events)
    }

    pub(super) fn poll(&mut self, entries: &[(Handle, i16)], timeout_ms: i32) -> Attempt {
        let always = i64::from(libc::POLLERR | libc::POLLHUP);
        let of = |(socket, wanted): &(Handle, i16)| match self.events(*socket) {
            Some(events) => events & (i64::from(*wanted) | always),
            None => i64::from(libc::POLLNVAL),
        };
        let events: Vec<i64> = entries.iter().map(of).collect();
        let ready = events.iter().filter(|events| **events != 0).count();
        self.waited(ready, events, timeout_ms)
    }

    pub(super) fn epoll_control(
        &mut self,
        epoll: Handle,
        operation: i32,
        socket: Handle,
        events: i64,
    ) -> Attempt {
        if !self.sockets.contains_key(&socket) {
            return error(libc::EBADF);
        }
        let interest = Interest { socket, events, is_woken: true };
        let Some(Kind::Epoll(interests)) = self.sockets.get_mut(&epoll).map(|found| &mut found.kind) else {
            return error(libc::EINVAL);
        };
        let known = interests.iter().position(|interest| interest.socket == socket);
        match (operation, known) {
            (libc::EPOLL_CTL_ADD, None) => interests.push(interest),
            (libc::EPOLL_CTL_MOD, Some(at)) => interests[at] = interest,
            (libc::EPOLL_CTL_DEL, Some(at)) => drop(interests.remove(at)),
            (libc::EPOLL_CTL_ADD, Some(_)) => return error(libc::EEXIST),
            _ => return error(libc::ENOENT),
        }
        done(Outcome::of(0))
    }

    /// `ep_send_events`.
    pub(super) fn epoll_wait(&mut self, epoll: Handle, most: i32, timeout_ms: i32) -> Attempt {
        let Some(Kind::Epoll(interests)) = self.sockets.get(&epoll).map(|found| &found.kind) else {
            return error(libc::EINVAL);
        };
        let of = |interest: &Interest| self.events(interest.socket).unwrap_or(0) & interest.wanted();
        let pending: Vec<i64> = interests.iter().map(of).collect();
        let Some(Kind::Epoll(interests)) = self.sockets.get_mut(&epoll).map(|found| &mut found.kind) else {
            return error(libc::EINVAL);
        };
        let mut told = Vec::new();
        for (interest, events) in interests.iter_mut().zip(pending) {
            let is_due = interest.is_woken || !interest.is_edge_triggered();
            if !is_due || told.len() >= most.max(0) as usize {
                continue;
            }
            interest.is_woken = false;
            if events != 0 {
                told.push(events);
                interest.on_told();
            }
        }
        self.waited(told.len(), told, timeout_ms)
    }

    /// Something is told of a descriptor: those that watch it look (`ep_poll_callback`).
    pub(super) fn wake_watchers(&mut self, socket: Handle, events: i64) {
        for found in self.sockets.values_mut() {
            let Kind::Epoll(interests) = &mut found.kind else { continue };
            for interest in interests.iter_mut().filter(|interest| interest.socket == socket) {
                interest.is_woken |= interest.wanted() & events != 0;
            }
        }
    }

    /// Waits until something is ready, or until the time is over that it may take.
    fn waited(&mut self, ready: usize, events: Vec<i64>, timeout_ms: i32) -> Attempt {
        let (now, limit) = (self.now, Duration::from_millis(timeout_ms.unsigned_abs().into()));
        let deadline = (timeout_ms > 0).then(|| *self.deadline.get_or_insert(now + limit));
        match ready {
            0 if timeout_ms < 0 || deadline.is_some_and(|deadline| now < deadline) => Ok(None),
            _ => done(Outcome { output: Output::Events(events), ..Outcome::of(ready as i64) }),
        }
    }
}
