//! The two bits by which a queue tells of congestion without a loss.

/// The ECN field of an IP header (RFC 3168 section 5), as RFC 9331 section 2 reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// The sender does not take part: such a packet is dropped where others are marked.
    #[default]
    NotEct = 0b00,
    /// ECN-capable, of a sender that answers each mark by a little (L4S).
    Ect1 = 0b01,
    /// ECN-capable, of a sender that answers a mark as it answers a loss.
    Ect0 = 0b10,
    /// Congestion experienced: marked on its way.
    Ce = 0b11,
}

impl Ecn {
    /// From the byte that was IPv4's type of service and is IPv6's traffic class.
    pub const fn of_traffic_class(byte: u8) -> Self {
        match byte & 0b11 {
            0b00 => Self::NotEct,
            0b01 => Self::Ect1,
            0b10 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// The two bits.
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// Whether it may be marked in place of a drop.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }

    /// Whether a dual queue puts it before the others: ECT(1) or CE (RFC 9331 section 5.1).
    pub const fn is_l4s(self) -> bool {
        matches!(self, Self::Ect1 | Self::Ce)
    }
}
