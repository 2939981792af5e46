//! Bentpipe's congestion controls as controllers of the noq library.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use bentpipe_cc::bbr::BbrSpec;
use bentpipe_cc::careful_resume::Transition;
use bentpipe_cc::rate::{PacketState, RateEstimator};
use bentpipe_cc::slow_start::{Pacing, SlowStartExit};
use bentpipe_cc::usage::{UsageTracker, WindowUsage};
use bentpipe_cc::{
    AckSample, Config, CongestionControl, CongestionEvent, CongestionKind, CwndUnit, Event, RecoverySpan,
    SentSample,
};
use bentpipe_run::RunSpec;
use bentpipe_units::{Bytes, Duration, Rate, Switch, Time};
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use noq_proto::{EcnCodepoint, RttEstimator};

use super::event_logs::EventLogs;
use super::paths::KnownPath;
use super::resume_events::ResumeEvents;
use super::sender::{Role, Sender};

/// Windows per round trip at which a window-based algorithm's packets leave (RFC 9002 section 7.7); Linux's
/// `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`, for a QUIC that differs from TCP by protocol alone.
const SLOW_START_PACING: f64 = 2.0;
const AVOIDANCE_PACING: f64 = 1.2;

/// The rate of the first window, which leaves as one burst: RFC 9002 section 7.7 allows it, and the kernel does not
/// pace the first ten segments either. In bytes per second, faster than any link here: a byte takes a nanosecond, and the
/// library's pacer, patched, has no packet wait. No rate is higher.
const UNPACED: u64 = 1_000_000_000;

/// The smallest window in packets (RFC 9002 section 7.2). With less, the packet that the origin sends beside its
/// handshake fills the window, and the library arms no probe timeout for it when the handshake is over.
const LEAST_WINDOW: u64 = 2;

/// Packets that a receiver leaves unacknowledged where nobody asks for another number (RFC 9000 section 13.2.2).
const ACK_ELICITING_THRESHOLD: u64 = 1;

/// Gives every connection of an endpoint its congestion control.
#[derive(Debug)]
pub(super) struct Factory {
    algorithm: bentpipe_run::Algorithm,
    mss: Bytes,
    initial_window: Bytes,
    slow_start_exit: SlowStartExit,
    cwnd_validation: Switch,
    bbr: BbrSpec,
    path: Option<KnownPath>,
    qlog: Option<EventLogs>,
    ecn: Ecn,
    seed: u64,
}

impl Factory {
    /// That of an endpoint whose connections resume from what is known of `path`.
    pub(super) fn new(
        spec: &RunSpec,
        role: Role,
        sender: Sender,
        path: Option<KnownPath>,
        qlog: Option<&EventLogs>,
    ) -> Self {
        let mss = spec.quic.udp_payload_bytes;
        Self {
            algorithm: sender.cc,
            mss,
            initial_window: spec.quic.initial_window_bytes.max(Bytes::new(LEAST_WINDOW * mss.get())),
            // The same rule as the kernel's CUBIC, so that TCP and QUIC differ by protocol alone.
            slow_start_exit: SlowStartExit::of(spec.slow_start, Pacing::Paced),
            cwnd_validation: spec.quic.cwnd_validation.unwrap_or(Switch::On),
            bbr: spec.bbr.unwrap_or(BbrSpec::LINUX),
            path,
            qlog: qlog.cloned(),
            ecn: Ecn::of(sender.cc, spec.quic.ecn),
            seed: spec.seed ^ ((role as u64) << 32) ^ (u64::from(sender.index) << 40),
        }
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, _current_mtu: u16) -> Box<dyn Controller> {
        let config = Config {
            now: Time::ZERO,
            mss: self.mss,
            initial_window: self.initial_window,
            handshake_rtt: None,
            seed: self.seed,
            slow_start_exit: self.slow_start_exit,
            cwnd_unit: CwndUnit::Bytes,
            recovery_span: RecoverySpan::RoundTrip,
            bbr: self.bbr,
        };
        Box::new(Adapter {
            algorithm: bentpipe_cc::build_resuming(
                self.algorithm,
                config,
                self.path.as_ref().map(|path| path.resume(now)),
            ),
            initial_window: self.initial_window,
            epoch: now,
            estimator: RateEstimator::new(Time::ZERO),
            usage: UsageTracker::new(),
            cwnd_validation: self.cwnd_validation,
            outstanding: VecDeque::new(),
            in_flight: Bytes::ZERO,
            sent: Bytes::ZERO,
            next_packet: 0,
            batch: Batch::default(),
            ack_eliciting_threshold: ACK_ELICITING_THRESHOLD,
            lost: Bytes::ZERO,
            marked_packets: 0,
            ecn: self.ecn,
            episode: None,
            rtt: None,
            last_rate: None,
            events: self
                .qlog
                .as_ref()
                .filter(|_| self.path.is_some())
                .and_then(EventLogs::take_latest)
                .map(ResumeEvents::new),
        })
    }
}

