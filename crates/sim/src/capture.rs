//! Captures of virtual time, as the emulator writes those of real time.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::Ipv4Addr;
use std::path::PathBuf;

use bentpipe_trace::WallClock;
use bentpipe_trace::ipv4::{Header, Protocol};
use bentpipe_trace::pcapng::{Capture, Interface, add_secrets};
use bentpipe_units::Time;

use crate::packet::WirePacket;
use crate::world::End;

/// Where captures set the start of virtual time: equal runs have equal stamps.
const VIRTUAL_ZERO: WallClock = WallClock::from_unix_nanos(0);

/// Writes what passes the ends of the link to a pcapng file.
pub(crate) struct Tap {
    path: PathBuf,
    capture: Capture<BufWriter<File>>,
    client: Ipv4Addr,
    server: Ipv4Addr,
    /// Octets of one packet, used again.
    packet: Vec<u8>,
    /// The first error; nothing is written after it.
    state: io::Result<()>,
}

impl Tap {
    pub(crate) fn create(path: PathBuf, client: Ipv4Addr, server: Ipv4Addr) -> io::Result<Self> {
        let sink = BufWriter::with_capacity(1 << 20, File::create(&path)?);
        let capture = Capture::new(sink, VIRTUAL_ZERO)?;
        Ok(Self { path, capture, client, server, packet: Vec::new(), state: Ok(()) })
    }

    /// A packet of the host at `end` enters the link.
    pub(crate) fn sent(&mut self, end: End, at: Time, packet: &WirePacket) {
        self.note(end, end, at, packet);
    }

    /// A packet for the host at `end` leaves the link.
    pub(crate) fn delivered(&mut self, end: End, at: Time, packet: &WirePacket) {
        self.note(end, end.other(), at, packet);
    }

    /// Ends the capture with the TLS secrets at its head.
    pub(crate) fn finish(self, key_log: &[String]) -> io::Result<()> {
        self.state?;
        self.capture.into_inner().flush()?;
        if key_log.is_empty() { Ok(()) } else { add_secrets(&self.path, key_log) }
    }

    fn note(&mut self, seen_at: End, sender: End, at: Time, packet: &WirePacket) {
        if self.state.is_ok() {
            self.state = self.write(seen_at, sender, at, packet);
        }
    }

    fn write(&mut self, seen_at: End, sender: End, at: Time, packet: &WirePacket) -> io::Result<()> {
        let (protocol, ecn) = match packet {
            WirePacket::Tcp(..) => (Protocol::Tcp, 0),
            WirePacket::Udp(datagram) => (Protocol::Udp, datagram.ecn),
        };
        let (source, destination) = (self.address(sender), self.address(sender.other()));
        let header = Header { protocol, source, destination, dscp: packet.dscp(), ecn };
        self.packet.clear();
        header.write(&mut self.packet, |octets| match packet {
            WirePacket::Tcp(segment, _) => segment.encode(octets),
            WirePacket::Udp(datagram) => datagram.encode(octets),
        })?;
        let interface = match seen_at {
            End::Client => Interface::Client,
            End::Server => Interface::Server,
        };
        self.capture.packet(interface, at, &self.packet)
    }

    fn address(&self, end: End) -> Ipv4Addr {
        match end {
            End::Client => self.client,
            End::Server => self.server,
        }
    }
}
