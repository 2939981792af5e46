//! Where a simulation and its tasks meet.

use std::cell::{RefCell, RefMut};
use std::future::poll_fn;
use std::net::Ipv4Addr;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use bentpipe_run::RunSpec;
use bentpipe_units::Time;

use crate::capture::Tap;
use crate::clock::Clock;
use crate::executor::Executor;
use crate::host::Host;
use crate::host::id::HostId;
use crate::host::udp::Outbox;
use crate::processor::Processors;
use crate::simulation::Simulation;
use crate::topology::NextHop;
use crate::wakefulness::Wakefulness;

/// A simulation and the tasks on its hosts, which take turns: it is borrowed only while no task runs, or by the one
/// that does, for one call.
pub(crate) struct Shared {
    pub(crate) executor: Executor,
    pub(crate) clock: Arc<Clock>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) processors: Processors,
    simulation: RefCell<Simulation>,
}

/// A host as its tasks reach it.
#[derive(Clone)]
pub(crate) struct HostHandle {
    shared: Rc<Shared>,
    id: HostId,
}

impl Shared {
    pub(crate) fn new(spec: &RunSpec, tap: Option<Tap>) -> Self {
        let (clock, outbox) = (Arc::<Clock>::default(), Arc::<Outbox>::default());
        let processors = Processors::new(spec, &clock);
        let wakefulness = Rc::new(Wakefulness::of(spec, Arc::clone(&clock)));
        let simulation =
            Simulation::new(spec, tap, Arc::clone(&clock), Arc::clone(&outbox), Rc::clone(&wakefulness));
        Self {
            executor: Executor::new(wakefulness),
            clock,
            outbox,
            processors,
            simulation: RefCell::new(simulation),
        }
    }

    pub(crate) fn simulation(&self) -> RefMut<'_, Simulation> {
        self.simulation.borrow_mut()
    }

    /// Lets every task run that can, and moves what they sent to where it goes.
    pub(crate) fn settle(&self) {
        loop {
            self.simulation().deliver_on_lan();
            self.executor.run();
            if !self.simulation().send_datagrams() {
                return;
            }
        }
    }

    /// Lets the next event happen and every task run that can then; false when nothing is left to happen.
    pub(crate) fn step(&self) -> bool {
        let has_stepped = self.simulation().step();
        if has_stepped {
            self.settle();
        }
        has_stepped
    }
}

impl HostHandle {
    pub(crate) const fn new(shared: Rc<Shared>, id: HostId) -> Self {
        Self { shared, id }
    }

    pub(crate) const fn id(&self) -> HostId {
        self.id
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn now(&self) -> Time {
        self.shared.clock.now()
    }

    /// Whether what goes to this address goes over a LAN segment to another host.
    pub(crate) fn is_neighbour(&self, address: Ipv4Addr) -> bool {
        let hop = self.shared.simulation().topology().next_hop(self.id, address);
        matches!(hop, NextHop::Lan(host) if host != self.id)
    }

    /// Whether a task lets those of other hosts run first; if so it is woken.
    pub(crate) fn gives_way(&self, cx: &Context<'_>) -> bool {
        self.shared.executor.give_way(self.id, cx)
    }

    /// Returns when the host asks about its descriptors next (`epoll_wait`).
    pub(crate) async fn epoll(&self) {
        let mut has_asked = false;
        poll_fn(|cx| {
            if std::mem::replace(&mut has_asked, true) {
                return Poll::Ready(());
            }
            self.shared.executor.wake_at_epoll(cx);
            Poll::Pending
        })
        .await;
    }

    /// Calls the host, which sends at once what it has to send then.
    pub(crate) fn call<T>(&self, call: impl FnOnce(&mut Host, Time) -> T) -> T {
        self.shared.simulation().call(self.id, call)
    }
}
