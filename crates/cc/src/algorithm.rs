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
    /// Prague (draft-briscoe-iccrg-prague-congestion-control), for L4S.
    Prague,
}

impl Algorithm {
    /// Every one.
    pub const ALL: [Self; 7] =
        [Self::Reno, Self::Cubic, Self::Bbr, Self::Bbr3, Self::Hybla, Self::Vivace, Self::Prague];

    /// Those that TCP can have: Prague must know how many packets were marked, which classic feedback does not tell.
    pub const OVER_TCP: [Self; 6] =
        [Self::Reno, Self::Cubic, Self::Bbr, Self::Bbr3, Self::Hybla, Self::Vivace];

    /// The name that scenarios use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reno => "reno",
            Self::Cubic => "cubic",
            Self::Bbr => "bbr",
            Self::Bbr3 => "bbr3",
            Self::Hybla => "hybla",
            Self::Vivace => "vivace",
            Self::Prague => "prague",
        }
    }

    /// Whether it can start from what an earlier connection saw of its path (RFC 9959).
    pub const fn can_resume(self) -> bool {
        match self {
            Self::Reno | Self::Cubic | Self::Hybla | Self::Bbr => true,
            Self::Bbr3 | Self::Vivace | Self::Prague => false,
        }
    }

    /// Whether it answers each mark by a little (RFC 9331 section 4): its packets are ECT(1), and a loss is no part of an
    /// episode of marks.
    pub const fn is_scalable(self) -> bool {
        matches!(self, Self::Prague)
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
            Self::Bbr3 | Self::Prague => None,
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
