//! A deterministic path for one sender: a fixed rate, a fixed RTT, a drop-tail buffer, optionally a policer.
//! Every packet is acknowledged by itself; a packet is lost when one three later is acknowledged.

use std::collections::{BTreeMap, VecDeque};

use bentpipe_cc::bbr::BbrSpec;
use bentpipe_cc::rate::{PacketState, RateEstimator};
use bentpipe_cc::slow_start::{Pacing, SlowStartExit};
use bentpipe_cc::usage::{UsageTracker, WindowUsage};
use bentpipe_cc::{
    AckSample, Config, CongestionControl, CongestionEvent, CongestionKind, CwndUnit, Event, RecoverySpan,
    SentSample,
};
use bentpipe_units::{Bytes, Duration, Rate, Time};

pub const MSS: u64 = 1500;

pub fn packets(n: u64) -> Bytes {
    Bytes::new(n * MSS)
}

pub fn at_ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

pub fn config() -> Config {
    Config {
        now: Time::ZERO,
        mss: packets(1),
        initial_window: packets(10),
        handshake_rtt: None,
        seed: 7,
        slow_start_exit: SlowStartExit::HyStart(Pacing::Unpaced),
        cwnd_unit: CwndUnit::Bytes,
        recovery_span: RecoverySpan::RoundTrip,
        bbr: BbrSpec::LINUX,
    }
}

/// An acknowledgement of `acked` bytes in a flow that keeps its window full, without a rate sample.
pub fn ack(now: Time, acked: Bytes, rtt: Duration) -> AckSample {
    AckSample {
        now,
        acked,
        lost: Bytes::ZERO,
        marked: Bytes::ZERO,
        delivered: acked,
        prior_in_flight: acked,
        in_flight: Bytes::ZERO,
        rtt: Some(rtt),
        is_maybe_delayed: false,
        newest_sent: None,
        srtt: Some(rtt),
        rate: None,
        usage: WindowUsage { is_cwnd_limited: true, peak_in_flight: acked },
        is_disordered: false,
    }
}

pub fn event(now: Time, kind: CongestionKind) -> CongestionEvent {
    CongestionEvent { now, kind, in_flight: Bytes::ZERO }
}

#[derive(Clone, Copy, Debug)]
pub struct Path {
    pub rate: Rate,
    pub rtt: Duration,
    pub buffer: Bytes,
    pub policer: Option<TokenBucket>,
    /// Every packet whose number is a multiple of this is lost.
    pub lose_every: Option<u64>,
}

impl Path {
    pub fn new(mbit: u64, rtt_ms: u64, buffer: Bytes) -> Self {
        let rate = Rate::from_bps(mbit * 1_000_000);
        Self { rate, rtt: Duration::from_millis(rtt_ms), buffer, policer: None, lose_every: None }
    }
}

/// 10 Mbit/s, 500 ms: a BDP of 417 packets.
pub fn geo() -> Path {
    Path::new(10, 500, packets(2_000))
}

/// 10 Gbit/s, 500 ms: more than a start-up of ten rounds fills.
pub fn wide() -> Path {
    Path::new(10_000, 500, packets(100_000))
}

/// The propagation delay and the transmission of one packet.
pub const GEO_RTT: Duration = Duration::from_micros(501_200);

#[derive(Clone, Copy, Debug)]
pub struct TokenBucket {
    pub rate: Rate,
    pub depth: Bytes,
    pub tokens: Bytes,
    pub filled_at: Time,
}

impl TokenBucket {
    pub fn full(rate: Rate, depth: Bytes) -> Self {
        Self { rate, depth, tokens: depth, filled_at: Time::ZERO }
    }

    fn admits(&mut self, now: Time, size: Bytes) -> bool {
        let gained = self.rate.volume_in(now.since(self.filled_at));
        if gained > Bytes::ZERO {
            self.tokens = (self.tokens + gained).min(self.depth);
            self.filled_at = now;
        }
        let admitted = self.tokens >= size;
        if admitted {
            self.tokens -= size;
        }
        admitted
    }
}

