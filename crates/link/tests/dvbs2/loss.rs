//! A lost frame loses every packet with a part in it.

use bentpipe_link::dvbs2::{Edge, Fate, FecFrameSpec, Frame, PilotsSpec, Reassembly};
use bentpipe_units::{Duration, Time};
use proptest::prelude::*;

use super::carrier::*;

/// Which packets arrive by the definition: those of which no frame that carries a part is lost.
fn survivors(sent: &[Sent], fates: &[Fate], packets: usize) -> Vec<bool> {
    let mut arrives = vec![true; packets];
    let mut completed = 0;
    for ((frame, numbers), fate) in sent.iter().zip(fates) {
        let started = numbers.len() + frame.open;
        if *fate == Fate::Lost {
            arrives[completed..completed + started].fill(false);
        }
        completed += numbers.len();
    }
    arrives
}

/// What reassembly makes of it.
fn reassembled(sent: &[Sent], fates: &[Fate]) -> Vec<bool> {
    let mut reassembly = Reassembly::new(1);
    let received = |((frame, _), fate): (&Sent, &Fate)| {
        let lost = reassembly.receive(frame, *fate);
        (0..frame.completed).map(move |index| index >= lost).collect::<Vec<bool>>()
    };
    sent.iter().zip(fates).flat_map(received).collect()
}

proptest! {
    #[test]
    fn exactly_those_packets_arrive_of_which_every_fragment_does(
        carrier in any_carrier(1), offers in any_offers(1), changes in any_changes(),
        seed in prop::collection::vec(any::<bool>(), 1..50),
    ) {
        let sent = punctually_in(Link::new(&carrier), &offers, &changes);
        let fate = |lost: &bool| if *lost { Fate::Lost } else { Fate::Received };
        let fates: Vec<Fate> = seed.iter().cycle().take(sent.len()).map(fate).collect();
        prop_assert_eq!(reassembled(&sent, &fates), survivors(&sent, &fates, offers.len()));
    }
}

#[test]
fn what_is_open_when_frames_become_small_goes_on_in_them_and_is_lost_with_any() {
    let carrier = ccm("QPSK 1/2", 1_000_000, Duration::ZERO);
    let small = plframe("QPSK 1/4", FecFrameSpec::Short, PilotsSpec::Off);
    let offers = [(0, 6_000), (1, 100)].map(|(ns, len)| Offer { at: Time::from_nanos(ns), stream: 0, len });
    let sent = punctually_in(Link::new(&carrier), &offers, &[None, Some(small)]);
    // Data fields of 4016 and 374 bytes: 7 + 4009, then 3 + 371 five times, and 3 + 136 + 4 with 4 + 100 behind.
    let used: Vec<u64> = sent.iter().map(|(frame, _)| frame.used.get()).collect();
    assert_eq!(used, [4_016, 374, 374, 374, 374, 374, 143 + 104]);
    for lost in 0..=sent.len() {
        let fates: Vec<Fate> =
            (0..sent.len()).map(|frame| if frame == lost { Fate::Lost } else { Fate::Received }).collect();
        // The last frame has the end of the first packet and all of the second.
        assert_eq!(reassembled(&sent, &fates), [lost == sent.len(), lost != sent.len() - 1], "frame {lost}");
    }
}

#[test]
fn streams_are_reassembled_apart() {
    let mut carrier = ccm("QPSK 1/4", 1_000_000, Duration::ZERO);
    carrier.streams = vec![carrier.streams[0]; 2];
    // 1991 bytes of data field: three frames each, in turns.
    let offers = [0, 1].map(|stream| Offer { at: Time::ZERO, stream, len: 5_000 });
    let sent = punctually(&carrier, &offers);
    let mut reassembly = Reassembly::new(2);
    let mut arrived = Vec::new();
    let mut lost_frames = 0;
    for (frame, numbers) in &sent {
        let lose = |frame: &Frame| frame.stream == 0 && frame.starts == Edge::BetweenPackets;
        lost_frames += usize::from(lose(frame));
        let lost = reassembly.receive(frame, if lose(frame) { Fate::Lost } else { Fate::Received });
        arrived.extend(&numbers[lost..]);
    }
    assert_eq!((sent.len(), lost_frames, arrived), (6, 1, vec![1]));
}
