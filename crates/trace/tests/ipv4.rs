//! Packets against those that Linux 6.18 wrote into a TUN device for the same addresses, ports and data.

use std::net::Ipv4Addr;

use bentpipe_run::Dscp;
use bentpipe_trace::ipv4::{Header, Protocol};
use proptest::prelude::*;

const CLIENT: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);

/// Its transport checksum has the words 0x8268 of "hello" and a byte left over.
const DATAGRAM_ODD: [u8; 33] = [
    0x45, 0x00, 0x00, 0x21, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xae, 0xa4, 0xc6, 0x12, 0x00, 0x01, 0xc6,
    0x12, 0x00, 0x02, 0xc3, 0x50, 0x00, 0x07, 0x00, 0x0d, 0x6c, 0x82, 0x68, 0x65, 0x6c, 0x6c, 0x6f,
];
const DATAGRAM_EVEN: [u8; 34] = [
    0x45, 0x00, 0x00, 0x22, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xae, 0xa3, 0xc6, 0x12, 0x00, 0x01, 0xc6,
    0x12, 0x00, 0x02, 0xc3, 0x50, 0x00, 0x07, 0x00, 0x0e, 0x6c, 0x5f, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x21,
];
const SYN_ACK: [u8; 60] = [
    0x45, 0x00, 0x00, 0x3c, 0x00, 0x00, 0x40, 0x00, 0x40, 0x06, 0xae, 0x94, 0xc6, 0x12, 0x00, 0x02, 0xc6,
    0x12, 0x00, 0x01, 0x01, 0xbb, 0xcf, 0xd8, 0xfe, 0x90, 0x94, 0xb0, 0x9c, 0xc6, 0x27, 0xf1, 0xa0, 0x12,
    0xfe, 0x88, 0x34, 0xfe, 0x00, 0x00, 0x02, 0x04, 0x05, 0xb4, 0x04, 0x02, 0x08, 0x0a, 0xda, 0x59, 0x63,
    0x38, 0x66, 0x3a, 0xba, 0xe7, 0x01, 0x03, 0x03, 0x07,
];

/// The packet with `transport` inside, whose own checksum is zeroed first.
fn packet(header: Header, transport: &[u8]) -> Vec<u8> {
    let mut transport = transport.to_vec();
    let checksum = if header.protocol == Protocol::Tcp { 16 } else { 6 };
    transport[checksum..checksum + 2].fill(0);
    let mut packet = Vec::new();
    header.write(&mut packet, |packet| packet.extend(&transport)).unwrap();
    packet
}

#[test]
fn datagrams_of_odd_and_even_length_are_those_of_linux() {
    let header =
        Header { protocol: Protocol::Udp, source: CLIENT, destination: SERVER, dscp: Dscp::DEFAULT, ecn: 0 };
    assert_eq!(packet(header, &DATAGRAM_ODD[20..]), DATAGRAM_ODD);
    assert_eq!(packet(header, &DATAGRAM_EVEN[20..]), DATAGRAM_EVEN);
}

#[test]
fn a_segment_is_that_of_linux() {
    let header =
        Header { protocol: Protocol::Tcp, source: SERVER, destination: CLIENT, dscp: Dscp::DEFAULT, ecn: 0 };
    assert_eq!(packet(header, &SYN_ACK[20..]), SYN_ACK);
}

#[test]
fn a_datagram_whose_checksum_is_zero_says_all_ones() {
    // RFC 768: zero would mean that there is none. What is missing in the last two bytes makes it so.
    let header =
        Header { protocol: Protocol::Udp, source: CLIENT, destination: SERVER, dscp: Dscp::DEFAULT, ecn: 0 };
    let mut transport = vec![0xc3, 0x50, 0, 7, 0, 10, 0, 0, 0, 0];
    let of = |transport: &[u8]| packet(header, transport)[26..28].to_vec();
    let complement = of(&transport);
    transport[8..].copy_from_slice(&complement);
    assert_eq!(of(&transport), [0xff, 0xff]);
    let header =
        Header { protocol: Protocol::Tcp, source: CLIENT, destination: SERVER, dscp: Dscp::DEFAULT, ecn: 0 };
    let mut transport = vec![0; 20];
    let of = |transport: &[u8]| packet(header, transport)[36..38].to_vec();
    let complement = of(&transport);
    transport[..2].copy_from_slice(&complement);
    assert_eq!(of(&transport), [0, 0], "TCP has no such rule");
}

#[test]
fn a_packet_longer_than_its_length_field_can_say_is_an_error() {
    let header =
        Header { protocol: Protocol::Udp, source: CLIENT, destination: SERVER, dscp: Dscp::DEFAULT, ecn: 0 };
    let of = |length: usize| header.write(&mut Vec::new(), |packet| packet.resize(20 + length, 0));
    assert!(of(65_515).is_ok());
    assert!(of(65_516).is_err());
}

/// Ones' complement sum of all words; 0xffff when a checksum among them is right (RFC 1071 section 1).
fn sum(bytes: &[u8]) -> u64 {
    let words =
        bytes.chunks(2).map(|word| u64::from(word[0]) * 256 + word.get(1).map_or(0, |o| u64::from(*o)));
    let sum: u64 = words.sum();
    // A positive number modulo 65 535, with 65 535 for zero.
    (sum - 1) % 65_535 + 1
}

proptest! {
    #[test]
    fn any_packet_has_checksums_that_a_receiver_accepts(
        source: u32,
        destination: u32,
        is_tcp: bool,
        transport in prop::collection::vec(any::<u8>(), 20..2000),
    ) {
        let protocol = if is_tcp { Protocol::Tcp } else { Protocol::Udp };
        let header = Header { protocol, source: source.into(), destination: destination.into(), dscp: Dscp::DEFAULT, ecn: 0 };
        let packet = packet(header, &transport);
        prop_assert_eq!(sum(&packet[..20]), 0xffff);
        let length = (transport.len() as u16).to_be_bytes();
        let pseudo = [&packet[12..20], &[0, packet[9]], &length, &packet[20..]].concat();
        prop_assert_eq!(sum(&pseudo), 0xffff);
        prop_assert_eq!(usize::from(u16::from_be_bytes([packet[2], packet[3]])), packet.len());
    }
}

#[test]
fn the_second_byte_is_six_bits_of_differentiated_services_and_two_of_congestion_notification() {
    // RFC 3246 section 2.7: expedited forwarding is binary 101110; RFC 3168 section 5: ECT(0) is binary 10.
    let dscp = Dscp::new(0b10_1110).unwrap();
    let header = Header { protocol: Protocol::Udp, source: CLIENT, destination: SERVER, dscp, ecn: 0b10 };
    let mut packet = Vec::new();
    header.write(&mut packet, |bytes| bytes.extend([0; 8])).unwrap();
    assert_eq!(packet[1], 0b1011_1010);
}
