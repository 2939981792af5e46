//! Between the numbers of a script and those on the wire.
//!
//! A script counts the sequence numbers of each end from its SYN; the endpoint chooses that itself, the peer's is the
//! number that its SYN is written with. The endpoint's timestamps have names of the script's own.

use std::collections::BTreeMap;

use crate::packet::{Flags, Packet, TcpOption, written};
use crate::script::{EcnPattern, OptionsPattern, PacketPattern};

/// One connection between endpoint and peer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    /// Port of the peer.
    pub peer_port: u16,
    /// Port of the endpoint.
    pub port: u16,
    /// Number on the wire of the endpoint's SYN.
    isn: u32,
    /// Number on the wire of the peer's SYN, once there was one.
    peer_isn: Option<u32>,
    /// The endpoint's timestamps on the wire by those of the script.
    timestamps: BTreeMap<u32, u32>,
}

impl Flow {
    pub fn new(port: u16, peer_port: u16) -> Self {
        Self { port, peer_port, ..Self::default() }
    }

    /// A segment of the peer as it goes onto the wire.
    pub fn injected(&mut self, pattern: &PacketPattern) -> Packet {
        let is_syn = pattern.flags.contains(Flags::SYN);
        if is_syn {
            self.peer_isn.get_or_insert(pattern.seq);
        }
        let peer_isn = self.peer_isn.unwrap_or(0);
        let is_first_number = is_syn && pattern.seq == peer_isn;
        let options = match &pattern.options {
            OptionsPattern::Any => Vec::new(),
            OptionsPattern::Exactly(options) => options.iter().map(|option| self.option(option)).collect(),
        };
        let acknowledges = pattern.flags.contains(Flags::ACK);
        let ack = pattern.ack.unwrap_or(0);
        Packet {
            ecn: pattern.ecn.map_or(0, EcnPattern::bits),
            source_port: self.peer_port,
            destination_port: self.port,
            flags: pattern.flags,
            seq: if is_first_number { peer_isn } else { pattern.seq.wrapping_add(peer_isn) },
            ack: if acknowledges { ack.wrapping_add(self.isn) } else { ack },
            window: pattern.window.unwrap_or(0),
            urgent: pattern.urgent.unwrap_or(0),
            options,
            length: pattern.length,
        }
    }

    fn option(&self, option: &TcpOption) -> TcpOption {
        match option {
            TcpOption::Sack(blocks) => {
                let shifted = |number: &u32| number.wrapping_add(self.isn);
                TcpOption::Sack(blocks.iter().map(|(from, to)| (shifted(from), shifted(to))).collect())
            }
            TcpOption::Timestamps { value, echo } => {
                TcpOption::Timestamps { value: *value, echo: *self.timestamps.get(echo).unwrap_or(echo) }
            }
            other => other.clone(),
        }
    }

    /// Learns from a segment of the endpoint what stands for what.
    pub fn learn(&mut self, pattern: &PacketPattern, packet: &Packet) {
        if packet.flags.contains(Flags::SYN) && pattern.flags.contains(Flags::SYN) {
            let ports = (packet.source_port, packet.destination_port);
            if (self.port, self.peer_port) != ports {
                *self =
                    Self { timestamps: std::mem::take(&mut self.timestamps), ..Self::new(ports.0, ports.1) };
            }
            self.isn = packet.seq;
        }
        if let OptionsPattern::Exactly(options) = &pattern.options
            && let (Some((expected, _)), Some((found, _))) =
                (timestamps(options), timestamps(&packet.options))
        {
            self.timestamps.insert(expected, found);
        }
    }

    /// A segment of the endpoint as the script counts.
    pub fn to_script(&self, packet: &Packet) -> Packet {
        let theirs = |number: u32| number.wrapping_sub(self.peer_isn.unwrap_or(0));
        let options = packet.options.iter().map(|option| match option {
            TcpOption::Sack(blocks) => {
                TcpOption::Sack(blocks.iter().map(|(from, to)| (theirs(*from), theirs(*to))).collect())
            }
            other => other.clone(),
        });
        let acknowledges = packet.flags.contains(Flags::ACK);
        Packet {
            seq: packet.seq.wrapping_sub(self.isn),
            ack: if acknowledges { theirs(packet.ack) } else { packet.ack },
            options: options.collect(),
            ..packet.clone()
        }
    }
}

/// TSval and TSecr.
fn timestamps(options: &[TcpOption]) -> Option<(u32, u32)> {
    options.iter().find_map(|option| match option {
        TcpOption::Timestamps { value, echo } => Some((*value, *echo)),
        _ => None,
    })
}

impl EcnPattern {
    /// RFC 3168 section 5.
    const fn bits(self) -> u8 {
        match self {
            Self::NotCapable => 0,
            Self::Ect1 => 1,
            Self::Ect0 | Self::Ect => 2,
            Self::CongestionExperienced => 3,
        }
    }

    const fn allows(self, bits: u8) -> bool {
        match self {
            Self::Ect => bits == 1 || bits == 2,
            other => other.bits() == bits,
        }
    }
}

impl PacketPattern {
    /// Whether a segment of the endpoint, in the script's numbers, is what is written.
    pub(crate) fn fits(&self, packet: &Packet) -> bool {
        let acknowledges = self.flags.contains(Flags::ACK);
        self.flags == packet.flags
            && (self.seq == packet.seq || self.flags.contains(Flags::SYN))
            && self.length == packet.length
            && (!acknowledges || self.ack.is_none_or(|ack| ack == packet.ack))
            && self.window.is_none_or(|window| window == packet.window)
            && self.urgent.is_none_or(|urgent| urgent == packet.urgent)
            && self.ecn.is_none_or(|ecn| ecn.allows(packet.ecn))
            && self.options_fit(packet)
    }

    /// Timestamps are compared by what they echo: the endpoint's clock is its own.
    fn options_fit(&self, packet: &Packet) -> bool {
        let OptionsPattern::Exactly(options) = &self.options else { return true };
        let fits = |(expected, found): (&TcpOption, &TcpOption)| match (expected, found) {
            (TcpOption::Timestamps { echo, .. }, TcpOption::Timestamps { echo: found, .. }) => echo == found,
            (expected, found) => expected == found,
        };
        options.len() == packet.options.len() && options.iter().zip(&packet.options).all(fits)
    }
}

impl std::fmt::Display for PacketPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end = self.seq.wrapping_add(self.length);
        write!(f, "{} {}:{end}({})", self.flags, self.seq, self.length)?;
        if let Some(ack) = self.ack {
            write!(f, " ack {ack}")?;
        }
        if let Some(window) = self.window {
            write!(f, " win {window}")?;
        }
        match &self.options {
            OptionsPattern::Any => f.write_str(" <...>"),
            OptionsPattern::Exactly(options) if options.is_empty() => Ok(()),
            OptionsPattern::Exactly(options) => write!(f, " {}", written(options)),
        }
    }
}
