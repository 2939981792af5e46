//! What a real-time process may have of a core before the kernel takes it away.
//!
//! Others get 50 ms in every second, at once (`sched_rt_runtime_us`, `sched-rt-group.rst`; since Linux 6.12 the deadline server of
//! ordinary tasks, `sched-deadline.rst`). Whoever never sleeps loses the core for that long. A rest of 100 us now and then is a
//! five-hundredth of that.

use bentpipe_units::{Duration, Time};

/// Between two looks at the time that was used.
const INTERVAL: Duration = Duration::from_millis(1);
/// What may be used in the long run, of a hundred.
const SHARE: u64 = 90;
/// What may be used at once. With it no second has more than 0.9 s + 0.03 s of the 0.95 s that the kernel allows.
const DEPTH: Duration = Duration::from_millis(30);
/// How long a rest is: what is due meanwhile is late by no more, and by the time that waking up takes.
pub(crate) const REST: Duration = Duration::from_micros(100);

/// A bucket of processor time, which fills as time passes.
#[derive(Debug)]
pub(crate) struct Budget {
    looked_at: Time,
    used: Duration,
    /// What the bucket holds, and what was used beyond it.
    left: Duration,
    owed: Duration,
}

impl Budget {
    /// A full one, of a thread that has used a core for `used` so far.
    pub(crate) const fn new(now: Time, used: Duration) -> Self {
        Self { looked_at: now, used, left: DEPTH, owed: Duration::ZERO }
    }

    /// Whether the thread should [rest](REST) now; `used` tells what it has used so far, and is asked once a millisecond.
    pub(crate) fn is_used_up(&mut self, now: Time, used: impl FnOnce() -> Duration) -> bool {
        let passed = now.since(self.looked_at);
        if passed < INTERVAL {
            return false;
        }
        let used = used();
        let earned = Duration::from_nanos(passed.as_nanos().saturating_mul(SHARE) / 100);
        let spent = used.saturating_sub(self.used).saturating_add(self.owed);
        let had = self.left.saturating_add(earned);
        self.left = had.saturating_sub(spent).min(DEPTH);
        // What a second allows is over with it.
        self.owed = spent.saturating_sub(had).min(DEPTH);
        (self.looked_at, self.used) = (now, used);
        self.left == Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs for a second with steps of a microsecond and rests of `REST`: the processor time of the second, and the longest
    /// time awake after the first 400 ms.
    fn second(mut is_busy: impl FnMut(u64) -> bool) -> (Duration, Duration) {
        let mut budget = Budget::new(Time::ZERO, Duration::ZERO);
        let (mut now_us, mut used_us, mut awake_us, mut longest_us) = (0, 0, 0, 0);
        while now_us < 1_000_000 {
            now_us += 1;
            if is_busy(now_us) {
                used_us += 1;
                awake_us += 1;
            }
            let now = Time::from_nanos(now_us * 1_000);
            if budget.is_used_up(now, || Duration::from_micros(used_us)) {
                now_us += REST.as_nanos() / 1_000;
                if now_us > 400_000 {
                    longest_us = longest_us.max(awake_us);
                }
                awake_us = 0;
            }
        }
        (Duration::from_micros(used_us), Duration::from_micros(longest_us))
    }

    #[test]
    fn a_thread_that_always_has_work_stays_below_what_the_kernel_takes_away() {
        let (used, awake) = second(|_| true);
        // 950 ms of each second: `sched_rt_runtime_us`. A tenth of the time is left where a rest of 0.1 ms follows on
        // a millisecond, but for the first 30 ms of the bucket.
        assert!(used < Duration::from_millis(945), "{used:?}");
        assert!(used > Duration::from_millis(895), "{used:?}");
        assert!(awake <= Duration::from_millis(2), "{awake:?}");
    }

    #[test]
    fn one_that_sleeps_by_itself_is_never_told_to() {
        // 80 % of each 100 us.
        let mut rests = 0;
        let mut budget = Budget::new(Time::ZERO, Duration::ZERO);
        for step in 1..=20_000_u64 {
            let now = Time::from_nanos(step * 100_000);
            rests += u64::from(budget.is_used_up(now, || Duration::from_micros(step * 80)));
        }
        assert_eq!(rests, 0);
    }

    #[test]
    fn what_was_used_beyond_it_while_nobody_looked_is_rested_for_later() {
        let mut budget = Budget::new(Time::ZERO, Duration::ZERO);
        let at = |ms: u64| Time::from_nanos(ms * 1_000_000);
        // 400 ms at once leave 30 + 360 - 400 = -10 ms; a millisecond of sleep earns 0.9 ms, so the twelfth is enough.
        assert!(budget.is_used_up(at(400), || Duration::from_millis(400)));
        let used_up = (401..500).take_while(|ms| budget.is_used_up(at(*ms), || Duration::from_millis(400)));
        assert_eq!(used_up.count(), 11);
    }

    #[test]
    fn a_burst_of_a_quarter_of_a_second_is_not_interrupted() {
        // 30 ms at 0.1 ms a millisecond are 300 ms.
        let mut budget = Budget::new(Time::ZERO, Duration::ZERO);
        for step in 1..=250_u64 {
            assert!(!budget.is_used_up(Time::from_nanos(step * 1_000_000), || Duration::from_millis(step)));
        }
    }
}
