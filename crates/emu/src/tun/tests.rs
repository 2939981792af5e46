//! Cutting and merging against another encoder of packets, each other, and garbage.

use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU16;

use bentpipe_packetdrill::{Flags, Packet, TcpOption, wire};
use bentpipe_trace::checksum;
use bentpipe_units::Time;
use proptest::prelude::*;

use super::buffer::{Buffer, Pool};
use super::split::SuperSegment;
use super::train::Train;
use super::virtio::{self, Header, Place, Segmentation};

const MTU: usize = 1500;
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1));
const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 2));
/// MSS with timestamps.
const SIZE: u32 = 1448;
const ACK: u8 = 0x10;
const PSH: u8 = 0x08;
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const CWR: u8 = 0x80;

/// A segment with timestamps, whose payload is zeros.
fn packet(seq: u32, length: u32, flags: u8) -> Packet {
    Packet {
        source_port: 443,
        destination_port: 40_000,
        flags: Flags(flags.into()),
        seq,
        ack: 17,
        window: 512,
        options: vec![TcpOption::Nop, TcpOption::Nop, TcpOption::Timestamps { value: 1, echo: 2 }],
        length,
        ..Packet::default()
    }
}

fn bytes(packet: &Packet, id: u16) -> Vec<u8> {
    let mut bytes = wire::encode(packet, SERVER, CLIENT);
    bytes[4..6].copy_from_slice(&id.to_be_bytes());
    bytes[10..12].fill(0);
    let sum = checksum::sum(&bytes[..20]);
    bytes[10..12].copy_from_slice(&(!sum).to_be_bytes());
    bytes
}

/// As a host hands it over: in place of TCP's checksum the sum of the pseudo header.
fn owing(packet: &Packet, id: u16, payload: &[u8]) -> Vec<u8> {
    let mut bytes = bytes(&Packet { length: payload.len() as u32, ..packet.clone() }, id);
    let header = bytes.len() - payload.len();
    bytes[header..].copy_from_slice(payload);
    let sum = checksum::pseudo_header(&bytes, (bytes.len() - 20) as u16);
    bytes[36..38].copy_from_slice(&sum.to_be_bytes());
    bytes
}

fn header(size: u16) -> Header {
    Header {
        owed: Some(Place { start: 20, offset: 16 }),
        segmentation: NonZeroU16::new(size).map(|size| Segmentation { header_bytes: 52, size }),
    }
}

/// The packets of a super-segment; none when it is refused.
fn cut(header: &Header, bytes: &[u8]) -> Option<Vec<Buffer>> {
    let burst = SuperSegment::parse(header, bytes, MTU)?;
    let mut pool = Pool::new(0, MTU, 0);
    let packet = |number| {
        let mut packet = pool.take();
        burst.put(number, &mut packet);
        packet
    };
    Some((0..burst.count()).map(packet).collect())
}

/// What a train writes to the device.
fn written(train: &mut Train) -> Vec<u8> {
    train.written(|slices| slices.iter().flat_map(|slice| slice.to_vec()).collect())
}

/// Takes packets as one direction of the link does: what each write is.
fn handed_over(packets: impl IntoIterator<Item = Buffer>, most: usize) -> Vec<Vec<u8>> {
    let (mut train, mut writes) = (Train::new(most), Vec::new());
    for packet in packets {
        if let Err((due, packet)) = train.push(Time::ZERO, packet) {
            writes.push(written(&mut train));
            train.drain().for_each(drop);
            assert!(train.push(due, packet).is_ok());
        }
    }
    writes.push(written(&mut train));
    writes
}

/// A packet that owes its checksum, in a buffer.
fn buffer(bytes: &[u8]) -> Buffer {
    let mut buffer = Pool::new(0, MTU, 0).take();
    assert!(buffer.fill(bytes, header(0).owed));
    buffer
}

#[test]
fn a_super_segment_is_cut_into_the_packets_that_another_encoder_makes_of_them() {
    let whole = packet(0xffff_ff00, 2 * SIZE + 100, ACK | PSH | FIN | CWR);
    let payload = vec![0; 2 * SIZE as usize + 100];
    let packets = cut(&header(SIZE as u16), &owing(&whole, 0xffff, &payload)).unwrap();
    // RFC 9293 section 3.4: numbers modulo 2^32. FIN and PSH belong to the last, CWR to the first (RFC 3168 section 6.1.2).
    let expected = [
        (packet(0xffff_ff00, SIZE, ACK | CWR), 0xffff),
        (packet(0xffff_ff00_u32.wrapping_add(SIZE), SIZE, ACK), 0),
        (packet(0xffff_ff00_u32.wrapping_add(2 * SIZE), 100, ACK | PSH | FIN), 1),
    ];
    assert_eq!(packets.len(), expected.len());
    for (mut found, (packet, id)) in packets.into_iter().zip(expected) {
        found.complete();
        assert_eq!(found.as_slice(), bytes(&packet, id), "{packet:?}");
    }
}

