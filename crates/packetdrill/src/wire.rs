//! The bytes of a packet: TCP (RFC 9293 section 3.1) over IPv4 (RFC 791) or IPv6 (RFC 8200) with their checksums.

use std::net::IpAddr;

use crate::icmp::Icmp;
use crate::packet::{EcnOrder, Flags, IpFields, Packet, TcpOption};

const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;
const TCP_HEADER: usize = 20;
const PROTOCOL_ICMP: u8 = 1;
const PROTOCOL_TCP: u8 = 6;
const PROTOCOL_ICMPV6: u8 = 58;
/// An ICMP message carries as much of the packet that it is about as it can without being longer, headers included:
/// more than the 8 bytes of RFC 792 (RFC 1812 section 4.3.2.3), and what every link carries (RFC 4443 section 2.4).
const LONGEST_ICMP: usize = 576;
const LONGEST_ICMPV6: usize = 1280;

const EOL: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const FAST_OPEN: u8 = 34;
/// AccECN0 and AccECN1 (RFC 9768 section 3.2.3).
const ECT0_FIRST: u8 = 172;
const ECT1_FIRST: u8 = 174;
/// Bytes of one of their counters.
const COUNTER: usize = 3;
const EXPERIMENTAL: u8 = 254;
/// The number that Fast Open had while it was an experiment (RFC 7413 section 4.1.1).
const FAST_OPEN_EXPERIMENT: [u8; 2] = [0xf9, 0x89];

/// A whole packet whose payload is zeros, of the version of IP that both addresses have.
pub fn encode(packet: &Packet, source: IpAddr, destination: IpAddr) -> Vec<u8> {
    let mut tcp = encode_tcp(packet);
    let sum = checksum(&[&pseudo_header(source, destination, PROTOCOL_TCP, tcp.len()), &tcp]);
    tcp[16..18].copy_from_slice(&sum.to_be_bytes());
    let mut bytes = ip_header(packet.ip, source, destination, PROTOCOL_TCP, tcp.len());
    bytes.extend(tcp);
    bytes
}

/// A whole packet with an ICMP message about a segment that went from `destination` to `source`; none where that
/// version of ICMP has no such message.
pub fn encode_icmp(icmp: &Icmp, source: IpAddr, destination: IpAddr) -> Option<Vec<u8>> {
    let (kind, code) = if source.is_ipv4() { icmp.message.v4? } else { icmp.message.v6? };
    // RFC 1191 section 4, RFC 4443 section 3.2: in both the last 32 bits of the header end with the MTU.
    let mut message = [&[kind, code, 0, 0][..], &icmp.mtu.to_be_bytes()].concat();
    let segment = encode_tcp(&icmp.about);
    message.extend(ip_header(icmp.about.ip, destination, source, PROTOCOL_TCP, segment.len()));
    message.extend(segment);
    message.truncate(if source.is_ipv4() {
        LONGEST_ICMP - IPV4_HEADER
    } else {
        LONGEST_ICMPV6 - IPV6_HEADER
    });
    let protocol = if source.is_ipv4() { PROTOCOL_ICMP } else { PROTOCOL_ICMPV6 };
    let pseudo = match source {
        IpAddr::V4(_) => Vec::new(),
        // RFC 4443 section 2.3.
        IpAddr::V6(_) => pseudo_header(source, destination, protocol, message.len()),
    };
    let sum = checksum(&[&pseudo, &message]);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    let mut bytes = ip_header(IpFields::default(), source, destination, protocol, message.len());
    bytes.extend(message);
    Some(bytes)
}

/// The segment in a packet; none where it is no whole TCP segment.
pub fn decode(bytes: &[u8]) -> Option<Packet> {
    let (ip, protocol, header) = match bytes.first()? >> 4 {
        4 => {
            let ip = IpFields { traffic_class: *bytes.get(1)?, hop_limit: *bytes.get(8)? };
            (ip, *bytes.get(9)?, usize::from(bytes[0] & 0x0f) * 4)
        }
        6 => {
            let traffic_class = bytes[0] << 4 | *bytes.get(1)? >> 4;
            (IpFields { traffic_class, hop_limit: *bytes.get(7)? }, bytes[6], IPV6_HEADER)
        }
        _ => return None,
    };
    if protocol != PROTOCOL_TCP {
        return None;
    }
    Some(Packet { ip, ..decode_tcp(bytes.get(header..)?)? })
}

