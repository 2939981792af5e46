//! Captures of virtual time, as the emulator writes those of real time.

use std::io;
use std::path::PathBuf;

use bentpipe_trace::ipv4::{Header, Protocol};
use bentpipe_trace::pcapng::Interface;
use bentpipe_trace::{CaptureFile, WallClock};
use bentpipe_units::Time;

use crate::host::id::LinkEnd;
use crate::packet::WirePacket;

/// Where captures set the start of virtual time: equal runs have equal stamps.
const VIRTUAL_ZERO: WallClock = WallClock::from_unix_nanos(0);

/// Writes what passes the ends of the link to a pcapng file.
pub(crate) struct Tap {
    capture: CaptureFile,
    /// Bytes of one packet, used again.
    packet: Vec<u8>,
    /// The first error; nothing is written after it.
    state: io::Result<()>,
}

impl Tap {
    pub(crate) fn create(path: PathBuf) -> io::Result<Self> {
        let capture = CaptureFile::create(path, VIRTUAL_ZERO)?;
        Ok(Self { capture, packet: Vec::new(), state: Ok(()) })
    }

    /// A packet enters the link at this end.
    pub(crate) fn sent(&mut self, end: LinkEnd, at: Time, packet: &WirePacket) {
        self.note(end, at, packet);
    }

    /// A packet leaves the link at this end.
    pub(crate) fn delivered(&mut self, end: LinkEnd, at: Time, packet: &WirePacket) {
        self.note(end, at, packet);
    }

    /// Ends the capture with the TLS secrets at its head.
    pub(crate) fn finish(self, key_log: &[String]) -> io::Result<()> {
        self.state?;
        self.capture.finish(key_log)
    }

    fn note(&mut self, seen_at: LinkEnd, at: Time, packet: &WirePacket) {
        if self.state.is_ok() {
            self.state = self.write(seen_at, at, packet);
        }
    }

    fn write(&mut self, seen_at: LinkEnd, at: Time, packet: &WirePacket) -> io::Result<()> {
        let protocol = match packet {
            WirePacket::Tcp(..) => Protocol::Tcp,
            WirePacket::Udp(_) => Protocol::Udp,
        };
        let ecn = packet.ecn().bits();
        let (source, destination) = (packet.source(), packet.destination());
        let header = Header { protocol, source, destination, dscp: packet.dscp(), ecn };
        self.packet.clear();
        header.write(&mut self.packet, |bytes| match packet {
            WirePacket::Tcp(segment, _) => segment.encode(bytes),
            WirePacket::Udp(datagram) => datagram.encode(bytes),
        })?;
        let interface = match seen_at {
            LinkEnd::Client => Interface::Client,
            LinkEnd::Server => Interface::Server,
        };
        self.capture.packet(interface, at, &self.packet)
    }
}