#[derive(Clone, Copy, Debug)]
struct Outstanding {
    state: PacketState,
    sent_at: Time,
}

/// A sender with its path.
pub struct Flow<C> {
    pub cc: C,
    pub path: Path,
    pub now: Time,
    /// Data that the application still has.
    pub supply: Bytes,
    pub in_flight: Bytes,
    pub delivered: Bytes,
    pub lost: Bytes,
    pub queue: Duration,
    pub last_ack: Option<AckSample>,
    /// Acknowledgements are held back to the next multiple of this.
    pub gather_acks: Option<Duration>,
    outstanding: BTreeMap<u64, Outstanding>,
    acks: VecDeque<(Time, u64)>,
    estimator: RateEstimator,
    usage: UsageTracker,
    next_packet: u64,
    free_at: Time,
    send_at: Time,
    min_rtt: Option<Duration>,
    /// Recovery lasts until this packet or a later one is acknowledged.
    recovery: Option<u64>,
    /// Losses of packets before this one belong to an episode that has started.
    episode_end: u64,
}

impl<C: CongestionControl> Flow<C> {
    pub fn new(cc: C, path: Path) -> Self {
        Self {
            cc,
            path,
            now: Time::ZERO,
            supply: Bytes::new(u64::MAX),
            in_flight: Bytes::ZERO,
            delivered: Bytes::ZERO,
            lost: Bytes::ZERO,
            queue: Duration::ZERO,
            last_ack: None,
            gather_acks: None,
            outstanding: BTreeMap::new(),
            acks: VecDeque::new(),
            estimator: RateEstimator::new(Time::ZERO),
            usage: UsageTracker::new(),
            next_packet: 0,
            free_at: Time::ZERO,
            send_at: Time::ZERO,
            min_rtt: None,
            recovery: None,
            episode_end: 0,
        }
    }

    pub fn run_until(&mut self, end: Time) {
        while self.now < end {
            self.step(end);
        }
    }

    /// Runs for nine rounds, from the fourth on of which each delivers about twice as much as the one before: the
    /// initial window, sent as a burst, blurs the first three.
    pub fn assert_doubling(&mut self) {
        let mut delivered = Vec::new();
        for round in 2..=9 {
            let before = self.delivered;
            self.run_until(Time::ZERO + self.path.rtt * round);
            delivered.push((self.delivered - before).get() as f64);
        }
        let growth: Vec<f64> = delivered[2..].windows(2).map(|pair| pair[1] / pair[0]).collect();
        assert!(growth.iter().all(|factor| (1.8..2.2).contains(factor)), "{growth:?}");
    }

    /// The estimated bandwidth over the path's rate.
    pub fn found_share(&self) -> f64 {
        self.cc.state().bandwidth.unwrap().as_bps() as f64 / self.path.rate.as_bps() as f64
    }

    pub fn run_while(&mut self, mut go_on: impl FnMut(&Self) -> bool) {
        while go_on(self) {
            self.step(Time::MAX);
        }
    }

    /// Handles the next event: a packet leaves, an acknowledgement arrives, or everything was lost.
    pub fn step(&mut self, end: Time) {
        let window_open = self.in_flight + packets(1) <= self.cc.cwnd();
        let send_at = (window_open && self.supply >= packets(1)).then(|| self.send_at.max(self.now));
        let ack_at = self.acks.front().map(|(at, _)| *at);
        match (send_at, ack_at) {
            (Some(send), ack) if send <= end && ack.is_none_or(|ack| send < ack) => self.send(send),
            (_, Some(ack)) if ack <= end => self.receive_ack(),
            (None, None) if !self.outstanding.is_empty() => self.time_out(),
            _ => self.now = end,
        }
    }

