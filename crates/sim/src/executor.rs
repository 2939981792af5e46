//! The deterministic executor: tasks of one thread, on each host in the order in which they were woken.
//!
//! A host takes turns as tokio does on the emulator's threads, where the QUIC library's tasks are the scheduler's and the
//! programs' a `LocalSet`'s: which requests share a packet hangs on it. Hosts run at the same time, a task of each in turn, and
//! with neighbours on a LAN segment they do so by system calls: a task that sends lets those of others run first.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Wake, Waker};

use crate::host::id::HostId;

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// Tasks of one kind that run before those of the other have their turn (tokio's `event_interval` and
/// `MAX_TASKS_PER_TICK`).
const TURN: u32 = 61;

/// Runs tasks on one thread, of a host first woken first run: those of the QUIC library until all of them wait, then the
/// programs' likewise, and so on. It knows no time.
#[derive(Default)]
pub(crate) struct Executor {
    slots: RefCell<Slots>,
    woken: Arc<Woken>,
    injected: Arc<Injected>,
    gave_way: Cell<bool>,
    /// Whether the task that runs has given way, so that it may go on.
    may_go_on: Cell<bool>,
}

/// Takes a host's tasks of the QUIC library, from behind `Send` traits.
pub(crate) struct Injector {
    host: HostId,
    injected: Arc<Injected>,
}

type SendTask = Pin<Box<dyn Future<Output = ()> + Send>>;

#[derive(Default)]
struct Injected {
    tasks: Mutex<VecDeque<(HostId, SendTask)>>,
    /// Looked at after every task, hence without the lock.
    has_tasks: AtomicBool,
}

#[derive(Default)]
struct Slots {
    slots: Vec<Slot>,
    free: Vec<usize>,
}

struct Slot {
    /// None while the task runs, and after its end.
    task: Option<Task>,
}

/// Tasks to run next, each at most once.
#[derive(Default)]
struct Woken(Mutex<Hosts>);

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
    present: Kind,
    /// Tasks that have run in this turn.
    run: u32,
}

/// Whose a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// The QUIC library's.
    #[default]
    Library,
    /// A program's.
    Program,
}

struct TaskWake {
    index: usize,
    host: HostId,
    kind: Kind,
    woken: Arc<Woken>,
    is_queued: AtomicBool,
    has_given_way: AtomicBool,
    /// Set when the task has ended: its slot may belong to another one by now.
    has_ended: AtomicBool,
}

impl Executor {
    /// Adds a program's task on a host and queues it.
    pub(crate) fn spawn(&self, host: HostId, task: impl Future<Output = ()> + 'static) {
        self.add(host, Box::pin(task), Kind::Program);
    }

    fn add(&self, host: HostId, task: Task, kind: Kind) {
        let slots = &mut *self.slots.borrow_mut();
        let index = slots.free.pop().unwrap_or(slots.slots.len());
        let wake = Arc::new(TaskWake {
            index,
            host,
            kind,
            woken: Arc::clone(&self.woken),
            is_queued: AtomicBool::new(false),
            has_given_way: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
        });
        let slot = Slot { task: Some(task) };
        if index == slots.slots.len() {
            slots.slots.push(slot);
        } else {
            slots.slots[index] = slot;
        }
        wake.wake();
    }

    /// Where a host's tasks are handed in from behind `Send` traits.
    pub(crate) fn injector(&self, host: HostId) -> Injector {
        Injector { host, injected: Arc::clone(&self.injected) }
    }

    /// Runs woken tasks until all of them wait.
    pub(crate) fn run(&self) {
        loop {
            while let Some((host, task)) = self.injected.pop() {
                self.add(host, task, Kind::Library);
            }
            let Some(wake) = self.woken.pop() else { return };
            wake.is_queued.store(false, Ordering::Relaxed);
            let Some(mut task) = self.take(&wake) else { continue };
            let waker = Waker::from(Arc::clone(&wake));
            self.may_go_on.set(wake.has_given_way.swap(false, Ordering::Relaxed));
            let poll = task.as_mut().poll(&mut Context::from_waker(&waker));
            if self.gave_way.take() {
                self.woken.put_off(&wake);
            }
            let slots = &mut *self.slots.borrow_mut();
            if poll.is_pending() {
                slots.slots[wake.index].task = Some(task);
            } else {
                wake.has_ended.store(true, Ordering::Relaxed);
                slots.free.push(wake.index);
            }
        }
    }

    /// Whether a task of a host waits, before it sends something, until those of other hosts have had their turn.
    pub(crate) fn give_way(&self, host: HostId, cx: &Context<'_>) -> bool {
        let gives_way = !self.may_go_on.take() && self.woken.has_others(host);
        if gives_way {
            self.gave_way.set(true);
            cx.waker().wake_by_ref();
        }
        gives_way
    }

    /// Drops every task with what it holds. Tasks hold their host, and their host this executor.
    pub(crate) fn clear(&self) {
        // Dropped outside the borrow: what tasks hold may wake others.
        drop(self.slots.take());
        while self.injected.pop().is_some() {}
    }

    fn take(&self, wake: &TaskWake) -> Option<Task> {
        if wake.has_ended.load(Ordering::Relaxed) {
            return None;
        }
        self.slots.borrow_mut().slots[wake.index].task.take()
    }
}

impl Injector {
    pub(crate) fn push(&self, task: SendTask) {
        self.injected.tasks.lock().expect("no panic while queueing").push_back((self.host, task));
        self.injected.has_tasks.store(true, Ordering::Relaxed);
    }
}

