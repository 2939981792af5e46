//! The minimum RTT.

use bentpipe_units::{Duration, Time};

/// A minimum older than this is measured again.
const WINDOW: Duration = Duration::from_secs(10);

/// The windowed minimum of the RTT.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    pub value: Option<Duration>,
    pub at: Time,
}

impl MinRtt {
    /// Takes in a sample; returns whether the minimum had expired before it.
    pub fn on_ack(&mut self, now: Time, rtt: Option<Duration>) -> bool {
        let had_expired = now > self.at.saturating_add(WINDOW);
        if let Some(rtt) = rtt
            && (had_expired || self.value.is_none_or(|least| rtt < least))
        {
            self.value = Some(rtt);
            self.at = now;
        }
        had_expired
    }
}