/// One connection's congestion control behind the library's interface.
///
/// The library reports packet by packet; the adapter gathers what one acknowledgement covers into one
/// [`AckSample`], keeps the delivery-rate estimator's state per packet, and finds the episodes of loss.
#[derive(Clone, Debug)]
pub(super) struct Adapter {
    algorithm: Box<dyn CongestionControl>,
    initial_window: Bytes,
    epoch: Instant,
    estimator: RateEstimator,
    usage: UsageTracker,
    /// Whether a window has to be used to grow in slow start.
    cwnd_validation: Switch,
    /// Packets from the first on that is not known to be delivered, in order of sending.
    outstanding: VecDeque<Outstanding>,
    in_flight: Bytes,
    /// Sent since the connection started, lost or not.
    sent: Bytes,
    next_packet: u64,
    batch: Batch,
    /// Packets that the peer may receive without acknowledging them at once.
    ack_eliciting_threshold: u64,
    /// Deemed lost since the last acknowledgement.
    lost: Bytes,
    /// Packets known to have been marked since the last acknowledgement.
    marked_packets: u64,
    ecn: Ecn,
    /// The latest episode of loss or marks.
    episode: Option<Episode>,
    rtt: Option<Rtt>,
    last_rate: Option<Rate>,
    /// Where the phases of Careful Resume are logged, when they are.
    events: Option<ResumeEvents>,
}

#[derive(Clone, Copy, Debug)]
struct Outstanding {
    sent: Time,
    number: u64,
    /// None once it is delivered: behind thousands of lost packets it keeps its place, for they would have to move up.
    state: Option<PacketState>,
}

/// An episode of loss: losses of packets sent before it started belong to it, however late they are found out.
#[derive(Clone, Copy, Debug)]
struct Episode {
    since: Time,
    /// Whether a packet sent later has been delivered yet.
    phase: Phase,
    /// Whether a mark started it, not a loss.
    is_of_marks: bool,
}

impl Episode {
    /// Whether its losses may turn out to be none; marks are what they are.
    fn may_be_spurious(&mut self) -> bool {
        self.phase == Phase::Recovery && !self.is_of_marks
    }
}

/// How a connection takes part in ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ecn {
    Off,
    /// ECT(0): a mark counts as a loss (RFC 9002 section 7.1).
    Classic,
    /// ECT(1): RFC 9331.
    Scalable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Recovery,
    Over,
}

/// What the acknowledgement in progress has covered so far.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    acked: Bytes,
    packets: u64,
    newest_sent: Option<Time>,
}

/// Round-trip times; the library updates its own only after the controller has run.
#[derive(Clone, Copy, Debug)]
struct Rtt {
    smoothed: Duration,
    min: Duration,
}

