//! What holds for every carrier and every traffic.

use std::collections::BTreeSet;

use bentpipe_link::dvbs2::{Carrier, Edge, Encapsulation, Frame, IdleSpec};
use bentpipe_units::{Bytes, Duration, Time};
use proptest::prelude::*;

use super::carrier::*;

const NANOS_PER_SEC: u128 = 1_000_000_000;

/// How long symbols take, rounded up.
fn duration(carrier: &Carrier, symbols: u64) -> Duration {
    let span = (u128::from(symbols) * NANOS_PER_SEC).div_ceil(u128::from(carrier.symbol_rate.get()));
    Duration::from_nanos(u64::try_from(span).unwrap())
}

/// One way for a frame to be full: no room for the header of a first fragment and a byte, or no room at all for a
/// TS packet, which can be cut anywhere.
fn is_full(carrier: &Carrier, frame: &Frame) -> bool {
    let left = frame.plframe.data_field() - frame.used;
    match carrier.encapsulation {
        Encapsulation::Gse(gse) => left.get() < u64::from(gse.first_header()) + 1,
        Encapsulation::Ts(_) => left == Bytes::ZERO,
    }
}

proptest! {
    #[test]
    fn every_packet_is_completed_once_and_those_of_a_stream_in_order(
        carrier in any_carrier(1..4), offers in any_offers(3),
    ) {
        let offers: Vec<Offer> = offers.into_iter().filter(|offer| offer.stream < carrier.streams.len()).collect();
        let sent = punctually(&carrier, &offers);
        for stream in 0..carrier.streams.len() {
            let of_stream = sent.iter().filter(|(frame, _)| frame.stream == stream);
            let completed: Vec<usize> = of_stream.flat_map(|(_, numbers)| numbers).copied().collect();
            let offered: Vec<usize> = (0..offers.len()).filter(|number| offers[*number].stream == stream).collect();
            prop_assert_eq!(completed, offered);
        }
    }

    #[test]
    fn frames_carry_the_bytes_of_their_packets_and_the_headers_of_their_fragments(
        gse in any_gse(), carrier in any_carrier(1), mut offers in any_offers(1),
    ) {
        let carrier = Carrier { encapsulation: Encapsulation::Gse(gse), ..carrier };
        // Below the limit of GSE Length, so that packets are cut by frames only.
        offers.iter_mut().for_each(|offer| offer.len = offer.len.min(4_000));
        let sent = punctually(&carrier, &offers);
        let used: u64 = sent.iter().map(|(frame, _)| frame.used.get()).sum();
        let bytes: u64 = offers.iter().map(|offer| u64::from(offer.len)).sum();
        let complete_headers = offers.len() as u64 * u64::from(gse.complete_header());
        let cuts = sent.iter().filter(|(frame, _)| frame.ends == Edge::InsidePacket).count() as u64;
        let inside_and_completing = |(frame, _): &&Sent| frame.starts == Edge::InsidePacket && frame.completed > 0;
        let cut_packets = sent.iter().filter(inside_and_completing).count() as u64;
        // A cut packet has Frag ID and Total Length in its first header (3 more) and a CRC (4); every fragment after
        // the first has a header of 3.
        prop_assert_eq!(used, bytes + complete_headers + 7 * cut_packets + 3 * cuts);
    }

    #[test]
    fn no_frame_carries_more_than_its_data_field(carrier in any_carrier(1..4), offers in any_offers(1)) {
        for (frame, numbers) in punctually(&carrier, &offers) {
            prop_assert!(frame.used <= frame.plframe.data_field() && frame.used.get() > 0);
            prop_assert_eq!(frame.completed, numbers.len());
        }
    }

    #[test]
    fn what_a_frame_leaves_open_the_next_of_its_stream_continues(
        carrier in any_carrier(3), offers in any_offers(3),
    ) {
        let mut open = [Edge::BetweenPackets; 3];
        for (frame, _) in punctually(&carrier, &offers) {
            prop_assert_eq!(frame.starts, open[frame.stream]);
            open[frame.stream] = frame.ends;
        }
        prop_assert_eq!(open, [Edge::BetweenPackets; 3]);
    }

    #[test]
    fn one_frame_starts_when_the_one_before_has_ended_and_lasts_for_its_symbols(
        carrier in any_carrier(1..4), offers in any_offers(1),
    ) {
        let mut free = Time::ZERO;
        for (frame, _) in punctually(&carrier, &offers) {
            prop_assert!(frame.start >= free);
            let lasts = frame.end.since(frame.start);
            let exact = duration(&carrier, u64::from(frame.plframe.symbols()));
            // Start and end are each rounded up by less than a nanosecond.
            prop_assert!(exact.saturating_sub(lasts) <= Duration::from_nanos(1) && lasts <= exact);
            free = frame.end;
        }
    }

    #[test]
    fn the_oldest_packet_of_a_frame_never_waits_longer_than_the_closing_timeout_while_the_carrier_is_free(
        carrier in any_carrier(1), offers in any_offers(1),
    ) {
        let dummy = match carrier.idle {
            IdleSpec::Silence => Duration::ZERO,
            IdleSpec::DummyFrames => duration(&carrier, 3_330),
        };
        let mut free = Time::ZERO;
        let mut completed = 0;
        for (frame, numbers) in punctually(&carrier, &offers) {
            let closes = offers[completed].at + carrier.closing_timeout;
            prop_assert!(frame.start <= free.max(closes + dummy));
            prop_assert!(frame.start >= closes || is_full(&carrier, &frame), "nor is a frame closed early");
            completed += numbers.len();
            free = frame.end;
        }
    }

    #[test]
    fn a_continuous_carrier_is_a_gapless_train_of_frames_and_dummies(
        mut carrier in any_carrier(1..4), offers in any_offers(1),
    ) {
        carrier.idle = IdleSpec::DummyFrames;
        let mut symbols = 0;
        for (frame, _) in punctually(&carrier, &offers) {
            symbols += frame.dummies * 3_330;
            prop_assert_eq!(frame.start, Time::ZERO + duration(&carrier, symbols));
            symbols += u64::from(frame.plframe.symbols());
            prop_assert_eq!(frame.end, Time::ZERO + duration(&carrier, symbols));
        }
    }

    #[test]
    fn polling_late_changes_no_frame(
        carrier in any_carrier(3), offers in any_offers(3), changes in any_changes(),
    ) {
        let link = || Link::new(&carrier);
        let punctual = punctually_in(link(), &offers, &changes);
        prop_assert_eq!(punctual, belatedly_in(link(), &offers, &changes));
    }

    #[test]
    fn no_packet_of_any_class_waits_longer_than_the_closing_timeout_while_the_carrier_is_free(
        carrier in any_carrier(1), offers in any_offers(2),
    ) {
        let dummy = match carrier.idle {
            IdleSpec::Silence => Duration::ZERO,
            IdleSpec::DummyFrames => duration(&carrier, 3_330),
        };
        let mut free = Time::ZERO;
        let mut unsent: BTreeSet<usize> = (0..offers.len()).collect();
        for (frame, numbers) in punctually_in(Link::with_classes(&carrier, 2), &offers, &[]) {
            let oldest = unsent.first().map(|number| offers[*number].at).expect("a packet");
            prop_assert!(frame.start <= free.max(oldest + carrier.closing_timeout + dummy));
            numbers.iter().for_each(|number| _ = unsent.remove(number));
            free = frame.end;
        }
        prop_assert!(unsent.is_empty());
    }

    #[test]
    fn no_frame_starts_before_next_start(carrier in any_carrier(3), offers in any_offers(3)) {
        let mut link = Link::new(&carrier);
        for (number, offer) in offers.iter().enumerate() {
            link.poll(offer.at);
            link.offer(number, offer);
        }
        while let Some(start) = link.next_start() {
            let before = link.sent.len();
            if start > Time::ZERO {
                link.poll(Time::from_nanos(start.as_nanos() - 1));
                prop_assert_eq!(link.sent.len(), before);
            }
            link.poll(start);
            prop_assert_eq!(link.sent[before].0.start, start);
        }
    }
}
