//! Bursts of whole TS packets, for any packets.

use bentpipe_link::mpeg_ts::{Address, Encapsulation, Fragmenter, Part, Reassembler};
use bentpipe_link::rcs2;
use proptest::prelude::*;

use super::receiver::read;
use crate::common::transport_stream::write;

pub fn any_encapsulation() -> impl Strategy<Value = Encapsulation> {
    prop_oneof![
        Just(Encapsulation::Mpe),
        Just(Encapsulation::Ule(Address::Absent)),
        Just(Encapsulation::Ule(Address::Present))
    ]
}

/// Of any length, and of those at which an SNDU ends about where a TS packet does.
pub fn any_packets() -> impl Strategy<Value = Vec<u32>> {
    let boundary = (1..9u32, 150..190u32).prop_map(|(packets, end)| (packets - 1) * 184 + end);
    prop::collection::vec(prop_oneof![1..=1500u32, 1..=60u32, boundary], 1..60)
}

/// Packs packets into bursts of `size` TS packets, each as full as can be.
fn pack(encapsulation: Encapsulation, size: u32, lens: &[u32]) -> Vec<Vec<Part>> {
    let mut fragmenter = Fragmenter::new(encapsulation);
    let mut waiting = lens.iter().copied().peekable();
    let mut bursts = Vec::new();
    while waiting.peek().is_some() || fragmenter.pending_bytes() > 0 {
        let (mut burst, mut space) = (Vec::new(), size * 188);
        fragmenter.start_burst();
        loop {
            let part = match fragmenter.pending_bytes() {
                0 => waiting
                    .peek()
                    .and_then(|len| fragmenter.start(*len, space))
                    .inspect(|_| _ = waiting.next()),
                _ => fragmenter.resume(space),
            };
            let Some(part) = part else { break };
            space = space.checked_sub(part.burst_bytes()).expect("a burst holds no more than its payload");
            burst.push(part);
        }
        bursts.push(burst);
    }
    bursts
}

proptest! {
    #[test]
    fn a_receiver_by_the_standards_finds_every_packet_in_the_reference(
        encapsulation in any_encapsulation(), lens in any_packets(),
    ) {
        prop_assert_eq!(read(encapsulation, &write(encapsulation, &lens)), lens);
    }

    #[test]
    fn packets_take_the_ts_packets_of_the_reference_however_many_a_burst_has(
        encapsulation in any_encapsulation(), size in 1..9u32, lens in any_packets(),
    ) {
        let expected = write(encapsulation, &lens).len() as u32;
        let bursts = pack(encapsulation, size, &lens);
        let started: u32 = bursts.iter().flatten().map(|part| part.packets).sum();
        prop_assert_eq!((started, bursts.len() as u32), (expected, expected.div_ceil(size)));
    }

    #[test]
    fn every_byte_of_an_sndu_travels_once_and_in_order(
        encapsulation in any_encapsulation(), size in 1..9u32, lens in any_packets(),
    ) {
        let mut sent = pack(encapsulation, size, &lens).into_iter().flatten();
        for len in &lens {
            let mut travelled = 0;
            for part in sent.by_ref() {
                prop_assert_eq!(part.before, travelled);
                travelled += part.bytes;
                prop_assert_eq!(part.rest, encapsulation.sndu_bytes(*len) - travelled);
                if part.is_last() {
                    break;
                }
            }
            prop_assert_eq!(travelled, encapsulation.sndu_bytes(*len));
        }
        prop_assert_eq!(sent.next(), None);
    }

    #[test]
    fn packets_take_no_more_bursts_than_a_terminal_asks_for(
        encapsulation in any_encapsulation(), size in 1..9u32, lens in any_packets(),
    ) {
        let access = rcs2::Encapsulation::Ts(encapsulation);
        let whole: u32 = lens.iter().map(|len| access.whole_bytes(*len)).sum();
        let asked = whole.div_ceil(access.least_burst_bytes(size * 188));
        prop_assert!(pack(encapsulation, size, &lens).len() as u32 <= asked);
    }

    #[test]
    fn what_is_left_after_each_burst_needs_no_more_bursts_than_would_be_asked_for_it(
        encapsulation in any_encapsulation(), size in 1..9u32, lens in any_packets(),
    ) {
        let access = rcs2::Encapsulation::Ts(encapsulation);
        let bursts = pack(encapsulation, size, &lens);
        let mut left: u32 = lens.iter().map(|len| access.whole_bytes(*len)).sum();
        for (number, burst) in bursts.iter().enumerate() {
            let asked = left.div_ceil(access.least_burst_bytes(size * 188));
            prop_assert!((bursts.len() - number) as u32 <= asked);
            left -= burst.iter().map(|part| part.bytes).sum::<u32>();
        }
        prop_assert_eq!(left, 0);
    }

    #[test]
    fn what_arrives_is_exactly_the_packets_of_which_no_burst_is_lost(
        encapsulation in any_encapsulation(), size in 1..4u32, lens in any_packets(),
        lost in prop::collection::vec(prop::bool::weighted(0.2), 1_000),
    ) {
        let mut receiver = Reassembler::new(encapsulation);
        let (mut expected, mut arrived) = (Vec::new(), Vec::new());
        let (mut number, mut intact) = (0, true);
        for (burst, lost) in pack(encapsulation, size, &lens).into_iter().zip(lost) {
            for part in burst {
                intact &= !lost;
                arrived.extend(if lost { None } else { receiver.accept(part) });
                if part.is_last() {
                    expected.extend(intact.then_some(lens[number]));
                    (number, intact) = (number + 1, true);
                }
            }
        }
        prop_assert_eq!(number, lens.len());
        prop_assert_eq!(arrived, expected);
    }
}
