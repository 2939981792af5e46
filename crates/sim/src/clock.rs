//! The virtual clock and what tasks wait for on it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use bentpipe_units::Time;

/// The clock of a simulation and the deadlines of its tasks, in order of time and then of setting.
///
/// One thread uses it, behind traits that ask for `Send` and `Sync`. Clock and next deadline are read far more
/// often than deadlines change, hence without the lock.
#[derive(Debug)]
pub(crate) struct Clock {
    now: AtomicU64,
    /// When the first entry of the queue is due.
    next: AtomicU64,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    heap: BinaryHeap<Reverse<Entry>>,
    next_order: u64,
    timers: Vec<State>,
    /// Places in `timers` that nobody uses.
    free: Vec<usize>,
}

/// A place in the queue. A timer that is set later keeps its place and moves on when that comes up: most
/// timers are pushed back again and again and never fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at: Time,
    order: u64,
    /// None only moves the clock.
    timer: Option<usize>,
}

#[derive(Debug)]
struct State {
    deadline: Time,
    /// The earliest entry of this timer in the queue: its time and its order.
    queued: Option<(Time, u64)>,
    waker: Option<Waker>,
}

/// A timer of the simulation's clock.
#[derive(Debug)]
pub(crate) struct Timer {
    timers: Arc<Clock>,
    index: usize,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            now: AtomicU64::new(Time::ZERO.as_nanos()),
            next: AtomicU64::new(Time::MAX.as_nanos()),
            queue: Mutex::default(),
        }
    }
}

impl Clock {
    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.now.load(Ordering::Relaxed))
    }

    /// When the next timer may be due.
    pub(crate) fn next(&self) -> Option<Time> {
        Some(Time::from_nanos(self.next.load(Ordering::Relaxed))).filter(|at| *at < Time::MAX)
    }

    /// Moves the clock.
    pub(crate) fn set_now(&self, now: Time) {
        self.now.store(now.max(self.now()).as_nanos(), Ordering::Relaxed);
    }

    /// Makes sure that something happens at `at`, if only that the clock moves there.
    pub(crate) fn wake_at(&self, at: Time) {
        let queue = &mut *self.queue();
        queue.push(at, None);
        self.note_next(queue);
    }

    /// Wakes every task whose deadline has come.
    pub(crate) fn wake_due(&self) {
        let now = self.now();
        if self.next().is_none_or(|next| next > now) {
            return;
        }
        let queue = &mut *self.queue();
        while let Some(Reverse(entry)) = queue.heap.peek().copied().filter(|Reverse(entry)| entry.at <= now) {
            queue.heap.pop();
            queue.handle(now, entry);
        }
        self.note_next(queue);
    }

    fn note_next(&self, queue: &Queue) {
        let next = queue.heap.peek().map_or(Time::MAX, |Reverse(entry)| entry.at);
        self.next.store(next.as_nanos(), Ordering::Relaxed);
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("no panic while timing")
    }
}

impl Queue {
    fn push(&mut self, at: Time, timer: Option<usize>) -> (Time, u64) {
        let order = self.next_order;
        self.next_order += 1;
        self.heap.push(Reverse(Entry { at, order, timer }));
        (at, order)
    }

    /// An entry's time has come.
    fn handle(&mut self, now: Time, entry: Entry) {
        let Some(index) = entry.timer else { return };
        let state = &mut self.timers[index];
        if state.queued != Some((entry.at, entry.order)) {
            return;
        }
        if state.deadline <= now {
            state.queued = None;
            if let Some(waker) = state.waker.take() {
                waker.wake();
            }
        } else {
            let deadline = state.deadline;
            self.timers[index].queued = Some(self.push(deadline, Some(index)));
        }
    }
}

impl Timer {
    pub(crate) fn new(timers: &Arc<Clock>, deadline: Time) -> Self {
        let queue = &mut *timers.queue();
        let state = State { deadline, queued: None, waker: None };
        let index = match queue.free.pop() {
            Some(index) => {
                queue.timers[index] = state;
                index
            }
            None => {
                queue.timers.push(state);
                queue.timers.len() - 1
            }
        };
        Self { timers: Arc::clone(timers), index }
    }

    pub(crate) fn reset(&self, deadline: Time) {
        self.timers.queue().timers[self.index].deadline = deadline;
    }

    pub(crate) fn deadline(&self) -> Time {
        self.timers.queue().timers[self.index].deadline
    }

    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        let queue = &mut *self.timers.queue();
        let state = &mut queue.timers[self.index];
        if state.deadline <= self.timers.now() {
            return Poll::Ready(());
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            waker => *waker = Some(cx.waker().clone()),
        }
        let deadline = state.deadline;
        if deadline != Time::MAX && state.queued.is_none_or(|(queued, _)| queued > deadline) {
            let queued = queue.push(deadline, Some(self.index));
            queue.timers[self.index].queued = Some(queued);
            self.timers.note_next(queue);
        }
        Poll::Pending
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // A task that ends in a panic must not panic again here.
        let Ok(mut queue) = self.timers.queue.lock() else { return };
        let state = &mut queue.timers[self.index];
        state.queued = None;
        state.waker = None;
        queue.free.push(self.index);
    }
}
