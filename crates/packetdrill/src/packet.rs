//! A segment as it is on the wire, without its addresses.

use std::fmt;

/// A TCP segment that was sent or is to be injected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Of the IP header.
    pub ip: IpFields,
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// The control bits.
    pub flags: Flags,
    /// Number of the first byte, or of the SYN.
    pub seq: u32,
    /// The next number expected.
    pub ack: u32,
    /// The window field, unscaled.
    pub window: u16,
    /// The urgent pointer.
    pub urgent: u16,
    /// Options in their order, padding included.
    pub options: Vec<TcpOption>,
    /// Bytes of payload; what they are says no script.
    pub length: u32,
}

/// What scripts tell of an IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpFields {
    /// Type of service or traffic class: six bits of the code point (RFC 2474), two of congestion (RFC 3168 section 5).
    pub traffic_class: u8,
    /// Time to live or hop limit.
    pub hop_limit: u8,
}

impl IpFields {
    /// The bits of explicit congestion notification (RFC 3168 section 5).
    pub const fn ecn(self) -> u8 {
        self.traffic_class & 3
    }
}

impl Default for IpFields {
    fn default() -> Self {
        Self { traffic_class: 0, hop_limit: 255 }
    }
}

/// The control bits of RFC 9293 section 3.1, CWR and ECE among them, and that of RFC 9768 before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u16);

impl Flags {
    /// No more data.
    pub const FIN: Self = Self(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset.
    pub const RST: Self = Self(0x04);
    /// Push.
    pub const PSH: Self = Self(0x08);
    /// Acknowledgement.
    pub const ACK: Self = Self(0x10);
    /// Urgent.
    pub const URG: Self = Self(0x20);
    /// Echo of congestion (RFC 3168).
    pub const ECE: Self = Self(0x40);
    /// Congestion window reduced (RFC 3168).
    pub const CWR: Self = Self(0x80);
    /// Accurate ECN (RFC 9768).
    pub const AE: Self = Self(0x100);

    const LETTERS: [(char, Self); 9] = [
        ('S', Self::SYN),
        ('F', Self::FIN),
        ('R', Self::RST),
        ('P', Self::PSH),
        ('U', Self::URG),
        ('E', Self::ECE),
        ('W', Self::CWR),
        ('A', Self::AE),
        ('.', Self::ACK),
    ];

    /// The bit that a letter of the script stands for.
    pub fn of_letter(letter: char) -> Option<Self> {
        Self::LETTERS.into_iter().find_map(|(known, flag)| (known == letter).then_some(flag))
    }

    /// The bits of the counter ACE, which is below 8: AE, CWR and ECE (RFC 9768 section 3.2.2).
    pub const fn of_ace(counter: u32) -> Self {
        Self((counter as u16 & 7) << Self::ECE.0.trailing_zeros())
    }

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The bits that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = Self::LETTERS.into_iter().filter(|(_, flag)| self.contains(*flag));
        let letters: String = set.map(|(letter, _)| letter).collect();
        f.write_str(if letters.is_empty() { "-" } else { &letters })
    }
}

/// The number of a signature's option (RFC 2385 section 3.0).
pub(crate) const MD5: u8 = 19;

/// A TCP option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TcpOption {
    /// End of the list.
    Eol,
    /// No operation.
    Nop,
    /// Maximum segment size.
    Mss(u16),
    /// Window scale (RFC 7323 section 2).
    WindowScale(u8),
    /// SACK permitted (RFC 2018 section 2).
    SackPermitted,
    /// Selective acknowledgements (RFC 2018 section 3): from, to.
    Sack(Vec<(u32, u32)>),
    /// Timestamps (RFC 7323 section 3).
    Timestamps {
        /// TSval.
        value: u32,
        /// TSecr.
        echo: u32,
    },
    /// Fast Open (RFC 7413), a request without a cookie.
    FastOpen(Vec<u8>),
    /// Fast Open under the experimental kind 254 with the number 0xF989 (RFC 7413 section 4.1.1).
    FastOpenExperimental(Vec<u8>),
    /// Counters of accurate ECN (RFC 9768 section 3.2.3), in one of their two orders or the first of it.
    AccEcn(EcnOrder, Vec<u32>),
    /// Any other, such as a signature (RFC 2385).
    Other {
        /// Its number.
        kind: u8,
        /// What follows kind and length.
        data: Vec<u8>,
    },
}

/// The order in which an option has the counters of accurate ECN, which its number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnOrder {
    /// AccECN0: those of ECT(0) first.
    Ect0First,
    /// AccECN1: those of ECT(1) first.
    Ect1First,
}

impl EcnOrder {
    /// What scripts call the counters.
    pub const fn names(self) -> [&'static str; 3] {
        match self {
            Self::Ect0First => ["e0b", "ceb", "e1b"],
            Self::Ect1First => ["e1b", "ceb", "e0b"],
        }
    }
}

impl fmt::Display for TcpOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Eol => f.write_str("eol"),
            Self::Nop => f.write_str("nop"),
            Self::Mss(mss) => write!(f, "mss {mss}"),
            Self::WindowScale(shift) => write!(f, "wscale {shift}"),
            Self::SackPermitted => f.write_str("sackOK"),
            Self::Sack(blocks) => {
                f.write_str("sack")?;
                blocks.iter().try_for_each(|(from, to)| write!(f, " {from}:{to}"))
            }
            Self::Timestamps { value, echo } => write!(f, "TS val {value} ecr {echo}"),
            Self::FastOpen(cookie) => write!(f, "FO {}", hex(cookie)),
            Self::FastOpenExperimental(cookie) => write!(f, "FOEXP {}", hex(cookie)),
            Self::AccEcn(order, counters) => {
                f.write_str("ECN")?;
                order
                    .names()
                    .iter()
                    .zip(counters)
                    .try_for_each(|(name, counter)| write!(f, " {name} {counter}"))
            }
            Self::Other { kind: MD5, data } => write!(f, "md5 {}", hex(data)),
            Self::Other { kind, .. } => write!(f, "of kind {kind}"),
        }
    }
}

/// Options as a script has them.
pub(crate) fn written<T: fmt::Display>(options: &[T]) -> String {
    let each: Vec<_> = options.iter().map(|option| option.to_string().trim_end().to_owned()).collect();
    format!("<{}>", each.join(","))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Packet {
    /// Sequence numbers that it takes: its bytes, the SYN and the FIN.
    pub const fn sequence_length(&self) -> u32 {
        self.length + self.flags.contains(Flags::SYN) as u32 + self.flags.contains(Flags::FIN) as u32
    }

    /// The sender's timestamp, where there is one.
    pub fn timestamp(&self) -> Option<u32> {
        self.options.iter().find_map(|option| match option {
            TcpOption::Timestamps { value, .. } => Some(*value),
            _ => None,
        })
    }
}

impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.seq.wrapping_add(self.length);
        write!(f, "{} {}:{end}({})", self.flags, self.seq, self.length)?;
        if self.flags.contains(Flags::ACK) {
            write!(f, " ack {}", self.ack)?;
        }
        write!(f, " win {}", self.window)?;
        if !self.options.is_empty() {
            write!(f, " {}", written(&self.options))?;
        }
        Ok(())
    }
}
