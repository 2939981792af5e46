//! Connections that were opened in vain.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::idle::Rest;

/// An open TCP connection and its index in the session's list.
pub(super) struct Opened<S> {
    pub(super) stream: S,
    pub(super) index: usize,
}

/// Connections that came second, in the order of their coming. They wait for a request that needs a new one, and are
/// closed with the session.
pub(super) struct Spares<S>(Rc<RefCell<VecDeque<Spare<S>>>>);

struct Spare<S> {
    opened: Opened<S>,
    rest: Rest,
}

impl<S> Default for Spares<S> {
    fn default() -> Self {
        Self(Rc::default())
    }
}

impl<S> Clone for Spares<S> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<S> Spares<S> {
    /// Keeps one that nobody uses.
    pub(super) fn put(&self, opened: Opened<S>, rest: Rest) {
        self.0.borrow_mut().push_back(Spare { opened, rest });
    }

    /// The oldest that is still open.
    pub(super) fn take(&self) -> Option<Opened<S>> {
        let spares = &mut *self.0.borrow_mut();
        std::iter::from_fn(|| spares.pop_front())
            .find_map(|Spare { opened, rest }| rest.end().is_usable().then_some(opened))
    }
}
