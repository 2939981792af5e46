//! The bodies of one connection, sent by their priorities.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::pending;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use bentpipe_http::priority::Priority;
use bentpipe_run::Priorities;
use bytes::{Buf, Bytes};
use futures_util::future::poll_fn;
use h2::{Reason, SendStream};
use tokio::sync::oneshot;

use crate::origin::schedule::{Place, Readiness, Schedule};

/// Bytes that the schedule decides about at once: a DATA frame of the size that every receiver takes (RFC 9113
/// section 4.2).
const TURN_BYTES: usize = 16_384;

/// How the bodies of a connection share it.
#[derive(Clone)]
pub(super) enum Bodies {
    /// As the library does: each is handed over as far as the windows allow, frames take turns.
    Shared,
    /// By priority, stated or the default: one frame at a time is handed over, when the one before has left.
    Scheduled(Rc<Waiting>),
}

/// Bodies that wait for their turn.
pub(super) struct Waiting {
    /// None once the connection has ended.
    schedule: RefCell<Option<Schedule<Body>>>,
    /// The task that sends them, while it has nothing to do.
    sender: RefCell<Option<Waker>>,
}

struct Body {
    stream: SendStream<Chunk>,
    rest: Bytes,
    /// Dropped when the last byte has left.
    departure: Option<Departing>,
    claim: Claim,
}

/// Whether a body holds a share of the connection's window that another one may need more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    None,
    Made,
}

/// A part of a body in the library's hands, which drops it when it is written or will never be.
#[derive(Debug)]
pub(super) struct Chunk {
    data: Bytes,
    _departure: Option<Departing>,
}

/// Dropped with what has departed.
type Departing = oneshot::Sender<Infallible>;

/// Tells when a body has left for the transport.
pub(super) struct Sent(oneshot::Receiver<Infallible>);

impl Bodies {
    pub(super) fn new(priorities: Priorities) -> Self {
        match priorities {
            Priorities::Off => Self::Shared,
            Priorities::Unstated | Priorities::On => {
                let schedule = RefCell::new(Some(Schedule::new()));
                Self::Scheduled(Rc::new(Waiting { schedule, sender: RefCell::new(None) }))
            }
        }
    }

    /// Takes a response's body, and returns when all of it is handed over or waits for its turn.
    pub(super) async fn send(
        &self,
        stream: SendStream<Chunk>,
        rest: Bytes,
        priority: Priority,
    ) -> Result<Sent, h2::Error> {
        let (departing, departed) = oneshot::channel();
        let body = Body { stream, rest, departure: Some(departing), claim: Claim::None };
        match self {
            Self::Shared => body.send_as_windows_allow().await?,
            Self::Scheduled(waiting) => waiting.add(body, priority),
        }
        Ok(Sent(departed))
    }

    /// Sends what waits for its turn, for ever.
    pub(super) async fn send_scheduled(&self) {
        let Self::Scheduled(waiting) = self else { return pending().await };
        loop {
            let (place, mut body, capacity) = poll_fn(|cx| waiting.poll_next(cx)).await;
            let (departing, departed) = oneshot::channel();
            // A stream that the client has reset takes nothing more.
            if body.send_part(capacity.min(TURN_BYTES), Some(departing)).is_ok() {
                let _ = departed.await;
                if let Some(schedule) = &mut *waiting.schedule.borrow_mut()
                    && !body.rest.is_empty()
                {
                    schedule.put_back(place, body);
                }
            }
        }
    }

    /// Drops what waits, and what will come: the connection has ended.
    pub(super) fn abandon(&self) {
        if let Self::Scheduled(waiting) = self {
            drop(waiting.schedule.take());
        }
    }
}

impl Waiting {
    fn add(&self, body: Body, priority: Priority) {
        if body.rest.is_empty() {
            return;
        }
        let order = u64::from(body.stream.stream_id().as_u32());
        if let Some(schedule) = &mut *self.schedule.borrow_mut() {
            schedule.add(priority, order, body);
        }
        if let Some(sender) = self.sender.take() {
            sender.wake();
        }
    }

    /// The first body that the windows let through, and how much of it.
    fn poll_next(&self, cx: &mut Context<'_>) -> Poll<(Place, Body, usize)> {
        let schedule = &mut *self.schedule.borrow_mut();
        let Some(schedule) = schedule else { return Poll::Pending };
        // What came since may be more urgent than those that were first to ask for the connection's window.
        schedule.iter_mut().for_each(Body::give_back);
        let Some((place, body)) = schedule.take_first(|body| body.claim(cx)) else {
            *self.sender.borrow_mut() = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let capacity = body.stream.capacity();
        Poll::Ready((place, body, capacity))
    }
}

impl Body {
    async fn send_as_windows_allow(mut self) -> Result<(), h2::Error> {
        while !self.rest.is_empty() {
            self.stream.reserve_capacity(self.rest.len());
            let granted = poll_fn(|cx| self.stream.poll_capacity(cx)).await;
            let granted = granted.unwrap_or(Err(Reason::CANCEL.into()))?;
            let departure = self.departure.take_if(|_| granted >= self.rest.len());
            self.send_part(granted, departure)?;
        }
        Ok(())
    }

    /// Hands over as much as that of it.
    fn send_part(&mut self, most: usize, departure: Option<Departing>) -> Result<(), h2::Error> {
        let data = self.rest.split_to(most.min(self.rest.len()));
        self.stream.send_data(Chunk { data, _departure: departure }, self.rest.is_empty())
    }

    fn claim(&mut self, cx: &mut Context<'_>) -> Readiness {
        self.stream.reserve_capacity(self.rest.len().min(TURN_BYTES));
        self.claim = Claim::Made;
        match self.stream.poll_capacity(cx) {
            Poll::Ready(None | Some(Err(_))) => Readiness::Gone,
            _ if self.stream.capacity() > 0 => Readiness::Ready,
            _ => Readiness::Blocked,
        }
    }

    fn give_back(&mut self) {
        if self.claim == Claim::Made {
            self.stream.reserve_capacity(0);
            self.claim = Claim::None;
        }
    }
}

impl Sent {
    /// Returns when the last byte has been written, or never will be.
    pub(super) async fn departure(self) {
        let _ = self.0.await;
    }
}

impl Buf for Chunk {
    fn remaining(&self) -> usize {
        self.data.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.data.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.data.advance(count);
    }
}
