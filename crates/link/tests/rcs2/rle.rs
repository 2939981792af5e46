//! RLE (TS 103 179): headers, fragments and what is lost with one.

use bentpipe_link::rcs2::Waveform;
use bentpipe_link::rcs2::rle::{Fragmenter, Ppdu, ProtectionSpec, ProtocolField, Reassembler, Rle};
use proptest::prelude::*;

const PLAIN: Rle =
    Rle { protocol: ProtocolField::Compressed, label_bytes: 0, protection: ProtectionSpec::Sequence };

fn any_encapsulation() -> impl Strategy<Value = Rle> {
    let protocol = prop_oneof![
        Just(ProtocolField::Suppressed),
        Just(ProtocolField::Compressed),
        Just(ProtocolField::Full)
    ];
    let label = prop_oneof![Just(0), Just(3), Just(6)];
    let protection = prop_oneof![Just(ProtectionSpec::Sequence), Just(ProtectionSpec::Crc)];
    (protocol, label, protection).prop_map(|(protocol, label_bytes, protection)| Rle {
        protocol,
        label_bytes,
        protection,
    })
}

fn any_payload() -> impl Strategy<Value = u32> {
    prop::sample::select(Waveform::ALL.to_vec()).prop_map(|waveform| waveform.payload().get() as u32)
}

/// Packs SDUs into bursts, each as full as can be.
fn pack(encapsulation: Rle, payload: u32, sdus: &[u32]) -> Vec<Vec<Ppdu>> {
    let mut fragmenter = Fragmenter::new(encapsulation);
    let mut waiting = sdus.iter().copied().peekable();
    let mut bursts = Vec::new();
    while waiting.peek().is_some() || fragmenter.pending_bytes() > 0 {
        let (mut burst, mut space) = (Vec::new(), payload);
        loop {
            let ppdu = match fragmenter.pending_bytes() {
                0 => waiting
                    .peek()
                    .and_then(|sdu| fragmenter.start(*sdu, space))
                    .inspect(|_| _ = waiting.next()),
                _ => fragmenter.resume(space),
            };
            let Some(ppdu) = ppdu else { break };
            space = space.checked_sub(ppdu.burst_bytes()).expect("a burst holds no more than its payload");
            burst.push(ppdu);
        }
        bursts.push(burst);
    }
    bursts
}

/// Bursts of one SDU alone, by the formula of docs/models/rcs2.md.
fn bursts_of_one(header: u32, trailer: u32, payload: u32, sdu: u32) -> u32 {
    let alpdu = header + sdu;
    if 2 + alpdu <= payload { 1 } else { 1 + (alpdu + trailer - (payload - 4)).div_ceil(payload - 2) }
}

#[test]
fn a_packet_that_fits_costs_two_bytes_and_the_protocol_type() {
    // TS 103 179: a complete PPDU has a header of 2 bytes; a compressed protocol type has one.
    assert_eq!(Fragmenter::new(PLAIN).start(52, 123), Some(Ppdu::Complete { bytes: 53 }));
    assert_eq!(Ppdu::Complete { bytes: 53 }.burst_bytes(), 55);
    assert_eq!(PLAIN.whole_bytes(52), 55);
}

#[test]
fn a_packet_of_1500_bytes_over_waveform_13_takes_headers_of_4_and_2_and_a_trailer_of_1() {
    let bursts = pack(PLAIN, 123, &[1500]);
    // 1500 + 1 + 1 bytes: 119 in the first burst, 121 in each of eleven more, 52 in the last.
    let lengths: Vec<_> = bursts.iter().flatten().map(Ppdu::burst_bytes).collect();
    assert_eq!(lengths, [[123; 12].as_slice(), &[54]].concat());
    assert_eq!(bursts[0], [Ppdu::Start { serial: 1, total: 1502, bytes: 119 }]);
    assert_eq!(bursts[12], [Ppdu::End { serial: 1, bytes: 52 }]);
}

