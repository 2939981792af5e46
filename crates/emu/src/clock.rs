//! The one place where the emulator reads the time.

use bentpipe_units::Time;
use nix::time::{ClockId, clock_gettime};

/// `CLOCK_MONOTONIC`, which all processes of the host share.
pub(crate) fn now() -> Time {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has a monotonic clock");
    Time::from_nanos(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64)
}
