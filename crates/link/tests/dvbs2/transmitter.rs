//! When frames start, and what they carry, case by case.

use bentpipe_link::dvbs2::{
    Backlog, Carrier, Edge, Encapsulation, FecFrameSpec, IdleSpec, Label, PilotsSpec, Source, Transmitter,
};
use bentpipe_units::{Bytes, Duration, Time};

use super::carrier::*;

const MS: u64 = 1_000_000;

fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

fn packets(ns: impl IntoIterator<Item = u64>, len: u32) -> Vec<Offer> {
    ns.into_iter().map(|ns| Offer { at: at(ns), stream: 0, len }).collect()
}

fn starts(sent: &[Sent]) -> Vec<u64> {
    sent.iter().map(|(frame, _)| frame.start.as_nanos()).collect()
}

fn completed(sent: &[Sent]) -> Vec<Vec<usize>> {
    sent.iter().map(|(_, numbers)| numbers.clone()).collect()
}

#[test]
fn a_lone_packet_leaves_when_it_has_waited_for_the_closing_timeout() {
    for timeout in [0, 5 * MS] {
        let carrier = ccm("QPSK 1/4", 1_000_000, Duration::from_nanos(timeout));
        let sent = punctually(&carrier, &packets([3 * MS], 100));
        assert_eq!(starts(&sent), [3 * MS + timeout]);
        // 32 490 symbols at 1 Msymbol/s; 4 bytes of header.
        assert_eq!(sent[0].0.end, sent[0].0.start + Duration::from_micros(32_490));
        assert_eq!(sent[0].0.used, Bytes::new(104));
    }
}

#[test]
fn a_frame_that_fills_leaves_at_once() {
    // 1991 bytes of data field: the second packet, of which 480 bytes fit behind a header of 7, fills it at 2 ms. The
    // rest has waited longer than the timeout when the carrier is free.
    let carrier = ccm("QPSK 1/4", 1_000_000, Duration::from_millis(5));
    let sent = punctually(&carrier, &packets([0, 2 * MS], 1_500));
    assert_eq!(starts(&sent), [2 * MS, 2 * MS + 32_490_000]);
    assert_eq!(completed(&sent), [vec![0], vec![1]]);
    assert_eq!((sent[0].0.used, sent[0].0.ends), (Bytes::new(1_991), Edge::InsidePacket));
    // 1991 - 1504 = 487 = 7 + 480; 1020 are left, with a header of 3 and the CRC.
    assert_eq!(sent[1].0.used, Bytes::new(1_020 + 7));
}

#[test]
fn a_frame_with_no_room_to_start_another_packet_counts_as_full() {
    // 1991 bytes of data field, 4 of header and the label. A first fragment takes 8 and the label at least: 7 of header
    // and one byte.
    for (label, bytes) in [(Label::Broadcast, 0), (Label::Three, 3), (Label::Six, 6)] {
        let encapsulation = Encapsulation::gse(label);
        let carrier = Carrier { encapsulation, ..ccm("QPSK 1/4", 1_000_000, Duration::from_millis(5)) };
        for (room, start, ends) in
            [(8 + bytes, 5 * MS, Edge::InsidePacket), (7 + bytes, 0, Edge::BetweenPackets)]
        {
            let first = packets([0], 1_991 - room - (4 + bytes));
            assert_eq!(starts(&punctually(&carrier, &first)), [start], "{label:?}, {room} bytes left");
            let both = [first, packets([0], 100)].concat();
            let (frame, _) = &punctually(&carrier, &both)[0];
            assert_eq!((frame.start, frame.ends), (at(0), ends), "{label:?}, {room} bytes left");
        }
    }
}

#[test]
fn packets_that_come_while_a_frame_is_on_air_share_the_next() {
    let carrier = ccm("QPSK 1/4", 1_000_000, Duration::ZERO);
    let sent = punctually(&carrier, &packets([0, 10 * MS, 20 * MS, 30 * MS], 100));
    assert_eq!(starts(&sent), [0, 32_490_000]);
    assert_eq!(completed(&sent), [vec![0], vec![1, 2, 3]]);
}

#[test]
fn a_packet_of_9000_bytes_takes_five_small_frames() {
    let carrier = ccm("QPSK 1/4", 1_000_000, Duration::ZERO);
    let sent = punctually(&carrier, &packets([0], 9_000));
    // 7 + 1984, then 3 + 1988 three times; 1052 are left with 3 + 4.
    let used: Vec<u64> = sent.iter().map(|(frame, _)| frame.used.get()).collect();
    assert_eq!(used, [1_991, 1_991, 1_991, 1_991, 1_059]);
    assert_eq!(completed(&sent), [vec![], vec![], vec![], vec![], vec![0]]);
}

