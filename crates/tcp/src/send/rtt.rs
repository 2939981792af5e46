//! Round-trip time and the retransmission timeout: RFC 6298 as Linux computes it.

use bentpipe_units::{Duration, Time};

use crate::wheel::in_jiffies;

/// Before the first sample (RFC 6298 section 2.1; `TCP_TIMEOUT_INIT`).
pub(crate) const INITIAL_RTO: Duration = Duration::from_secs(1);
/// Where the handshake gave no sample (RFC 6298 section 5.7; `TCP_TIMEOUT_FALLBACK`).
const FALLBACK_RTO: Duration = Duration::from_secs(3);
/// `TCP_RTO_MIN`: Linux's floor, below the second of RFC 6298 section 2.4. It bounds the variance term, not the sum.
pub(crate) const MIN_RTO: Duration = Duration::from_millis(200);
/// `tcp_min_rtt_wlen`.
const MIN_RTT_WINDOW: Duration = Duration::from_secs(300);

/// From what is sent first to the end of the wait after so many repetitions, where each wait is twice the one before
/// (`tcp_model_timeout`).
pub(crate) fn model_timeout(first: Duration, repetitions: u32, max_rto: Duration) -> Duration {
    (0..=repetitions)
        .map(|doublings| doubled(first, doublings).min(max_rto))
        .fold(Duration::ZERO, Duration::saturating_add)
}

/// A wait doubled so many times.
pub(crate) fn doubled(wait: Duration, doublings: u32) -> Duration {
    let factor = 1_u64.checked_shl(doublings).unwrap_or(u64::MAX);
    Duration::from_nanos(wait.as_nanos().saturating_mul(factor))
}

/// The estimator (`tcp_rtt_estimator`).
#[derive(Clone, Debug)]
pub(crate) struct Rtt {
    smoothed: Option<Smoothed>,
    /// Of `smoothed` in whole nanoseconds: it is read more often than it changes.
    srtt: Option<Duration>,
    min: Option<(Duration, Time)>,
    rto: Duration,
    max_rto: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Smoothed {
    srtt: f64,
    /// Mean deviation.
    mdev: f64,
    /// Largest mean deviation of the round trip.
    mdev_max: f64,
    rttvar: f64,
    /// The round trip ends when this position is acknowledged.
    round_end: u64,
}

impl Smoothed {
    /// RFC 6298 section 2.2: SRTT = R, RTTVAR = R/2, of which the timeout takes four.
    fn first(m: f64, floor: f64, view: RoundView) -> Self {
        let rttvar = (2.0 * m).max(floor) / 4.0;
        Self { srtt: m, mdev: m / 2.0, mdev_max: rttvar, rttvar, round_end: view.next }
    }

    /// RFC 6298 section 2.3: alpha 1/8, beta 1/4.
    fn next(mut self, m: f64, floor: f64, view: RoundView) -> Self {
        let error = m - self.srtt;
        self.srtt += error / 8.0;
        let mut deviation = error.abs() - self.mdev;
        if error < 0.0 && deviation > 0.0 {
            // A falling RTT raises the deviation at an eighth of the speed.
            deviation /= 8.0;
        }
        self.mdev += deviation / 4.0;
        if self.mdev > self.mdev_max {
            self.mdev_max = self.mdev;
            self.rttvar = self.rttvar.max(self.mdev_max);
        }
        if view.una > self.round_end {
            // The variance falls by a quarter of the distance once per round trip, never below the floor.
            self.rttvar -= (self.rttvar - self.mdev_max).max(0.0) / 4.0;
            self.round_end = view.next;
            self.mdev_max = floor / 4.0;
        }
        self
    }
}

/// What the estimator needs to know to tell round trips apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundView {
    pub una: u64,
    pub next: u64,
}

/// What one acknowledgement said of the round-trip time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RttReading {
    /// For the estimator.
    pub sample: Option<Duration>,
    /// Of what was acknowledged last (`rate_sample.rtt_us`).
    pub newest: Option<Duration>,
    /// Whether the peer may have waited before it acknowledged (`FLAG_ACK_MAYBE_DELAYED`).
    pub is_maybe_delayed: bool,
}

impl Rtt {
    pub fn new(max_rto: Duration) -> Self {
        Self { smoothed: None, srtt: None, min: None, rto: INITIAL_RTO.min(max_rto), max_rto }
    }

    /// `tcp_ack_update_rtt`.
    pub fn on_ack(&mut self, now: Time, reading: RttReading, view: RoundView) {
        // If the peer always waits, its wait would pass for the path's once the minimum expires.
        let newest = reading.newest;
        let is_taken =
            |rtt: &Duration| !reading.is_maybe_delayed || self.min().is_none_or(|least| *rtt <= least);
        if let Some(least) = newest.filter(is_taken) {
            self.on_min_sample(now, least);
        }
        if let Some(sample) = reading.sample {
            self.on_sample(sample, view);
        }
    }

    /// Takes in a sample; the timeout follows it and any back-off ends (RFC 6298 section 5.7).
    pub fn on_sample(&mut self, sample: Duration, view: RoundView) {
        let floor = MIN_RTO.as_nanos() as f64;
        let m = sample.as_nanos() as f64;
        let s = match self.smoothed {
            None => Smoothed::first(m, floor, view),
            Some(smoothed) => smoothed.next(m, floor, view),
        };
        self.smoothed = Some(s);
        self.srtt = Some(Duration::from_nanos(s.srtt.round() as u64));
        let rto = Duration::from_nanos((s.srtt + 4.0 * s.rttvar).round() as u64);
        self.rto = in_jiffies(rto).min(self.max_rto);
    }

