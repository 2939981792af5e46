//! What the tests share: a waiting room, numbered packets, and ways of driving a transmitter.

use std::collections::VecDeque;

use bentpipe_link::dvbs2::{
    Backlog, Carrier, Encapsulation, FecFrame, Frame, Idle, Label, Modcod, Pilots, PlFrame, Source,
    SymbolRate, Transmitter,
};
use bentpipe_units::{Bytes, Duration, Time};
use proptest::prelude::*;

pub use crate::numbered::Numbered;

/// A packet offered to a stream.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub at: Time,
    pub stream: usize,
    pub len: u32,
}

/// A waiting room that drops nothing.
pub struct Fifos(Vec<VecDeque<(Time, Numbered)>>);

impl Fifos {
    pub fn new(streams: usize) -> Self {
        Self(vec![VecDeque::new(); streams])
    }

    pub fn push(&mut self, stream: usize, at: Time, packet: Numbered) {
        self.0[stream].push_back((at, packet));
    }
}

impl Source for Fifos {
    type Packet = Numbered;

    fn backlog(&self, stream: usize) -> Backlog {
        let waiting = &self.0[stream];
        Backlog {
            packets: waiting.len() as u64,
            bytes: waiting.iter().map(|(_, packet)| Bytes::new(u64::from(packet.len))).sum(),
            oldest: waiting.front().map(|(since, _)| *since),
        }
    }

    fn pop(&mut self, stream: usize, _: Time) -> Option<(Time, Numbered)> {
        self.0[stream].pop_front()
    }
}

/// A frame with the numbers of the packets that it completes.
pub type Sent = (Frame, Vec<usize>);

/// Offers all packets, polling at each, and then lets the transmitter send what is left.
pub fn punctually(carrier: &Carrier, offers: &[Offer]) -> Vec<Sent> {
    let mut link = Link::new(carrier);
    for (number, offer) in offers.iter().enumerate() {
        link.poll(offer.at);
        link.offer(number, offer);
        // The driver comes back when it was told to, but not at the instant of the next packet.
        while let Some(start) = link.next_start()
            && offers.get(number + 1).is_none_or(|next| start < next.at)
        {
            link.poll(start);
        }
    }
    link.sent
}

/// As [`punctually`], but polls at packets only, and once at the very end.
pub fn belatedly(carrier: &Carrier, offers: &[Offer]) -> Vec<Sent> {
    let mut link = Link::new(carrier);
    for (number, offer) in offers.iter().enumerate() {
        link.poll(offer.at);
        link.offer(number, offer);
    }
    link.poll(Time::MAX);
    link.sent
}

/// A transmitter, its waiting room, and what it sent.
pub struct Link {
    pub transmitter: Transmitter<Numbered>,
    pub source: Fifos,
    pub sent: Vec<Sent>,
}

impl Link {
    pub fn new(carrier: &Carrier) -> Self {
        Self {
            transmitter: Transmitter::new(carrier, Time::ZERO),
            source: Fifos::new(carrier.streams.len()),
            sent: Vec::new(),
        }
    }

    pub fn offer(&mut self, number: usize, offer: &Offer) {
        self.source.push(offer.stream, offer.at, Numbered { number, len: offer.len });
    }

    pub fn next_start(&self) -> Option<Time> {
        self.transmitter.next_start(&self.source)
    }

    pub fn poll(&mut self, now: Time) {
        let mut numbers = Vec::new();
        while let Some(frame) =
            self.transmitter.poll(now, &mut self.source, |packet| numbers.push(packet.number))
        {
            self.sent.push((frame, std::mem::take(&mut numbers)));
        }
    }
}

pub fn plframe(modcod: &str, fecframe: FecFrame, pilots: Pilots) -> PlFrame {
    PlFrame::new(Modcod::named(modcod).unwrap(), fecframe, pilots).unwrap()
}

/// CCM on normal FECFRAMEs without pilots, silent when idle.
pub fn ccm(modcod: &str, symbol_rate: u64, closing_timeout: Duration) -> Carrier {
    Carrier {
        symbol_rate: SymbolRate::new(symbol_rate).unwrap(),
        idle: Idle::Silence,
        encapsulation: Encapsulation::new(Label::Broadcast),
        closing_timeout,
        streams: vec![plframe(modcod, FecFrame::Normal, Pilots::Off)],
    }
}

pub fn any_plframe() -> impl Strategy<Value = PlFrame> {
    let fecframe = prop_oneof![Just(FecFrame::Normal), Just(FecFrame::Short)];
    let pilots = prop_oneof![Just(Pilots::Off), Just(Pilots::On)];
    (1..=28u8, fecframe, pilots).prop_filter_map("no 9/10 on short frames", |(number, fecframe, pilots)| {
        PlFrame::new(Modcod::new(number)?, fecframe, pilots)
    })
}

pub fn any_carrier(streams: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Carrier> {
    let rate = (prop_oneof![100_000..1_000_000u64, 1_000_000..50_000_000u64])
        .prop_map(|rate| SymbolRate::new(rate).unwrap());
    let idle = prop_oneof![Just(Idle::Silence), Just(Idle::DummyFrames)];
    let label = prop_oneof![Just(Label::Broadcast), Just(Label::Three), Just(Label::Six)];
    let timeout = prop_oneof![Just(0), 0..50_000_000u64].prop_map(Duration::from_nanos);
    let streams = prop::collection::vec(any_plframe(), streams);
    (rate, idle, label, timeout, streams).prop_map(|(symbol_rate, idle, label, closing_timeout, streams)| {
        Carrier { symbol_rate, idle, encapsulation: Encapsulation::new(label), closing_timeout, streams }
    })
}

/// Bursts and pauses; packets up to jumbo frames, for any of `streams` streams.
pub fn any_offers(streams: usize) -> impl Strategy<Value = Vec<Offer>> {
    let gap = prop_oneof![2 => Just(0), 2 => 0..3_000_000u64, 1 => 0..100_000_000u64];
    let len = prop_oneof![4 => 20..1501u32, 1 => 20..9_001u32];
    prop::collection::vec((gap, 0..streams, len), 1..150).prop_map(|offers| {
        let mut at = Time::ZERO;
        let timed = offers.into_iter().map(|(gap, stream, len)| {
            at += Duration::from_nanos(gap);
            Offer { at, stream, len }
        });
        timed.collect()
    })
}
