//! Packets of a capture, parsed from their bytes as RFC 791, RFC 9293 and RFC 768 lay them out.

use std::fs::File;
use std::net::Ipv4Addr;
use std::path::Path;
use std::time::Duration;

use pcap_file::pcapng::{Block, PcapNgReader};

/// The flags that a SYN of Linux has.
pub const SYN: u8 = 0x02;
pub const FIN: u8 = 0x01;
pub const ACK: u8 = 0x10;

/// A packet that passed an end of the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub interface: u32,
    pub at: Duration,
    pub bytes: Vec<u8>,
}

/// A TCP segment inside a packet.
#[derive(Clone, Debug)]
pub struct Segment<'a> {
    pub ports: (u16, u16),
    pub seq: u32,
    pub ack: u32,
    pub flags: u8,
    /// Kinds (RFC 9293 section 3.2) and values.
    pub options: Vec<(u8, &'a [u8])>,
    pub payload: &'a [u8],
}

/// What a capture holds.
pub struct Contents {
    pub packets: Vec<Packet>,
    /// The TLS secrets before the first packet, as they stand in the file.
    pub secrets: Option<String>,
}

/// Reads a capture whole.
pub fn read(file: &Path) -> Contents {
    let mut reader = PcapNgReader::new(File::open(file).unwrap()).unwrap();
    let mut contents = Contents { packets: Vec::new(), secrets: None };
    while let Some(block) = reader.next_block() {
        match block.unwrap() {
            Block::EnhancedPacket(packet) => {
                assert_eq!(packet.original_len as usize, packet.data.len(), "packets are whole");
                contents.packets.push(Packet {
                    interface: packet.interface_id,
                    at: packet.timestamp,
                    bytes: packet.data.into_owned(),
                });
            }
            // Decryption Secrets Block (pcapng section 4.7): type, length, lines.
            Block::Unknown(block) if block.type_ == 0x0A && contents.packets.is_empty() => {
                let lines = block.value[8..].to_vec();
                contents.secrets = Some(String::from_utf8(lines).unwrap().trim_end_matches('\0').to_owned());
            }
            _ => {}
        }
    }
    contents
}

impl Packet {
    /// Checks lengths and checksums.
    pub fn check(&self) {
        let bytes = &self.bytes;
        assert_eq!(bytes[0], 0x45, "IPv4 without options");
        assert_eq!(usize::from(word(bytes, 2)), bytes.len(), "total length");
        assert_eq!(bytes[6] & 0x60, 0x40, "not to be fragmented");
        assert_eq!(bytes[8], 64, "time to live");
        assert_eq!(sum(&bytes[..20]), 0xffff, "header checksum");
        let length = (bytes.len() as u16 - 20).to_be_bytes();
        let pseudo = [&bytes[12..20], &[0, bytes[9]], &length, &bytes[20..]].concat();
        assert_eq!(sum(&pseudo), 0xffff, "transport checksum");
        match bytes[9] {
            6 => assert!(self.header_len() <= bytes.len() - 20, "data offset"),
            17 => assert_eq!(usize::from(word(bytes, 24)), bytes.len() - 20, "UDP length"),
            other => panic!("protocol {other}"),
        }
    }

    pub fn source(&self) -> Ipv4Addr {
        Ipv4Addr::new(self.bytes[12], self.bytes[13], self.bytes[14], self.bytes[15])
    }

    /// The differentiated services code point (RFC 2474 section 3).
    pub fn dscp(&self) -> u8 {
        self.bytes[1] >> 2
    }

    /// Whether it comes from or goes to this port.
    pub fn has_port(&self, port: u16) -> bool {
        [word(&self.bytes, 20), word(&self.bytes, 22)].contains(&port)
    }

    /// The segment.
    pub fn tcp(&self) -> Segment<'_> {
        assert_eq!(self.bytes[9], 6, "TCP");
        let segment = &self.bytes[20..];
        Segment {
            ports: (word(segment, 0), word(segment, 2)),
            seq: double_word(segment, 4),
            ack: double_word(segment, 8),
            flags: segment[13],
            options: options(&segment[20..self.header_len()]),
            payload: &segment[self.header_len()..],
        }
    }

    fn header_len(&self) -> usize {
        usize::from(self.bytes[20 + 12] >> 4) * 4
    }
}

impl Segment<'_> {
    /// The value of an option.
    pub fn option(&self, kind: u8) -> Option<&[u8]> {
        self.options.iter().find(|option| option.0 == kind).map(|option| option.1)
    }
}

fn options(mut bytes: &[u8]) -> Vec<(u8, &[u8])> {
    let mut options = Vec::new();
    while let [kind, rest @ ..] = bytes {
        match kind {
            0 => break,
            1 => bytes = rest,
            _ => {
                let length = usize::from(rest[0]);
                options.push((*kind, &bytes[2..length]));
                bytes = &bytes[length..];
            }
        }
    }
    options
}

/// Ones' complement sum of all words; 0xffff when a checksum among them is right (RFC 1071 section 1).
fn sum(bytes: &[u8]) -> u64 {
    let words =
        bytes.chunks(2).map(|pair| u64::from(pair[0]) * 256 + pair.get(1).map_or(0, |o| u64::from(*o)));
    // A positive number modulo 65 535, with 65 535 for zero.
    (words.sum::<u64>() - 1) % 65_535 + 1
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn double_word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