    /// Keeps the smallest RTT of the last five minutes (`tcp_update_rtt_min`).
    pub fn on_min_sample(&mut self, now: Time, sample: Duration) {
        self.min = match self.min {
            Some((least, at)) if sample > least && now.since(at) <= MIN_RTT_WINDOW => Some((least, at)),
            _ => Some((sample, now)),
        };
    }

    /// Data may flow before there is a sample, as the handshake was repeated or data come first (`tcp_init_metrics`).
    pub const fn fall_back(&mut self) {
        self.rto = FALLBACK_RTO;
    }

    /// RFC 6298 section 5.5.
    pub fn back_off(&mut self) {
        self.rto = self.rto.saturating_add(self.rto).min(self.max_rto);
    }

    /// No timeout is longer.
    pub const fn max_rto(&self) -> Duration {
        self.max_rto
    }

    pub const fn srtt(&self) -> Option<Duration> {
        self.srtt
    }

    /// RTTVAR of RFC 6298.
    pub fn variance(&self) -> Option<Duration> {
        self.smoothed.map(|smoothed| Duration::from_nanos(smoothed.rttvar as u64))
    }

    pub fn min(&self) -> Option<Duration> {
        self.min.map(|(least, _)| least)
    }

    pub const fn rto(&self) -> Duration {
        self.rto
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TCP_RTO_MAX;

    const VIEW: RoundView = RoundView { una: 0, next: 0 };

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_smallest_rtt_is_that_of_five_minutes_since_it_was_last_measured() {
        // tcp_min_rtt_wlen 300; minmax_running_min takes an equal sample as the newest.
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let mut rtt = Rtt::new(TCP_RTO_MAX);
        for (seconds, sample, least) in
            [(0, 10, 10), (100, 20, 10), (200, 10, 10), (450, 30, 10), (501, 40, 40)]
        {
            rtt.on_min_sample(at(seconds), ms(sample));
            assert_eq!(rtt.min(), Some(ms(least)), "at {seconds} s");
        }
    }

    #[test]
    fn the_first_sample_of_600_ms_gives_a_timeout_of_three_round_trips() {
        // RFC 6298 section 2.2: SRTT + 4 RTTVAR = R + 2R.
        let mut rtt = Rtt::new(TCP_RTO_MAX);
        rtt.on_sample(ms(600), VIEW);
        assert_eq!(rtt.rto(), ms(1800));
    }

    #[test]
    fn a_short_steady_rtt_gives_the_rtt_and_200_ms_in_jiffies() {
        // tcp_rto_min bounds 4 RTTVAR: 10 + 200, not max(10, 200); 53 jiffies.
        let mut rtt = Rtt::new(TCP_RTO_MAX);
        for round in 0..100 {
            rtt.on_sample(ms(10), RoundView { una: round, next: round + 1 });
        }
        assert_eq!(rtt.rto(), ms(212));
    }

    #[test]
    fn a_long_steady_rtt_settles_200_ms_above_it() {
        let mut rtt = Rtt::new(TCP_RTO_MAX);
        for round in 0..200 {
            rtt.on_sample(ms(600), RoundView { una: 2 * round, next: 2 * round + 1 });
        }
        assert!(rtt.rto() >= ms(800) && rtt.rto() < ms(801), "{}", rtt.rto());
    }

    #[test]
    fn the_timeout_doubles_up_to_two_minutes() {
        let mut rtt = Rtt::new(TCP_RTO_MAX);
        rtt.back_off();
        assert_eq!(rtt.rto(), Duration::from_secs(2));
        for _ in 0..10 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto(), Duration::from_secs(120));
    }

    #[test]
    fn without_a_sample_of_the_handshake_the_timeout_is_three_seconds_until_there_is_one() {
        // RFC 6298 section 5.7.
        let mut rtt = Rtt::new(TCP_RTO_MAX);
        rtt.fall_back();
        assert_eq!(rtt.rto(), Duration::from_secs(3));
        rtt.on_sample(ms(600), VIEW);
        assert_eq!(rtt.rto(), ms(1800));
    }

    #[test]
    fn the_smallest_rtt_is_forgotten_after_five_minutes() {
        let mut rtt = Rtt::new(TCP_RTO_MAX);
        rtt.on_min_sample(Time::ZERO, ms(10));
        rtt.on_min_sample(Time::ZERO + Duration::from_secs(300), ms(20));
        assert_eq!(rtt.min(), Some(ms(10)));
        rtt.on_min_sample(Time::ZERO + Duration::from_secs(301), ms(20));
        assert_eq!(rtt.min(), Some(ms(20)));
    }

    #[test]
    fn the_variance_follows_a_rising_round_trip_at_once_and_a_falling_one_at_an_eighth() {
        // RFC 6298 section 2.3: RTTVAR = 3/4 * 300 + 1/4 * 1000, SRTT = 7/8 * 600 + 1/8 * 1600; with the 1900 ms of four
        // RTTVAR 2625 ms, which are 657 jiffies.
        let mut rtt = Rtt::new(TCP_RTO_MAX);
        rtt.on_sample(ms(600), VIEW);
        rtt.on_sample(ms(1600), VIEW);
        assert_eq!((rtt.srtt(), rtt.variance()), (Some(ms(725)), Some(ms(475))));
        assert_eq!(rtt.rto(), ms(657 * 4));
        // tcp_rtt_estimator: m = 500 is 200 beyond the deviation of 300, of which an eighth counts, and of that a quarter.
        let mut rtt = Rtt::new(TCP_RTO_MAX);
        rtt.on_sample(ms(600), VIEW);
        rtt.on_sample(ms(100), VIEW);
        assert_eq!(rtt.srtt(), Some(Duration::from_micros(537_500)));
        assert_eq!(rtt.variance(), Some(Duration::from_micros(306_250)));
    }
}