#[test]
fn the_longest_packet_is_what_twelve_bits_of_total_length_can_tell() {
    assert_eq!(PLAIN.max_sdu_bytes(), 4095 - 1 - 1);
    let whole = pack(PLAIN, 599, &[PLAIN.max_sdu_bytes()]);
    assert!(matches!(whole[0][..], [Ppdu::Start { total: 4095, .. }]));
}

#[test]
fn a_ppdu_carries_what_eleven_bits_of_length_can_tell() {
    // TS 103 179: 2047 bytes, of which the compressed protocol type is one.
    let in_a_large_burst = |sdu| Fragmenter::new(PLAIN).start(sdu, 10_000);
    assert_eq!(in_a_large_burst(2_046), Some(Ppdu::Complete { bytes: 2_047 }));
    assert_eq!(in_a_large_burst(2_047), Some(Ppdu::Start { serial: 1, total: 2_049, bytes: 2_047 }));
}

#[test]
fn an_alpdu_of_no_bytes_needs_room_for_its_header() {
    let bare = Rle { protocol: ProtocolField::Suppressed, ..PLAIN };
    for (space, expected) in [(0, None), (1, None), (2, Some(Ppdu::Complete { bytes: 0 }))] {
        assert_eq!(Fragmenter::new(bare).start(0, space), expected);
    }
}

#[test]
fn an_urgent_packet_goes_between_the_fragments_of_another() {
    let (mut bulk, mut urgent) = (Fragmenter::new(PLAIN), Fragmenter::new(PLAIN));
    let mut receivers = [Reassembler::new(PLAIN), Reassembler::new(PLAIN)];
    assert_eq!(receivers[0].accept(bulk.start(200, 123).unwrap()), None);
    assert_eq!(receivers[1].accept(urgent.start(60, 123).unwrap()), Some(60));
    assert_eq!(receivers[0].accept(bulk.resume(123).unwrap()), Some(200));
}

proptest! {
    #[test]
    fn one_packet_takes_the_bursts_of_the_closed_form(
        encapsulation in any_encapsulation(), payload in any_payload(), sdu in 1..=1500u32,
    ) {
        let protocol = match encapsulation.protocol {
            ProtocolField::Suppressed => 0,
            ProtocolField::Compressed => 1,
            ProtocolField::Full => 2,
        };
        let trailer = if encapsulation.protection == ProtectionSpec::Crc { 4 } else { 1 };
        let expected = bursts_of_one(protocol + encapsulation.label_bytes, trailer, payload, sdu);
        prop_assert_eq!(pack(encapsulation, payload, &[sdu]).len() as u32, expected);
    }

    #[test]
    fn packets_take_no_more_bursts_than_a_terminal_asks_for(
        encapsulation in any_encapsulation(), payload in any_payload(),
        sdus in prop::collection::vec(1..=1500u32, 1..60),
    ) {
        let whole: u32 = sdus.iter().map(|sdu| encapsulation.whole_bytes(*sdu)).sum();
        let asked = whole.div_ceil(encapsulation.least_burst_bytes(payload));
        prop_assert!(pack(encapsulation, payload, &sdus).len() as u32 <= asked);
    }

    #[test]
    fn what_arrives_is_exactly_the_packets_of_which_no_burst_is_lost(
        encapsulation in any_encapsulation(), payload in any_payload(),
        sdus in prop::collection::vec(1..=1500u32, 1..60), lost in prop::collection::vec(prop::bool::weighted(0.2), 3_000),
    ) {
        let mut receiver = Reassembler::new(encapsulation);
        let (mut expected, mut arrived) = (Vec::new(), Vec::new());
        let (mut number, mut intact) = (0, true);
        for (burst, lost) in pack(encapsulation, payload, &sdus).into_iter().zip(lost) {
            for ppdu in burst {
                intact &= !lost;
                arrived.extend(if lost { None } else { receiver.accept(ppdu) });
                if ppdu.is_last() {
                    expected.extend(intact.then_some(sdus[number]));
                    (number, intact) = (number + 1, true);
                }
            }
        }
        prop_assert_eq!(number, sdus.len());
        prop_assert_eq!(arrived, expected);
    }
}
