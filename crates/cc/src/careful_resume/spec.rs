//! What a scenario may choose of Careful Resume.

use std::net::IpAddr;

use bentpipe_units::{Bytes, Duration, Time};

use super::{Memory, PathMemory, Resume, Saved};

/// Careful Resume (RFC 9959) of every sender that can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ResumeSpec {
    /// `max_jump`, the longest window that is jumped to; without it half of what is saved.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub max_jump_bytes: Option<Bytes>,
    /// How long saved parameters may be used.
    pub lifetime_ns: Duration,
    /// What senders know of the path before the run; without it what a visit before has taught them.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub saved: Option<SavedSpec>,
}

/// Parameters of a path that were saved before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SavedSpec {
    /// `saved_cwnd`, the capacity of the path as bytes in a round trip.
    pub cwnd_bytes: Bytes,
    /// `saved_rtt`.
    pub rtt_ns: Duration,
    /// How long ago they were saved.
    pub age_ns: Duration,
}

impl ResumeSpec {
    /// That of a connection over a path that starts at `started` on the clock of its memory.
    pub fn on(&self, path: PathMemory, started: Time) -> Resume {
        Resume { path, max_jump: self.max_jump_bytes, lifetime: self.lifetime_ns, started }
    }

    /// What a memory knows of the path to `remote`, and what was saved of it before the run.
    pub fn path_of(&self, memory: &Memory, remote: IpAddr) -> PathMemory {
        memory.path_knowing(self.saved_at_start(), remote)
    }

    /// What was saved before the run, on a clock that starts with it.
    fn saved_at_start(&self) -> Option<Saved> {
        let SavedSpec { cwnd_bytes: cwnd, rtt_ns: rtt, age_ns } = self.saved?;
        let left = self.lifetime_ns.as_nanos().saturating_sub(age_ns.as_nanos());
        Some(Saved { cwnd, rtt, expires: Time::from_nanos(left) })
    }
}
