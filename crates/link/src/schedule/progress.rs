//! How far transmissions at the rate of a schedule are, exact to the nanosecond. Model page: docs/models/schedule.md.

use bentpipe_units::{Duration, Rate, Time};

use crate::schedule::Cursor;

/// Bits per second times nanoseconds.
type NanoBits = u128;

/// How far the transmissions are.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    /// When the last of them ends, or ended.
    pub(crate) free_at: Time,
    /// What could still have been sent in the last nanosecond before `free_at`, which is rounded up: the next
    /// transmission of the same busy period takes it, so that nothing adds up.
    credit: NanoBits,
}

impl Progress {
    /// Nothing is to be sent before `at`.
    pub(crate) const fn from(at: Time) -> Self {
        Self { free_at: at, credit: 0 }
    }

    /// After so many bits more: the first nanosecond T at which the integral of the rate from the last end to T, and the
    /// credit of that end, are these bits.
    pub(crate) fn after_bits(self, bits: u64, cursor: &mut Cursor) -> Self {
        self.after(u128::from(bits) * 1_000_000_000, cursor)
    }

    /// After what a transmitter of this rate sends in `span`.
    pub(crate) fn after_span(self, rate: Rate, span: Duration, cursor: &mut Cursor) -> Self {
        self.after(u128::from(rate.as_bps()) * u128::from(span.as_nanos()), cursor)
    }

    fn after(self, needed: NanoBits, cursor: &mut Cursor) -> Self {
        let Self { mut free_at, credit } = self;
        let mut needed = match needed.checked_sub(credit) {
            None | Some(0) => return Self { free_at, credit: credit - needed },
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
