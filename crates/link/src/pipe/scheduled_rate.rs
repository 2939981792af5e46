//! A transmitter whose rate follows a schedule. Model page: docs/models/schedule.md.

use bentpipe_units::{Bytes, Time};

use crate::pipe::transmitter::Transmitter;
use crate::schedule::Cursor;

/// Sends one packet after the other at the rate of a schedule, exact to the nanosecond: at a constant rate each packet
/// leaves when it does with a [`ConstantRate`](super::constant_rate::ConstantRate).
pub(crate) struct ScheduledRate {
    cursor: Cursor,
    progress: Progress,
}

/// Bits per second times nanoseconds.
type NanoBits = u128;

/// How far the transmissions are.
#[derive(Clone, Copy)]
struct Progress {
    free_at: Time,
    /// What could still have been sent in the last nanosecond before `free_at`, which is rounded up: the next packet
    /// of the same busy period takes it, so that nothing adds up.
    credit: NanoBits,
}

impl ScheduledRate {
    pub(crate) fn new(cursor: Cursor) -> Self {
        Self { cursor, progress: Progress { free_at: Time::ZERO, credit: 0 } }
    }

    /// The workload starts. What is in transmission ends as it was reckoned.
    pub(crate) fn mark(&mut self, now: Time) {
        self.cursor.mark(now);
    }
}

impl Transmitter for ScheduledRate {
    fn free_at(&self) -> Time {
        self.progress.free_at
    }

    fn transmit(&mut self, ready: Time, size: Bytes) -> Time {
        if ready >= self.progress.free_at {
            self.progress = Progress { free_at: ready, credit: 0 };
        }
        self.progress = self.progress.after(size, &mut self.cursor);
        self.progress.free_at
    }

    fn clear_at(&self, backlog: Bytes) -> Time {
        self.progress.after(backlog, &mut self.cursor.clone()).free_at
    }
}

impl Progress {
    /// The first nanosecond T at which the integral of the rate from the last end to T, and the credit of that end, are
    /// the bits of `size`.
    fn after(self, size: Bytes, cursor: &mut Cursor) -> Self {
        let Self { mut free_at, credit } = self;
        let bits = u128::from(size.bits()) * 1_000_000_000;
        let mut needed = match bits.checked_sub(credit) {
            None | Some(0) => return Self { free_at, credit: credit - bits },
            Some(needed) => needed,
        };
        while free_at < Time::MAX {
            let (step, end) = cursor.at(free_at);
            let rate = u128::from(step.rate.as_bps());
            let offered = rate * u128::from(end.since(free_at).as_nanos());
            if offered >= needed {
                let span = needed.div_ceil(rate);
                let span = u64::try_from(span).expect("less than the step's");
                let free_at = Time::from_nanos(free_at.as_nanos() + span);
                return Self { free_at, credit: rate * u128::from(span) - needed };
            }
            needed -= offered;
            free_at = end;
        }
        Self { free_at, credit: 0 }
    }
}