/// A segment from its TCP header on.
pub fn decode_tcp(bytes: &[u8]) -> Option<Packet> {
    let short = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let header = usize::from(*bytes.get(12)? >> 4) * 4;
    let options = decode_options(bytes.get(TCP_HEADER..header)?)?;
    Some(Packet {
        ip: IpFields::default(),
        source_port: short(0)?,
        destination_port: short(2)?,
        flags: Flags(u16::from_be_bytes([bytes[12] & 1, bytes[13]])),
        seq: long(bytes.get(4..8)?)?,
        ack: long(bytes.get(8..12)?)?,
        window: short(14)?,
        urgent: short(18)?,
        options,
        length: (bytes.len() - header) as u32,
    })
}

fn ip_header(ip: IpFields, source: IpAddr, destination: IpAddr, protocol: u8, length: usize) -> Vec<u8> {
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let mut bytes = vec![0x45, ip.traffic_class];
            bytes.extend(((IPV4_HEADER + length) as u16).to_be_bytes());
            bytes.extend([0, 0, 0, 0, ip.hop_limit, protocol, 0, 0]);
            bytes.extend(source.octets());
            bytes.extend(destination.octets());
            let sum = checksum(&[&bytes]);
            bytes[10..12].copy_from_slice(&sum.to_be_bytes());
            bytes
        }
        _ => {
            let mut bytes = vec![0x60 | ip.traffic_class >> 4, ip.traffic_class << 4, 0, 0];
            bytes.extend((length as u16).to_be_bytes());
            bytes.extend([protocol, ip.hop_limit]);
            bytes.extend(octets(source));
            bytes.extend(octets(destination));
            bytes
        }
    }
}

