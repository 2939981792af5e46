//! The congestion control and what it is fed with; windows in segments, as Linux counts them.

use bentpipe_cc::bbr::BbrSpec;
use bentpipe_cc::careful_resume::Resume;
use bentpipe_cc::rate::{PacketState, RateEstimator, RateSample};
use bentpipe_cc::slow_start::SlowStartExit;
use bentpipe_cc::usage::{UsageTracker, WindowUsage};
use bentpipe_cc::{
    AckSample, CongestionControl, CongestionEvent, CongestionKind, CwndUnit, Demand, Event, RecoverySpan,
    RecoveryWindow, SentSample,
};
use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::config::{AfterIdle, TCP_INIT_CWND};
use crate::memory;

/// An algorithm, which sees windows as multiples of the MSS, and the estimators beside it.
#[derive(Clone, Debug)]
pub(super) struct Congestion {
    algorithm: Box<dyn CongestionControl>,
    mss: u64,
    initial_window: u64,
    after_idle: AfterIdle,
    rate: RateEstimator,
    latest_rate: Option<RateSample>,
    usage: UsageTracker,
    idle: IdleUse,
    /// When data left last (`lsndtime`).
    last_data_at: Time,
    /// Whether the window was reduced and the peer has not been told (RFC 3168 section 6.1.2).
    has_reduced: bool,
}

/// What the algorithm and its window depend on.
#[derive(Clone, Debug)]
pub(super) struct CongestionConfig {
    pub algorithm: bentpipe_cc::Algorithm,
    pub slow_start_exit: SlowStartExit,
    pub bbr: BbrSpec,
    pub resume: Option<Resume>,
    /// In segments.
    pub initial_window: u64,
    pub after_idle: AfterIdle,
    pub seed: u64,
    /// When the connection was made.
    pub opened_at: Time,
}

/// How the connection starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub now: Time,
    pub mss: u64,
    /// The first window, in segments.
    pub window: u64,
    pub rtt: Option<Duration>,
}

/// How much of the window is used while the application sets the pace (`snd_cwnd_used`, `snd_cwnd_stamp`).
#[derive(Clone, Copy, Debug)]
struct IdleUse {
    used: u64,
    since: Time,
}

/// What one acknowledgement brought, in segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivered {
    pub now: Time,
    pub delivered: u64,
    pub lost: u64,
    pub prior_in_flight: u64,
    pub in_flight: u64,
    /// Of what was acknowledged last.
    pub rtt: Option<Duration>,
    pub is_maybe_delayed: bool,
    pub srtt: Option<Duration>,
    pub min_rtt: Option<Duration>,
    /// Whether the window may grow (`tcp_may_raise_cwnd`).
    pub may_raise_cwnd: bool,
    /// `TCP_CA_Disorder`.
    pub is_disordered: bool,
}

/// The end of a run of segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunView {
    pub now: Time,
    /// First position not yet sent.
    pub next: u64,
    /// The window in segments.
    pub cwnd: u64,
    pub packets_out: u64,
    /// Whether the window was what stopped it.
    pub is_cwnd_limited: bool,
    pub rto: Duration,
    /// Whether the application alone sets the pace: nothing is missing, and it does not wait for room.
    pub may_shrink: bool,
}

/// How far a run of segments used the window (`tcp_is_cwnd_limited`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WindowUse {
    /// So far that the window may grow.
    Full,
    Partial,
}

impl Congestion {
    pub fn new(config: &CongestionConfig, start: Start) -> Self {
        Self {
            has_reduced: false,
            algorithm: bentpipe_cc::build_resuming(
                config.algorithm,
                bentpipe_cc::Config {
                    now: start.now,
                    mss: Bytes::new(start.mss),
                    initial_window: Bytes::new(start.window * start.mss),
                    handshake_rtt: start.rtt,
                    seed: config.seed,
                    slow_start_exit: config.slow_start_exit,
                    cwnd_unit: CwndUnit::Segments,
                    recovery_span: RecoverySpan::UntilRepaired,
                    bbr: config.bbr,
                },
                config.resume.clone().map(|resume| Resume { started: start.now, ..resume }),
            ),
            mss: start.mss,
            initial_window: config.initial_window,
            after_idle: config.after_idle,
            rate: RateEstimator::new(start.now),
            latest_rate: None,
            usage: UsageTracker::new(),
            idle: IdleUse { used: 0, since: start.now },
            last_data_at: config.opened_at,
        }
    }

    // ---- getters -------------------------------------------------------------------------------------------

    pub fn algorithm(&self) -> &dyn CongestionControl {
        &*self.algorithm
    }

    pub const fn latest_rate(&self) -> Option<RateSample> {
        self.latest_rate
    }

