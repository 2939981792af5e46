//! Segments of a script: those of the peer, and those that are expected of the endpoint.

use bentpipe_units::Time;

use super::{Due, Interpreter, LARGEST_PAYLOAD, Stop, fail, is_opening};
use crate::backend::{Backend, Captured};
use crate::icmp::IcmpPattern;
use crate::outcome::Missing;
use crate::packet::{Flags, Packet};
use crate::script::PacketPattern;
use crate::settings::IpVersion;
use crate::verdict::Difference;

impl<B: Backend> Interpreter<'_, B> {
    /// A segment of the peer; the first SYN of a connection opens it.
    pub(super) fn injected(&mut self, pattern: &PacketPattern) -> Result<Packet, Missing> {
        let opens = is_opening(pattern.flags);
        let is_first = self.flows.latest().is_none();
        if is_first || (opens && self.is_accepted && !self.listeners.is_empty()) {
            self.flows.open(self.settings.bind_port);
            self.is_accepted = false;
        }
        match self.flows.latest() {
            Some(flow) => flow.injected(pattern, &self.names),
            None => Err(Missing("segments without a connection".to_owned())),
        }
    }

    /// A message about a segment that the endpoint has sent.
    pub(super) fn icmp(&mut self, pattern: &IcmpPattern) -> Result<(), Missing> {
        if pattern.about.1 > LARGEST_PAYLOAD {
            return Err(Missing("ICMP messages about segments that no IP packet holds".to_owned()));
        }
        // It has 16 bits in ICMP (RFC 1191 section 4), and 32 in ICMPv6 (RFC 4443 section 3.2).
        if self.settings.ip_version != IpVersion::V6 && u16::try_from(pattern.mtu).is_err() {
            return Err(Missing(format!("an ICMP message with an MTU of {} bytes", pattern.mtu)));
        }
        let flow =
            self.flows.latest().ok_or_else(|| Missing("ICMP messages without a connection".to_owned()))?;
        self.backend.inject_icmp(&flow.icmp(pattern))
    }

    pub(super) fn expect(&mut self, line: u32, due: Due, pattern: &PacketPattern) -> Result<(), Stop> {
        let until =
            if due.is_any { due.to } else { due.to + self.settings.tolerance + self.backend.patience() };
        let opens = is_opening(pattern.flags) && std::mem::take(&mut self.awaits_syn);
        let Some(first) = self.first_packet(until, opens) else {
            return fail(line, &pattern.to_string(), "no segment");
        };
        let first = self.cut(first, pattern.length);
        let found = self.merged(first, pattern.length);
        let flow = self.flows.of(&found.packet);
        flow.learn(pattern, &found.packet);
        let packet = flow.to_script(&found.packet);
        if !pattern.fits(&packet, &self.names) {
            return fail(line, &pattern.to_string(), &packet.to_string());
        }
        let ticks = pattern.timestamp_deviation(&packet).map_or(0, u64::from);
        if self.settings.timestamp_tolerance().is_some_and(|most| ticks > most) {
            let (expected, found) = (pattern.to_string(), packet.to_string());
            return Err(Stop::Failed(Difference { line, expected, found, is_timing: true }));
        }
        self.names.learn(pattern, &found.packet);
        self.previous = found.at;
        self.check_time(line, due, found.at, &pattern.to_string())
    }

    /// The segment that an event looks at first. Where that is the SYN of a new connection, what earlier ones had to send is
    /// none of the script's business.
    fn first_packet(&mut self, until: Time, opens: bool) -> Option<Captured> {
        loop {
            let next = self.next_packet(until)?;
            if !(opens && self.flows.knows(&next.packet)) {
                return Some(next);
            }
        }
    }

    /// The next segment but those of connections that the script is done with.
    pub(super) fn next_packet(&mut self, until: Time) -> Option<Captured> {
        loop {
            let next = self.kept.take().or_else(|| self.backend.next_packet(until))?;
            if !self.flows.is_over(&next.packet) {
                return Some(next);
            }
        }
    }

    /// A super-segment is cut where segmentation offload will, if that is the length that is expected; the rest is kept.
    fn cut(&mut self, whole: Captured, expected: u32) -> Captured {
        let ends_there = |size: u32| size > 0 && expected.is_multiple_of(size);
        if whole.segment_bytes.is_some_and(ends_there) { self.cut_off(whole, expected) } else { whole }
    }

    /// The first bytes of a segment that has more, the rest of which is kept.
    pub(super) fn cut_off(&mut self, mut whole: Captured, bytes: u32) -> Captured {
        if (1..whole.packet.length).contains(&bytes) {
            let mut rest = whole.clone();
            rest.packet.seq = rest.packet.seq.wrapping_add(bytes);
            rest.packet.length -= bytes;
            rest.packet.flags = rest.packet.flags.without(Flags::CWR);
            whole.packet.length = bytes;
            whole.packet.flags = whole.packet.flags.without(Flags::PSH.with(Flags::FIN));
            self.kept = Some(rest);
        }
        whole
    }

    /// What is expected in one segment may have left in several at once, whether or not segmentation offload took
    /// them whole: they are joined up to the length that is expected. A segment that does not follow ends it.
    fn merged(&mut self, mut whole: Captured, expected: u32) -> Captured {
        let until = whole.at + self.backend.burst();
        while (1..expected).contains(&whole.packet.length) && !whole.packet.flags.contains(Flags::FIN) {
            let Some(next) = self.next_packet(until) else { break };
            if !continues(&whole.packet, &next.packet) {
                self.kept = Some(next);
                break;
            }
            let next = self.cut(next, expected - whole.packet.length);
            whole.packet.length += next.packet.length;
            whole.packet.flags = next.packet.flags;
        }
        whole
    }
}

/// Whether a segment could be the rest of another.
fn continues(first: &Packet, next: &Packet) -> bool {
    let ending = Flags::PSH.with(Flags::FIN);
    next.seq == first.seq.wrapping_add(first.length)
        && next.flags.without(ending) == first.flags.without(ending)
        && next.ack == first.ack
        && next.length > 0
}
