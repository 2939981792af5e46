//! Timers as programs have them on the emulator, where tokio keeps them: they count in ticks of a millisecond.
//!
//! The clock is exact; what paces QUIC and lets programs wait is not, on either engine. A timer is due at the first tick
//! that is not before its deadline (tokio's `deadline_to_tick`). A program that waits for it sleeps for whole
//! milliseconds (`epoll_wait`), the ticks from the one that has passed to that which is due, and so wakes as long after
//! the due tick as it began to wait after a tick; if anything else wakes it in between, the timer is seen then. The QUIC
//! library, woken by anything else, sees a deadline that has passed by its clock, whatever the tick.

use std::sync::Arc;
use std::task::{Context, Poll};

use bentpipe_units::{Duration, Time};

use crate::clock::{Clock, Timer};

/// Nanoseconds of a tick.
const TICK: u64 = 1_000_000;

/// A timer of a program.
#[derive(Debug)]
pub(crate) struct TickTimer {
    clock: Arc<Clock>,
    /// Comes when the program sees it that began to wait when it was set.
    timer: Timer,
}

impl TickTimer {
    pub(crate) fn new(clock: &Arc<Clock>, deadline: Time) -> Self {
        let timer = Timer::new(clock, seen(due(deadline), clock.now()));
        Self { clock: Arc::clone(clock), timer }
    }

    pub(crate) fn reset(&self, deadline: Time) {
        self.timer.reset(seen(due(deadline), self.clock.now()));
    }

    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        if tick_of(self.timer.deadline()) <= self.clock.now() {
            return Poll::Ready(());
        }
        self.timer.poll(cx)
    }
}

/// The tick at which a timer is due.
fn due(deadline: Time) -> Time {
    deadline.as_nanos().checked_next_multiple_of(TICK).map_or(Time::MAX, Time::from_nanos)
}

/// When a program sees that tick that waits for it from `now` on.
fn seen(due: Time, now: Time) -> Time {
    if due <= now { due } else { due.saturating_add(Duration::from_nanos(now.as_nanos() % TICK)) }
}

/// The tick that is seen then: less than one before.
fn tick_of(seen: Time) -> Time {
    Time::from_nanos(seen.as_nanos() / TICK * TICK)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn a_timer_is_due_at_the_first_tick_that_is_not_before_its_deadline() {
        for (deadline, tick) in [(0, 0), (1, TICK), (TICK, TICK), (TICK + 1, 2 * TICK)] {
            assert_eq!(due(at(deadline)), at(tick));
        }
        assert_eq!(due(Time::MAX), Time::MAX);
    }

    /// From 3.3 ms on a deadline at 5.2 ms: epoll sleeps 6 - 3 = 3 ms.
    #[test]
    fn a_program_that_waits_sleeps_for_whole_milliseconds() {
        let seen = seen(due(at(5_200_000)), at(3_300_000));
        assert_eq!((seen, tick_of(seen)), (at(6_300_000), at(6_000_000)));
    }

    /// At 5.3 ms a deadline at 5.2 ms has passed, but the tick that it waits for has not.
    #[test]
    fn a_deadline_that_has_just_passed_waits_for_the_next_tick() {
        assert_eq!(seen(due(at(5_200_000)), at(5_300_000)), at(6_300_000));
        assert_eq!(seen(due(at(5_000_000)), at(5_300_000)), at(5_000_000));
    }
}
