//! A lost frame loses every packet with a fragment in it.

use bentpipe_link::dvbs2::{Edge, Fate, Frame, Reassembly};
use bentpipe_units::Duration;
use proptest::prelude::*;

use crate::carrier::*;

/// Which packets arrive by the definition: those of which no frame that carries a part is lost.
fn survivors(sent: &[Sent], fates: &[Fate], packets: usize) -> Vec<bool> {
    let mut arrives = vec![true; packets];
    let mut completed = 0;
    for ((frame, numbers), fate) in sent.iter().zip(fates) {
        let begun = numbers.len() + usize::from(frame.ends == Edge::InsidePacket);
        if *fate == Fate::Lost {
            arrives[completed..completed + begun].fill(false);
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
        carrier in any_carrier(1), offers in any_offers(1), seed in prop::collection::vec(any::<bool>(), 1..50),
    ) {
        let sent = punctually(&carrier, &offers);
        let fate = |lost: &bool| if *lost { Fate::Lost } else { Fate::Received };
        let fates: Vec<Fate> = seed.iter().cycle().take(sent.len()).map(fate).collect();
        prop_assert_eq!(reassembled(&sent, &fates), survivors(&sent, &fates, offers.len()));
    }
}

#[test]
fn streams_are_reassembled_apart() {
    let mut carrier = ccm("QPSK 1/4", 1_000_000, Duration::ZERO);
    carrier.streams = vec![carrier.streams[0]; 2];
    // 1991 bytes of data field: three frames each, in turns.
    let offers = [0, 1].map(|stream| Offer { at: bentpipe_units::Time::ZERO, stream, len: 5_000 });
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
