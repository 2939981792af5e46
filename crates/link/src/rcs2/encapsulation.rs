//! The choice between RLE (TS 103 179) and TS packets (EN 301 790) as content of a burst.

use crate::mpeg_ts;
use crate::mpeg_ts::TS_PACKET_BYTES;
use crate::rcs2::rle::{self, Ppdu, ProtectionSpec, ProtocolField, Rle};

/// How packets get into bursts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encapsulation {
    /// Return link encapsulation, as in DVB-RCS2.
    Rle(Rle),
    /// TS packets, as many whole ones as fit, as in DVB-RCS (EN 301 790).
    Ts(mpeg_ts::Encapsulation),
}

/// The sending side of one class: puts packets into bursts, one after the other.
#[derive(Clone, Debug)]
pub enum Fragmenter {
    /// A fragment id of RLE.
    Rle(rle::Fragmenter),
    /// A PID of a transport stream.
    Ts(mpeg_ts::Fragmenter),
}

/// What one burst carries of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// By RLE.
    Rle(Ppdu),
    /// In TS packets.
    Ts(mpeg_ts::Part),
}

/// The receiving side of one class.
#[derive(Clone, Debug)]
pub enum Reassembler {
    /// A fragment id of RLE.
    Rle(rle::Reassembler),
    /// A PID of a transport stream.
    Ts(mpeg_ts::Reassembler),
}

impl Encapsulation {
    /// Return link encapsulation with these fields.
    pub const fn rle(protocol: ProtocolField, label_bytes: u32, protection: ProtectionSpec) -> Self {
        Self::Rle(Rle { protocol, label_bytes, protection })
    }

    /// Multi-protocol encapsulation in TS packets.
    pub const fn mpe() -> Self {
        Self::Ts(mpeg_ts::Encapsulation::Mpe)
    }

    /// Unidirectional lightweight encapsulation in TS packets, without addresses.
    pub const fn ule() -> Self {
        Self::Ts(mpeg_ts::Encapsulation::Ule(mpeg_ts::Address::Absent))
    }

    /// The longest packet that can be sent.
    pub const fn max_sdu_bytes(&self) -> u32 {
        match self {
            Self::Rle(rle) => rle.max_sdu_bytes(),
            Self::Ts(ts) => ts.largest_packet(),
        }
    }

    /// What a packet needs of the [least that bursts carry](Self::least_burst_bytes).
    pub const fn whole_bytes(&self, sdu_bytes: u32) -> u32 {
        match self {
            Self::Rle(rle) => rle.whole_bytes(sdu_bytes),
            Self::Ts(ts) => ts.sndu_bytes(sdu_bytes),
        }
    }

    /// What a burst with this payload is sure to carry: packets of one class that [need](Self::whole_bytes) `n` times
    /// this never need more than `n` bursts.
    pub const fn least_burst_bytes(&self, payload_bytes: u32) -> u32 {
        match self {
            Self::Rle(rle) => rle.least_burst_bytes(payload_bytes),
            Self::Ts(ts) => payload_bytes / TS_PACKET_BYTES * ts.least_payload(),
        }
    }
}

impl Fragmenter {
    /// Nothing is under way.
    pub const fn new(encapsulation: Encapsulation) -> Self {
        match encapsulation {
            Encapsulation::Rle(rle) => Self::Rle(rle::Fragmenter::new(rle)),
            Encapsulation::Ts(ts) => Self::Ts(mpeg_ts::Fragmenter::new(ts)),
        }
    }

    /// What a packet under way still needs; zero when none is.
    pub const fn pending_bytes(&self) -> u32 {
        match self {
            Self::Rle(rle) => rle.pending_bytes(),
            Self::Ts(ts) => ts.pending_bytes(),
        }
    }

    /// Another burst: to be called before the first piece of it.
    pub const fn start_burst(&mut self) {
        match self {
            Self::Rle(_) => {}
            Self::Ts(ts) => ts.start_burst(),
        }
    }

    /// Puts the next packet, whole or its start, into what a burst has left. None when too little is left.
    ///
    /// # Panics
    /// When another packet is under way, or the packet is longer than [`Encapsulation::max_sdu_bytes`].
    pub fn start(&mut self, sdu_bytes: u32, space_bytes: u32) -> Option<Piece> {
        match self {
            Self::Rle(rle) => rle.start(sdu_bytes, space_bytes).map(Piece::Rle),
            Self::Ts(ts) => ts.start(sdu_bytes, space_bytes).map(Piece::Ts),
        }
    }

    /// Goes on with the packet under way. None when there is none, or too little is left.
    pub fn resume(&mut self, space_bytes: u32) -> Option<Piece> {
        match self {
            Self::Rle(rle) => rle.resume(space_bytes).map(Piece::Rle),
            Self::Ts(ts) => ts.resume(space_bytes).map(Piece::Ts),
        }
    }
}

impl Piece {
    /// Bytes that it takes of what the burst has left.
    pub const fn burst_bytes(&self) -> u32 {
        match self {
            Self::Rle(ppdu) => ppdu.burst_bytes(),
            Self::Ts(part) => part.burst_bytes(),
        }
    }

    /// Whether nothing of the packet is left after it.
    pub const fn is_last(&self) -> bool {
        match self {
            Self::Rle(ppdu) => ppdu.is_last(),
            Self::Ts(part) => part.is_last(),
        }
    }
}

impl Reassembler {
    /// Nothing has been received.
    pub const fn new(encapsulation: Encapsulation) -> Self {
        match encapsulation {
            Encapsulation::Rle(rle) => Self::Rle(rle::Reassembler::new(rle)),
            Encapsulation::Ts(ts) => Self::Ts(mpeg_ts::Reassembler::new(ts)),
        }
    }

    /// Takes what a burst brought; returns the length of the packet that it completes.
    ///
    /// A piece of the other encapsulation is nothing to it.
    pub fn accept(&mut self, piece: Piece) -> Option<u32> {
        match (self, piece) {
            (Self::Rle(rle), Piece::Rle(ppdu)) => rle.accept(ppdu),
            (Self::Ts(ts), Piece::Ts(part)) => ts.accept(part),
            _ => None,
        }
    }
}
