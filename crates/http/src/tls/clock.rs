//! The clock of certificates, tickets and tokens.

use std::time::{Duration, SystemTime};

use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;

/// The hour by which certificates are valid, tickets fresh and tokens young: always the same.
///
/// A run is shorter than any of their lifetimes, and the machine's clock shall not decide over a handshake.
#[derive(Debug)]
pub(crate) struct FrozenClock;

/// The first second of the year 2000, with which the validity of the run's certificates starts.
const NOW: Duration = Duration::from_secs(946_684_800);

impl TimeProvider for FrozenClock {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(NOW))
    }
}

impl noq::TimeSource for FrozenClock {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + NOW
    }
}
