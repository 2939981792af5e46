//! When the next GSO packet may leave (`tcp_update_skb_after_send`), and at what rate (`sk_pacing_rate`).

use bentpipe_units::{Bytes, Duration, Rate, Time};

/// The first segments of a connection leave unpaced.
const UNPACED_SEGMENTS: u64 = 10;

/// The pacer's clock.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    /// Earliest departure of the next GSO packet (`tcp_wstamp_ns`).
    next: Time,
    data_segments: u64,
}

impl Pacer {
    pub const fn new() -> Self {
        Self { next: Time::ZERO, data_segments: 0 }
    }

    /// Whether something may leave; otherwise when.
    pub fn blocked_until(&self, now: Time) -> Option<Time> {
        (self.next > now).then_some(self.next)
    }

    /// When something left last, or when the next GSO packet is due.
    pub const fn stamp(&self) -> Time {
        self.next
    }

    /// Segments that leave at the same time in GSO packets of so many: up to the first packet that is paced.
    pub fn at_once(&self, gso_segments: u64) -> u64 {
        let unpaced = UNPACED_SEGMENTS.saturating_sub(self.data_segments);
        unpaced.div_ceil(gso_segments.max(1)).max(1) * gso_segments
    }

    /// Any segment leaves.
    pub fn on_segment(&mut self, now: Time) {
        self.next = self.next.max(now);
    }

    /// A GSO packet of `segments` segments with `payload` bytes leaves at `now`.
    pub fn on_gso_sent(&mut self, now: Time, payload: Bytes, segments: u64, rate: Option<Rate>) {
        let late = now.since(self.next);
        self.next = self.next.max(now);
        self.data_segments += segments;
        if let Some(rate) = rate.filter(|rate| *rate > Rate::ZERO)
            && self.data_segments >= UNPACED_SEGMENTS
        {
            let span = rate.time_for(payload);
            // What was lost by leaving late is made good, up to half a GSO packet.
            self.next = self.next.saturating_add(span.saturating_sub(late.min(span / 2)));
        }
    }
}

/// How fast a sender may go (`sk_pacing_rate`, `sk_max_pacing_rate`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacingRate {
    /// By the window and the round trip, as the last acknowledgement left them.
    of_window: Rate,
    /// Where it is paced whatever its algorithm: the most.
    max: Option<Rate>,
}

impl PacingRate {
    pub const fn new(max: Option<Rate>) -> Self {
        Self { of_window: Rate::MAX, max }
    }

    /// `SO_MAX_PACING_RATE`.
    pub const fn set_max(&mut self, max: Rate) {
        self.max = Some(max);
    }

    /// After each acknowledgement that says something of the path (`tcp_update_pacing_rate`).
    pub fn update(&mut self, view: WindowRateView) {
        self.of_window = window_rate(view);
    }

    /// The rate by which GSO packets are sized; `own` is the algorithm's.
    pub fn of(&self, own: Option<Rate>) -> Rate {
        own.unwrap_or(self.of_window).min(self.max.unwrap_or(Rate::MAX))
    }

    /// The same of a sender that is paced (`sk_pacing_status`).
    pub fn paced(&self, own: Option<Rate>) -> Option<Rate> {
        (own.is_some() || self.max.is_some()).then(|| self.of(own))
    }
}

/// The rate without an algorithm's own (`tcp_update_pacing_rate`).
fn window_rate(view: WindowRateView) -> Rate {
    let srtt = view.srtt.max(Duration::from_nanos(1));
    let gain = match view.ssthresh {
        // Slow start doubles per round trip: 200 %; 120 % from half the threshold on.
        Some(ssthresh) if view.cwnd >= ssthresh / 2 => 1.2,
        _ => 2.0,
    };
    let window = Bytes::new(view.cwnd.max(view.packets_out) * view.mss);
    Rate::of(window, srtt).mul_f64(gain)
}

