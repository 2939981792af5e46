//! The state of loss recovery.

pub(in crate::send) mod prr;
pub(in crate::send) mod rack;
pub(in crate::send) mod recovery_state;
pub(in crate::send) mod rto_tlp;
pub(in crate::send) mod sack;
pub(in crate::send) mod scoreboard;
mod undo;

use crate::send::recovery::prr::Prr;

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

/// What is needed to take a reduction back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Undo {
    /// First unacknowledged position when the episode began; `None` when there is nothing to take back.
    pub marker: Option<u64>,
    /// Retransmissions of the episode that no DSACK has shown to be unnecessary; `None` before the first.
    pub retransmissions: Option<u64>,
    /// Timestamp of the episode's first retransmission (RFC 3522).
    pub first_retransmission: Option<u32>,
}

impl Undo {
    pub const NOTHING: Self = Self { marker: None, retransmissions: None, first_retransmission: None };

    /// `tcp_init_undo`.
    pub fn begin(&mut self, una: u64, retransmitted: u64) {
        self.marker = Some(una);
        self.retransmissions = (retransmitted > 0).then_some(retransmitted);
    }

    pub fn on_retransmission(&mut self, timestamp: u32) {
        self.first_retransmission.get_or_insert(timestamp);
        if self.marker.is_some() {
            self.retransmissions = Some(self.retransmissions.unwrap_or(0) + 1);
        }
    }

    /// Every retransmission arrived twice.
    pub fn all_unnecessary(&self) -> bool {
        self.marker.is_some() && self.retransmissions == Some(0)
    }
}

/// Recovery as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Recovery {
    pub phase: Phase,
    /// What was sent when the phase began (`high_seq`; RFC 6675: RecoveryPoint).
    pub recovery_point: u64,
    pub rexmit: Rexmit,
    pub undo: Undo,
    /// Timeouts in a row (`icsk_retransmits`).
    pub timeouts: u32,
}

impl Recovery {
    pub const fn new() -> Self {
        Self { phase: Phase::Open, recovery_point: 0, rexmit: Rexmit::Lost, undo: Undo::NOTHING, timeouts: 0 }
    }

    pub const fn is_repairing(&self) -> bool {
        matches!(self.phase, Phase::Fast(_) | Phase::Timeout(_))
    }
}