/// RFC 9293 section 3.1, RFC 8200 section 8.1: what the checksum of a segment covers beside it. Both sum up to the same
/// where the numbers are as wide as the wider of them.
fn pseudo_header(source: IpAddr, destination: IpAddr, protocol: u8, length: usize) -> Vec<u8> {
    let mut bytes = [octets(source), octets(destination)].concat();
    bytes.extend((length as u32).to_be_bytes());
    bytes.extend([0, 0, 0, protocol]);
    bytes
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
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
    let [accurate_ecn, flags] = packet.flags.0.to_be_bytes();
    bytes.extend([(words as u8) << 4 | accurate_ecn, flags]);
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
        TcpOption::AccEcn(order, counters) => {
            let kind = if *order == EcnOrder::Ect0First { ECT0_FIRST } else { ECT1_FIRST };
            let bytes = counters.iter().flat_map(|counter| counter.to_be_bytes()[4 - COUNTER..].to_vec());
            put(kind, &bytes.collect::<Vec<_>>());
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
        (ECT0_FIRST | ECT1_FIRST, data)
            if data.len().is_multiple_of(COUNTER) && data.len() <= 3 * COUNTER =>
        {
            let order = if kind == ECT0_FIRST { EcnOrder::Ect0First } else { EcnOrder::Ect1First };
            let counter = |bytes: &[u8]| u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]);
            TcpOption::AccEcn(order, data.chunks(COUNTER).map(counter).collect())
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
    use crate::icmp::IcmpMessage;

    const ADDRESSES: [(IpAddr, IpAddr, usize); 2] = [
        (IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)), IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 20),
        (
            IpAddr::V6(std::net::Ipv6Addr::new(0xfd3d, 0, 0, 0, 0, 0, 0, 1)),
            IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
            40,
        ),
    ];

    fn packet() -> Packet {
        Packet {
            ip: IpFields { traffic_class: 0xb9, hop_limit: 7 },
            source_port: 8080,
            destination_port: 40_000,
            flags: Flags::PSH.with(Flags::ACK).with(Flags::AE),
            seq: 0xffff_fff0,
            ack: 17,
            window: 512,
            urgent: 0,
            options: vec![
                TcpOption::Nop,
                TcpOption::Nop,
                TcpOption::Timestamps { value: 1, echo: 2 },
                TcpOption::Nop,
                TcpOption::AccEcn(EcnOrder::Ect1First, vec![0x0001_0203]),
                TcpOption::Sack(vec![(1, 2)]),
            ],
            length: 100,
        }
    }

    #[test]
    fn a_packet_that_was_written_is_read_as_it_was() {
        for (source, destination, _) in ADDRESSES {
            assert_eq!(decode(&encode(&packet(), source, destination)), Some(packet()));
        }
    }

    #[test]
    fn a_header_sums_to_zero_with_its_checksum() {
        // RFC 1071 section 1: the sum over the whole, checksum included, is all ones.
        let (source, destination, header) = ADDRESSES[0];
        let bytes = encode(&Packet::default(), source, destination);
        assert_eq!(checksum(&[&bytes[..header]]), 0);
    }

    #[test]
    fn a_segment_sums_to_zero_with_its_pseudo_header() {
        // RFC 9293 section 3.1: addresses, protocol 6, length of the segment; RFC 8200 section 8.1.
        for (source, destination, header) in ADDRESSES {
            let bytes = encode(&packet(), source, destination);
            let tail = [0, 6, 0, (bytes.len() - header) as u8];
            assert_eq!(checksum(&[&octets(source), &octets(destination), &tail, &bytes[header..]]), 0);
        }
    }

    #[test]
    fn an_icmp_message_quotes_the_segment_that_it_is_about() {
        // RFC 1191 section 4: type 3, code 4, the MTU in the last two bytes of the header; then the packet.
        let message = IcmpMessage::named("unreachable", "frag_needed").unwrap();
        let icmp = Icmp { message, mtu: 1200, about: packet() };
        let (source, destination, _) = ADDRESSES[0];
        let bytes = encode_icmp(&icmp, source, destination).unwrap();
        assert_eq!(bytes[9], 1);
        let message = &bytes[20..];
        assert_eq!(message[..2], [3, 4]);
        assert_eq!(message[4..8], [0, 0, 0x04, 0xb0]);
        let about = encode(&packet(), destination, source);
        assert_eq!(message[8..28], about[..20]);
        // But for the checksum, which a sum over ports and numbers alone would not give.
        assert_eq!(message[28..44], about[20..36]);
        assert_eq!(message.len(), 8 + about.len());
        assert_eq!(checksum(&[message]), 0);
        let (source, destination, _) = ADDRESSES[1];
        assert_eq!(encode_icmp(&icmp, source, destination), None);
    }

    #[test]
    fn an_icmp_message_is_no_longer_than_its_version_allows() {
        // RFC 1812 section 4.3.2.3: 576 bytes; RFC 4443 section 2.4 (c): the least MTU of IPv6. A shorter one is whole.
        let message = IcmpMessage::named("unreachable", "port_unreachable").unwrap();
        for ((source, destination, header), longest) in ADDRESSES.into_iter().zip([576, 1280]) {
            let length_with = |length| {
                let icmp = Icmp { message, mtu: 0, about: Packet { length, options: vec![], ..packet() } };
                encode_icmp(&icmp, source, destination).unwrap().len()
            };
            assert_eq!(length_with(10), header + 8 + header + 20 + 10);
            assert_eq!(length_with(1460), longest);
            assert_eq!(length_with(65_000), longest);
        }
    }

    #[test]
    fn bytes_that_end_too_early_are_no_packet() {
        for (source, destination, _) in ADDRESSES {
            let bytes = encode(&Packet::default(), source, destination);
            for length in 0..bytes.len() {
                assert_eq!(decode(&bytes[..length]), None, "{length}");
            }
        }
    }
}
