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

    pub(super) fn carried(&self, direction: Direction, bytes: usize) {
        let report = &mut *self.0.borrow_mut();
        let total = match direction {
            Direction::Up => &mut report.up_bytes,
            Direction::Down => &mut report.down_bytes,
        };
        *total = Bytes::new(total.get() + bytes as u64);
    }
}
