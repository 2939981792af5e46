//! The one place where the emulator reads the time.

use bentpipe_units::{Duration, Time};
use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

/// Longer than a thread that sleeps takes to wake up: the kernel's timer slack of 50 us, and 30 to 70 us on an idle core.
const WAKE_UP: Duration = Duration::from_micros(150);

/// `CLOCK_MONOTONIC`, which all processes of the host share.
pub(crate) fn now() -> Time {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has a monotonic clock");
    Time::from_nanos(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64)
}

/// Keeps the thread until then, by the absolute clock: being held up before the call is no sleep.
pub(crate) fn sleep_until(due: Time) {
    let due: std::time::Duration = due.since(Time::ZERO).into();
    let flags = ClockNanosleepFlags::TIMER_ABSTIME;
    while clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &TimeSpec::from_duration(due)) == Err(Errno::EINTR)
    {
    }
}

/// The same, awake in the end: from then on the thread runs at once.
pub(crate) fn wait_until(due: Time) {
    let asleep = due.since(now()).saturating_sub(WAKE_UP);
    if asleep > Duration::ZERO {
        sleep_until(now().saturating_add(asleep));
    }
    while now() < due {
        std::hint::spin_loop();
    }
}

/// `CLOCK_THREAD_CPUTIME_ID`: what this thread has had of a core.
pub(crate) fn of_this_thread() -> Duration {
    let used = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("every Linux counts a thread's time");
    Duration::from_nanos(used.tv_sec() as u64 * 1_000_000_000 + used.tv_nsec() as u64)
}
