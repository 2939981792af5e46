//! The phases of Careful Resume by name, and what leads from one to the other.
//!
//! Names are those of draft-ietf-tsvwg-careful-resume-qlog-02.

use bentpipe_units::{Bytes, Duration, Time};

/// A phase (RFC 9959 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Phase {
    /// The path is compared with what is saved; the window is the algorithm's own.
    Reconnaissance,
    /// The window has jumped, and packets leave that only the jump allows.
    Unvalidated,
    /// They have left, and it is seen whether they arrive.
    Validating,
    /// They met congestion.
    SafeRetreat,
    /// The algorithm is alone.
    Normal,
}

/// Why a phase began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Trigger {
    /// The path is confirmed, and more waits than the window lets out.
    CongestionWindowLimited,
    /// The RTT is not that of the saved path.
    RttNotValidated,
    /// The window is full.
    LastUnvalidatedPacketSent,
    /// A packet has arrived that the jump let out.
    FirstUnvalidatedPacketAcknowledged,
    /// A round trip is over.
    RttExceeded,
    /// Fewer packets were sent than the window let out.
    RateLimited,
    /// All unvalidated packets have arrived.
    LastUnvalidatedPacketAcknowledged,
    /// The RTT fell below what the saved path has.
    PathChanged,
    /// A packet was lost.
    PacketLoss,
    /// A packet came with a mark of congestion.
    #[cfg_attr(feature = "serde", serde(rename = "ECN_CE"))]
    EcnCe,
    /// The last unvalidated packet has arrived, or a later one.
    ExitRecovery,
    /// Persistent congestion or a retransmission timeout (RFC 9959 section 3.6), which the draft has no name for.
    PersistentCongestion,
    /// Another connection has the saved parameters, or their lifetime is over (section 3.2), likewise.
    NothingSaved,
    /// What is saved lets out no more than the window does, likewise.
    NothingToGain,
}

/// A phase begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Transition {
    /// When.
    #[cfg_attr(feature = "serde", serde(rename = "at_ns"))]
    pub at: Time,
    /// Which.
    pub phase: Phase,
    /// Why; none at the start of a connection.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub trigger: Option<Trigger>,
    /// PipeSize: what is validated of the window; zero until the jump.
    #[cfg_attr(feature = "serde", serde(rename = "pipe_size_bytes"))]
    pub pipe_size: Bytes,
    /// The window from now on.
    #[cfg_attr(feature = "serde", serde(rename = "cwnd_bytes"))]
    pub cwnd: Bytes,
    /// The slow-start threshold from now on; none while it is infinite.
    #[cfg_attr(feature = "serde", serde(rename = "ssthresh_bytes", skip_serializing_if = "Option::is_none"))]
    pub ssthresh: Option<Bytes>,
    /// `saved_cwnd` of what was saved of the path.
    #[cfg_attr(feature = "serde", serde(rename = "saved_cwnd_bytes"))]
    pub saved_cwnd: Bytes,
    /// `saved_rtt`.
    #[cfg_attr(feature = "serde", serde(rename = "saved_rtt_ns"))]
    pub saved_rtt: Duration,
}
