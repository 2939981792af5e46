//! PCC Vivace (Dong et al., NSDI'18), latency flavour, in whole numbers throughout.

mod climb;
mod delay;
mod fixed;
mod interval;
mod utility;

use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::acked_or_lost::AckedOrLost;
use crate::control::EventHandlers;
use crate::{
    AckSample, Config, CongestionControl, CongestionEvent, CongestionKind, Event, RecoveryWindow, SentSample,
    State,
};
use climb::{Climb, Pair};
use interval::{Closed, Interval, Judgement};

/// The first rate in bit/s (PCC-Kernel: 512 x 1024 bytes/s).
const START_RATE: u64 = 512 * 1024 * 8;
/// Probes are 5 % above and below (epsilon), in hundredths.
const PROBE: u64 = 5;
/// The window is what leaves in two round trips (PCC-Kernel).
const WINDOW_ROUND_TRIPS: u64 = 2;
/// The smallest window and what leaves at least in a round trip, in packets (PCC-Kernel).
const MIN_WINDOW_PACKETS: u64 = 4;
const MIN_RATE_PACKETS: u64 = 2;
/// Bounds of the rate in bit/s: 1024 bytes/s (PCC-Kernel), and faster than any link, which bounds products.
const MIN_RATE: u64 = 1024 * 8;
const MAX_RATE: u64 = 1 << 36;

/// What the sender is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Double the rate while utility grows.
    Starting,
    /// Compare a faster and a slower rate, and climb.
    Probing,
    /// A timeout: what is retransmitted tells nothing.
    Suspended,
}

/// Vivace's state.
#[derive(Clone, Debug)]
pub struct Vivace {
    mss: u64,
    initial_window: u64,
    phase: Phase,
    /// r in bit/s.
    rate: u64,
    /// The last rate of the start and its utility.
    last_good: Option<(u64, i64)>,
    count: AckedOrLost,
    open: Option<Interval>,
    closed: Option<Closed>,
    /// The faster half of the pair in progress goes first.
    high_first: bool,
    first: Option<Judgement>,
    climb: Climb,
    coin: u32,
    srtt_us: Option<u64>,
    /// The window of a timeout, until the next acknowledgement.
    restart: Option<u64>,
}

impl Vivace {
    /// A connection that starts at `config.now`.
    pub fn new(config: Config) -> Self {
        Self {
            mss: config.mss.get(),
            initial_window: config.initial_window.max(config.mss).get(),
            phase: Phase::Starting,
            rate: START_RATE,
            last_good: None,
            count: AckedOrLost::default(),
            open: Some(Interval::open(START_RATE, 0, micros(config.now))),
            closed: None,
            high_first: false,
            first: None,
            climb: Climb::default(),
            coin: (config.seed ^ (config.seed >> 32)) as u32,
            srtt_us: config.handshake_rtt.map(micros_of),
            restart: None,
        }
    }

    /// What the sender is about.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// r: the rate around which it probes.
    pub const fn base_rate(&self) -> Rate {
        Rate::from_bps(self.rate)
    }

    // ---- intervals -----------------------------------------------------------------------------------------

    fn open(&mut self, rate: u64, now_us: u64) {
        self.open = Some(Interval::open(rate, self.count.sent(), now_us));
    }

    fn open_pair(&mut self, now_us: u64) {
        self.phase = Phase::Probing;
        self.coin = self.coin.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.high_first = self.coin >> 31 == 1;
        self.first = None;
        let rate = if self.high_first { high(self.rate) } else { low(self.rate) };
        self.open(rate, now_us);
    }

    /// The acknowledgement belongs to the interval whose packets were next to be acknowledged or lost.
    fn measure(&mut self, ack: &AckSample, acked_or_lost_before: u64, now_us: u64) {
        if let Some(closed) = &mut self.closed {
            closed.take(ack, now_us);
        } else if let Some(open) = self.open.as_mut().filter(|open| open.owns(acked_or_lost_before)) {
            open.take(ack, now_us);
        }
    }

