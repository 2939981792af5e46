//! The one place where the emulator reads the time.

use bentpipe_units::{Duration, Time};
use nix::time::{ClockId, clock_gettime};

/// `CLOCK_MONOTONIC`, which all processes of the host share.
pub(crate) fn now() -> Time {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has a monotonic clock");
    Time::from_nanos(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64)
}

/// `CLOCK_THREAD_CPUTIME_ID`: what this thread has had of a core.
pub(crate) fn of_this_thread() -> Duration {
    let used = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("every Linux counts a thread's time");
    Duration::from_nanos(used.tv_sec() as u64 * 1_000_000_000 + used.tv_nsec() as u64)
}
