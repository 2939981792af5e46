//! Between the numbers of a script and those on the wire.
//!
//! A script counts the sequence numbers of each end from its SYN, but those in segments with SYN: these are written as
//! they would be on the wire. The peer's are so there, the endpoint chooses its own. The endpoint's timestamps have names
//! of the script's own.

use crate::icmp::{Icmp, IcmpPattern};
use crate::names::Names;
use crate::outcome::Missing;
use crate::packet::{Flags, IpFields, Packet, TcpOption, written};
use crate::script::{EcnPattern, IpPattern, OptionPattern, OptionsPattern, PacketPattern};

/// One connection between endpoint and peer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    /// Port of the peer.
    pub peer_port: u16,
    /// Port of the endpoint.
    pub port: u16,
    /// Number on the wire of the endpoint's SYN.
    isn: u32,
    /// The same as the script writes it.
    written_isn: u32,
    /// Number on the wire of the peer's SYN, once there was one.
    peer_isn: Option<u32>,
    /// The endpoint's first timestamp as the script writes it, and on the wire.
    first_timestamp: Option<(u32, u32)>,
}

impl Flow {
    pub fn new(port: u16, peer_port: u16) -> Self {
        Self { port, peer_port, ..Self::default() }
    }

    /// Whether a segment of the endpoint belongs to it.
    pub const fn sends(&self, packet: &Packet) -> bool {
        self.port == packet.source_port && self.peer_port == packet.destination_port
    }

    /// A segment of the peer as it goes onto the wire.
    ///
    /// # Errors
    /// For a cookie that is not known.
    pub fn injected(&mut self, pattern: &PacketPattern, names: &Names) -> Result<Packet, Missing> {
        let is_syn = pattern.flags.contains(Flags::SYN);
        if is_syn {
            self.peer_isn.get_or_insert(pattern.seq);
        }
        let (own, peers) = self.offsets(is_syn);
        let options = match &pattern.options {
            OptionsPattern::Any => Vec::new(),
            OptionsPattern::Exactly(options) => {
                options.iter().map(|option| self.option(option, names)).collect::<Result<_, _>>()?
            }
        };
        let acknowledges = pattern.flags.contains(Flags::ACK);
        let ack = pattern.ack.unwrap_or(0);
        Ok(Packet {
            ip: pattern.ip.fields(),
            source_port: self.peer_port,
            destination_port: self.port,
            flags: pattern.flags,
            seq: pattern.seq.wrapping_add(peers),
            ack: if acknowledges { ack.wrapping_add(own) } else { ack },
            window: pattern.window.unwrap_or(0),
            urgent: pattern.urgent.unwrap_or(0),
            options,
            length: pattern.length,
        })
    }

    /// What numbers of the endpoint and of its peer have on the wire beside those in the script.
    fn offsets(&self, is_syn: bool) -> (u32, u32) {
        if is_syn {
            (self.isn.wrapping_sub(self.written_isn), 0)
        } else {
            (self.isn, self.peer_isn.unwrap_or(0))
        }
    }

    fn option(&self, option: &OptionPattern, names: &Names) -> Result<TcpOption, Missing> {
        Ok(match option {
            OptionPattern::Option(TcpOption::Sack(blocks)) => {
                let shifted = |number: &u32| number.wrapping_add(self.isn);
                TcpOption::Sack(blocks.iter().map(|(from, to)| (shifted(from), shifted(to))).collect())
            }
            OptionPattern::Option(TcpOption::Timestamps { value, echo }) => {
                TcpOption::Timestamps { value: *value, echo: names.timestamp(*echo) }
            }
            OptionPattern::Option(other) => other.clone(),
            OptionPattern::Cookie { name, is_experimental } => {
                let cookie = names.cookie(name).ok_or_else(|| Missing(format!("the cookie {name}")))?;
                if *is_experimental {
                    TcpOption::FastOpenExperimental(cookie)
                } else {
                    TcpOption::FastOpen(cookie)
                }
            }
        })
    }

    /// A message about a segment of the endpoint.
    pub fn icmp(&self, pattern: &IcmpPattern) -> Icmp {
        let (seq, length) = pattern.about;
        let about = Packet {
            source_port: self.port,
            destination_port: self.peer_port,
            flags: Flags::ACK,
            seq: seq.wrapping_add(self.isn),
            length,
            ..Packet::default()
        };
        Icmp { message: pattern.message, mtu: pattern.mtu, about }
    }

    /// Learns from a segment of the endpoint where its timestamps start, and from a SYN where it starts to count; another
    /// one without an answer starts anew.
    pub fn learn(&mut self, pattern: &PacketPattern, packet: &Packet) {
        if packet.flags.contains(Flags::SYN) && pattern.flags.contains(Flags::SYN) {
            if packet.seq != self.isn && !packet.flags.contains(Flags::ACK) {
                self.peer_isn = None;
            }
            (self.isn, self.written_isn) = (packet.seq, pattern.seq);
        }
        self.first_timestamp = self.first_timestamp.or(pattern.timestamp().zip(packet.timestamp()));
    }

