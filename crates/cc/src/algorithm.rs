//! The congestion controls by name.

use crate::slow_start::SlowStartChoice;

/// A congestion control by the name that scenarios use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Algorithm {
    /// RFC 5681, as in Linux.
    Reno,
    /// RFC 9438.
    Cubic,
    /// BBR version 1, as in Linux.
    Bbr,
    /// BBR version 3 (draft-ietf-ccwg-bbr).
    Bbr3,
    /// TCP Hybla (Caini, Firrincieli 2004), as in Linux.
    Hybla,
    /// PCC Vivace (NSDI'18), latency flavour.
    Vivace,
}

impl Algorithm {
    /// Every one.
    pub const ALL: [Self; 6] = [Self::Reno, Self::Cubic, Self::Bbr, Self::Bbr3, Self::Hybla, Self::Vivace];

    /// The name that scenarios use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reno => "reno",
            Self::Cubic => "cubic",
            Self::Bbr => "bbr",
            Self::Bbr3 => "bbr3",
            Self::Hybla => "hybla",
            Self::Vivace => "vivace",
        }
    }

    /// The name by which the Linux kernel knows the algorithm: its own, or, with the prefix `bp_`, one that
    /// `bentpipe-bpf` loads. None when it has not got it.
    pub const fn kernel_name(self) -> Option<&'static str> {
        match self {
            Self::Reno => Some("reno"),
            Self::Cubic => Some("cubic"),
            Self::Bbr => Some("bbr"),
            Self::Hybla => Some("bp_hybla"),
            Self::Vivace => Some("bp_vivace"),
            Self::Bbr3 => None,
        }
    }

    /// The same where slow start ends in a way that the kernel can be given.
    pub const fn kernel_name_with(self, slow_start: Option<SlowStartChoice>) -> Option<&'static str> {
        match (self, slow_start) {
            (Self::Cubic, Some(SlowStartChoice::Search)) => Some("bp_cubic_search"),
            _ => self.kernel_name(),
        }
    }
}