/// Windows in segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowRateView {
    pub cwnd: u64,
    pub ssthresh: Option<u64>,
    pub packets_out: u64,
    pub mss: u64,
    pub srtt: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_first_ten_segments_is_paced() {
        // tcp_update_skb_after_send: tp->data_segs_out >= 10. Two segments of 1500 bytes take 24 ms at 1 Mbit/s.
        let mut pacer = Pacer::new();
        let send = |pacer: &mut Pacer, segments| {
            pacer.on_gso_sent(Time::ZERO, Bytes::new(3_000), segments, Some(Rate::from_bps(1_000_000)));
            pacer.blocked_until(Time::ZERO)
        };
        assert_eq!(send(&mut pacer, 9), None);
        assert_eq!(send(&mut pacer, 1), Some(Time::ZERO + Duration::from_millis(24)));
    }

    #[test]
    fn without_a_rate_of_its_own_a_window_leaves_twice_a_round_trip_and_1_2_times_from_half_the_threshold_on()
    {
        // tcp_update_pacing_rate, sysctl_tcp_pacing_ss_ratio 200, sysctl_tcp_pacing_ca_ratio 120: 1 Mbit/s is one window of
        // 10 segments of 1250 bytes in 100 ms.
        let view = |cwnd, ssthresh, packets_out| WindowRateView {
            cwnd,
            ssthresh,
            packets_out,
            mss: 1_250,
            srtt: Duration::from_millis(100),
        };
        assert_eq!(window_rate(view(10, None, 0)), Rate::from_bps(2_000_000));
        assert_eq!(window_rate(view(10, Some(22), 0)), Rate::from_bps(2_000_000));
        assert_eq!(window_rate(view(10, Some(20), 0)), Rate::from_bps(1_200_000));
        // After a window has shrunk, more is in flight than it.
        assert_eq!(window_rate(view(10, Some(20), 15)), Rate::from_bps(1_800_000));
    }

    #[test]
    fn a_rate_of_the_algorithm_goes_before_that_of_the_window_and_neither_beyond_the_sockets() {
        // sk_pacing_rate = min(rate, sk_max_pacing_rate); paced where sk_pacing_status is not SK_PACING_NONE.
        let mbit = |mbit: u64| Rate::from_bps(mbit * 1_000_000);
        let of_window = WindowRateView {
            cwnd: 10,
            ssthresh: None,
            packets_out: 0,
            mss: 1_250,
            srtt: Duration::from_millis(100),
        };
        let mut pacing = PacingRate::new(None);
        assert_eq!(
            (pacing.of(None), pacing.paced(None)),
            (Rate::MAX, None),
            "before the first acknowledgement"
        );
        pacing.update(of_window);
        assert_eq!((pacing.of(None), pacing.paced(None)), (mbit(2), None));
        assert_eq!((pacing.of(Some(mbit(5))), pacing.paced(Some(mbit(5)))), (mbit(5), Some(mbit(5))));
        pacing.set_max(mbit(3));
        assert_eq!(pacing.paced(None), Some(mbit(2)));
        assert_eq!(pacing.paced(Some(mbit(5))), Some(mbit(3)));
        pacing.set_max(mbit(1));
        assert_eq!(pacing.paced(None), Some(mbit(1)));
    }

    #[test]
    fn no_rate_and_one_of_nothing_hold_nothing_back() {
        // tcp_update_skb_after_send: rate != ~0UL, and a rate of 0 before the first sample is none.
        let mut pacer = Pacer::new();
        for rate in [None, Some(Rate::ZERO)] {
            pacer.on_gso_sent(Time::ZERO, Bytes::new(15_000), 10, rate);
            assert_eq!(pacer.blocked_until(Time::ZERO), None);
        }
    }

    #[test]
    fn ten_segments_at_least_leave_at_once_and_later_one_gso_packet() {
        // tcp_update_skb_after_send paces from the GSO packet on with which tp->data_segs_out reaches 10.
        let mut pacer = Pacer::new();
        let at_once = [1, 3, 10, 44].map(|segments| pacer.at_once(segments));
        assert_eq!(at_once, [10, 12, 10, 44]);
        pacer.on_gso_sent(Time::ZERO, Bytes::new(4_500), 3, Some(Rate::from_bps(1_000_000)));
        assert_eq!(pacer.at_once(2), 8);
        pacer.on_gso_sent(Time::ZERO, Bytes::new(10_500), 7, Some(Rate::from_bps(1_000_000)));
        assert_eq!(pacer.at_once(2), 2);
    }
}
