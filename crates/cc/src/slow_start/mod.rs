//! How a loss-based algorithm leaves its first slow start before it overruns the queue.

mod detector;
mod hystart;
mod hystart_linux_4_15;
mod hystart_plus_plus;
mod search;

use bentpipe_units::{Bytes, Duration, Time};
pub use detector::Pacing;
pub(crate) use detector::{SlowStartView, Verdict};
use hystart::HyStart;
use hystart_linux_4_15::HyStartLinux4_15;
pub(crate) use hystart_plus_plus::HyStartPlusPlus;
pub(crate) use search::{Search, Step};

use crate::AckSample;

/// A way to end slow start that is not that of today's Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum SlowStartChoice {
    /// HyStart++ (RFC 9406), for Reno and CUBIC.
    #[cfg_attr(feature = "serde", serde(rename = "hystart++"))]
    HyStartPlusPlus,
    /// HyStart of Linux 4.15, for CUBIC over TCP.
    #[cfg_attr(feature = "serde", serde(rename = "linux-4.15"))]
    Linux4_15,
    /// Losses alone (RFC 5681 section 3.1), for CUBIC.
    #[cfg_attr(feature = "serde", serde(rename = "loss"))]
    Loss,
    /// SEARCH (draft-chung-ccwg-search-09), for Reno and CUBIC.
    #[cfg_attr(feature = "serde", serde(rename = "search"))]
    Search,
}

impl SlowStartChoice {
    /// The name that scenarios use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HyStartPlusPlus => "hystart++",
            Self::Linux4_15 => "linux-4.15",
            Self::Loss => "loss",
            Self::Search => "search",
        }
    }
}

/// The choice of detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStartExit {
    /// None: slow start lasts until a loss (RFC 5681).
    Loss,
    /// HyStart with ACK-train and delay detection, as Linux CUBIC has it.
    HyStart(Pacing),
    /// HyStart as CUBIC of Linux 4.15 has it, for senders that do not pace.
    HyStartLinux4_15,
    /// HyStart++ (RFC 9406), as RFC 9438 section 4.10 recommends.
    HyStartPlusPlus(Pacing),
    /// SEARCH: less arrives than was sent a round trip before (draft-chung-ccwg-search-09).
    Search,
}

impl SlowStartExit {
    /// The scenario's choice; without one the rule of Linux, of whose two kinds Reno there has neither.
    pub const fn of(choice: Option<SlowStartChoice>, pacing: Pacing) -> Self {
        match choice {
            None => Self::HyStart(pacing),
            Some(SlowStartChoice::HyStartPlusPlus) => Self::HyStartPlusPlus(pacing),
            Some(SlowStartChoice::Linux4_15) => match pacing {
                Pacing::Unpaced => Self::HyStartLinux4_15,
                // QUIC, which no kernel has.
                Pacing::Paced => Self::HyStart(pacing),
            },
            Some(SlowStartChoice::Loss) => Self::Loss,
            Some(SlowStartChoice::Search) => Self::Search,
        }
    }

    /// SEARCH where it is that; it sees departures and sets the window, which the others do not.
    pub(crate) fn search(self, initial_window: Bytes) -> Option<Box<Search>> {
        (self == Self::Search).then(|| Box::new(Search::new(initial_window)))
    }

    /// Whether a timeout arms it again (`bictcp_state`: `bictcp_reset`, `bictcp_hystart_reset`).
    pub(crate) const fn is_linuxs(self) -> bool {
        matches!(self, Self::HyStart(_) | Self::HyStartLinux4_15)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum SlowStart {
    Standard,
    HyStart(HyStart),
    HyStartLinux4_15(HyStartLinux4_15),
    HyStartPlusPlus(HyStartPlusPlus),
}

impl SlowStart {
    pub fn new(exit: SlowStartExit, now: Time) -> Self {
        match exit {
            SlowStartExit::Loss | SlowStartExit::Search => Self::Standard,
            SlowStartExit::HyStart(pacing) => Self::HyStart(HyStart::new(pacing, now)),
            SlowStartExit::HyStartLinux4_15 => Self::HyStartLinux4_15(HyStartLinux4_15::new(now)),
            SlowStartExit::HyStartPlusPlus(pacing) => Self::HyStartPlusPlus(HyStartPlusPlus::new(pacing)),
        }
    }

    /// Takes in an acknowledgement with its RTT sample.
    pub fn on_ack(&mut self, ack: &AckSample, rtt: Duration, view: SlowStartView) -> Verdict {
        match self {
            Self::Standard => Verdict::Continue,
            Self::HyStart(hystart) => hystart.on_ack(ack, rtt, view),
            Self::HyStartLinux4_15(hystart) => hystart.on_ack(ack, rtt, view),
            Self::HyStartPlusPlus(hystart) => hystart.on_ack(ack, rtt),
        }
    }

    /// The window grows by this acknowledgement, which [`on_ack`](Self::on_ack) has taken in if it has an RTT sample.
    pub fn on_growth(&mut self, ack: &AckSample) {
        if let Self::HyStartLinux4_15(hystart) = self {
            hystart.on_growth(ack);
        }
    }

    /// Bytes by which the window grows for `acked` bytes.
    pub fn increase(&self, acked: Bytes, mss: Bytes) -> f64 {
        match self {
            Self::Standard | Self::HyStart(_) | Self::HyStartLinux4_15(_) => acked.get() as f64,
            Self::HyStartPlusPlus(hystart) => hystart.increase(acked, mss),
        }
    }
}
