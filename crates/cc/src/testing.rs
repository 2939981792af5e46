//! What the tests beside the code feed it with.

use bentpipe_units::{Bytes, Duration, Time};

use crate::AckSample;
use crate::usage::WindowUsage;

/// So many packets of 1500 bytes.
pub(crate) fn packets(n: u64) -> Bytes {
    Bytes::new(1_500 * n)
}

pub(crate) fn at_ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// An acknowledgement that delivers `acked` and leaves nothing in flight.
pub(crate) fn ack(now: Time, acked: Bytes) -> AckSample {
    AckSample {
        now,
        acked,
        lost: Bytes::ZERO,
        marked: Bytes::ZERO,
        delivered: acked,
        prior_in_flight: acked,
        in_flight: Bytes::ZERO,
        rtt: None,
        is_maybe_delayed: false,
        newest_sent: None,
        srtt: None,
        rate: None,
        usage: WindowUsage { is_cwnd_limited: true, peak_in_flight: acked },
        is_disordered: false,
    }
}
