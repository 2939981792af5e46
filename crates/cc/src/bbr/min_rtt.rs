//! The minimum RTT.

use bentpipe_units::{Duration, Time};

use crate::AckSample;

/// A minimum older than this is measured again.
const WINDOW: Duration = Duration::from_secs(10);

/// The windowed minimum of the RTT.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    pub value: Option<Duration>,
    pub at: Time,
}

impl MinRtt {
    /// Takes in a sample; returns whether the minimum had expired before it. A delayed acknowledgement cannot take the
    /// place of one that has.
    pub fn on_ack(&mut self, ack: &AckSample) -> bool {
        let had_expired = ack.now > self.at.saturating_add(WINDOW);
        let is_replaced = had_expired && !ack.is_maybe_delayed;
        if let Some(rtt) = ack.rtt
            && (is_replaced || self.value.is_none_or(|least| rtt < least))
        {
            self.value = Some(rtt);
            self.at = ack.now;
        }
        had_expired
    }
}