    fn send(&mut self, now: Time) {
        self.now = now;
        let bytes = packets(1);
        let demand = self.estimator.demand();
        self.cc.on_sent(&SentSample { now, bytes, prior_in_flight: self.in_flight, demand });
        let state = self.estimator.on_sent(now, self.in_flight);
        let number = self.next_packet;
        self.next_packet += 1;
        self.outstanding.insert(number, Outstanding { state, sent_at: now });
        self.in_flight += bytes;
        self.supply -= bytes;
        if let Some(rate) = self.cc.state().pacing_rate {
            self.send_at = now + rate.time_for(bytes);
        }
        self.forward(number, bytes);
        self.note_what_stops_the_sender();
    }

    fn forward(&mut self, number: u64, bytes: Bytes) {
        if self.path.policer.as_mut().is_some_and(|bucket| !bucket.admits(self.now, bytes)) {
            return;
        }
        if self.path.lose_every.is_some_and(|n| number.is_multiple_of(n)) {
            return;
        }
        self.queue = self.free_at.since(self.now);
        if self.path.rate.volume_in(self.queue) + bytes > self.path.buffer {
            return;
        }
        self.free_at = self.free_at.max(self.now) + self.path.rate.time_for(bytes);
        let ack_at = self.free_at + self.path.rtt;
        let held_to = self
            .gather_acks
            .map_or(ack_at, |slot| Time::from_nanos(ack_at.as_nanos().next_multiple_of(slot.as_nanos())));
        self.acks.push_back((held_to, number));
    }

    fn note_what_stops_the_sender(&mut self) {
        let window_full = self.in_flight + packets(1) > self.cc.cwnd();
        let is_cwnd_limited = window_full;
        self.usage.on_transmit(self.next_packet, self.in_flight, is_cwnd_limited);
        if self.supply < packets(1) && !window_full {
            self.estimator.on_app_limited(self.in_flight);
        }
    }

    fn receive_ack(&mut self) {
        let (now, number) = self.acks.pop_front().expect("an acknowledgement is due");
        self.now = now;
        let prior_in_flight = self.in_flight;
        let Some(packet) = self.outstanding.remove(&number) else { return };
        self.in_flight -= packets(1);
        self.delivered += packets(1);
        let rtt = now.since(packet.sent_at);
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        self.estimator.on_delivered(now, &packet.state, packets(1));
        self.usage.on_acked(number + 1);
        let lost = self.detect_losses(number);
        let sample = AckSample {
            now,
            acked: packets(1),
            lost,
            marked: Bytes::ZERO,
            delivered: self.estimator.delivered(),
            prior_in_flight,
            in_flight: self.in_flight,
            rtt: Some(rtt),
            is_maybe_delayed: false,
            newest_sent: Some(packet.sent_at),
            srtt: Some(rtt),
            rate: self.estimator.sample(self.min_rtt),
            usage: self.usage.usage(),
            is_disordered: false,
        };
        if self.recovery.is_some_and(|end| number >= end) {
            self.recovery = None;
            self.cc.on_event(Event::RecoveryEnd { now });
        }
        self.cc.on_ack(&sample);
        self.last_ack = Some(sample);
        self.note_what_stops_the_sender();
    }

    fn detect_losses(&mut self, acked: u64) -> Bytes {
        let overtaken = self.outstanding.split_off(&acked.saturating_sub(2));
        let gone = std::mem::replace(&mut self.outstanding, overtaken);
        let lost = packets(gone.len() as u64);
        self.in_flight -= lost;
        self.lost += lost;
        if gone.keys().any(|number| *number >= self.episode_end) {
            self.start_episode();
            self.congestion(CongestionKind::Loss);
        }
        lost
    }

    fn time_out(&mut self) {
        self.now += Duration::from_secs(1);
        self.lost += packets(self.outstanding.len() as u64);
        self.outstanding.clear();
        self.in_flight = Bytes::ZERO;
        self.start_episode();
        self.congestion(CongestionKind::Timeout);
    }

    fn start_episode(&mut self) {
        self.recovery = Some(self.next_packet);
        self.episode_end = self.next_packet;
    }

    fn congestion(&mut self, kind: CongestionKind) {
        self.cc.on_event(Event::Congestion(CongestionEvent {
            now: self.now,
            kind,
            in_flight: self.in_flight,
        }));
    }
}