    fn close_when_long_enough(&mut self, now_us: u64) {
        let Some(open) = self.open.take_if(|open| open.is_long_enough(&self.count, self.mss)) else { return };
        self.closed = Some(open.close(self.count.sent(), now_us));
        // When the second half closes the first is judged, because a packet that left after it is acknowledged or lost.
        if self.phase == Phase::Probing && self.first.is_none() {
            self.open(if self.high_first { low(self.rate) } else { high(self.rate) }, now_us);
        }
    }

    // ---- decisions -----------------------------------------------------------------------------------------

    fn judge_start(&mut self, judgement: Judgement, now_us: u64) {
        let Judgement::Worth(utility) = judgement else { return self.open(self.rate, now_us) };
        match self.last_good {
            Some((rate, last)) if utility <= last => {
                self.rate = rate;
                self.open_pair(now_us);
            }
            _ => {
                self.last_good = Some((self.rate, utility));
                self.rate = (self.rate * 2).min(MAX_RATE);
                self.open(self.rate, now_us);
            }
        }
    }

    fn judge_pair(&mut self, first: Judgement, second: Judgement, now_us: u64) {
        if let (Judgement::Worth(first), Judgement::Worth(second)) = (first, second) {
            let (high_utility, low_utility) = if self.high_first { (first, second) } else { (second, first) };
            let pair = Pair { low: low(self.rate), high: high(self.rate), low_utility, high_utility };
            self.rate = self.climb.next_rate(self.rate, pair).max(self.least_rate()).min(MAX_RATE);
        }
        self.open_pair(now_us);
    }

    fn judge_when_resolved(&mut self, now_us: u64) {
        let Some(closed) = self.closed.take_if(|closed| closed.is_acked_or_lost(&self.count)) else { return };
        let judgement = closed.judge();
        match (self.phase, self.first) {
            (Phase::Starting, _) => self.judge_start(judgement, now_us),
            (Phase::Probing, Some(first)) => self.judge_pair(first, judgement, now_us),
            (Phase::Probing, None) => self.first = Some(judgement),
            (Phase::Suspended, _) => {}
        }
    }

    fn suspend(&mut self, window: u64) {
        if let (Phase::Starting, Some((rate, _))) = (self.phase, self.last_good) {
            self.rate = rate;
        }
        self.phase = Phase::Suspended;
        self.open = None;
        self.closed = None;
        self.restart = Some(window);
    }

    fn resume(&mut self, now: Time) {
        if self.phase == Phase::Suspended {
            self.open_pair(micros(now));
        }
    }

    // ---- what is controlled --------------------------------------------------------------------------------

    /// Of the open interval, else r.
    fn rate_now(&self) -> u64 {
        self.open.as_ref().map_or(self.rate, Interval::rate)
    }

    /// Two packets per round trip.
    fn least_rate(&self) -> u64 {
        let bits = MIN_RATE_PACKETS * self.mss * 8;
        (bits * 1_000_000).checked_div(self.srtt_us.unwrap_or(0)).unwrap_or(0).max(MIN_RATE)
    }

    fn window(&self) -> u64 {
        let least = MIN_WINDOW_PACKETS * self.mss;
        match (self.restart, self.srtt_us) {
            (Some(window), _) => window,
            (None, None) => self.initial_window.max(least),
            (None, Some(srtt_us)) => {
                (WINDOW_ROUND_TRIPS * (self.rate_now() / 8).saturating_mul(srtt_us) / 1_000_000).max(least)
            }
        }
    }
}

const fn high(rate: u64) -> u64 {
    rate * (100 + PROBE) / 100
}

const fn low(rate: u64) -> u64 {
    rate * (100 - PROBE) / 100
}

const fn micros(at: Time) -> u64 {
    at.as_nanos() / 1_000
}

