//! Frames that carry a transport stream, against one written byte by byte.

use bentpipe_link::dvbs2::{Carrier, Edge, Encapsulation, Fate, Reassembly};
use bentpipe_units::{Bytes, Duration, Time};
use proptest::prelude::*;

use super::carrier::*;
use crate::common::transport_stream as reference;

/// Long enough for all that comes at one instant to be there.
const AT_ONCE: Duration = Duration::from_nanos(1);

fn at_once(lens: &[u32]) -> Vec<Offer> {
    lens.iter().map(|len| Offer { at: Time::ZERO, stream: 0, len: *len }).collect()
}

fn over_ts(encapsulation: Encapsulation, closing_timeout: Duration) -> Carrier {
    Carrier { encapsulation, ..ccm("QPSK 1/4", 1_000_000, closing_timeout) }
}

fn inner(encapsulation: Encapsulation) -> bentpipe_link::mpeg_ts::Encapsulation {
    match encapsulation {
        Encapsulation::Ts(ts) => ts,
        Encapsulation::Gse(_) => unreachable!("a transport stream"),
    }
}

fn any_lens() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(prop_oneof![20..1501u32, 20..61u32, 150..190u32], 1..40)
}

/// The frames with bytes of a TS packet, by its number, when frames carry TS packets without a gap.
fn frames_of(sent: &[Sent], ts_packet: usize) -> (usize, usize) {
    let mut end = 0;
    let ends: Vec<u64> = sent
        .iter()
        .map(|(frame, _)| {
            end += frame.used.get();
            end
        })
        .collect();
    let frame_of = |byte: u64| ends.partition_point(|end| *end <= byte);
    (frame_of(ts_packet as u64 * 188), frame_of(ts_packet as u64 * 188 + 187))
}

#[test]
fn a_packet_of_1500_bytes_takes_nine_ts_packets_of_188_bytes() {
    for encapsulation in [Encapsulation::mpe(), Encapsulation::ule()] {
        let sent = punctually(&over_ts(encapsulation, AT_ONCE), &at_once(&[1500]));
        assert_eq!(sent.len(), 1);
        assert_eq!((sent[0].0.used, sent[0].0.completed), (Bytes::new(9 * 188), 1));
    }
}

#[test]
fn a_ts_packet_is_cut_where_the_frame_ends_and_what_is_in_it_complete_with_its_other_part() {
    // 1991 bytes of data field: ten TS packets and 111 bytes of the eleventh. Two SNDUs of 1508 bytes are 183 + 8 x 184
    // = 1655 of the first nine, so the second starts in the ninth with 147 - 1 bytes and has 184 in each after it.
    let sent = punctually(&over_ts(Encapsulation::ule(), AT_ONCE), &at_once(&[1500, 1500]));
    let frames: Vec<_> =
        sent.iter().map(|(frame, _)| (frame.used.get(), frame.completed, frame.ends)).collect();
    // 1362 bytes are left for 7.4 more: 17 TS packets in all.
    assert_eq!(frames, [(1991, 1, Edge::InsidePacket), (17 * 188 - 1991, 1, Edge::BetweenPackets)]);
}

#[test]
fn a_packet_whose_last_byte_is_in_a_cut_ts_packet_waits_for_the_rest_of_it() {
    // Ten TS packets are 1880 bytes; the eleventh, with one short packet and padding, has 111 bytes in the first frame.
    let full = 183 + 9 * 184 - 8;
    let sent = punctually(&over_ts(Encapsulation::ule(), AT_ONCE), &at_once(&[full, 40]));
    let frames: Vec<_> =
        sent.iter().map(|(frame, _)| (frame.used.get(), frame.completed, frame.open)).collect();
    assert_eq!(frames, [(1991, 1, 1), (77, 1, 0)]);
}

#[test]
fn what_is_left_of_a_ts_packet_is_padding_when_nothing_more_waits() {
    // The second packet comes during the first frame: it finds the TS packet of the first gone.
    let carrier = over_ts(Encapsulation::mpe(), AT_ONCE);
    let offers = [0, 1_000_000].map(|ns| Offer { at: Time::from_nanos(ns), stream: 0, len: 40 });
    let used: Vec<_> = punctually(&carrier, &offers).iter().map(|(frame, _)| frame.used.get()).collect();
    assert_eq!(used, [188, 188]);
    // Together they share one.
    let together = punctually(&carrier, &at_once(&[40, 40]));
    assert_eq!((together.len(), together[0].0.used), (1, Bytes::new(188)));
}