    /// Payload of a full segment.
    pub const fn mss(&self) -> u64 {
        self.mss
    }

    /// The algorithm's window: one segment at least.
    pub fn cwnd(&self) -> u64 {
        self.target().max(1)
    }

    /// The window to which a reduction comes down.
    pub fn target(&self) -> u64 {
        self.algorithm.cwnd().get() / self.mss
    }

    /// Whether the endpoint sets the window while losses are repaired.
    pub fn leaves_reduction_to_endpoint(&self) -> bool {
        self.algorithm.state().recovery_window == RecoveryWindow::Endpoint
    }

    /// Slow-start threshold.
    pub fn ssthresh(&self) -> Option<u64> {
        self.algorithm.state().ssthresh.map(|ssthresh| ssthresh.get() / self.mss)
    }

    pub fn pacing_rate(&self) -> Option<Rate> {
        self.algorithm.state().pacing_rate
    }

    /// Segments delivered so far.
    pub fn delivered(&self) -> u64 {
        self.rate.delivered().get() / self.mss
    }

    /// Whether nothing has been delivered since `segment` left but the segment itself.
    pub fn is_first_delivered_since(&self, segment: &PacketState) -> bool {
        segment.delivered() + self.bytes(1) == self.rate.delivered()
    }

    const fn bytes(&self, segments: u64) -> Bytes {
        Bytes::new(segments * self.mss)
    }

    /// Memory for two windows (three for BBR), of ten segments at least, as far as that goes (`tcp_sndbuf_expand`).
    pub fn send_buffer(&self, cwnd: u64, reordering: u64) -> u64 {
        let windows = if self.pacing_rate().is_some() { 3 } else { 2 };
        let segments = cwnd.max(TCP_INIT_CWND).max(reordering + 1);
        windows * segments * memory::of_sent_segment(self.mss)
    }

    // ---- what is sent --------------------------------------------------------------------------------------

    /// A segment leaves, with so many in flight and unacknowledged before it.
    pub fn on_sent(&mut self, now: Time, in_flight: u64, packets_out: u64) -> PacketState {
        self.algorithm.on_sent(&SentSample {
            now,
            bytes: Bytes::new(self.mss),
            prior_in_flight: self.bytes(in_flight),
            demand: self.rate.demand(),
        });
        self.last_data_at = now;
        self.rate.on_sent(now, self.bytes(packets_out))
    }

    /// The window is open and nothing waits (`tcp_rate_check_app_limited`): the next acknowledgement beyond what is in
    /// flight ends it.
    pub fn on_app_limited(&mut self, in_flight: u64) {
        self.rate.on_app_limited(self.bytes(in_flight));
    }

    /// RFC 2861: after an idle time longer than the timeout the window halves once per timeout
    /// (`tcp_slow_start_after_idle_check`, `tcp_cwnd_restart`). Nothing is out.
    pub fn restart_after_idle(&mut self, now: Time, mut cwnd: u64, rto: Duration) {
        let mut idle = now.since(self.last_data_at);
        if self.after_idle == AfterIdle::Keep || idle <= rto {
            return;
        }
        let restart = self.initial_window.min(cwnd);
        while idle > rto && cwnd > restart {
            idle = idle.saturating_sub(rto);
            cwnd /= 2;
        }
        let window = self.bytes(cwnd.max(restart));
        self.algorithm.on_event(Event::Idle { window });
        self.idle = IdleUse { used: 0, since: now };
    }

    /// RFC 2861: a window that the application does not fill for a timeout shrinks towards what was used
    /// (`tcp_cwnd_validate`, `tcp_cwnd_application_limited`). Returns how far it was used.
    pub fn validate_window(&mut self, run: RunView) -> WindowUse {
        self.usage.on_transmit(run.next, self.bytes(run.packets_out), run.is_cwnd_limited);
        let slow_start = self.ssthresh().is_none_or(|ssthresh| run.cwnd < ssthresh);
        if self.usage.usage().permits_growth(self.bytes(run.cwnd), slow_start) {
            self.idle = IdleUse { used: 0, since: run.now };
            return WindowUse::Full;
        }
        self.idle.used = self.idle.used.max(run.packets_out);
        if self.after_idle == AfterIdle::Keep || run.now.since(self.idle.since) < run.rto {
            return WindowUse::Partial;
        }
        if run.may_shrink {
            let used = self.idle.used.max(self.initial_window);
            if used < run.cwnd {
                let window = self.bytes(run.cwnd.midpoint(used));
                self.algorithm.on_event(Event::Idle { window });
            }
            self.idle.used = 0;
        }
        self.idle.since = run.now;
        WindowUse::Partial
    }

