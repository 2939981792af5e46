//! The interface between an endpoint and its congestion control.

use std::fmt::Debug;

use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::careful_resume::Transition;
use crate::rate::{Demand, RateSample};
use crate::usage::WindowUsage;

/// A congestion control algorithm of one connection.
///
/// The endpoint calls, in this order:
/// 1. [`on_sent`](Self::on_sent) before each packet that counts as in flight;
/// 2. when an acknowledgement arrives, first what it implies ([`on_event`](Self::on_event)), then
///    [`on_ack`](Self::on_ack) once for the whole acknowledgement. An endpoint that finds losses only afterwards
///    tells of congestion then, and counts the lost bytes in its next [`AckSample`];
/// 3. after a timer, `on_event`.
///
/// Windows are in bytes in flight; [`Config::mss`](crate::Config::mss) is one packet of them.
pub trait CongestionControl: CloneBox + Debug + Send + Sync {
    /// The name that scenarios use.
    fn name(&self) -> &'static str;

    /// A packet is about to leave. Nothing to algorithms that look at acknowledgements alone.
    fn on_sent(&mut self, _sent: &SentSample) {}

    /// An acknowledgement was processed.
    fn on_ack(&mut self, ack: &AckSample);

    /// Something happened beside it.
    fn on_event(&mut self, event: Event);

    /// Bytes that may be in flight. Never less than one packet.
    fn cwnd(&self) -> Bytes;

    /// What else it wants of its endpoint.
    fn state(&self) -> State;

    /// What Careful Resume may change of it; none of an algorithm that cannot resume.
    fn resumable(&mut self) -> Option<Resumable<'_>> {
        None
    }

    /// The phases of Careful Resume so far; none of an algorithm that has nothing to resume from.
    fn resumption(&self) -> &[Transition] {
        &[]
    }
}

/// What Careful Resume (RFC 9959) may change of an algorithm.
pub enum Resumable<'a> {
    /// That of one with a window.
    Window(&'a mut dyn ResumableWindow),
    /// That of one with a model of the path (appendix B).
    Model(&'a mut dyn ResumableModel),
}

/// An algorithm with a window, as Careful Resume needs it.
pub trait ResumableWindow {
    /// The window is `cwnd` from now on.
    fn set_cwnd(&mut self, cwnd: Bytes);

    /// The window comes down to `cwnd`, and the reduction of the episode in progress cannot be undone.
    fn retreat(&mut self, cwnd: Bytes);

    /// Slow start ends at `ssthresh`.
    fn set_ssthresh(&mut self, ssthresh: Bytes);

    /// What a reduction leaves of the window (section 2.4: Beta).
    fn beta(&self) -> f64;
}

/// An algorithm with a model of the path, as Careful Resume needs it.
pub trait ResumableModel {
    /// Whether it looks for the bandwidth still.
    fn is_starting_up(&self) -> bool;

    /// Leaves start-up for draining the queue.
    fn drain(&mut self);

    /// Whether it drains the queue.
    fn is_draining(&self) -> bool;
}

/// A congestion control that can be copied behind a pointer, as the QUIC library wants; all that are [`Clone`] can.
pub trait CloneBox {
    /// A copy of the algorithm and its state.
    fn clone_box(&self) -> Box<dyn CongestionControl>;
}

impl<C: CongestionControl + Clone + 'static> CloneBox for C {
    fn clone_box(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// What an algorithm does about each kind of [`Event`].
pub(crate) trait EventHandlers {
    fn on_congestion(&mut self, event: &CongestionEvent);

    fn on_recovery_end(&mut self, now: Time);

    fn on_undo(&mut self, now: Time);

    /// Model-based algorithms ignore it.
    fn on_idle(&mut self, _window: Bytes) {}

    fn on_mss_change(&mut self, mss: Bytes);

    /// Calls the one that the event is for.
    fn handle(&mut self, event: Event) {
        match event {
            Event::Congestion(congestion) => self.on_congestion(&congestion),
            Event::RecoveryEnd { now } => self.on_recovery_end(now),
            Event::Undo { now } => self.on_undo(now),
            Event::Idle { window } => self.on_idle(window),
            Event::MssChange { mss } => self.on_mss_change(mss),
        }
    }
}

/// What a congestion control is told beside what is sent and acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A congestion episode starts: at most once per round trip, except that a timeout or persistent congestion
    /// may follow a loss.
    Congestion(CongestionEvent),
    /// Everything outstanding when the episode started was delivered or retransmitted successfully.
    RecoveryEnd {
        /// When that was known.
        now: Time,
    },
    /// The episode turned out to be spurious (F-RTO, DSACK, late acknowledgement): its reduction is taken back.
    Undo {
        /// When that was known.
        now: Time,
    },
    /// The window went unused for longer than a retransmission timeout and may not stay above `window`
    /// (RFC 2861; the endpoint halves the window once per timeout passed). Model-based algorithms ignore it.
    Idle {
        /// The window that is left.
        window: Bytes,
    },
    /// The size of a full packet changed.
    MssChange {
        /// Its size from now on.
        mss: Bytes,
    },
}

/// What a congestion control wants of its endpoint beside its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Slow-start threshold; `None` while it is infinite.
    pub ssthresh: Option<Bytes>,
    /// The rate at which packets must leave; `None` when the algorithm does not pace.
    pub pacing_rate: Option<Rate>,
    /// How much may leave in one burst when pacing; `None` when the algorithm does not say.
    pub send_quantum: Option<Bytes>,
    /// The algorithm's estimate of the bottleneck's rate, where it has one.
    pub bandwidth: Option<Rate>,
    /// Who sets the window between the start of an episode and [`Event::RecoveryEnd`].
    pub recovery_window: RecoveryWindow,
}

