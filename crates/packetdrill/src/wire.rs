//! The bytes of a packet: IPv4 (RFC 791) and TCP (RFC 9293 section 3.1) with their checksums.

use std::net::Ipv4Addr;

use crate::packet::{Flags, Packet, TcpOption};

const IP_HEADER: usize = 20;
const TCP_HEADER: usize = 20;
const PROTOCOL_TCP: u8 = 6;
const TIME_TO_LIVE: u8 = 255;

const EOL: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const FAST_OPEN: u8 = 34;
const EXPERIMENTAL: u8 = 254;
/// The number that Fast Open had while it was an experiment (RFC 7413 section 4.1.1).
const FAST_OPEN_EXPERIMENT: [u8; 2] = [0xf9, 0x89];

/// A whole IPv4 packet whose payload is zeros.
pub fn encode(packet: &Packet, source: Ipv4Addr, destination: Ipv4Addr) -> Vec<u8> {
    let mut tcp = encode_tcp(packet);
    let pseudo: Vec<u8> = [source.octets(), destination.octets()]
        .concat()
        .into_iter()
        .chain([0, PROTOCOL_TCP])
        .chain((tcp.len() as u16).to_be_bytes())
        .collect();
    let sum = checksum(&[&pseudo, &tcp]);
    tcp[16..18].copy_from_slice(&sum.to_be_bytes());
    let mut bytes = Vec::with_capacity(IP_HEADER + tcp.len());
    bytes.extend([0x45, packet.ecn]);
    bytes.extend(((IP_HEADER + tcp.len()) as u16).to_be_bytes());
    bytes.extend([0, 0, 0, 0, TIME_TO_LIVE, PROTOCOL_TCP, 0, 0]);
    bytes.extend(source.octets());
    bytes.extend(destination.octets());
    let sum = checksum(&[&bytes]);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes.extend(tcp);
    bytes
}

/// The segment in an IPv4 packet; none where it is no whole TCP segment.
pub fn decode(bytes: &[u8]) -> Option<Packet> {
    let header = usize::from(bytes.first()? & 0x0f) * 4;
    if bytes[0] >> 4 != 4 || *bytes.get(9)? != PROTOCOL_TCP {
        return None;
    }
    let packet = decode_tcp(bytes.get(header..)?)?;
    Some(Packet { ecn: bytes[1] & 3, ..packet })
}

/// A segment from its TCP header on.
pub fn decode_tcp(bytes: &[u8]) -> Option<Packet> {
    let short = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let header = usize::from(*bytes.get(12)? >> 4) * 4;
    let options = decode_options(bytes.get(TCP_HEADER..header)?)?;
    Some(Packet {
        ecn: 0,
        source_port: short(0)?,
        destination_port: short(2)?,
        flags: Flags(bytes[13]),
        seq: long(bytes.get(4..8)?)?,
        ack: long(bytes.get(8..12)?)?,
        window: short(14)?,
        urgent: short(18)?,
        options,
        length: (bytes.len() - header) as u32,
    })
}

fn encode_tcp(packet: &Packet) -> Vec<u8> {
    let mut options = Vec::new();
    packet.options.iter().for_each(|option| encode_option(option, &mut options));
    options.resize(options.len().next_multiple_of(4), EOL);
    let words = (TCP_HEADER + options.len()) / 4;
    let mut bytes = Vec::with_capacity(words * 4 + packet.length as usize);
    bytes.extend(packet.source_port.to_be_bytes());
    bytes.extend(packet.destination_port.to_be_bytes());
    bytes.extend(packet.seq.to_be_bytes());
    bytes.extend(packet.ack.to_be_bytes());
    bytes.extend([(words as u8) << 4, packet.flags.0]);
    bytes.extend(packet.window.to_be_bytes());
    bytes.extend([0, 0]);
    bytes.extend(packet.urgent.to_be_bytes());
    bytes.extend(options);
    bytes.resize(bytes.len() + packet.length as usize, 0);
    bytes
}

