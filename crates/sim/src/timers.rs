use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bentpipe_units::Time;

/// Deadlines of the tasks of a world, in order of time and then of setting.
#[derive(Debug, Default)]
pub(crate) struct Timers(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    now: Time,
    heap: BinaryHeap<Reverse<Entry>>,
    next_order: u64,
}

/// A place in the queue. A timer that is set later keeps its place and moves on when that comes up: most
/// timers are pushed back again and again and never fire.
#[derive(Debug)]
struct Entry {
    at: Time,
    order: u64,
    timer: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    deadline: Time,
    /// The earliest place of this timer in the queue.
    queued: Option<Time>,
    waker: Option<Waker>,
}

/// A timer of the world's clock.
#[derive(Debug)]
pub(crate) struct Timer {
    timers: Arc<Timers>,
    state: Arc<Mutex<State>>,
}

impl Timers {
    pub(crate) fn now(&self) -> Time {
        self.0.lock().expect("no panic while timing").now
    }

    /// When the next timer may be due.
    pub(crate) fn next(&self) -> Option<Time> {
        self.0.lock().expect("no panic while timing").heap.peek().map(|Reverse(entry)| entry.at)
    }

    /// Moves the clock.
    pub(crate) fn set_now(&self, now: Time) {
        let queue = &mut *self.0.lock().expect("no panic while timing");
        queue.now = queue.now.max(now);
    }

    /// Makes sure that something happens at `at`, if only that the clock moves there.
    pub(crate) fn wake_at(&self, at: Time) {
        let timer = Arc::new(Mutex::new(State { deadline: at, queued: None, waker: None }));
        let queue = &mut *self.0.lock().expect("no panic while timing");
        queue.push(&mut timer.lock().expect("no panic while timing"), &timer);
    }

    /// Wakes every task whose deadline has come.
    pub(crate) fn wake_due(&self) {
        let queue = &mut *self.0.lock().expect("no panic while timing");
        let now = queue.now;
        while queue.heap.peek().is_some_and(|Reverse(entry)| entry.at <= now) {
            let Some(Reverse(entry)) = queue.heap.pop() else { break };
            let state = &mut *entry.timer.lock().expect("no panic while timing");
            if state.queued != Some(entry.at) {
                continue;
            }
            state.queued = None;
            if state.deadline <= now {
                if let Some(waker) = state.waker.take() {
                    waker.wake();
                }
            } else {
                queue.push(state, &entry.timer);
            }
        }
    }
}

impl Queue {
    fn push(&mut self, state: &mut State, timer: &Arc<Mutex<State>>) {
        state.queued = Some(state.deadline);
        let order = self.next_order;
        self.next_order += 1;
        self.heap.push(Reverse(Entry { at: state.deadline, order, timer: Arc::clone(timer) }));
    }
}

impl Timer {
    pub(crate) fn new(timers: &Arc<Timers>, deadline: Time) -> Self {
        let state = Arc::new(Mutex::new(State { deadline, queued: None, waker: None }));
        Self { timers: Arc::clone(timers), state }
    }

    pub(crate) fn reset(&self, deadline: Time) {
        self.state.lock().expect("no panic while timing").deadline = deadline;
    }

    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        let queue = &mut *self.timers.0.lock().expect("no panic while timing");
        let state = &mut *self.state.lock().expect("no panic while timing");
        if state.deadline <= queue.now {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        if state.deadline != Time::MAX && state.queued.is_none_or(|queued| queued > state.deadline) {
            queue.push(state, &self.state);
        }
        Poll::Pending
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.order) == (other.at, other.order)
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}