impl State {
    /// That of an algorithm with a window alone.
    pub(crate) const fn of_window(ssthresh: Option<Bytes>) -> Self {
        Self {
            ssthresh,
            pacing_rate: None,
            send_quantum: None,
            bandwidth: None,
            recovery_window: RecoveryWindow::Endpoint,
        }
    }
}

/// Who sets the window during loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryWindow {
    /// The endpoint may reduce gradually (RFC 6937) to [`CongestionControl::cwnd`], which is the target already.
    Endpoint,
    /// [`CongestionControl::cwnd`] is binding at all times.
    Algorithm,
}

/// A packet about to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentSample {
    /// When it leaves.
    pub now: Time,
    /// Its size.
    pub bytes: Bytes,
    /// In flight before it.
    pub prior_in_flight: Bytes,
    /// [`RateEstimator::demand`](crate::rate::RateEstimator::demand) before it.
    pub demand: Demand,
}

impl SentSample {
    /// Whether the application had nothing to send until now, and everything that it had sent has arrived.
    pub(crate) fn ends_a_pause(&self) -> bool {
        self.prior_in_flight == Bytes::ZERO && self.demand == Demand::AppLimited
    }
}

/// What one acknowledgement said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckSample {
    /// When it arrived.
    pub now: Time,
    /// Newly delivered by it, cumulatively or selectively.
    pub acked: Bytes,
    /// Newly deemed lost since the last sample.
    pub lost: Bytes,
    /// Newly known to have been marked with CE on their way, since the last sample: of `acked`, or of what the sample
    /// before acknowledged. Zero where the endpoint knows only that there were some.
    pub marked: Bytes,
    /// Delivered since the connection started, this acknowledgement included
    /// ([`RateEstimator::delivered`](crate::rate::RateEstimator::delivered)).
    pub delivered: Bytes,
    /// In flight when it arrived.
    pub prior_in_flight: Bytes,
    /// In flight after it.
    pub in_flight: Bytes,
    /// RTT of the newest packet delivered; `None` when that is ambiguous (Karn).
    pub rtt: Option<Duration>,
    /// Whether the receiver may have waited before it acknowledged, so that the RTT is no lower bound for long.
    pub is_maybe_delayed: bool,
    /// When the newest packet delivered left last; `None` when nothing was delivered.
    pub newest_sent: Option<Time>,
    /// Smoothed RTT with this sample taken in; `None` before the first measurement (never a configured guess).
    pub srtt: Option<Duration>,
    /// Delivery rate, where a valid sample exists.
    pub rate: Option<RateSample>,
    /// How far the window was used in the last round trip.
    pub usage: WindowUsage,
    /// Whether something is missing, or was delivered out of order, that is not deemed lost (`TCP_CA_Disorder`); never
    /// where the transport does not tell it from order, as QUIC.
    pub is_disordered: bool,
}

/// The start of a congestion episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CongestionEvent {
    /// When it was noticed.
    pub now: Time,
    /// What was noticed.
    pub kind: CongestionKind,
    /// In flight, without what was just deemed lost.
    pub in_flight: Bytes,
}

/// How congestion was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionKind {
    /// Packets are deemed lost by later acknowledgements.
    Loss,
    /// The receiver echoed a congestion mark.
    Ecn,
    /// TCP's retransmission timer expired (RFC 6298): the window restarts at one packet beyond the flight.
    Timeout,
    /// QUIC's persistent congestion (RFC 9002 section 7.6): the window restarts at its minimum.
    Persistent,
}

impl Clone for Box<dyn CongestionControl> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}
