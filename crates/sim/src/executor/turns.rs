//! Whose task runs next.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Wake;

use crate::host::id::HostId;
use crate::wakefulness::Wakefulness;

/// Tasks of one kind that run before those of the other have their turn (tokio's `event_interval` and
/// `MAX_TASKS_PER_TICK`).
pub(super) const TURN: u32 = 61;

/// Tasks to run next, each at most once.
#[derive(Default)]
pub(super) struct Woken(Mutex<Hosts>);

#[derive(Default)]
struct Hosts {
    turns: [Turns; HostId::ALL.len()],
    /// Whose turn it is.
    present: usize,
}

/// Whose turn it is on a host.
#[derive(Default)]
struct Turns {
    library: VecDeque<Arc<TaskWake>>,
    programs: VecDeque<Arc<TaskWake>>,
    /// Tasks to run when the host asks about its descriptors next (`epoll_wait`), which it does when none is left to run.
    at_epoll: VecDeque<Arc<TaskWake>>,
    present: Kind,
    /// Tasks that have run in this turn.
    run: u32,
}

/// Whose a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// The QUIC library's.
    #[default]
    Library,
    /// A program's.
    Program,
}

/// Wakes a task.
pub(super) struct TaskWake {
    index: usize,
    host: HostId,
    kind: Kind,
    woken: Arc<Woken>,
    is_queued: AtomicBool,
    /// Whether it has let tasks of other hosts run first, until that is taken.
    gave_way: AtomicBool,
    /// Set when the task has ended: its slot may belong to another one by now.
    has_ended: AtomicBool,
}

impl Woken {
    /// The next task of a host that is awake, which is then no longer among them.
    pub(super) fn pop(&self, wakefulness: &Wakefulness) -> Option<Arc<TaskWake>> {
        let wake = self.hosts().pop(wakefulness)?;
        wake.is_queued.store(false, Ordering::Relaxed);
        Some(wake)
    }

    /// A task that gives way and was woken runs before the others of its host, but after those of other hosts.
    pub(super) fn put_off(&self, wake: &Arc<TaskWake>) {
        wake.gave_way.store(true, Ordering::Relaxed);
        self.hosts().put_off(wake);
    }

    /// A task that was woken runs when all others of its host wait.
    pub(super) fn put_last(&self, wake: &Arc<TaskWake>) {
        self.hosts().turns[wake.host as usize].put_last(wake);
    }

    /// Whether other hosts have tasks to run, and are awake.
    pub(super) fn has_others(&self, host: HostId, wakefulness: &Wakefulness) -> bool {
        let hosts = self.hosts();
        let mut others = HostId::ALL.into_iter().filter(|other| *other != host);
        others.any(|other| hosts.turns[other as usize].has_tasks() && wakefulness.is_awake(other))
    }

    fn hosts(&self) -> MutexGuard<'_, Hosts> {
        self.0.lock().expect("no panic while queueing")
    }
}

impl Hosts {
    /// The next task of the host whose turn it is, until that has none, then of the next host that has one.
    /// Those that have none fall asleep.
    fn pop(&mut self, wakefulness: &Wakefulness) -> Option<Arc<TaskWake>> {
        let count = self.turns.len();
        for at in (self.present..self.present + count).map(|at| at % count) {
            let host = HostId::ALL[at];
            if self.turns[at].has_tasks() && !wakefulness.is_awake(host) {
                continue;
            }
            if let Some(wake) = self.turns[at].pop() {
                self.present = at;
                return Some(wake);
            }
            wakefulness.sleep(host);
        }
        None
    }

    fn put_off(&mut self, wake: &Arc<TaskWake>) {
        let at = wake.host as usize;
        self.turns[at].put_first(wake);
        self.present = at + 1;
    }
}

impl Turns {
    fn push(&mut self, wake: Arc<TaskWake>) {
        self.queue(wake.kind).push_back(wake);
    }

    fn pop(&mut self) -> Option<Arc<TaskWake>> {
        self.pop_woken().or_else(|| {
            for wake in std::mem::take(&mut self.at_epoll) {
                self.push(wake);
            }
            self.pop_woken()
        })
    }

    fn pop_woken(&mut self) -> Option<Arc<TaskWake>> {
        for _ in [Kind::Library, Kind::Program] {
            if self.run < TURN
                && let Some(wake) = self.queue(self.present).pop_front()
            {
                self.run += 1;
                return Some(wake);
            }
            (self.present, self.run) = (self.present.other(), 0);
        }
        let wake = self.queue(self.present).pop_front();
        // With nobody left the library begins: what comes next comes from the network.
        (self.present, self.run) = match wake {
            Some(_) => (self.present, 1),
            None => (Kind::Library, 0),
        };
        wake
    }

    fn put_first(&mut self, wake: &Arc<TaskWake>) {
        if self.remove(wake) {
            self.queue(wake.kind).push_front(Arc::clone(wake));
        }
    }

    fn put_last(&mut self, wake: &Arc<TaskWake>) {
        if self.remove(wake) {
            self.at_epoll.push_back(Arc::clone(wake));
        }
    }

    /// Takes a task out of its queue, and tells whether it was there.
    fn remove(&mut self, wake: &Arc<TaskWake>) -> bool {
        let queue = self.queue(wake.kind);
        let at = queue.iter().rposition(|other| Arc::ptr_eq(other, wake));
        at.and_then(|at| queue.remove(at)).is_some()
    }

    fn has_tasks(&self) -> bool {
        !(self.library.is_empty() && self.programs.is_empty() && self.at_epoll.is_empty())
    }

    const fn queue(&mut self, kind: Kind) -> &mut VecDeque<Arc<TaskWake>> {
        match kind {
            Kind::Library => &mut self.library,
            Kind::Program => &mut self.programs,
        }
    }
}

impl Kind {
    const fn other(self) -> Self {
        match self {
            Self::Library => Self::Program,
            Self::Program => Self::Library,
        }
    }
}

impl TaskWake {
    pub(super) fn new(index: usize, host: HostId, kind: Kind, woken: Arc<Woken>) -> Self {
        Self {
            index,
            host,
            kind,
            woken,
            is_queued: AtomicBool::new(false),
            gave_way: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
        }
    }

    /// Its place among the tasks.
    pub(super) const fn index(&self) -> usize {
        self.index
    }

    /// Whether its task gave way when it ran last, and forgets it.
    pub(super) fn take_gave_way(&self) -> bool {
        self.gave_way.swap(false, Ordering::Relaxed)
    }

    /// Its task has ended.
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }
}

impl Wake for TaskWake {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_queued.swap(true, Ordering::Relaxed) {
            self.woken.hosts().turns[self.host as usize].push(Arc::clone(self));
        }
    }
}
