//! The deterministic executor: tasks of one thread, in the order in which they were woken.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// Runs tasks on one thread, first woken first run. It knows no time.
#[derive(Default)]
pub(crate) struct Executor {
    slots: RefCell<Slots>,
    woken: Arc<Woken>,
    injector: Arc<Injector>,
}

/// Takes tasks from behind `Send` traits; they start at the next turn.
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
struct Woken(Mutex<VecDeque<Arc<TaskWake>>>);

struct TaskWake {
    index: usize,
    woken: Arc<Woken>,
    is_queued: AtomicBool,
    /// Set when the task has ended: its slot may belong to another one by now.
    has_ended: AtomicBool,
}

impl Executor {
    /// Adds a task and queues it.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        let slots = &mut *self.slots.borrow_mut();
        let index = slots.free.pop().unwrap_or(slots.slots.len());
        let wake = Arc::new(TaskWake {
            index,
            woken: Arc::clone(&self.woken),
            is_queued: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
        });
        let slot = Slot { task: Some(Box::pin(task)) };
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
                self.spawn(task);
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
        self.0.lock().expect("no panic while queueing").pop_front()
    }
}

impl Wake for TaskWake {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_queued.swap(true, Ordering::Relaxed) {
            self.woken.0.lock().expect("no panic while queueing").push_back(Arc::clone(self));
        }
    }
}
