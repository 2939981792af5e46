//! The state of loss recovery (`icsk_ca_state` and what belongs to it).

use crate::send::recovery::prr::Prr;
use crate::send::recovery::undo::Undo;

/// Where recovery stands.
#[derive(Clone, Debug)]
pub(crate) struct RecoveryState {
    pub phase: Phase,
    /// What was sent when the phase started (`high_seq`; RFC 6675: RecoveryPoint).
    pub recovery_point: u64,
    pub rexmit: Rexmit,
    pub undo: Undo,
}

/// `icsk_ca_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing suspicious.
    Open,
    /// Something was acknowledged out of order.
    Disorder,
    /// Lost segments are repaired by fast retransmission (RFC 6675).
    Fast(Prr),
    /// Lost segments are repaired after a timeout (RFC 5681 section 3.1).
    Timeout(Frto),
}

/// Whether the timeout may still turn out spurious (RFC 5682).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frto {
    Testing,
    Settled,
}

/// What may be retransmitted when the window opens (`tcp_xmit_recovery`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rexmit {
    /// Lost segments.
    Lost,
    /// New data first: RFC 5682 section 3.1 step 2b.
    NewFirst,
    /// Nothing: the test of the timeout is under way.
    None,
}

/// A reduction for a mark, in which nothing is missing (`TCP_CA_CWR`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cwr {
    /// What was sent when the echo came (`high_seq`).
    pub end: u64,
    pub prr: Prr,
}

impl RecoveryState {
    pub const fn new() -> Self {
        Self { phase: Phase::Open, recovery_point: 0, rexmit: Rexmit::Lost, undo: Undo::NOTHING }
    }

    pub const fn is_repairing(&self) -> bool {
        matches!(self.phase, Phase::Fast(_) | Phase::Timeout(_))
    }
}
