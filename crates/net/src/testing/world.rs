//! Tasks on one thread, and a clock that moves to the next deadline when all of them wait.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;

use bentpipe_units::{Duration, Time};
use noq::{AsyncTimer, AsyncUdpSocket, Runtime};

/// No test takes as long on the world's clock; without an end a test that waits for nothing would run for ever.
const END: Time = Time::from_nanos(1_000_000_000_000);

type Task = Pin<Box<dyn Future<Output = ()>>>;
type SendTask = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(super) struct World {
    tasks: RefCell<BTreeMap<u64, Task>>,
    next_task: Cell<u64>,
    woken: Arc<Woken>,
    runtime: Arc<QuicRuntime>,
}

/// The clock, and who waits for it.
pub(super) struct Timers {
    now: AtomicU64,
    waiting: Mutex<BTreeMap<(Time, u64), Waker>>,
    next: AtomicU64,
}

#[derive(Default)]
struct Woken(Mutex<VecDeque<u64>>);

struct TaskWake(u64, Arc<Woken>);

pub(super) struct QuicRuntime {
    epoch: Instant,
    timers: Arc<Timers>,
    tasks: Mutex<Vec<SendTask>>,
}

struct QuicTimer {
    epoch: Instant,
    timers: Arc<Timers>,
    deadline: Time,
}

impl World {
    pub(super) fn new() -> Self {
        let timers = Timers { now: AtomicU64::new(0), waiting: Mutex::default(), next: AtomicU64::new(0) };
        let timers = Arc::new(timers);
        let runtime = Arc::new(QuicRuntime { epoch: Instant::now(), timers, tasks: Mutex::default() });
        Self { tasks: RefCell::default(), next_task: Cell::new(0), woken: Arc::default(), runtime }
    }

    pub(super) fn timers(&self) -> Arc<Timers> {
        Arc::clone(&self.runtime.timers)
    }

    pub(super) fn runtime(&self) -> Arc<dyn Runtime> {
        Arc::<QuicRuntime>::clone(&self.runtime)
    }

    pub(super) fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        let id = self.next_task.replace(self.next_task.get() + 1);
        self.tasks.borrow_mut().insert(id, Box::pin(task));
        self.woken.0.lock().unwrap().push_back(id);
    }

    pub(super) fn clear(&self) {
        drop(self.tasks.take());
        self.runtime.tasks.lock().unwrap().clear();
    }

    /// Runs `task` to its end, and the others as far as they get by then.
    pub(super) fn run<T: 'static>(&self, task: impl Future<Output = T> + 'static) -> T {
        let result = Rc::new(RefCell::new(None));
        let slot = Rc::clone(&result);
        self.spawn(async move { *slot.borrow_mut() = Some(task.await) });
        loop {
            self.settle();
            if let Some(result) = result.borrow_mut().take() {
                return result;
            }
            assert!(self.runtime.timers.advance(), "all tasks wait, and for nothing");
            assert!(self.runtime.timers.now() < END, "the test does not come to its end");
        }
    }

    /// Runs woken tasks until all of them wait.
    fn settle(&self) {
        loop {
            for task in std::mem::take(&mut *self.runtime.tasks.lock().unwrap()) {
                self.spawn(task);
            }
            let Some(id) = self.woken.0.lock().unwrap().pop_front() else { return };
            let Some(mut task) = self.tasks.borrow_mut().remove(&id) else { continue };
            let waker = Waker::from(Arc::new(TaskWake(id, Arc::clone(&self.woken))));
            if task.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
                self.tasks.borrow_mut().insert(id, task);
            }
        }
    }
}

impl Timers {
    pub(super) fn now(&self) -> Time {
        Time::from_nanos(self.now.load(Ordering::Relaxed))
    }

    pub(super) fn poll_until(&self, at: Time, cx: &mut Context<'_>) -> Poll<()> {
        if self.now() >= at {
            return Poll::Ready(());
        }
        let order = self.next.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().unwrap().insert((at, order), cx.waker().clone());
        Poll::Pending
    }

    pub(super) async fn sleep_until(&self, at: Time) {
        poll_fn(|cx| self.poll_until(at, cx)).await;
    }

    /// Moves the clock to the next deadline, where there is one.
    fn advance(&self) -> bool {
        let Some(((at, _), waker)) = self.waiting.lock().unwrap().pop_first() else { return false };
        self.now.fetch_max(at.as_nanos(), Ordering::Relaxed);
        waker.wake();
        true
    }
}

impl Wake for TaskWake {
    fn wake(self: Arc<Self>) {
        let mut woken = self.1.0.lock().unwrap();
        if !woken.contains(&self.0) {
            woken.push_back(self.0);
        }
    }
}

impl Runtime for QuicRuntime {
    fn new_timer(&self, at: Instant) -> Pin<Box<dyn AsyncTimer>> {
        let deadline = time_of(at, self.epoch);
        Box::pin(QuicTimer { epoch: self.epoch, timers: Arc::clone(&self.timers), deadline })
    }

    fn spawn(&self, future: SendTask) {
        self.tasks.lock().unwrap().push(future);
    }

    fn wrap_udp_socket(&self, _: std::net::UdpSocket) -> io::Result<Box<dyn AsyncUdpSocket>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn now(&self) -> Instant {
        self.epoch + std::time::Duration::from_nanos(self.timers.now().as_nanos())
    }
}

impl AsyncTimer for QuicTimer {
    fn reset(mut self: Pin<&mut Self>, at: Instant) {
        self.deadline = time_of(at, self.epoch);
    }

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.timers.poll_until(self.deadline, cx)
    }
}

impl fmt::Debug for QuicRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QuicRuntime")
    }
}

impl fmt::Debug for QuicTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QuicTimer")
    }
}

fn time_of(at: Instant, epoch: Instant) -> Time {
    Time::ZERO + Duration::from(at.saturating_duration_since(epoch))
}
