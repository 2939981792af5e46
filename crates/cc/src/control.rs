//! The interface between an endpoint and its congestion control.

use std::fmt::Debug;

use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::rate::RateSample;
use crate::usage::WindowUsage;

/// A congestion control algorithm of one connection.
///
/// The endpoint calls, in this order:
/// 1. [`on_sent`](Self::on_sent) before each packet that counts as in flight;
/// 2. when an acknowledgement arrives, first what it implies ([`on_congestion`](Self::on_congestion),
///    [`on_recovery_end`](Self::on_recovery_end), [`on_undo`](Self::on_undo)), then [`on_ack`](Self::on_ack)
///    once for the whole acknowledgement. An endpoint that finds losses only afterwards calls `on_congestion`
///    then, and counts the lost bytes in its next [`AckSample`];
/// 3. after a timer, `on_congestion`.
///
/// Windows are in bytes in flight; [`Config::mss`](crate::Config::mss) is one packet of them.
pub trait CongestionControl: Debug + Send + Sync {
    /// The name that scenarios use.
    fn name(&self) -> &'static str;

    /// A packet is about to leave.
    fn on_sent(&mut self, sent: &SentSample);

    /// An acknowledgement was processed.
    fn on_ack(&mut self, ack: &AckSample);

    /// A congestion episode begins: at most once per round trip, except that a timeout or persistent congestion
    /// may follow a loss.
    fn on_congestion(&mut self, event: &CongestionEvent);

    /// Everything outstanding when the episode began was delivered or sent again successfully.
    fn on_recovery_end(&mut self, now: Time);

    /// The episode turned out to be spurious (F-RTO, DSACK, late acknowledgement): its reduction is taken back.
    fn on_undo(&mut self, now: Time);

    /// The window went unused for longer than a retransmission timeout and may not stay above `window`
    /// (RFC 2861; the endpoint halves the window once per timeout passed). Model-based algorithms ignore it.
    fn on_idle(&mut self, _window: Bytes) {}

    /// The size of a full packet changed.
    fn on_mss_change(&mut self, mss: Bytes);

    /// Bytes that may be in flight. Never less than one packet.
    fn cwnd(&self) -> Bytes;

    /// Slow-start threshold; `None` while it is infinite.
    fn ssthresh(&self) -> Option<Bytes>;

    /// The rate at which packets must leave; `None` when the algorithm does not pace.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// How much may leave in one burst when pacing; `None` when the algorithm does not say.
    fn send_quantum(&self) -> Option<Bytes> {
        None
    }

    /// The algorithm's estimate of the bottleneck's rate, where it has one.
    fn bandwidth(&self) -> Option<Rate> {
        None
    }

    /// Who sets the window between the start of an episode and [`on_recovery_end`](Self::on_recovery_end).
    fn recovery_window(&self) -> RecoveryWindow;

    /// A copy of the algorithm and its state.
    fn clone_box(&self) -> Box<dyn CongestionControl>;
}

/// Who sets the window during loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryWindow {
    /// The endpoint may reduce gradually (RFC 6937) to [`CongestionControl::cwnd`], which is the target already.
    Endpoint,
    /// [`CongestionControl::cwnd`] is binding at all times.
    Algorithm,
}

/// Whether the application kept the sender busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// More data waited than could be sent.
    Backlogged,
    /// The sender ran out of data while the window was open.
    AppLimited,
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

/// What one acknowledgement said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckSample {
    /// When it arrived.
    pub now: Time,
    /// Newly delivered by it, cumulatively or selectively.
    pub acked: Bytes,
    /// Newly deemed lost since the last sample.
    pub lost: Bytes,
    /// Delivered since the connection began, this acknowledgement included
    /// ([`RateEstimator::delivered`](crate::rate::RateEstimator::delivered)).
    pub delivered: Bytes,
    /// In flight when it arrived.
    pub prior_in_flight: Bytes,
    /// In flight after it.
    pub in_flight: Bytes,
    /// RTT of the newest packet delivered; `None` when that is ambiguous (Karn).
    pub rtt: Option<Duration>,
    /// Smoothed RTT with this sample taken in; `None` before the first measurement (never a configured guess).
    pub srtt: Option<Duration>,
    /// Delivery rate, where a valid sample exists.
    pub rate: Option<RateSample>,
    /// How far the window was used in the last round trip.
    pub usage: WindowUsage,
}

/// The beginning of a congestion episode.
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
