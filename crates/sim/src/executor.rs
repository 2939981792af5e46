//! The deterministic executor: tasks of one thread, in the order in which they were woken.
//!
//! It takes turns as tokio does on the emulator's threads, where the QUIC library's tasks are the scheduler's and the
//! programs' a `LocalSet`'s: which requests share a packet hangs on it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// Tasks of one kind that run before those of the other have their turn (tokio's `event_interval` and
/// `MAX_TASKS_PER_TICK`).
const TURN: u32 = 61;

/// Runs tasks on one thread, first woken first run: those of the QUIC library until all of them wait, then the programs'
/// likewise, and so on. It knows no time.
#[derive(Default)]
pub(crate) struct Executor {
    slots: RefCell<Slots>,
    woken: Arc<Woken>,
    injector: Arc<Injector>,
}

/// Takes the QUIC library's tasks, from behind `Send` traits.
#[derive(Default)]
pub(crate) struct Injector {
    tasks: Mutex<VecDeque<Pin<Box<dyn Future<Output = ()> + Send>>>>,
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
struct Woken(Mutex<Turns>);

/// Whose turn it is.
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
    kind: Kind,
    woken: Arc<Woken>,
    is_queued: AtomicBool,
    /// Set when the task has ended: its slot may belong to another one by now.
    has_ended: AtomicBool,
}

impl Executor {
    /// Adds a program's task and queues it.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.add(Box::pin(task), Kind::Program);
    }

    fn add(&self, task: Task, kind: Kind) {
        let slots = &mut *self.slots.borrow_mut();
        let index = slots.free.pop().unwrap_or(slots.slots.len());
        let wake = Arc::new(TaskWake {
            index,
            kind,
            woken: Arc::clone(&self.woken),
            is_queued: AtomicBool::new(false),
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

    /// Where tasks are handed in from behind `Send` traits.
    pub(crate) fn injector(&self) -> Arc<Injector> {
        Arc::clone(&self.injector)
    }

    /// Runs woken tasks until all of them wait.
    pub(crate) fn run(&self) {
        loop {
            while let Some(task) = self.injector.pop() {
                self.add(task, Kind::Library);
            }
            let Some(wake) = self.woken.pop() else { return };
            wake.is_queued.store(false, Ordering::Relaxed);
            let Some(mut task) = self.take(&wake) else { continue };
            let waker = Waker::from(Arc::clone(&wake));
            let poll = task.as_mut().poll(&mut Context::from_waker(&waker));
            let slots = &mut *self.slots.borrow_mut();
            if poll.is_pending() {
                slots.slots[wake.index].task = Some(task);
            } else {
                wake.has_ended.store(true, Ordering::Relaxed);
                slots.free.push(wake.index);
            }
        }
    }

    /// Drops every task with what it holds. Tasks hold their host, and their host this executor.
    pub(crate) fn clear(&self) {
        // Dropped outside the borrow: what tasks hold may wake others.
        drop(self.slots.take());
        while self.injector.pop().is_some() {}
    }

    fn take(&self, wake: &TaskWake) -> Option<Task> {
        if wake.has_ended.load(Ordering::Relaxed) {
            return None;
        }
        self.slots.borrow_mut().slots[wake.index].task.take()
    }
}

impl Injector {
    pub(crate) fn push(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        self.tasks.lock().expect("no panic while queueing").push_back(task);
        self.has_tasks.store(true, Ordering::Relaxed);
    }

    fn pop(&self) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
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
        self.0.lock().expect("no panic while queueing").pop()
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
            self.woken.0.lock().expect("no panic while queueing").push(Arc::clone(self));
        }
    }
}

#[cfg(test)]
mod tests {
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
            executor.spawn(turns(Arc::clone(&log), name, *count));
        }
        for (name, count) in library {
            executor.injector().push(Box::pin(turns(Arc::clone(&log), name, *count)));
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
}
