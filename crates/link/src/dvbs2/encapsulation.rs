//! The choice between GSE (TS 102 606-1) and a transport stream as content of a frame's data field.

use super::{Gse, Label};
use crate::mpeg_ts;

/// How packets get into the data fields of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encapsulation {
    /// As GSE packets.
    Gse(Gse),
    /// In the packets of a transport stream, one transport stream for each stream of the carrier.
    Ts(mpeg_ts::Encapsulation),
}

impl Encapsulation {
    /// Generic stream encapsulation with a label of this kind in every packet.
    pub const fn gse(label: Label) -> Self {
        Self::Gse(Gse::new(label))
    }

    /// Multi-protocol encapsulation over a transport stream.
    pub const fn mpe() -> Self {
        Self::Ts(mpeg_ts::Encapsulation::Mpe)
    }

    /// Unidirectional lightweight encapsulation over a transport stream, without addresses.
    pub const fn ule() -> Self {
        Self::Ts(mpeg_ts::Encapsulation::Ule(mpeg_ts::Address::Absent))
    }

    /// The longest packet that can be sent.
    pub const fn largest_packet(self) -> u32 {
        match self {
            Self::Gse(gse) => gse.largest_pdu(),
            Self::Ts(ts) => ts.largest_packet(),
        }
    }
}
