//! What a proxy has done.

use std::cell::RefCell;
use std::rc::Rc;

use bentpipe_run::Direction;
use bentpipe_units::Bytes;
use serde::{Deserialize, Serialize};

/// What a proxy has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PepReport {
    /// Connections taken part in.
    pub connections: u64,
    /// Of those, how many ended by a reset: an end failed, let go before the other's last word, or was not to be reached.
    pub errors: u64,
    /// Bytes carried from clients to servers.
    pub up_bytes: Bytes,
    /// Bytes carried from servers to clients.
    pub down_bytes: Bytes,
    /// UDP packets forwarded for clients, of a proxy for UDP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub datagrams: Option<u64>,
    /// UDP packets of a client or for one that were dropped: the queue of the connection was full, or they were nobody's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped_datagrams: Option<u64>,
}

/// The counters of one host, shared by its connections.
#[derive(Clone, Debug, Default)]
pub(super) struct Counters(Rc<RefCell<PepReport>>);

impl Counters {
    pub(super) fn report(&self) -> PepReport {
        self.0.borrow().clone()
    }

    pub(super) fn opened(&self) {
        self.0.borrow_mut().connections += 1;
    }

    pub(super) fn failed(&self) {
        self.0.borrow_mut().errors += 1;
    }

    /// What it forwards and drops are UDP packets.
    pub(super) fn has_datagrams(&self) {
        let report = &mut *self.0.borrow_mut();
        (report.datagrams, report.dropped_datagrams) = (Some(0), Some(0));
    }

    pub(super) fn forwarded(&self, direction: Direction, bytes: usize) {
        self.carried(direction, bytes);
        *self.0.borrow_mut().datagrams.get_or_insert_default() += 1;
    }

    pub(super) fn dropped(&self) {
        *self.0.borrow_mut().dropped_datagrams.get_or_insert_default() += 1;
    }

    pub(super) fn carried(&self, direction: Direction, bytes: usize) {
        let report = &mut *self.0.borrow_mut();
        let total = match direction {
            Direction::Up => &mut report.up_bytes,
            Direction::Down => &mut report.down_bytes,
        };
        *total = Bytes::new(total.get() + bytes as u64);
    }
}
