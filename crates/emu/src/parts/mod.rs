//! The processes of a run.
//!
//! | order | link | origin | client |
//! | --- | --- | --- | --- |
//! | (configuration) | answers `"ready"` | answers `"ready"` | warms up, answers `"ready"` |
//! | `mark` | counts from an instant of `CLOCK_MONOTONIC` on, answers which | | |
//! | `visit` | | | visits the origin where the run wants it, answers `"visited"` |
//! | `go` and that instant | | | runs the workload from then on, answers its report |
//! | `close` | knows that the workload of a page load is over, answers `"closing"` | | |
//! | `report` | finishes the capture, answers its report and ends | answers its report and ends | |
//!
//! A `terminal` and a `gateway`, which runs with a proxy on the path have besides, answer as the origin does.
//!
//! Beside them, for all runs that need it, [`congestion_control`] has the kernel offer one that it has not got.

mod client;
mod congestion_control;
mod link;
mod origin;
mod pep;
mod warm_up;

use std::net::IpAddr;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::sync::Arc;

use bentpipe_http::quic::EventLogs;
use bentpipe_http::tls::Identity;
use bentpipe_run::{Reason, RunSpec};
use bentpipe_trace::pcapng;
use bentpipe_web::page::Sites;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde::Deserialize;
use tokio::runtime;
use tokio::task::LocalSet;

use crate::LocalFiles;

pub use client::client;
pub use congestion_control::{congestion_control, remove_congestion_control_leftovers};
pub use link::link;
pub use origin::origin;
pub use pep::{gateway, terminal};

/// Why a part ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// Devices, pipes, sockets.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The origin did not start.
    #[error(transparent)]
    Origin(#[from] bentpipe_web::origin::OriginError),
    /// A proxy did not start.
    #[error(transparent)]
    Pep(#[from] bentpipe_web::pep::PepError),
    /// The kernel does not offer a congestion control.
    #[error(transparent)]
    CongestionControl(#[from] bentpipe_bpf::Error),
    /// There is no such program.
    #[error("no program for a congestion control {0}")]
    NoProgram(String),
    /// The client's preparation failed.
    #[error("warm-up failed: {0}")]
    WarmUp(String),
    /// The visit before the workload failed.
    #[error(transparent)]
    Visit(#[from] Reason),
}

/// What every part is told first.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Configuration {
    pub(crate) spec: RunSpec,
    /// Descriptors of the TUN devices at the client's and the origin's end; the link's process has them open.
    pub(crate) devices: Option<[RawFd; 2]>,
    /// The core that the link keeps to, where hosts receive on the others.
    pub(crate) link_core: Option<usize>,
    /// Address of the client's host.
    pub(crate) client: IpAddr,
    /// Address of the host on the client's side of the link, in a world that has one.
    pub(crate) terminal: IpAddr,
    /// Address of the host on the origin's side of the link, likewise.
    pub(crate) gateway: IpAddr,
    /// Address of the origin's host.
    pub(crate) origin: IpAddr,
    /// The run's keys and certificates.
    pub(crate) identity: Identity,
    /// Folder for captures and event logs.
    pub(crate) artifacts: Option<PathBuf>,
}

impl Configuration {
    /// Where this part logs the events of QUIC, when the run captures them.
    pub(crate) fn qlog(&self) -> Option<EventLogs> {
        self.artifacts.clone().filter(|_| self.spec.capture.qlog).map(EventLogs::new)
    }

    /// The packet capture, when the run captures packets.
    pub(crate) fn capture(&self) -> Option<PathBuf> {
        self.artifacts
            .as_ref()
            .filter(|_| self.spec.capture.pcapng)
            .map(|folder| folder.join(pcapng::FILE_NAME))
    }
}

/// Pages, whose files are on this machine.
fn sites() -> Arc<Sites> {
    Arc::new(Sites::with_files(Arc::new(LocalFiles)))
}

/// Runs a part's future on this thread, with all that it spawns and as many descriptors as the system allows.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> std::io::Result<T> {
    // A proxy has two for each connection, an origin three for each host besides.
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, most, most)?;
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(LocalSet::new().block_on(&runtime, work))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_as_many_descriptors_as_the_system_allows() {
        let limits = || getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        let (_, most) = limits();
        setrlimit(Resource::RLIMIT_NOFILE, most / 2, most).unwrap();
        assert_eq!(block_on(async { limits() }).unwrap(), (most, most));
    }
}
