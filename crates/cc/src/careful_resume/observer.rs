//! Observing a path (RFC 9959 sections 3.1 and 4.1): what a connection delivers in a round trip.

use bentpipe_units::{Bytes, Duration, Time};

use crate::AckSample;

/// Less than so many initial windows is not worth being saved (section 3.1).
const LEAST_WINDOWS: u64 = 4;

/// Measures volumes acknowledged in one smallest round trip. The queue of a slow start that went too far is in no such
/// volume, for the bottleneck delivers no faster with it (section 4.1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Observer {
    least: Bytes,
    period: Option<Period>,
    latest: Option<Bytes>,
}

#[derive(Clone, Copy, Debug)]
struct Period {
    since: Time,
    acked: Bytes,
    /// Whether the window, and not the application, limited the sender at any time.
    was_cwnd_limited: bool,
}

impl Observer {
    pub fn new(initial_window: Bytes) -> Self {
        Self { least: Bytes::new(LEAST_WINDOWS * initial_window.get()), period: None, latest: None }
    }

    /// The capacity in use, whenever a round trip is over that tells more of it than was known.
    pub fn on_ack(&mut self, ack: &AckSample, min_rtt: Duration) -> Option<Bytes> {
        let fresh = Period { since: ack.now, acked: Bytes::ZERO, was_cwnd_limited: false };
        let Some(period) = &mut self.period else {
            self.period = Some(fresh);
            return None;
        };
        period.acked += ack.acked;
        period.was_cwnd_limited |= ack.usage.is_cwnd_limited;
        let elapsed = ack.now.since(period.since);
        if min_rtt == Duration::ZERO || elapsed < min_rtt {
            return None;
        }
        let share = min_rtt.as_secs_f64() / elapsed.as_secs_f64();
        let volume = Bytes::new((period.acked.get() as f64 * share) as u64);
        let was_cwnd_limited = period.was_cwnd_limited;
        self.period = Some(fresh);
        // Section 4.1: a sender that had less to send tells nothing against what was seen before.
        let is_discounted = !was_cwnd_limited && self.latest.is_some_and(|latest| volume <= latest);
        if volume < self.least || is_discounted {
            return None;
        }
        self.latest = Some(volume);
        Some(volume)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, at_ms, packets};
    use crate::usage::WindowUsage;

    const RTT: Duration = Duration::from_millis(100);

    /// What is observed of periods of 100 ms in which so many packets are acknowledged, one acknowledgement each.
    fn observed(volumes: &[u64], is_cwnd_limited: bool) -> Vec<Option<Bytes>> {
        let mut observer = Observer::new(packets(10));
        observer.on_ack(&ack(at_ms(0), packets(1)), RTT);
        let period = |(index, volume): (usize, &u64)| {
            let usage = WindowUsage { is_cwnd_limited, peak_in_flight: packets(*volume) };
            let sample = ack(at_ms(100 * (index as u64 + 1)), packets(*volume));
            observer.on_ack(&crate::AckSample { usage, ..sample }, RTT)
        };
        volumes.iter().enumerate().map(period).collect()
    }

    #[test]
    fn the_capacity_is_what_is_acknowledged_in_a_round_trip() {
        assert_eq!(observed(&[50, 60], true), [Some(packets(50)), Some(packets(60))]);
    }

    #[test]
    fn a_later_smaller_capacity_counts_where_the_window_was_the_limit() {
        assert_eq!(observed(&[60, 50], true), [Some(packets(60)), Some(packets(50))]);
    }

    #[test]
    fn a_sender_short_of_data_tells_only_of_more_capacity() {
        assert_eq!(observed(&[60, 50, 70], false), [Some(packets(60)), None, Some(packets(70))]);
    }

    #[test]
    fn less_than_four_initial_windows_is_not_worth_it() {
        // Section 3.1: "less than four times the Initial Window".
        assert_eq!(observed(&[39, 40], true), [None, Some(packets(40))]);
    }

    #[test]
    fn a_period_longer_than_the_round_trip_counts_for_its_part() {
        let mut observer = Observer::new(packets(10));
        observer.on_ack(&ack(at_ms(0), packets(1)), RTT);
        assert_eq!(observer.on_ack(&ack(at_ms(200), packets(100)), RTT), Some(packets(50)));
    }
}
