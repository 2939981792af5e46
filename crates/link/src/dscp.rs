//! The code point by which a packet tells its class.

use std::fmt;

/// A differentiated services code point (RFC 2474 section 3): the six bits by which a packet tells its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(try_from = "u8", into = "u8"))]
#[cfg_attr(feature = "schemars", schemars(extend("maximum" = 63)))]
pub struct Dscp(u8);

/// A number that is no code point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DscpError(u8);

impl Dscp {
    /// That of packets which nobody has marked (RFC 2474 section 4.1).
    pub const DEFAULT: Self = Self(0);

    /// None above 63.
    pub const fn new(code_point: u8) -> Option<Self> {
        if code_point < 64 { Some(Self(code_point)) } else { None }
    }

    /// From the byte that was IPv4's type of service and is IPv6's traffic class.
    pub const fn of_traffic_class(byte: u8) -> Self {
        Self(byte >> 2)
    }

    /// That byte, with the last two bits, those of explicit congestion notification (RFC 3168 section 5), zero.
    pub const fn traffic_class(self) -> u8 {
        self.0 << 2
    }

    /// The number, below 64.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for Dscp {
    type Error = DscpError;

    fn try_from(code_point: u8) -> Result<Self, DscpError> {
        Self::new(code_point).ok_or(DscpError(code_point))
    }
}

impl From<Dscp> for u8 {
    fn from(dscp: Dscp) -> Self {
        dscp.0
    }
}

impl fmt::Display for DscpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a code point of 0 to 63, found {}", self.0)
    }
}

impl std::error::Error for DscpError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_point_is_the_first_six_bits_of_its_byte() {
        // RFC 3246 section 2.7: expedited forwarding is binary 101110.
        let expedited = Dscp::new(0b10_1110).unwrap();
        assert_eq!(expedited.traffic_class(), 0b1011_1000);
        for ecn in 0..4 {
            assert_eq!(Dscp::of_traffic_class(expedited.traffic_class() | ecn), expedited);
        }
    }

    #[test]
    fn there_are_64_of_them() {
        assert_eq!((Dscp::new(63).map(Dscp::get), Dscp::new(64)), (Some(63), None));
        assert_eq!(Dscp::try_from(63).map(u8::from), Ok(63));
        let error = Dscp::try_from(64).unwrap_err().to_string();
        assert_eq!(error, "expected a code point of 0 to 63, found 64");
    }
}