    // ---- what is acknowledged ------------------------------------------------------------------------------

    /// A segment is delivered for the first time.
    pub fn on_delivered(&mut self, now: Time, segment: &PacketState) {
        self.rate.on_delivered(now, segment, Bytes::new(self.mss));
    }

    /// So many retransmissions arrived beside their originals.
    pub fn on_duplicates_delivered(&mut self, now: Time, segments: u64) {
        self.rate.on_duplicate_delivered(now, self.bytes(segments));
    }

    /// The acknowledgement was overtaken.
    pub fn on_old_ack(&mut self) {
        self.rate.discard_sample();
    }

    /// Everything below `position` is acknowledged.
    pub fn on_acked(&mut self, position: u64) {
        self.usage.on_acked(position);
    }

    /// `tcp_cong_control`: what an acknowledgement means for the window.
    pub fn on_ack(&mut self, ack: Delivered) {
        let newest_sent = self.rate.newest_sent();
        let rate = self.rate.sample(ack.min_rtt);
        if let Some(rate) = rate
            && (rate.demand == Demand::Backlogged
                || self.latest_rate.is_none_or(|kept| rate.rate() >= kept.rate()))
        {
            self.latest_rate = Some(rate);
        }
        let usage = if ack.may_raise_cwnd {
            self.usage.usage()
        } else {
            WindowUsage { is_cwnd_limited: false, peak_in_flight: Bytes::ZERO }
        };
        self.algorithm.on_ack(&AckSample {
            now: ack.now,
            acked: self.bytes(ack.delivered),
            lost: self.bytes(ack.lost),
            marked: Bytes::ZERO,
            delivered: self.rate.delivered(),
            prior_in_flight: self.bytes(ack.prior_in_flight),
            in_flight: self.bytes(ack.in_flight),
            rtt: ack.rtt,
            is_maybe_delayed: ack.is_maybe_delayed,
            newest_sent,
            srtt: ack.srtt,
            rate,
            usage,
            is_disordered: ack.is_disordered,
        });
    }

    // ---- what recovery finds -------------------------------------------------------------------------------

    /// An episode of congestion starts.
    pub fn on_congestion(&mut self, now: Time, kind: CongestionKind, in_flight: u64) {
        let in_flight = self.bytes(in_flight);
        self.has_reduced = true;
        self.algorithm.on_event(Event::Congestion(CongestionEvent { now, kind, in_flight }));
    }

    /// Whether there was such an episode since the last call.
    pub const fn take_reduced(&mut self) -> bool {
        std::mem::replace(&mut self.has_reduced, false)
    }

    /// Everything that was out when it started is delivered.
    pub fn on_recovery_end(&mut self, now: Time) {
        self.algorithm.on_event(Event::RecoveryEnd { now });
    }

    /// It was none: the reduction is taken back.
    pub fn on_undo(&mut self, now: Time) {
        self.algorithm.on_event(Event::Undo { now });
    }
}

#[cfg(test)]
mod tests {
    use bentpipe_cc::Algorithm;
    use bentpipe_cc::slow_start::Pacing;

    use super::*;

    const MSS: u64 = 1448;

    /// Ten segments of window, and what an idle time does to it.
    fn congestion(after_idle: AfterIdle) -> Congestion {
        let config = CongestionConfig {
            algorithm: Algorithm::Cubic,
            slow_start_exit: SlowStartExit::of(None, Pacing::Unpaced),
            bbr: BbrSpec::LINUX,
            resume: None,
            initial_window: 10,
            after_idle,
            seed: 7,
            opened_at: Time::ZERO,
        };
        Congestion::new(&config, Start { now: Time::ZERO, mss: MSS, window: 10, rtt: None })
    }

    #[test]
    fn a_small_initial_window_has_the_send_buffer_of_ten_segments() {
        // `ss --memory` of Linux 6.18, initcwnd 3: tb46080, 2 * 10 * 2304; of BBR it is half as much again.
        assert_eq!(congestion(AfterIdle::Restart).send_buffer(3, 3), 46_080);
        assert_eq!(congestion(AfterIdle::Restart).send_buffer(20, 3), 92_160);
    }

    #[test]
    fn the_threshold_is_infinite_until_a_reduction_sets_it_in_segments() {
        // RFC 9438 section 4.6 with Linux's beta of 717 / 1024 (bictcp_recalc_ssthresh).
        let mut cc = congestion(AfterIdle::Restart);
        assert_eq!(cc.ssthresh(), None);
        cc.on_congestion(Time::ZERO, CongestionKind::Loss, 10);
        assert_eq!(cc.ssthresh(), Some(10 * 717 / 1024));
    }
}
