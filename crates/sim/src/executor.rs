//! The deterministic executor: tasks of one thread, on each host in the order in which they were woken.
//!
//! A host takes turns as tokio does on the emulator's threads, where the QUIC library's tasks are the scheduler's and the
//! programs' a `LocalSet`'s: which requests share a packet hangs on it. A host runs until all its tasks wait, then another: in
//! real time they run at once, which shows on a LAN segment only, where a task that sends lets those of others run first.

mod turns;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

use crate::executor::turns::{Kind, TaskWake, Woken};
use crate::host::id::HostId;
use crate::wakefulness::Wakefulness;

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// Runs tasks on one thread, of a host first woken first run: those of the QUIC library until all of them wait, then the
/// programs' likewise, and so on.
pub(crate) struct Executor {
    wakefulness: Rc<Wakefulness>,
    slots: RefCell<Slots>,
    woken: Arc<Woken>,
    injected: Arc<Injected>,
    /// Whether the task that runs has asked to give way.
    gave_way: Cell<bool>,
    /// Whether it gave way when it ran before, so that it may send once.
    may_go_on: Cell<bool>,
    /// Whether the task that runs waits for its host to ask about its descriptors (`epoll_wait`).
    awaits_epoll: Cell<bool>,
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

impl Executor {
    /// One without tasks, of hosts that sleep as this says.
    pub(crate) fn new(wakefulness: Rc<Wakefulness>) -> Self {
        Self {
            wakefulness,
            slots: RefCell::default(),
            woken: Arc::default(),
            injected: Arc::default(),
            gave_way: Cell::default(),
            may_go_on: Cell::default(),
            awaits_epoll: Cell::default(),
        }
    }

    /// Adds a program's task on a host and queues it.
    pub(crate) fn spawn(&self, host: HostId, task: impl Future<Output = ()> + 'static) {
        self.add(host, Box::pin(task), Kind::Program);
    }

    /// A host is awake, as one whose program somebody starts.
    pub(crate) fn rouse(&self, host: HostId) {
        self.wakefulness.rouse(host);
    }

    fn add(&self, host: HostId, task: Task, kind: Kind) {
        let slots = &mut *self.slots.borrow_mut();
        let index = slots.free.pop().unwrap_or(slots.slots.len());
        let wake = Arc::new(TaskWake::new(index, host, kind, Arc::clone(&self.woken)));
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

    /// Runs woken tasks until all of those wait whose hosts are awake.
    pub(crate) fn run(&self) {
        loop {
            while let Some((host, task)) = self.injected.pop() {
                self.add(host, task, Kind::Library);
            }
            let Some(wake) = self.woken.pop(&self.wakefulness) else { return };
            let Some(mut task) = self.take(&wake) else { continue };
            let waker = Waker::from(Arc::clone(&wake));
            self.may_go_on.set(wake.take_gave_way());
            let poll = task.as_mut().poll(&mut Context::from_waker(&waker));
            if self.gave_way.take() {
                self.woken.put_off(&wake);
            }
            if self.awaits_epoll.take() {
                self.woken.put_last(&wake);
            }
            let slots = &mut *self.slots.borrow_mut();
            if poll.is_pending() {
                slots.slots[wake.index()].task = Some(task);
            } else {
                wake.end();
                slots.free.push(wake.index());
            }
        }
    }

    /// Whether a task of a host waits, before it sends something, until those of other hosts have had their turn.
    pub(crate) fn give_way(&self, host: HostId, cx: &Context<'_>) -> bool {
        let gives_way = !self.may_go_on.take() && self.woken.has_others(host, &self.wakefulness);
        if gives_way {
            self.gave_way.set(true);
            cx.waker().wake_by_ref();
        }
        gives_way
    }

    /// Wakes the task that runs when its host asks about its descriptors next: after all others, as tokio asks the kernel
    /// (`epoll_wait`) when no task is left to run.
    pub(crate) fn wake_at_epoll(&self, cx: &Context<'_>) {
        cx.waker().wake_by_ref();
        self.awaits_epoll.set(true);
    }

    /// Drops every task with what it holds. Tasks hold their host, and their host this executor.
    pub(crate) fn clear(&self) {
        // Dropped outside the borrow: what tasks hold may wake others.
        drop(self.slots.take());
        while self.injected.pop().is_some() {}
    }

    fn take(&self, wake: &TaskWake) -> Option<Task> {
        if wake.has_ended() {
            return None;
        }
        self.slots.borrow_mut().slots[wake.index()].task.take()
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

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::turns::TURN;
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

    fn executor() -> Executor {
        Executor::new(Rc::new(Wakefulness::new(Vec::new(), Arc::default())))
    }

    fn run(programs: &[(&'static str, u32)], library: &[(&'static str, u32)]) -> Vec<&'static str> {
        let (executor, log) = (executor(), Arc::<Mutex<Vec<_>>>::default());
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
    fn what_its_descriptors_say_a_host_learns_when_all_its_tasks_wait() {
        let (executor, log) = (Rc::new(executor()), Arc::<Mutex<Vec<_>>>::default());
        let asks = {
            let (executor, log) = (Rc::clone(&executor), Arc::clone(&log));
            async move {
                let mut has_waited = false;
                std::future::poll_fn(|cx| match std::mem::replace(&mut has_waited, true) {
                    true => Poll::Ready(()),
                    false => {
                        executor.wake_at_epoll(cx);
                        Poll::Pending
                    }
                })
                .await;
                log.lock().unwrap().push("asked");
            }
        };
        executor.spawn(HostId::Client, asks);
        executor.spawn(HostId::Client, turns(Arc::clone(&log), "a", 3));
        executor.injector(HostId::Client).push(Box::pin(turns(Arc::clone(&log), "x", 2)));
        executor.run();
        assert_eq!(*log.lock().unwrap(), ["x", "x", "a", "a", "a", "asked"]);
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
        let (executor, log) = (Rc::new(executor()), Arc::<Mutex<Vec<_>>>::default());
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
