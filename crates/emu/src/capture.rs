//! Captures of an emulated run: what passes the ends of the link, by the host's clock, as pcapng.

use std::io;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use bentpipe_link::Direction;
use bentpipe_trace::pcapng::Interface;
use bentpipe_trace::{CaptureFile, WallClock};
use bentpipe_units::Time;

use crate::clock;

/// Writes what passes the ends of the link to a pcapng file.
pub(crate) struct Tap {
    capture: CaptureFile,
    /// The direction of the link that ends at the client.
    to_client: Direction,
}

impl Tap {
    pub(crate) fn create(path: PathBuf, to_client: Direction) -> io::Result<Self> {
        Ok(Self { capture: CaptureFile::create(path, clock_start())?, to_client })
    }

    /// A packet enters the link.
    pub(crate) fn sent(&mut self, direction: Direction, at: Time, packet: &[u8]) -> io::Result<()> {
        let interface = if direction == self.to_client { Interface::Server } else { Interface::Client };
        self.capture.packet(interface, at, packet)
    }

    /// A packet leaves the link.
    pub(crate) fn delivered(&mut self, direction: Direction, at: Time, packet: &[u8]) -> io::Result<()> {
        let interface = if direction == self.to_client { Interface::Client } else { Interface::Server };
        self.capture.packet(interface, at, packet)
    }

    /// Ends the capture; it is on the disk then. The orchestrator adds the secrets, which the client tells it.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.capture.finish(&[])
    }
}

/// The wall clock when the monotonic clock stood at zero.
fn clock_start() -> WallClock {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let wall_ns = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
    WallClock::from_unix_nanos(wall_ns.saturating_sub(clock::now().as_nanos()))
}