impl Injected {
    fn pop(&self) -> Option<(HostId, SendTask)> {
        if !self.has_tasks.load(Ordering::Relaxed) {
            return None;
        }
        let tasks = &mut *self.tasks.lock().expect("no panic while queueing");
        let task = tasks.pop_front();
        self.has_tasks.store(!tasks.is_empty(), Ordering::Relaxed);
        task
    }
}

impl Woken {
    fn pop(&self) -> Option<Arc<TaskWake>> {
        self.hosts().pop()
    }

    fn put_off(&self, wake: &Arc<TaskWake>) {
        wake.has_given_way.store(true, Ordering::Relaxed);
        self.hosts().put_off(wake);
    }

    fn has_others(&self, host: HostId) -> bool {
        HostId::ALL
            .iter()
            .filter(|other| **other != host)
            .any(|other| self.hosts().turns[*other as usize].has_tasks())
    }

    fn hosts(&self) -> MutexGuard<'_, Hosts> {
        self.0.lock().expect("no panic while queueing")
    }
}

impl Hosts {
    /// The next task of the host whose turn it is, until that has none, then of the next host that has one.
    fn pop(&mut self) -> Option<Arc<TaskWake>> {
        let count = self.turns.len();
        let order = (self.present..self.present + count).map(|at| at % count);
        let (at, wake) = order.filter_map(|at| Some((at, self.turns[at].pop()?))).next()?;
        self.present = at;
        Some(wake)
    }

    /// A task that was woken runs before the others of its host, but after those of other hosts.
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
        let queue = self.queue(wake.kind);
        if let Some(at) = queue.iter().rposition(|other| Arc::ptr_eq(other, wake)) {
            queue.remove(at);
            queue.push_front(Arc::clone(wake));
        }
    }

    fn has_tasks(&self) -> bool {
        !(self.library.is_empty() && self.programs.is_empty())
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::task::Poll;

    use super::*;

    /// Notes `name` and lets others run, so often.
    async fn turns(log: Arc<Mutex<Vec<&'static str>>>, name: &'static str, count: u32) {
        for _ in 0..count {
            log.lock().unwrap().push(name);
            let_others_run().await;
        }
    }

    /// Wakes its own task and waits once.
    async fn let_others_run() {
        let mut has_waited = false;
        std::future::poll_fn(|cx| {
            cx.waker().wake_by_ref();
            match std::mem::replace(&mut has_waited, true) {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        })
        .await;
    }

    fn run(programs: &[(&'static str, u32)], library: &[(&'static str, u32)]) -> Vec<&'static str> {
        let (executor, log) = (Executor::default(), Arc::<Mutex<Vec<_>>>::default());
        for (name, count) in programs {
            executor.spawn(HostId::Client, turns(Arc::clone(&log), name, *count));
        }
        for (name, count) in library {
            executor.injector(HostId::Client).push(Box::pin(turns(Arc::clone(&log), name, *count)));
        }
        executor.run();
        log.lock().unwrap().clone()
    }

    #[test]
    fn first_woken_runs_first() {
        assert_eq!(run(&[("a", 2), ("b", 1)], &[]), ["a", "b", "a"]);
    }

    #[test]
    fn the_librarys_tasks_run_until_all_wait_before_programs_do() {
        assert_eq!(run(&[("a", 1), ("b", 1)], &[("x", 2), ("y", 1)]), ["x", "y", "x", "a", "b"]);
    }

    #[test]
    fn after_61_tasks_the_others_have_their_turn() {
        let log = run(&[("a", 1)], &[("x", 100)]);
        assert_eq!(log.iter().position(|name| *name == "a"), Some(TURN as usize));
        assert_eq!(log.len(), 101);
    }

    /// Notes `name` so often, and lets other hosts' tasks run before each time.
    async fn sends(
        executor: Rc<Executor>,
        host: HostId,
        log: Arc<Mutex<Vec<&'static str>>>,
        name: &'static str,
        count: u32,
    ) {
        for _ in 0..count {
            std::future::poll_fn(
                |cx| if executor.give_way(host, cx) { Poll::Pending } else { Poll::Ready(()) },
            )
            .await;
            log.lock().unwrap().push(name);
        }
    }

    /// What tasks note: those of the client, which send so often, and those of the server, which send or do something else.
    fn run_hosts(
        client: &[(&'static str, u32)],
        server: &[(&'static str, u32)],
        server_sends: bool,
    ) -> Vec<&'static str> {
        let (executor, log) = (Rc::<Executor>::default(), Arc::<Mutex<Vec<_>>>::default());
        for (name, count) in client {
            executor.spawn(
                HostId::Client,
                sends(Rc::clone(&executor), HostId::Client, Arc::clone(&log), name, *count),
            );
        }
        for (name, count) in server {
            if server_sends {
                let task = sends(Rc::clone(&executor), HostId::Server, Arc::clone(&log), name, *count);
                executor.spawn(HostId::Server, task);
            } else {
                executor.spawn(HostId::Server, turns(Arc::clone(&log), name, *count));
            }
        }
        executor.run();
        log.lock().unwrap().clone()
    }

    #[test]
    fn a_task_that_sends_lets_all_of_another_host_run_first_but_none_of_its_own() {
        assert_eq!(
            run_hosts(&[("a", 2), ("b", 1)], &[("x", 2), ("y", 1)], false),
            ["x", "y", "x", "a", "a", "b"]
        );
    }

    #[test]
    fn of_two_hosts_that_send_each_does_so_once_in_turn() {
        assert_eq!(run_hosts(&[("a", 3)], &[("x", 2)], true), ["a", "x", "a", "x", "a"]);
    }
}
