//! Headers and trailers of RLE, and the PPDUs that they leave room for (TS 103 179).

/// What RLE adds to an SDU before it is fragmented, and to a fragmented one after it (TS 103 179).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rle {
    /// How the kind of SDU is told.
    pub protocol: ProtocolField,
    /// Address in the ALPDU: 0, 3 or 6 bytes.
    pub label_bytes: u32,
    /// What guards the reassembly of a fragmented ALPDU.
    pub protection: ProtectionSpec,
}

/// The protocol type in the ALPDU header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolField {
    /// Not sent, agreed beforehand.
    Suppressed,
    /// One byte.
    Compressed,
    /// Two bytes, the EtherType.
    Full,
}

/// The trailer of a packet that is sent in fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ProtectionSpec {
    /// A sequence number, one byte.
    Sequence,
    /// A CRC-32, four bytes.
    Crc,
}

/// One payload-adapted PDU: the piece of an ALPDU that goes into one burst.
///
/// `bytes` counts the ALPDU's, without the header of the PPDU. The serial number of the ALPDU stands for what the
/// trailer protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ppdu {
    /// An ALPDU that needs no fragmentation.
    Complete {
        /// Length of the ALPDU, which has no trailer.
        bytes: u32,
    },
    /// The first fragment.
    Start {
        /// Which ALPDU.
        serial: u64,
        /// Length of the ALPDU with its trailer.
        total: u32,
        /// Length of the fragment.
        bytes: u32,
    },
    /// A fragment between.
    Continuation {
        /// Which ALPDU.
        serial: u64,
        /// Length of the fragment.
        bytes: u32,
    },
    /// The last fragment, with the trailer.
    End {
        /// Which ALPDU.
        serial: u64,
        /// Length of the fragment.
        bytes: u32,
    },
}

/// Start and end indicator, length (11 bits), then fragment id, or label type and protocol suppression (3 bits).
pub(super) const HEADER_BYTES: u32 = 2;
/// The same and the ALPDU's: kind of protection, total length (12 bits), label type, protocol suppression.
pub(super) const START_HEADER_BYTES: u32 = 4;
/// Most bytes that the 11 bits of a PPDU's length can tell.
pub(super) const MAX_PPDU_BYTES: u32 = (1 << 11) - 1;
/// Most bytes that the 12 bits of an ALPDU's total length can tell.
const MAX_ALPDU_BYTES: u32 = (1 << 12) - 1;

impl Rle {
    /// The longest SDU that can be sent.
    pub const fn max_sdu_bytes(&self) -> u32 {
        MAX_ALPDU_BYTES - self.header_bytes() - self.trailer_bytes()
    }

    /// What an SDU needs in a burst that takes it whole.
    pub const fn whole_bytes(&self, sdu_bytes: u32) -> u32 {
        HEADER_BYTES + self.header_bytes() + sdu_bytes
    }

    /// Payload that a burst has for SDUs sent whole after the most that fragmentation can cost it.
    ///
    /// At the end of a burst an ALPDU is cut, which costs a longer header, the trailer and one more header in the
    /// next burst, or what is left is too short for the ALPDU header and is lost. So SDUs that need `n` times this
    /// when each is sent whole never need more than `n` bursts.
    pub const fn least_burst_bytes(&self, payload_bytes: u32) -> u32 {
        let trailer = self.trailer_bytes();
        let header = self.header_bytes();
        payload_bytes.saturating_sub(START_HEADER_BYTES + if trailer > header { trailer } else { header })
    }

    pub(super) const fn header_bytes(&self) -> u32 {
        let protocol = match self.protocol {
            ProtocolField::Suppressed => 0,
            ProtocolField::Compressed => 1,
            ProtocolField::Full => 2,
        };
        protocol + self.label_bytes
    }

    pub(super) const fn trailer_bytes(&self) -> u32 {
        match self.protection {
            ProtectionSpec::Sequence => 1,
            ProtectionSpec::Crc => 4,
        }
    }
}

impl Ppdu {
    /// Bytes in the burst, header included.
    pub const fn burst_bytes(&self) -> u32 {
        match *self {
            Self::Start { bytes, .. } => START_HEADER_BYTES + bytes,
            Self::Complete { bytes } | Self::Continuation { bytes, .. } | Self::End { bytes, .. } => {
                HEADER_BYTES + bytes
            }
        }
    }

    /// Whether nothing of the ALPDU is left after it.
    pub const fn is_last(&self) -> bool {
        matches!(self, Self::Complete { .. } | Self::End { .. })
    }
}
