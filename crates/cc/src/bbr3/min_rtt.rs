//! Two windowed minima of the RTT: one tells when ProbeRTT is due, the other is the path's RTT.

use bentpipe_units::{Duration, Time};

use crate::AckSample;

/// After this time without a lower RTT ProbeRTT is due (draft: ProbeRTTInterval).
const PROBE_RTT_INTERVAL: Duration = Duration::from_secs(5);
/// A minimum older than this is replaced (draft: MinRTTFilterLen).
const WINDOW: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    value: Option<Duration>,
    at: Time,
    recent: Option<Duration>,
    recent_at: Time,
}

impl MinRtt {
    pub const fn new(value: Option<Duration>, now: Time) -> Self {
        Self { value, at: now, recent: value, recent_at: now }
    }

    pub const fn get(&self) -> Option<Duration> {
        self.value
    }

    /// BBRUpdateMinRTT. Returns whether ProbeRTT is due. A delayed acknowledgement cannot take the place of a minimum that
    /// has expired.
    pub fn on_ack(&mut self, ack: &AckSample) -> bool {
        let now = ack.now;
        let is_due = now > self.recent_at.saturating_add(PROBE_RTT_INTERVAL);
        let is_replaced = is_due && !ack.is_maybe_delayed;
        if let Some(rtt) = ack.rtt
            && (is_replaced || self.recent.is_none_or(|recent| rtt < recent))
        {
            self.recent = Some(rtt);
            self.recent_at = now;
        }
        let expired = now > self.at.saturating_add(WINDOW);
        if let Some(recent) = self.recent
            && (expired || self.value.is_none_or(|value| recent <= value))
        {
            self.value = Some(recent);
            self.at = self.recent_at;
        }
        is_due
    }

    /// ProbeRTT is over: the next is due a window later.
    pub const fn on_probe_rtt_end(&mut self, now: Time) {
        self.recent_at = now;
    }
}

#[cfg(test)]
mod tests {
    use bentpipe_units::Bytes;

    use super::*;
    use crate::testing::{ack, at_ms};

    #[test]
    fn a_minimum_counts_for_ten_seconds() {
        // MinRTTFilterLen: 10 s. After five (ProbeRTTInterval) the higher RTT is the recent one already.
        let mut min_rtt = MinRtt::new(Some(Duration::from_millis(100)), Time::ZERO);
        let mut after = |ms| {
            let rtt = Some(Duration::from_millis(120));
            min_rtt.on_ack(&AckSample { rtt, ..ack(at_ms(ms), Bytes::ZERO) });
            min_rtt.get().unwrap()
        };
        assert_eq!(after(6_000), Duration::from_millis(100));
        assert_eq!(after(10_000), Duration::from_millis(100));
        assert_eq!(after(10_001), Duration::from_millis(120));
    }
}