#[test]
fn a_checksum_that_is_owed_is_the_one_that_another_encoder_writes() {
    let whole = packet(1, 99, ACK | PSH);
    let mut found = buffer(&owing(&whole, 7, &[0; 99]));
    found.complete();
    assert_eq!(found.as_slice(), bytes(&whole, 7));
}

#[test]
fn headers_that_do_not_fit_their_packet_are_refused() {
    let whole = owing(&packet(1, 0, ACK), 7, &[0; 3_000]);
    assert!(cut(&header(1448), &whole).is_some());
    // Packets longer than the MTU.
    assert!(cut(&header(1449), &whole).is_none());
    // A checksum elsewhere, and one that is there.
    let elsewhere = Some(Place { start: 20, offset: 6 });
    assert!(cut(&Header { owed: elsewhere, ..header(1448) }, &whole).is_none());
    assert!(cut(&Header { owed: None, ..header(1448) }, &whole).is_none());
    // IPv6, a header without length, UDP, a fragment, a length that is not the packet's, TCP's header beyond the end.
    for (at, byte) in [(0, 0x65), (0, 0x44), (9, 17), (6, 0x20), (2, 0), (32, 0x40)] {
        let mut odd = whole.clone();
        odd[at] = byte;
        assert!(cut(&header(1448), &odd).is_none(), "{at}");
    }
    assert!(cut(&header(1448), &whole[..51]).is_none());
}

#[test]
fn a_packet_is_refused_that_is_shorter_than_where_its_checksum_would_be() {
    let mut buffer = Pool::new(0, MTU, 0).take();
    let place = |start, offset| Some(Place { start, offset });
    assert!(buffer.fill(&[0x45; 38], place(20, 16)));
    for owed in [place(21, 16), place(u16::MAX, u16::MAX)] {
        assert!(!buffer.fill(&[0x45; 38], owed));
    }
    assert!(!buffer.fill(&[], None));
    assert!(!buffer.fill(&[0x45; MTU + 1], None));
}

#[test]
fn segments_are_merged_as_far_as_generic_receive_offload_would() {
    // `tcp_gro_receive` and `inet_gro_receive`: each of these stands alone beside a segment that would be its neighbour.
    let payload = [7; SIZE as usize];
    let first = owing(&packet(1_000, 0, ACK), 5, &payload);
    let next = packet(1_000 + SIZE, 0, ACK);
    let is_merged = |first: &[u8], second: &[u8]| handed_over([buffer(first), buffer(second)], 8).len() == 1;
    assert!(is_merged(&first, &owing(&next, 6, &payload)));
    assert!(is_merged(&first, &owing(&next, 6, &payload[..1])));
    let alone = [
        ("a hole", Packet { seq: next.seq + 1, ..next.clone() }),
        ("again", Packet { seq: 1_000, ..next.clone() }),
        ("another acknowledgement", Packet { ack: 18, ..next.clone() }),
        ("another window", Packet { window: 513, ..next.clone() }),
        ("another connection", Packet { destination_port: 40_001, ..next.clone() }),
        ("no acknowledgement", Packet { flags: Flags(0), ..next.clone() }),
        ("a SYN", Packet { flags: Flags((ACK | SYN).into()), ..next.clone() }),
        ("CWR", Packet { flags: Flags((ACK | CWR).into()), ..next.clone() }),
        (
            "other timestamps",
            Packet {
                options: vec![TcpOption::Nop, TcpOption::Nop, TcpOption::Timestamps { value: 2, echo: 2 }],
                ..next.clone()
            },
        ),
    ];
    for (what, packet) in alone {
        assert!(!is_merged(&first, &owing(&packet, 6, &payload)), "{what}");
    }
    let mut marked = owing(&next, 6, &payload);
    marked[1] = 3;
    assert!(!is_merged(&first, &marked), "CE beside an unmarked packet (RFC 3168 section 5.3)");
    assert!(!is_merged(&first, &owing(&next, 7, &payload)), "another identification");
    assert!(!is_merged(&first, &owing(&next, 6, &[])), "without payload");
    let pushed = owing(&packet(1_000, 0, ACK | PSH), 5, &payload);
    assert!(!is_merged(&pushed, &owing(&next, 6, &payload)), "after a push");
    let short = owing(&packet(1_000, 0, ACK), 5, &payload[..100]);
    assert!(!is_merged(&short, &owing(&packet(1_100, 0, ACK), 6, &payload)), "longer than the first");
}

