//! An acknowledgement as it arrives.

use bentpipe_units::Time;

use crate::send::recovery::sack::Block;

/// An acceptable segment's acknowledgement, in positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ack<'a> {
    pub now: Time,
    /// SEG.SEQ.
    pub seq: u64,
    /// SEG.ACK.
    pub position: u64,
    /// SEG.WND, scaled.
    pub window: u64,
    pub sack: &'a [Block],
    /// TSecr.
    pub echo: Option<u32>,
    /// Whether the segment carries data of its own.
    pub carries_data: bool,
    /// Whether it echoes a mark (RFC 3168 section 6.1.2).
    pub echoes_mark: bool,
}

/// What became of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    /// It acknowledges what was never sent.
    Unsent,
    /// It is older than any that is still on its way (RFC 5961 section 5.2).
    TooOld,
}