impl Adapter {
    /// The algorithm's name.
    pub fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Bytes sent and neither delivered nor deemed lost.
    pub fn in_flight(&self) -> Bytes {
        self.in_flight
    }

    /// Smallest round-trip time, acknowledgement delay included.
    pub fn min_rtt(&self) -> Option<Duration> {
        self.rtt.map(|rtt| rtt.min)
    }

    /// The phases of Careful Resume so far, from the start of the connection.
    pub fn resumption(&self) -> &[Transition] {
        self.algorithm.resumption()
    }

    /// The latest delivery-rate sample.
    pub fn delivery_rate(&self) -> Option<Rate> {
        self.last_rate
    }

    /// The acknowledgement's round trip, when it is one.
    ///
    /// A receiver that has no more packets to acknowledge than the threshold (one, where nobody has asked for another)
    /// waits up to `max_ack_delay` for the next; the library does not tell the controller how long (RFC 9002 section 5.3
    /// would subtract it). More packets are acknowledged at once, so that the newest one's round trip is the path's.
    fn round_trip(&self, elapsed: Duration, packets: u64) -> Option<Duration> {
        (packets > self.ack_eliciting_threshold || self.rtt.is_none_or(|rtt| elapsed <= rtt.min))
            .then_some(elapsed)
    }

    /// Bytes per second at which packets leave now; none before a round trip is known.
    fn pacing_rate(&self) -> Option<u64> {
        if self.sent < self.initial_window {
            return Some(UNPACED);
        }
        let rate = self.algorithm.state().pacing_rate.or_else(|| self.window_rate());
        rate.map(|rate| (rate.as_bps() / 8).min(UNPACED))
    }

    /// The rate that spreads a window over its round trip, for algorithms that have no rate of their own.
    fn window_rate(&self) -> Option<Rate> {
        let gain = if self.in_slow_start() { SLOW_START_PACING } else { AVOIDANCE_PACING };
        self.rtt.map(|rtt| Rate::of(self.algorithm.cwnd(), rtt.smoothed).mul_f64(gain))
    }

    /// Whether a window-based algorithm is; others have no threshold.
    fn in_slow_start(&self) -> bool {
        self.algorithm.state().ssthresh.is_none_or(|ssthresh| self.algorithm.cwnd() < ssthresh)
    }

    /// How far the window was used, as the algorithm is to see it: without validation the window of slow start grows with
    /// every acknowledgement, as lsquic has it (`lsquic_cubic_ack`, lsquic_cubic.c, which looks at `app_limited` only
    /// above the threshold). An algorithm with a rate of its own asks to be told how it was.
    fn window_usage(&self) -> WindowUsage {
        let usage = self.usage.usage();
        let is_window_based = self.algorithm.state().pacing_rate.is_none();
        let is_exempt = self.cwnd_validation.is_off() && is_window_based && self.in_slow_start();
        WindowUsage { is_cwnd_limited: usage.is_cwnd_limited || is_exempt, ..usage }
    }

    fn time(&self, at: Instant) -> Time {
        Time::ZERO + Duration::from(at.saturating_duration_since(self.epoch))
    }

    /// The acknowledgement in progress covers a packet.
    fn on_delivered(&mut self, now: Time, sent: Time, bytes: Bytes, number: u64) {
        if let Some(state) = self.take(sent, number) {
            self.estimator.on_delivered(now, &state, bytes);
        }
        self.batch.acked += bytes;
        self.batch.packets += 1;
        self.batch.newest_sent = self.batch.newest_sent.max(Some(sent));
    }

    /// Takes the state of a packet; packet numbers of different spaces collide, send times tell them apart.
    fn take(&mut self, sent: Time, number: u64) -> Option<PacketState> {
        let from = self.outstanding.partition_point(|packet| packet.sent < sent);
        let until = self.outstanding.partition_point(|packet| packet.sent <= sent);
        let mut same_time = self.outstanding.range_mut(from..until);
        let state = same_time.find_map(|packet| packet.state.take_if(|_| packet.number == number));
        while self.outstanding.front().is_some_and(|packet| packet.state.is_none()) {
            self.outstanding.pop_front();
        }
        state
    }

