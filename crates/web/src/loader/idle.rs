//! Resetting connections that nobody uses.

use std::cell::Cell;
use std::rc::Rc;

use bentpipe_net::{Net, Probe};
use bentpipe_units::Duration;

use crate::connection::Connections;

/// The time during which nobody uses a connection. It ends with [`end`](Self::end), with its being dropped, or, when it
/// takes too long, with a reset.
pub(super) struct Rest(Rc<Cell<Fate>>);

/// What became of a connection that nobody used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is as it was.
    Kept,
    /// It was reset.
    Reset,
}

impl Rest {
    /// Somebody wants the connection again.
    pub(super) fn end(self) -> Fate {
        self.0.get()
    }
}

impl Fate {
    pub(super) const fn is_usable(self) -> bool {
        matches!(self, Self::Kept)
    }
}

/// Nobody uses the connection `index` from now on: it is reset after `limit`, where there is one.
pub(super) fn rest<N: Net, P: Probe>(
    net: &N,
    connections: &Connections<P>,
    limit: Option<Duration>,
    index: usize,
) -> Rest {
    let fate = Rc::new(Cell::new(Fate::Kept));
    if let Some(limit) = limit {
        let (waiting, net, connections) = (Rc::downgrade(&fate), net.clone(), connections.clone());
        net.clone().spawn(async move {
            net.sleep(limit).await;
            if let Some(fate) = waiting.upgrade() {
                fate.set(Fate::Reset);
                connections.reset(index);
            }
        });
    }
    Rest(fate)
}
