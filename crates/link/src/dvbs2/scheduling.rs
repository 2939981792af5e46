//! The instants at which a scheduler works that fills frames in steps, as OpenSAND's does (`fwd_timer`), and not one by
//! one as they are due.

use bentpipe_units::{Duration, Time};

/// Steps in equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduling {
    /// From one step to the next; not zero.
    pub period: Duration,
    /// From the start of the carrier to its first step.
    pub phase: Duration,
}

/// The steps of a carrier.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    first: Time,
    period: Duration,
}

impl Scheduling {
    /// Its first step is that part of a period after the start of the carrier: who starts a run does not know when the
    /// scheduler began.
    pub(crate) fn under_way(self, share: f64) -> Self {
        Self { phase: Duration::from_nanos((share * self.period.as_nanos() as f64) as u64), ..self }
    }
}

impl Steps {
    pub(super) fn new(scheduling: Scheduling, start: Time) -> Self {
        Self { first: start.saturating_add(scheduling.phase), period: scheduling.period }
    }

    /// The first step at `at` or after it.
    pub(super) fn from(self, at: Time) -> Time {
        self.number(at.since(self.first).as_nanos().div_ceil(self.period.as_nanos()))
    }

    /// The first step after `at`.
    pub(super) fn after(self, at: Time) -> Time {
        self.from(at.saturating_add(Duration::from_nanos(1)))
    }

    /// The step in whose period `at` is, which is not before the first.
    pub(super) fn of(self, at: Time) -> Time {
        self.number(at.since(self.first).as_nanos() / self.period.as_nanos())
    }

    /// When the period of a step ends.
    pub(super) fn end(self, step: Time) -> Time {
        step.saturating_add(self.period)
    }

    fn number(self, number: u64) -> Time {
        self.first.saturating_add(Duration::from_nanos(number.saturating_mul(self.period.as_nanos())))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_instant_is_in_the_period_of_its_step(
            start: u32, phase in 0..1_000_000u64, period in 1..1_000_000u64, later: u32,
        ) {
            let phase = Duration::from_nanos(phase);
            let scheduling = Scheduling { period: Duration::from_nanos(period), phase };
            let first = Time::from_nanos(u64::from(start)) + phase;
            let steps = Steps::new(scheduling, Time::from_nanos(u64::from(start)));
            let at = first + Duration::from_nanos(u64::from(later));
            let step = steps.of(at);
            prop_assert!(step <= at && at < steps.end(step));
            prop_assert_eq!(steps.after(at), steps.end(step));
            prop_assert_eq!(steps.from(at), if step == at { at } else { steps.end(step) });
            prop_assert_eq!(step.since(first).as_nanos() % period, 0);
        }
    }

    #[test]
    fn no_step_is_before_the_first() {
        let scheduling = Scheduling { period: Duration::from_nanos(10), phase: Duration::from_nanos(7) };
        let steps = Steps::new(scheduling, Time::from_nanos(100));
        assert_eq!(steps.from(Time::ZERO), Time::from_nanos(107));
        assert_eq!(steps.after(Time::from_nanos(107)), Time::from_nanos(117));
    }
}