const fn micros_of(span: Duration) -> u64 {
    span.as_nanos() / 1_000
}

impl EventHandlers for Vivace {
    fn on_congestion(&mut self, event: &CongestionEvent) {
        match event.kind {
            // Loss is in the utility; marks are not heard.
            CongestionKind::Loss | CongestionKind::Ecn => {}
            CongestionKind::Timeout => self.suspend(event.in_flight.get() + self.mss),
            CongestionKind::Persistent => self.suspend(MIN_WINDOW_PACKETS * self.mss),
        }
    }

    fn on_recovery_end(&mut self, now: Time) {
        self.resume(now);
    }

    fn on_undo(&mut self, now: Time) {
        self.restart = None;
        self.resume(now);
    }

    fn on_mss_change(&mut self, mss: Bytes) {
        self.mss = mss.get();
    }
}

impl CongestionControl for Vivace {
    fn name(&self) -> &'static str {
        "vivace"
    }

    fn on_sent(&mut self, sent: &SentSample) {
        self.count.on_sent(sent.bytes);
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let now_us = micros(ack.now);
        let acked_or_lost_before = self.count.acked_or_lost();
        self.count.on_ack(ack);
        self.srtt_us = ack.srtt.map(micros_of).or(self.srtt_us);
        self.restart = None;
        self.measure(ack, acked_or_lost_before, now_us);
        self.judge_when_resolved(now_us);
        self.close_when_long_enough(now_us);
    }

    fn on_event(&mut self, event: Event) {
        self.handle(event);
    }

    fn cwnd(&self) -> Bytes {
        Bytes::new(self.window().max(self.mss))
    }

    fn state(&self) -> State {
        State {
            ssthresh: None,
            pacing_rate: Some(Rate::from_bps(self.rate_now())),
            send_quantum: None,
            bandwidth: None,
            recovery_window: RecoveryWindow::Algorithm,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bbr::BbrSpec;
    use crate::slow_start::SlowStartExit;
    use crate::testing::packets;
    use crate::{CwndUnit, RecoverySpan};

    fn vivace(rtt: Duration) -> Vivace {
        Vivace::new(Config {
            now: Time::ZERO,
            mss: packets(1),
            initial_window: packets(10),
            handshake_rtt: Some(rtt),
            seed: 1,
            slow_start_exit: SlowStartExit::Loss,
            cwnd_unit: CwndUnit::Bytes,
            recovery_span: RecoverySpan::RoundTrip,
            bbr: BbrSpec::LINUX,
        })
    }

    /// The rate after a pair whose faster half was worth so much more than the slower one.
    fn next_rate(rtt: Duration, rate: u64, difference: i64) -> u64 {
        let mut cc = vivace(rtt);
        (cc.rate, cc.high_first) = (rate, true);
        cc.judge_pair(Judgement::Worth(difference), Judgement::Worth(0), 0);
        cc.rate
    }

    #[test]
    fn two_packets_leave_in_a_round_trip_at_least() {
        // 24 000 bits in half a second; a step down is 5 %.
        assert_eq!(next_rate(Duration::from_millis(500), 49_000, -1_000_000_000), 48_000);
    }

    #[test]
    fn a_kibibyte_leaves_in_a_second_at_least() {
        // 24 000 bits in five seconds are less than 8192 bit/s.
        assert_eq!(next_rate(Duration::from_secs(5), 8_200, -1_000_000_000), 8_192);
    }

    #[test]
    fn the_rate_ends_at_2_to_the_36th_bits_per_second() {
        let most = 1 << 36;
        assert_eq!(next_rate(Duration::from_millis(1), most - 1, i64::MAX / 2), most);
    }

    #[test]
    fn the_window_has_four_packets_at_least() {
        // 4.2 Mbit/s for twice a millisecond are less than one.
        assert_eq!(vivace(Duration::from_millis(1)).cwnd(), packets(4));
    }
}
