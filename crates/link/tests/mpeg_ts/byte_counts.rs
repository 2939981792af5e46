//! Byte counts by hand, from the fields of EN 301 192, RFC 4326 and ISO/IEC 13818-1.

use bentpipe_link::mpeg_ts::{Address, Encapsulation, Fragmenter, Part};

use super::receiver::read;
use crate::common::transport_stream::write;

const MPE: Encapsulation = Encapsulation::Mpe;
const ULE: Encapsulation = Encapsulation::Ule(Address::Absent);
const ULE_TO: Encapsulation = Encapsulation::Ule(Address::Present);

/// TS packets that these packets need one behind the other.
fn ts_packets(encapsulation: Encapsulation, lens: &[u32]) -> u32 {
    let mut fragmenter = Fragmenter::new(encapsulation);
    lens.iter().map(|len| fragmenter.start(*len, u32::MAX).expect("room").packets).sum()
}

#[test]
fn a_section_has_12_bytes_of_header_and_an_sndu_of_ule_4_and_both_a_crc_of_4() {
    // EN 301 192, Table 3: 8 + 1 + 1 + 2 + 12 bits, two bytes of MAC address, 2 + 2 + 2 + 1 + 1 bits, section_number,
    // last_section_number, four bytes of MAC address. RFC 4326, section 4: D, 15 bits, Type; with D = 0 six more.
    assert_eq!([MPE, ULE, ULE_TO].map(|encapsulation| encapsulation.sndu_bytes(1500)), [1516, 1508, 1514]);
}

#[test]
fn the_longest_packets_are_those_of_the_length_fields() {
    // A section has at most 4096 bytes, so that the MTU of MPE is 4080. Length of ULE has 15 bits and counts CRC and
    // address; 0x7FFF with D = 1 is the End Indicator.
    assert_eq!([MPE, ULE, ULE_TO].map(Encapsulation::largest_packet), [4080, 32_762, 32_757]);
    for encapsulation in [MPE, ULE, ULE_TO] {
        let longest = encapsulation.largest_packet();
        assert_eq!(read(encapsulation, &write(encapsulation, &[longest])), [longest]);
    }
}

#[test]
fn a_packet_alone_takes_183_bytes_of_the_first_ts_packet_and_184_of_each_other() {
    for (encapsulation, len, expected) in [
        (ULE, 40, 1),
        (MPE, 40, 1),
        // 183 and 184 bytes of SNDU.
        (ULE, 175, 1),
        (ULE, 176, 2),
        (MPE, 167, 1),
        (MPE, 168, 2),
        // 367 and 368.
        (ULE, 359, 2),
        (ULE, 360, 3),
        (MPE, 351, 2),
        (MPE, 352, 3),
        // 1508 - 183 = 1325 = 7 x 184 + 37; 1516 - 183 = 1333 = 7 x 184 + 45.
        (ULE, 1500, 9),
        (MPE, 1500, 9),
        // 183 + 8 x 184 = 1655.
        (ULE, 1647, 9),
        (ULE, 1648, 10),
        (MPE, 1639, 9),
        (MPE, 1640, 10),
    ] {
        assert_eq!(ts_packets(encapsulation, &[len]), expected, "{encapsulation:?} {len}");
    }
}

#[test]
fn short_packets_share_a_ts_packet_and_its_one_pointer_field() {
    // ULE: three of 48 bytes are 144 of 183; of a fourth there are 39. MPE: three of 56 are 168, and 15 of a fourth.
    for encapsulation in [ULE, MPE] {
        assert_eq!(ts_packets(encapsulation, &[40; 3]), 1);
        assert_eq!(ts_packets(encapsulation, &[40; 4]), 2);
    }
    // 183 x 16 = 48 x 61, and 183 x 56 = 56 x 183.
    assert_eq!(ts_packets(ULE, &[40; 61]), 16);
    assert_eq!(ts_packets(MPE, &[40; 183]), 56);
}

#[test]
fn a_section_starts_with_one_byte_and_an_sndu_of_ule_with_its_length_field_of_two() {
    // SNDUs of 181 and 182 bytes leave 2 and 1 of 183, and a second of 184 has 182 and 183 behind them.
    let second = |encapsulation: Encapsulation, first: u32| {
        let mut fragmenter = Fragmenter::new(encapsulation);
        let len = |sndu| sndu - encapsulation.overhead();
        fragmenter.start(len(first), u32::MAX).expect("room");
        fragmenter.start(len(184), u32::MAX).expect("room").packets
    };
    assert_eq!([second(ULE, 181), second(ULE, 182)], [1, 2]);
    assert_eq!([second(MPE, 182), second(MPE, 183)], [1, 2]);
    // In the second TS packet of an SNDU there is no pointer field unless another starts there: of 184 bytes, one of
    // 183 + 181 leaves three, enough for both; of 183 + 182 ULE can use none, of 183 + 183 nobody.
    assert_eq!([second(ULE, 364), second(ULE, 365), second(MPE, 365), second(MPE, 366)], [1, 2, 1, 2]);
}

#[test]
fn a_packet_goes_on_where_the_burst_before_has_ended() {
    let mut fragmenter = Fragmenter::new(ULE);
    // Two TS packets a burst: 183 + 184, then 2 x 184, ..., 37 in the last.
    let space = 2 * 188;
    let mut parts = vec![fragmenter.start(1500, space).expect("room")];
    while !parts.last().is_some_and(Part::is_last) {
        fragmenter.start_burst();
        parts.extend(fragmenter.resume(space));
    }
    let bytes: Vec<_> = parts.iter().map(|part| (part.before, part.bytes, part.burst_bytes())).collect();
    assert_eq!(bytes, [(0, 367, 376), (367, 368, 376), (735, 368, 376), (1103, 368, 376), (1471, 37, 188)]);
    // The rest of the last TS packet takes another packet, in the same burst: 184 - 37 - 1 = 146 bytes of it.
    let next = fragmenter.start(138, 0).expect("room for 146 bytes");
    assert_eq!((next.bytes, next.burst_bytes(), next.is_last()), (146, 0, true));
}

#[test]
fn what_a_burst_leaves_of_a_ts_packet_is_lost_to_the_next() {
    let mut fragmenter = Fragmenter::new(MPE);
    assert_eq!(fragmenter.start(40, 188).expect("room").packets, 1);
    fragmenter.start_burst();
    assert_eq!(fragmenter.start(40, 188).expect("room").packets, 1);
    fragmenter.start_burst();
    assert_eq!(fragmenter.start(40, 187), None, "a TS packet is not cut by a burst");
}