#[test]
fn a_continuous_carrier_lets_a_dummy_frame_end_first() {
    let mut carrier = ccm("QPSK 1/4", 40_000_000, Duration::ZERO);
    carrier.idle = IdleSpec::DummyFrames;
    let sent = punctually(&carrier, &packets([MS], 100));
    // A dummy has 3330 symbols, 83 250 ns: the 13th is in progress at 1 ms, and ends at 1 082 250 ns.
    assert_eq!((sent[0].0.start, sent[0].0.dummies), (at(1_082_250), 13));
}

#[test]
fn a_packet_that_comes_at_the_boundary_between_dummies_starts_there() {
    let mut carrier = ccm("QPSK 1/4", 40_000_000, Duration::ZERO);
    carrier.idle = IdleSpec::DummyFrames;
    let sent = punctually(&carrier, &packets([13 * 83_250], 100));
    assert_eq!((sent[0].0.start, sent[0].0.dummies), (at(13 * 83_250), 13));
}

#[test]
fn the_first_of_several_vcm_streams_goes_first_and_they_share_no_frame() {
    let mut carrier = ccm("QPSK 1/4", 1_000_000, Duration::ZERO);
    carrier.streams.push(plframe("8PSK 3/5", FecFrameSpec::Normal, PilotsSpec::Off));
    let offer = |ns, stream| Offer { at: at(ns), stream, len: 100 };
    // The first is on air until 32.49 ms; then it is again the first stream's turn, though its packet came later.
    let sent = punctually(&carrier, &[offer(0, 0), offer(2 * MS, 1), offer(3 * MS, 0), offer(4 * MS, 1)]);
    let streams: Vec<usize> = sent.iter().map(|(frame, _)| frame.stream).collect();
    assert_eq!(streams, [0, 0, 1]);
    assert_eq!(completed(&sent), [vec![0], vec![2], vec![1, 3]]);
    assert_eq!(starts(&sent), [0, 32_490_000, 2 * 32_490_000]);
}

#[test]
fn acm_changes_the_frames_that_start_later() {
    let carrier = ccm("QPSK 1/4", 1_000_000, Duration::ZERO);
    let mut link = Link::new(&carrier);
    for number in 0..2 {
        link.offer(number, &Offer { at: Time::ZERO, stream: 0, len: 1_500 });
    }
    link.poll(at(MS));
    link.transmitter.set_plframe(0, plframe("8PSK 3/5", FecFrameSpec::Short, PilotsSpec::On));
    link.poll(Time::MAX);
    let modcods: Vec<String> =
        link.sent.iter().map(|(frame, _)| frame.plframe.modcod().to_string()).collect();
    assert_eq!(modcods, ["QPSK 1/4", "8PSK 3/5"]);
    // (9 552 - 80) / 8 = 1184 bytes hold the rest of the second packet, 1020 + 7; 5598 symbols.
    assert_eq!(completed(&link.sent), [vec![0], vec![1]]);
    assert_eq!(link.sent[1].0.end, link.sent[1].0.start + Duration::from_micros(5_598));
}

#[test]
fn a_packet_that_is_partly_sent_is_counted_as_open() {
    let mut link = Link::new(&ccm("QPSK 1/4", 1_000_000, Duration::ZERO));
    link.offer(0, &Offer { at: Time::ZERO, stream: 0, len: 3_000 });
    link.poll(Time::ZERO);
    assert_eq!((link.transmitter.open_packets(), link.source.backlog(0)), (1, Backlog::default()));
    assert_eq!((link.transmitter.free_at(), link.next_start()), (at(32_490_000), Some(at(32_490_000))));
    link.poll(Time::MAX);
    assert_eq!((link.transmitter.open_packets(), link.next_start()), (0, None));
}

/// A queue that drops the packets before the last.
struct Fickle(Vec<Numbered>);

impl Source for Fickle {
    type Packet = Numbered;

    fn backlog(&self, _: usize) -> Backlog {
        let bytes = self.0.iter().map(|packet| Bytes::new(u64::from(packet.len))).sum();
        Backlog { packets: self.0.len() as u64, bytes, oldest: (!self.0.is_empty()).then_some(Time::ZERO) }
    }

    fn pop(&mut self, _: usize, _: Time) -> Option<(Time, Numbered)> {
        let last = self.0.len() == 1;
        let packet = self.0.pop()?;
        last.then_some((Time::ZERO, packet))
    }
}

#[test]
fn a_waiting_room_that_drops_everything_it_had_for_a_frame_makes_no_frame() {
    let carrier = ccm("QPSK 1/4", 1_000_000, Duration::ZERO);
    let mut transmitter = Transmitter::new(&carrier, Time::ZERO);
    let mut source = Fickle((0..3).map(|number| Numbered { number, len: 100 }).collect());
    let mut numbers = Vec::new();
    let frame = transmitter.poll(Time::ZERO, &mut source, |packet| numbers.push(packet.number)).unwrap();
    assert_eq!((frame.start, frame.completed, numbers), (Time::ZERO, 1, vec![0]));
}