#[test]
fn a_checksum_of_the_senders_is_not_lost_in_a_merger() {
    let written = |packet: &Packet, id| {
        let mut buffer = Pool::new(0, MTU, 0).take();
        assert!(buffer.fill(&bytes(packet, id), None));
        buffer
    };
    let (first, next) = (packet(1, SIZE, ACK), packet(1 + SIZE, SIZE, ACK));
    let writes = handed_over([written(&first, 0), written(&next, 1)], 8);
    let alone = |packet, id| [&[0; virtio::LENGTH][..], &bytes(packet, id)].concat();
    assert_eq!(writes, [alone(&first, 0), alone(&next, 1)]);
}

#[test]
fn a_train_is_no_longer_than_a_packet_of_ipv4_can_be() {
    // RFC 791 section 3.1: 65 535 bytes. Headers of 52 and 45 segments are 65 212, one more would make 66 660.
    let payload = [7; SIZE as usize];
    let packets = (0..46).map(|n| buffer(&owing(&packet(1_000 + n * SIZE, 0, ACK), n as u16, &payload)));
    let lengths: Vec<_> =
        handed_over(packets, 100).iter().map(|write| write.len() - virtio::LENGTH).collect();
    assert_eq!(lengths, [65_212, MTU]);
}

#[test]
fn a_train_of_one_packet_at_most_is_each_packet_whole() {
    let payload = vec![3; 4 * SIZE as usize];
    let packets = cut(&header(SIZE as u16), &owing(&packet(9, 0, ACK), 1, &payload)).unwrap();
    for (number, write) in handed_over(packets, 1).into_iter().enumerate() {
        let packet = &write[virtio::LENGTH..];
        assert_eq!(write[..virtio::LENGTH], [0; virtio::LENGTH]);
        assert_eq!(packet.len(), MTU, "{number}");
        // RFC 1071 section 1: the sum over the whole, checksum and pseudo header included, is all ones.
        let pseudo = checksum::pseudo_header(packet, (MTU - 20) as u16);
        assert_eq!(checksum::add(pseudo, checksum::sum(&packet[20..])), 0xffff, "{number}");
    }
}

proptest! {
    #[test]
    fn what_is_cut_and_merged_is_what_it_was(
        payload in prop::collection::vec(any::<u8>(), 1..20_000),
        size in 1_u16..=1448,
        seq: u32,
        id: u16,
        push: bool,
    ) {
        let flags = if push { ACK | PSH } else { ACK };
        let whole = owing(&packet(seq, 0, flags), id, &payload);
        let packets = cut(&header(size), &whole).unwrap();
        prop_assert_eq!(packets.len(), payload.len().div_ceil(size.into()));
        let mut parts = Vec::new();
        for packet in &packets {
            parts.extend_from_slice(&packet.as_slice()[52..]);
        }
        prop_assert_eq!(&parts, &payload);
        let is_one = packets.len() == 1;
        let writes = handed_over(packets, 20_000);
        prop_assert_eq!(writes.len(), 1);
        if is_one {
            // It needs no cutting, and has its checksum.
            prop_assert_eq!(&writes[0][..virtio::LENGTH], &[0; virtio::LENGTH]);
        } else {
            prop_assert_eq!(&writes[0], &[&header(size).to_bytes()[..], &whole].concat());
        }
    }

    #[test]
    fn no_header_and_no_packet_are_too_odd(
        flags: u8,
        kind in 0_u8..=2,
        words in prop::array::uniform4(prop_oneof![any::<u16>(), 0_u16..60]),
        start in prop_oneof![Just(vec![]), Just(owing(&packet(1, 0, ACK), 7, &[]))],
        rest in prop::collection::vec(any::<u8>(), 0..4_000),
        changes in prop::collection::vec((0_usize..60, any::<u8>()), 0..4),
    ) {
        let words = words.iter().flat_map(|word| word.to_ne_bytes());
        let bytes: Vec<u8> = [flags, kind].into_iter().chain(words).collect();
        let mut odd = [start, rest].concat();
        for (at, byte) in changes {
            if let Some(changed) = odd.get_mut(at) {
                *changed = byte;
            }
        }
        let header = Header::parse(bytes.try_into().unwrap());
        if let Some(packets) = header.and_then(|header| cut(&header, &odd)) {
            prop_assert!(packets.iter().all(|packet| packet.as_slice().len() <= MTU));
            handed_over(packets, 8);
        }
        let mut buffer = Pool::new(0, MTU, 0).take();
        if buffer.fill(&odd, header.and_then(|header| header.owed)) {
            buffer.complete();
            handed_over([buffer], 8);
        }
    }
}
