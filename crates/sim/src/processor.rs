//! Processors of simulated hosts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use bentpipe_net::{Core, Processor};
use bentpipe_run::{HostSpec, RunSpec};
use bentpipe_units::{Duration, Time};

use crate::clock::{Clock, Timer};
use crate::host::id::HostId;

/// The processors of the hosts that have one.
pub(crate) struct Processors {
    client: Option<Processor>,
    server: Option<Processor>,
}

/// A core on the virtual clock.
#[derive(Debug)]
struct SimCore {
    clock: Arc<Clock>,
    idle_at: AtomicU64,
    timer: Timer,
    queue: Arc<Queue>,
}

/// Tasks that wait until the core is idle, in their order: the first that runs may keep the others waiting.
#[derive(Debug, Default)]
struct Queue(Mutex<Vec<Waker>>);

impl Processors {
    pub(crate) fn new(spec: &RunSpec, clock: &Arc<Clock>) -> Self {
        let processor = |costs: HostSpec| Processor::new(costs, Arc::new(SimCore::new(clock)));
        Self {
            client: spec.host.as_ref().map(|hosts| processor(hosts.client)),
            server: spec.host.as_ref().map(|hosts| processor(hosts.server)),
        }
    }

    /// That of a host; a proxy has none.
    pub(crate) fn of(&self, host: HostId) -> Option<Processor> {
        match host {
            HostId::Client => self.client.clone(),
            HostId::Server => self.server.clone(),
            HostId::Terminal | HostId::Gateway => None,
        }
    }
}

impl SimCore {
    fn new(clock: &Arc<Clock>) -> Self {
        Self {
            clock: Arc::clone(clock),
            idle_at: AtomicU64::new(Time::ZERO.as_nanos()),
            timer: Timer::new(clock, Time::MAX),
            queue: Arc::default(),
        }
    }

    fn idle_at(&self) -> Time {
        Time::from_nanos(self.idle_at.load(Ordering::Relaxed))
    }
}

impl Core for SimCore {
    fn poll_idle(&self, cx: &mut Context<'_>) -> Poll<()> {
        let idle_at = self.idle_at();
        if idle_at <= self.clock.now() {
            return Poll::Ready(());
        }
        self.queue.0.lock().expect("no panic while waiting").push(cx.waker().clone());
        self.timer.reset(idle_at);
        self.timer.poll(&mut Context::from_waker(&Waker::from(Arc::clone(&self.queue))))
    }

    fn work(&self, span: Duration) {
        let begin = self.idle_at().max(self.clock.now());
        self.idle_at.store(begin.saturating_add(span).as_nanos(), Ordering::Relaxed);
    }
}

impl Wake for Queue {
    fn wake(self: Arc<Self>) {
        let waiting = std::mem::take(&mut *self.0.lock().expect("no panic while waiting"));
        waiting.into_iter().for_each(Waker::wake);
    }
}