    /// Where no line has named a timestamp of the endpoint yet, this segment's is called zero.
    pub fn count_timestamps_from(&mut self, packet: &Packet) {
        self.first_timestamp = self.first_timestamp.or(packet.timestamp().map(|first| (0, first)));
    }

    /// A segment of the endpoint as the script counts.
    pub fn to_script(&self, packet: &Packet) -> Packet {
        let (own, peers) = self.offsets(packet.flags.contains(Flags::SYN));
        let theirs = |number: u32| number.wrapping_sub(peers);
        let options = packet.options.iter().map(|option| match option {
            TcpOption::Sack(blocks) => {
                TcpOption::Sack(blocks.iter().map(|(from, to)| (theirs(*from), theirs(*to))).collect())
            }
            TcpOption::Timestamps { value, echo } => {
                let (written, first) = self.first_timestamp.unwrap_or_default();
                TcpOption::Timestamps { value: value.wrapping_sub(first).wrapping_add(written), echo: *echo }
            }
            other => other.clone(),
        });
        let acknowledges = packet.flags.contains(Flags::ACK);
        Packet {
            seq: packet.seq.wrapping_sub(own),
            ack: if acknowledges { theirs(packet.ack) } else { packet.ack },
            options: options.collect(),
            ..packet.clone()
        }
    }
}

impl IpPattern {
    fn fields(self) -> IpFields {
        let written = self.traffic_class.unwrap_or(0);
        let traffic_class = self.ecn.map_or(written, |ecn| written & !3 | ecn.bits());
        IpFields { traffic_class, hop_limit: self.hop_limit.unwrap_or(IpFields::default().hop_limit) }
    }

    fn fits(self, found: IpFields) -> bool {
        self.ecn.is_none_or(|ecn| ecn.allows(found.ecn()))
            && self.traffic_class.is_none_or(|expected| expected == found.traffic_class)
            && self.hop_limit.is_none_or(|expected| expected == found.hop_limit)
    }
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
    pub(crate) fn fits(&self, packet: &Packet, names: &Names) -> bool {
        let acknowledges = self.flags.contains(Flags::ACK);
        self.flags == packet.flags
            && self.seq == packet.seq
            && self.length == packet.length
            && (!acknowledges || self.ack.is_none_or(|ack| ack == packet.ack))
            && self.window.is_none_or(|window| window == packet.window)
            && self.urgent.is_none_or(|urgent| urgent == packet.urgent)
            && self.ip.fits(packet.ip)
            && self.options_fit(packet, names)
    }

    /// Ticks between the timestamp that is written and that of a segment in the script's numbers; none without both.
    pub(crate) fn timestamp_deviation(&self, packet: &Packet) -> Option<u32> {
        let (written, found) = self.timestamp().zip(packet.timestamp())?;
        Some(found.wrapping_sub(written).cast_signed().unsigned_abs())
    }

    fn timestamp(&self) -> Option<u32> {
        let OptionsPattern::Exactly(options) = &self.options else { return None };
        options.iter().find_map(|option| match option {
            OptionPattern::Option(TcpOption::Timestamps { value, .. }) => Some(*value),
            _ => None,
        })
    }

    /// Timestamps are compared by what they echo: the endpoint's clock is its own.
    fn options_fit(&self, packet: &Packet, names: &Names) -> bool {
        let OptionsPattern::Exactly(options) = &self.options else { return true };
        let is_cookie =
            |name: &str, found: &Vec<u8>| names.cookie(name).is_none_or(|cookie| cookie == *found);
        let fits = |(expected, found): (&OptionPattern, &TcpOption)| match (expected, found) {
            (
                OptionPattern::Option(TcpOption::Timestamps { echo, .. }),
                TcpOption::Timestamps { echo: found, .. },
            ) => echo == found,
            (OptionPattern::Option(expected), found) => expected == found,
            (OptionPattern::Cookie { name, is_experimental: false }, TcpOption::FastOpen(found))
            | (
                OptionPattern::Cookie { name, is_experimental: true },
                TcpOption::FastOpenExperimental(found),
            ) => is_cookie(name, found),
            (OptionPattern::Cookie { .. }, _) => false,
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

impl std::fmt::Display for OptionPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Option(option) => option.fmt(f),
            Self::Cookie { name, is_experimental: false } => write!(f, "FO {name}"),
            Self::Cookie { name, is_experimental: true } => write!(f, "FOEXP {name}"),
        }
    }
}