fn encode_option(option: &TcpOption, bytes: &mut Vec<u8>) {
    let mut put = |kind: u8, data: &[u8]| {
        bytes.extend([kind, data.len() as u8 + 2]);
        bytes.extend(data);
    };
    match option {
        TcpOption::Eol => bytes.push(EOL),
        TcpOption::Nop => bytes.push(NOP),
        TcpOption::Mss(mss) => put(MSS, &mss.to_be_bytes()),
        TcpOption::WindowScale(shift) => put(WINDOW_SCALE, &[*shift]),
        TcpOption::SackPermitted => put(SACK_PERMITTED, &[]),
        TcpOption::Sack(blocks) => {
            let edges = blocks.iter().flat_map(|(from, to)| [from.to_be_bytes(), to.to_be_bytes()]);
            put(SACK, &edges.flatten().collect::<Vec<_>>());
        }
        TcpOption::Timestamps { value, echo } => {
            put(TIMESTAMPS, &[value.to_be_bytes(), echo.to_be_bytes()].concat());
        }
        TcpOption::FastOpen(cookie) => put(FAST_OPEN, cookie),
        TcpOption::FastOpenExperimental(cookie) => {
            put(EXPERIMENTAL, &[&FAST_OPEN_EXPERIMENT, cookie.as_slice()].concat());
        }
        TcpOption::Other { kind, data } => put(*kind, data),
    }
}

fn decode_options(mut bytes: &[u8]) -> Option<Vec<TcpOption>> {
    let mut options = Vec::new();
    while let [kind, rest @ ..] = bytes {
        if *kind == EOL || *kind == NOP {
            options.push(if *kind == EOL { TcpOption::Eol } else { TcpOption::Nop });
            bytes = rest;
            continue;
        }
        let length = usize::from(*rest.first()?);
        options.push(decode_option(*kind, bytes.get(2..length)?)?);
        bytes = bytes.get(length..)?;
    }
    Some(options)
}

fn decode_option(kind: u8, data: &[u8]) -> Option<TcpOption> {
    Some(match (kind, data) {
        (MSS, [high, low]) => TcpOption::Mss(u16::from_be_bytes([*high, *low])),
        (WINDOW_SCALE, [shift]) => TcpOption::WindowScale(*shift),
        (SACK_PERMITTED, []) => TcpOption::SackPermitted,
        (SACK, edges) if edges.len().is_multiple_of(8) => {
            let block = |edges: &[u8]| Some((long(&edges[..4])?, long(&edges[4..])?));
            TcpOption::Sack(edges.chunks(8).map(block).collect::<Option<_>>()?)
        }
        (TIMESTAMPS, data) if data.len() == 8 => {
            TcpOption::Timestamps { value: long(&data[..4])?, echo: long(&data[4..])? }
        }
        (FAST_OPEN, cookie) => TcpOption::FastOpen(cookie.to_vec()),
        (EXPERIMENTAL, [first, second, cookie @ ..]) if [*first, *second] == FAST_OPEN_EXPERIMENT => {
            TcpOption::FastOpenExperimental(cookie.to_vec())
        }
        (kind, data) => TcpOption::Other { kind, data: data.to_vec() },
    })
}

fn long(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// RFC 1071.
fn checksum(parts: &[&[u8]]) -> u16 {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let mut sum: u32 =
        words.map(|word| u32::from(word[0]) << 8 | word.get(1).map_or(0, |low| u32::from(*low))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_that_was_written_is_read_as_it_was() {
        let packet = Packet {
            ecn: 2,
            source_port: 8080,
            destination_port: 40_000,
            flags: Flags::PSH.with(Flags::ACK),
            seq: 0xffff_fff0,
            ack: 17,
            window: 512,
            urgent: 0,
            options: vec![
                TcpOption::Nop,
                TcpOption::Nop,
                TcpOption::Timestamps { value: 1, echo: 2 },
                TcpOption::Nop,
                TcpOption::Nop,
                TcpOption::Sack(vec![(1, 2), (3, 4)]),
            ],
            length: 100,
        };
        let bytes = encode(&packet, Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST);
        assert_eq!(decode(&bytes), Some(packet));
    }

    #[test]
    fn a_header_sums_to_zero_with_its_checksum() {
        // RFC 1071 section 1: the sum over the whole, checksum included, is all ones.
        let bytes = encode(&Packet::default(), Ipv4Addr::new(192, 0, 2, 1), Ipv4Addr::new(192, 168, 0, 1));
        assert_eq!(checksum(&[&bytes[..IP_HEADER]]), 0);
    }

    #[test]
    fn bytes_that_end_too_early_are_no_packet() {
        let bytes = encode(&Packet::default(), Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST);
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length}");
        }
    }
}