#[test]
fn a_frame_is_full_when_ts_packets_without_padding_fill_it() {
    // 1991 bytes take eleven TS packets: 11 x 184 bytes of SNDUs are sure to fill them.
    let timeout = Duration::from_millis(5);
    for (len, start) in [(11 * 184 - 8, Time::ZERO), (11 * 184 - 9, Time::ZERO + timeout)] {
        let sent = punctually(&over_ts(Encapsulation::ule(), timeout), &at_once(&[len]));
        assert_eq!(sent[0].0.start, start, "{len} bytes");
    }
}

#[test]
fn a_lost_frame_loses_all_packets_of_a_ts_packet_that_it_has_a_byte_of() {
    // Behind 1880 bytes of one packet come two that share the eleventh TS packet, of which the first frame has 111
    // bytes: the second of them starts at byte 4 + 1 + 108 and has no byte there.
    let full = 183 + 9 * 184 - 8;
    let sent = punctually(&over_ts(Encapsulation::ule(), AT_ONCE), &at_once(&[full, 100, 40, 40]));
    let mut reassembly = Reassembly::new(1);
    assert_eq!(sent.iter().map(|(frame, _)| frame.completed).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(reassembly.receive(&sent[0].0, Fate::Lost), 1);
    // 108 + 48 of 183 bytes, and 27 of the third, which ends in the twelfth TS packet.
    assert_eq!((sent[0].0.open, reassembly.receive(&sent[1].0, Fate::Received)), (3, 3));
}

/// The first and the last TS packet with bytes of each of these packets, one behind the other.
fn spans(encapsulation: Encapsulation, lens: &[u32]) -> Vec<(usize, usize)> {
    let written = |count| reference::write(inner(encapsulation), &lens[..count]);
    let span = |number: usize| {
        let (before, with) = (written(number), written(number + 1));
        // The last TS packet of those before it is another one when it has bytes there.
        let joins = before.last().is_some_and(|packet| with[before.len() - 1] != *packet);
        (before.len() - usize::from(joins), with.len() - 1)
    };
    (0..lens.len()).map(span).collect()
}

proptest! {
    #[test]
    fn a_backlog_takes_the_ts_packets_of_the_reference_and_completes_with_them(
        carrier in any_carrier_with(any_ts(), 1), lens in any_lens(),
    ) {
        let sent = punctually(&Carrier { closing_timeout: AT_ONCE, ..carrier.clone() }, &at_once(&lens));
        let ts = inner(carrier.encapsulation);
        let used: u64 = sent.iter().map(|(frame, _)| frame.used.get()).sum();
        prop_assert_eq!(used, 188 * reference::write(ts, &lens).len() as u64);
        let spans = spans(carrier.encapsulation, &lens);
        for (index, (_, numbers)) in sent.iter().enumerate() {
            for number in numbers {
                prop_assert_eq!(frames_of(&sent, spans[*number].1).1, index);
            }
        }
    }

    #[test]
    fn those_packets_arrive_of_which_every_ts_packet_does(
        carrier in any_carrier_with(any_ts(), 1), lens in any_lens(), seed in prop::collection::vec(any::<bool>(), 1..50),
    ) {
        let sent = punctually(&Carrier { closing_timeout: AT_ONCE, ..carrier.clone() }, &at_once(&lens));
        let lost: Vec<bool> = seed.iter().cycle().take(sent.len()).copied().collect();
        let arrives = |(first, last): (usize, usize)| {
            let frames = frames_of(&sent, first).0..=frames_of(&sent, last).1;
            !lost[frames].contains(&true)
        };
        let expected: Vec<bool> = spans(carrier.encapsulation, &lens).into_iter().map(arrives).collect();
        let mut reassembly = Reassembly::new(1);
        let mut found = Vec::new();
        for ((frame, _), lost) in sent.iter().zip(&lost) {
            let missing = reassembly.receive(frame, if *lost { Fate::Lost } else { Fate::Received });
            found.extend((0..frame.completed).map(|index| index >= missing));
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn frames_carry_whole_ts_packets_with_at_least_the_bytes_of_the_packets(
        carrier in any_carrier_with(any_ts(), 1), offers in any_offers(1),
    ) {
        let ts = inner(carrier.encapsulation);
        let used: u64 = punctually(&carrier, &offers).iter().map(|(frame, _)| frame.used.get()).sum();
        let alone: u64 = offers.iter().map(|offer| 188 * reference::write(ts, &[offer.len]).len() as u64).sum();
        let together = 188 * reference::write(ts, &offers.iter().map(|offer| offer.len).collect::<Vec<_>>()).len() as u64;
        prop_assert_eq!(used % 188, 0);
        prop_assert!(together <= used && used <= alone, "{together} {used} {alone}");
    }
}
