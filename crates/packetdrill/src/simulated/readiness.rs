//! What sockets are ready for (`tcp_poll`): poll and epoll.

use bentpipe_tcp::State;
use bentpipe_units::Duration;

use crate::outcome::{Handle, Missing, Outcome, Output};
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
            _ => return Some(i64::from(libc::POLLOUT | libc::POLLWRNORM | libc::POLLHUP)),
        };
        let connection = &connected.connection;
        let mut events = 0;
        if matches!(connection.state(), State::SynSent | State::SynReceived) {
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
        if connection.is_writable() || !connection.state().may_send() {
            events |= i64::from(libc::POLLOUT | libc::POLLWRNORM);
        }
        if has_ended {
            events |= i64::from(libc::POLLHUP);
        }
        if connected.error.is_some() {
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
        if events & i64::from(libc::EPOLLET | libc::EPOLLONESHOT | libc::EPOLLEXCLUSIVE) != 0 {
            return Err(Missing("epoll by edges".to_owned()));
        }
        let Some(Kind::Epoll(interests)) = self.sockets.get_mut(&epoll).map(|found| &mut found.kind) else {
            return error(libc::EINVAL);
        };
        let known = interests.iter().position(|interest| interest.socket == socket);
        match (operation, known) {
            (libc::EPOLL_CTL_ADD, None) => interests.push(Interest { socket, events }),
            (libc::EPOLL_CTL_MOD, Some(at)) => interests[at].events = events,
            (libc::EPOLL_CTL_DEL, Some(at)) => drop(interests.remove(at)),
            (libc::EPOLL_CTL_ADD, Some(_)) => return error(libc::EEXIST),
            _ => return error(libc::ENOENT),
        }
        done(Outcome::of(0))
    }

    pub(super) fn epoll_wait(&mut self, epoll: Handle, most: i32, timeout_ms: i32) -> Attempt {
        let Some(Kind::Epoll(interests)) = self.sockets.get(&epoll).map(|found| &found.kind) else {
            return error(libc::EINVAL);
        };
        let always = i64::from(libc::EPOLLERR | libc::EPOLLHUP);
        let of = |interest: &Interest| Some(self.events(interest.socket)? & (interest.events | always));
        let events = interests.iter().filter_map(of).filter(|events| *events != 0);
        let events: Vec<i64> = events.take(most.max(0) as usize).collect();
        self.waited(events.len(), events, timeout_ms)
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