    fn log_phases(&mut self) {
        if let Some(events) = &mut self.events {
            events.write(self.algorithm.resumption(), self.next_packet);
        }
    }

    /// Forgets packets that were lost, or belong to a space whose keys are gone: both are silent here.
    fn forget_before(&mut self, sent: Time) {
        let stale = self.outstanding.partition_point(|packet| packet.sent < sent);
        self.outstanding.drain(..stale);
    }
}

impl Controller for Adapter {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        let (now, bytes) = (self.time(now), Bytes::new(bytes.into()));
        let demand = self.estimator.demand();
        self.algorithm.on_sent(&SentSample { now, bytes, prior_in_flight: self.in_flight, demand });
        let state = self.estimator.on_sent(now, self.in_flight);
        self.outstanding.push_back(Outstanding { sent: now, number: pn, state: Some(state) });
        self.in_flight += bytes;
        self.sent += bytes;
        self.next_packet = pn + 1;
        self.log_phases();
    }

    fn on_sent(&mut self, _now: Instant, _bytes: u64, _largest_pn: u64) {
        self.usage.on_transmit(self.next_packet, self.in_flight, false);
    }

    fn on_cwnd_limited(&mut self) {
        self.usage.on_transmit(self.next_packet, self.in_flight, true);
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        pn: u64,
        _app_limited: bool,
        _rtt: &RttEstimator,
    ) {
        self.on_delivered(self.time(now), self.time(sent), Bytes::new(bytes), pn);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        let now = self.time(now);
        let in_flight = Bytes::new(in_flight);
        let batch = std::mem::take(&mut self.batch);
        let Some(newest_sent) = batch.newest_sent else { return };
        if let Some(largest) = largest_packet_num_acked {
            self.usage.on_acked(largest + 1);
        }
        let elapsed = now.since(newest_sent);
        let sample = self.round_trip(elapsed, batch.packets);
        // However long the receiver waited, the path took no longer. A window of two packets, paced by a smoothed
        // round trip from when a queue was full, is acknowledged packet by packet and would never learn better.
        if sample.is_some() || self.rtt.is_some_and(|rtt| elapsed < rtt.smoothed) {
            self.rtt =
                Some(self.rtt.map_or(Rtt { smoothed: elapsed, min: elapsed }, |rtt| rtt.with(elapsed)));
        }
        if let Some(episode) = &mut self.episode
            && episode.phase == Phase::Recovery
            && newest_sent > episode.since
        {
            episode.phase = Phase::Over;
            self.algorithm.on_event(Event::RecoveryEnd { now });
        }
        let rate = self.estimator.sample(self.min_rtt());
        // The library reads the counters after the acknowledged packets: marks are told with the next ones.
        let mean_packet = batch.acked.get().div_ceil(batch.packets.max(1));
        let marked = Bytes::new(std::mem::take(&mut self.marked_packets) * mean_packet);
        self.last_rate = rate.map(|rate| rate.rate()).or(self.last_rate);
        self.algorithm.on_ack(&AckSample {
            now,
            acked: batch.acked,
            lost: std::mem::take(&mut self.lost),
            marked,
            delivered: self.estimator.delivered(),
            prior_in_flight: in_flight + batch.acked,
            in_flight,
            rtt: sample,
            // The peer tells its delay (RFC 9000 section 13.2.5).
            is_maybe_delayed: false,
            newest_sent: Some(newest_sent),
            srtt: self.rtt.map(|rtt| rtt.smoothed),
            rate,
            usage: self.window_usage(),
            is_disordered: false,
        });
        self.log_phases();
        self.in_flight = in_flight;
        if app_limited {
            self.estimator.on_app_limited(in_flight);
        }
        // Twice the smoothed RTT is beyond any loss threshold (RFC 9002 section 6.1).
        let patience = self.rtt.map_or(Duration::ZERO, |rtt| rtt.smoothed * 2);
        self.forget_before(Time::from_nanos(newest_sent.as_nanos().saturating_sub(patience.as_nanos())));
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, _pn: u64, _now: Instant) {
        let lost = Bytes::new(lost_bytes.into());
        self.lost += lost;
        self.in_flight = Bytes::new(self.in_flight.get().saturating_sub(lost.get()));
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        _lost_bytes: u64,
        _largest_lost_pn: u64,
    ) {
        let (now, sent) = (self.time(now), self.time(sent));
        let kind = match (is_persistent_congestion, is_ecn) {
            (true, _) => CongestionKind::Persistent,
            (false, true) => CongestionKind::Ecn,
            (false, false) => CongestionKind::Loss,
        };
        // RFC 9002 appendix B.6, InCongestionRecovery(sent_time).
        // RFC 9331 section 4.3: the small answer to marks must not stand for that to a loss.
        let answers_besides = kind != CongestionKind::Ecn && self.ecn == Ecn::Scalable;
        let same_episode = self
            .episode
            .is_some_and(|episode| sent <= episode.since && !(episode.is_of_marks && answers_besides));
        if same_episode && kind != CongestionKind::Persistent {
            return;
        }
        let is_of_marks = kind == CongestionKind::Ecn;
        self.episode = Some(Episode { since: now, phase: Phase::Recovery, is_of_marks });
        self.algorithm.on_event(Event::Congestion(CongestionEvent { now, kind, in_flight: self.in_flight }));
        self.log_phases();
    }

    fn on_congestion_experienced(&mut self, _now: Instant, packets: u64) {
        self.marked_packets += packets;
    }

    fn ecn_codepoint(&self) -> Option<EcnCodepoint> {
        match self.ecn {
            Ecn::Off => None,
            Ecn::Classic => Some(EcnCodepoint::Ect0),
            Ecn::Scalable => Some(EcnCodepoint::Ect1),
        }
    }

    fn on_spurious_congestion_event(&mut self) {
        if let Some(episode) = self.episode.take_if(Episode::may_be_spurious) {
            self.algorithm.on_event(Event::Undo { now: episode.since });
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.algorithm.on_event(Event::MssChange { mss: Bytes::new(new_mtu.into()) });
    }

    fn on_ack_frequency_update(
        &mut self,
        ack_eliciting_threshold: u64,
        _requested_max_ack_delay: std::time::Duration,
    ) {
        self.ack_eliciting_threshold = ack_eliciting_threshold;
    }

    fn window(&self) -> u64 {
        self.algorithm.cwnd().get()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window();
        let state = self.algorithm.state();
        metrics.ssthresh = state.ssthresh.map(Bytes::get);
        metrics.pacing_rate = self.pacing_rate();
        metrics.send_quantum = state.send_quantum.map(Bytes::get);
        metrics.bandwidth_estimate = state.bandwidth.map(Rate::as_bps);
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.initial_window.get()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl Ecn {
    /// That of a run's setting; on without one, as the library has it.
    fn of(algorithm: bentpipe_run::Algorithm, setting: Option<Switch>) -> Self {
        match setting.unwrap_or(Switch::On) {
            Switch::Off => Self::Off,
            Switch::On if algorithm.is_scalable() => Self::Scalable,
            Switch::On => Self::Classic,
        }
    }
}

impl Rtt {
    /// RFC 6298 section 2.3: SRTT <- 7/8 SRTT + 1/8 R.
    fn with(self, sample: Duration) -> Self {
        Self { smoothed: (self.smoothed * 7 + sample) / 8, min: self.min.min(sample) }
    }
}

#[cfg(test)]
mod tests;
