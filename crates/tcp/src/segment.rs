//! A TCP segment as a value: no bytes of headers, but their exact number.

use std::net::SocketAddrV4;
use std::num::NonZeroU16;

use crate::options::Options;
use crate::payload::Payload;
use crate::sequence::SeqNumber;

/// IPv4 header without options (RFC 791).
pub const IP_HEADER: u32 = 20;
/// TCP header without options (RFC 9293 section 3.1).
pub const TCP_HEADER: u32 = 20;

/// The ECN field of a packet that takes no part (RFC 3168 section 5).
pub(crate) const NOT_ECT: u8 = 0b00;
/// That of one that does.
pub(crate) const ECT_0: u8 = 0b10;
/// That of one that was marked on its way.
pub(crate) const CE: u8 = 0b11;

/// A segment in an IPv4 packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Who sends it.
    pub source: SocketAddrV4,
    /// For whom it is.
    pub destination: SocketAddrV4,
    /// SYN, ACK, FIN, RST, PSH, ECE, CWR.
    pub flags: Flags,
    /// Number of the first byte, or of the SYN.
    pub seq: SeqNumber,
    /// The next number expected; meaningful with [`Flags::ACK`].
    pub ack: SeqNumber,
    /// The window field, unscaled.
    pub window: u16,
    /// Options.
    pub options: Options,
    /// The two ECN bits of the IP header (RFC 3168 section 5).
    pub ecn: u8,
    /// Bytes of each of the segments that the interface has made one of (`skb_shinfo(skb)->gso_size`).
    pub gso_size: Option<NonZeroU16>,
    /// Data.
    pub payload: Payload,
}

/// The control bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// No bit.
    pub const NONE: Self = Self(0);
    /// No more data from the sender.
    pub const FIN: Self = Self(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset the connection.
    pub const RST: Self = Self(0x04);
    /// Push: the end of what the application wrote.
    pub const PSH: Self = Self(0x08);
    /// The acknowledgement field is meaningful.
    pub const ACK: Self = Self(0x10);
    /// ECN echo (RFC 3168 section 6.1).
    pub const ECE: Self = Self(0x40);
    /// Congestion window reduced.
    pub const CWR: Self = Self(0x80);

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The bits as in the header's fourteenth byte.
    pub const fn bits(self) -> u8 {
        self.0
    }
}

#[cfg(test)]
impl Segment {
    /// One with so many bytes in the middle of a write.
    pub(crate) fn with_payload(length: u64) -> Self {
        let address = SocketAddrV4::new(std::net::Ipv4Addr::LOCALHOST, 1);
        Self {
            source: address,
            destination: address,
            flags: Flags::ACK,
            seq: SeqNumber(0),
            ack: SeqNumber(0),
            window: 0,
            options: Options::default(),
            ecn: NOT_ECT,
            gso_size: None,
            payload: Payload::Length(length),
        }
    }
}

impl Segment {
    /// Length of the IP packet: both headers, options, payload.
    pub fn wire_bytes(&self) -> u32 {
        IP_HEADER + TCP_HEADER + self.options.wire_len() + self.payload.len() as u32
    }

    /// Sequence numbers that it takes: its bytes, the SYN and the FIN (RFC 9293 section 3.4: SEG.LEN).
    pub fn sequence_len(&self) -> u64 {
        let control = |flag| u64::from(self.flags.contains(flag));
        self.payload.len() + control(Flags::SYN) + control(Flags::FIN)
    }

    /// The answer to a segment for which there is no connection (RFC 9293 section 3.10.7.1); none to a reset.
    pub fn reset_for(&self) -> Option<Self> {
        if self.flags.contains(Flags::RST) {
            return None;
        }
        let (flags, seq, ack) = if self.flags.contains(Flags::ACK) {
            (Flags::RST, self.ack, SeqNumber(0))
        } else {
            let end = self.seq.0.wrapping_add(self.sequence_len() as u32);
            (Flags::RST.with(Flags::ACK), SeqNumber(0), SeqNumber(end))
        };
        Some(Self {
            source: self.destination,
            destination: self.source,
            flags,
            seq,
            ack,
            window: 0,
            options: Options::default(),
            ecn: NOT_ECT,
            gso_size: None,
            payload: Payload::EMPTY,
        })
    }
}

/// Whether timestamp `a` is before `b` (RFC 7323 section 5.2).
pub(crate) const fn timestamp_before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}
