//! What QUIC's senders know of their paths (RFC 9959).

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use bentpipe_cc::careful_resume::{Memory, PathMemory, Resume, ResumeSpec};
use bentpipe_run::RunSpec;
use bentpipe_units::{Duration, Time};

/// What the endpoints of one host know of paths. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    memory: Memory,
    /// When its clock starts: with the first connection.
    epoch: Arc<OnceLock<Instant>>,
}

/// What is known of the path to one peer.
#[derive(Clone, Debug)]
pub(super) struct KnownPath {
    spec: ResumeSpec,
    path: PathMemory,
    epoch: Arc<OnceLock<Instant>>,
}

impl Paths {
    /// That to a server, or to whoever connects: an origin here has one client, and is not told its address before a
    /// connection has its congestion control. None where nothing is resumed.
    pub(super) fn to(&self, remote: Option<IpAddr>, spec: &RunSpec) -> Option<KnownPath> {
        let spec = spec.resume?;
        let path = spec.path_of(&self.memory, remote.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)));
        Some(KnownPath { spec, path, epoch: Arc::clone(&self.epoch) })
    }
}

impl KnownPath {
    /// What a connection that starts at `now` resumes from.
    pub(super) fn resume(&self, now: Instant) -> Resume {
        let epoch = *self.epoch.get_or_init(|| now);
        let started = Time::ZERO + Duration::from(now.saturating_duration_since(epoch));
        self.spec.on(self.path.clone(), started)
    }
}
