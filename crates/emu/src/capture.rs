use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use bentpipe_link::Way;
use bentpipe_trace::WallClock;
use bentpipe_trace::pcapng::{Capture, Interface};
use bentpipe_units::Time;

use crate::clock;

/// Writes what passes the ends of the link to a pcapng file.
pub(crate) struct Tap {
    capture: Capture<BufWriter<File>>,
}

impl Tap {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let sink = BufWriter::with_capacity(1 << 20, File::create(path)?);
        Ok(Self { capture: Capture::new(sink, clock_start())? })
    }

    /// A packet enters the link.
    pub(crate) fn sent(&mut self, way: Way, at: Time, packet: &[u8]) -> io::Result<()> {
        let interface = match way {
            Way::Forward => Interface::Server,
            Way::Return => Interface::Client,
        };
        self.capture.packet(interface, at, packet)
    }

    /// A packet leaves the link.
    pub(crate) fn delivered(&mut self, way: Way, at: Time, packet: &[u8]) -> io::Result<()> {
        let interface = match way {
            Way::Forward => Interface::Client,
            Way::Return => Interface::Server,
        };
        self.capture.packet(interface, at, packet)
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        self.capture.into_inner().flush()
    }
}

/// The wall clock when the monotonic clock stood at zero.
fn clock_start() -> WallClock {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let wall_ns = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
    WallClock::from_unix_nanos(wall_ns.saturating_sub(clock::now().as_nanos()))
}
