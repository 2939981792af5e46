//! How a loss-based algorithm leaves its first slow start before it overruns the queue.

mod detector;
mod hystart;
mod hystart_plus_plus;

use bentpipe_units::{Bytes, Duration, Time};
pub use detector::Pacing;
pub(crate) use detector::{SlowStartView, Verdict};
use hystart::HyStart;
pub(crate) use hystart_plus_plus::HyStartPlusPlus;

use crate::AckSample;

/// A way to end slow start before losses do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum SlowStartChoice {
    /// HyStart++ (RFC 9406), for Reno and CUBIC.
    #[cfg_attr(feature = "serde", serde(rename = "hystart++"))]
    HyStartPlusPlus,
}

/// The choice of detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStartExit {
    /// None: slow start lasts until a loss (RFC 5681).
    Loss,
    /// HyStart with ACK-train and delay detection, as Linux CUBIC has it.
    HyStart(Pacing),
    /// HyStart++ (RFC 9406), as RFC 9438 section 4.10 recommends.
    HyStartPlusPlus(Pacing),
}

impl SlowStartExit {
    /// The scenario's choice; without one the rule of Linux, which Reno there does not have.
    pub const fn of(choice: Option<SlowStartChoice>, pacing: Pacing) -> Self {
        match choice {
            None => Self::HyStart(pacing),
            Some(SlowStartChoice::HyStartPlusPlus) => Self::HyStartPlusPlus(pacing),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum SlowStart {
    Standard,
    HyStart(HyStart),
    HyStartPlusPlus(HyStartPlusPlus),
}

impl SlowStart {
    pub fn new(exit: SlowStartExit, now: Time) -> Self {
        match exit {
            SlowStartExit::Loss => Self::Standard,
            SlowStartExit::HyStart(pacing) => Self::HyStart(HyStart::new(pacing, now)),
            SlowStartExit::HyStartPlusPlus(pacing) => Self::HyStartPlusPlus(HyStartPlusPlus::new(pacing)),
        }
    }

    /// Takes in an acknowledgement with its RTT sample.
    pub fn on_ack(&mut self, ack: &AckSample, rtt: Duration, view: SlowStartView) -> Verdict {
        match self {
            Self::Standard => Verdict::Continue,
            Self::HyStart(hystart) => hystart.on_ack(ack, rtt, view),
            Self::HyStartPlusPlus(hystart) => hystart.on_ack(ack, rtt),
        }
    }

    /// Bytes by which the window grows for `acked` bytes.
    pub fn increase(&self, acked: Bytes, mss: Bytes) -> f64 {
        match self {
            Self::Standard | Self::HyStart(_) => acked.get() as f64,
            Self::HyStartPlusPlus(hystart) => hystart.increase(acked, mss),
        }
    }
}
