//! What the tests share: a queue, numbered packets, and ways of driving a transmitter.

use std::collections::VecDeque;
use std::ops::Range;

use bentpipe_link::dvbs2::{
    Backlog, Carrier, Encapsulation, FecFrameSpec, Frame, Gse, IdleSpec, Label, Modcod, PilotsSpec, PlFrame,
    Source, SymbolRate, Transmitter,
};
use bentpipe_units::{Bytes, Duration, Time};
use proptest::prelude::*;

pub use crate::common::numbered::Numbered;

/// A packet offered to a stream.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub at: Time,
    pub stream: usize,
    pub len: u32,
}

/// A queue that drops nothing, with as many queues for each stream, the most urgent first.
pub struct Fifos {
    queues: Vec<VecDeque<(Time, Numbered)>>,
    classes: usize,
}

impl Fifos {
    pub fn new(streams: usize, classes: usize) -> Self {
        Self { queues: vec![VecDeque::new(); streams * classes], classes }
    }

    pub fn push(&mut self, queue: usize, at: Time, packet: Numbered) {
        self.queues[queue].push_back((at, packet));
    }

    fn of(&self, stream: usize) -> Range<usize> {
        stream * self.classes..(stream + 1) * self.classes
    }
}

impl Source for Fifos {
    type Packet = Numbered;

    fn backlog(&self, stream: usize) -> Backlog {
        let waiting = || self.queues[self.of(stream)].iter().flatten();
        Backlog {
            packets: waiting().count() as u64,
            bytes: waiting().map(|(_, packet)| Bytes::new(u64::from(packet.len))).sum(),
            oldest: waiting().map(|(since, _)| *since).min(),
        }
    }

    fn pop(&mut self, stream: usize, _: Time) -> Option<(Time, Numbered)> {
        let queues = self.of(stream);
        self.queues[queues].iter_mut().find_map(VecDeque::pop_front)
    }
}

/// A frame with the numbers of the packets that it completes.
pub type Sent = (Frame, Vec<usize>);

/// Offers all packets, polling at each, and then lets the transmitter send what is left.
pub fn punctually(carrier: &Carrier, offers: &[Offer]) -> Vec<Sent> {
    punctually_in(Link::new(carrier), offers, &[])
}

/// The same on a link, whose first stream has these frames from the instants of the offers on.
pub fn punctually_in(mut link: Link, offers: &[Offer], changes: &[Option<PlFrame>]) -> Vec<Sent> {
    for (number, offer) in offers.iter().enumerate() {
        link.poll(offer.at);
        link.adapt(changes.get(number));
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

/// As [`punctually_in`], but polls at packets only, and once at the very end.
pub fn belatedly_in(mut link: Link, offers: &[Offer], changes: &[Option<PlFrame>]) -> Vec<Sent> {
    for (number, offer) in offers.iter().enumerate() {
        link.poll(offer.at);
        link.adapt(changes.get(number));
        link.offer(number, offer);
    }
    link.poll(Time::MAX);
    link.sent
}

/// A transmitter, its queue, and what it sent.
pub struct Link {
    pub transmitter: Transmitter<Numbered>,
    pub source: Fifos,
    pub sent: Vec<Sent>,
}

impl Link {
    pub fn new(carrier: &Carrier) -> Self {
        Self::with_classes(carrier, 1)
    }

    /// With so many queues for each stream.
    pub fn with_classes(carrier: &Carrier, classes: usize) -> Self {
        Self {
            transmitter: Transmitter::new(carrier, Time::ZERO),
            source: Fifos::new(carrier.streams.len(), classes),
            sent: Vec::new(),
        }
    }

    fn adapt(&mut self, change: Option<&Option<PlFrame>>) {
        if let Some(Some(plframe)) = change {
            self.transmitter.set_plframe(0, *plframe);
        }
    }

    pub fn offer(&mut self, number: usize, offer: &Offer) {
        self.source.push(offer.stream, offer.at, Numbered { number, len: offer.len });
    }

    pub fn next_start(&self) -> Option<Time> {
        self.transmitter.next_start(|stream| self.source.backlog(stream))
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

pub fn plframe(modcod: &str, fecframe: FecFrameSpec, pilots: PilotsSpec) -> PlFrame {
    PlFrame::new(Modcod::named(modcod).unwrap(), fecframe, pilots).unwrap()
}

/// CCM on normal FECFRAMEs without pilots, silent when idle.
pub fn ccm(modcod: &str, symbol_rate: u64, closing_timeout: Duration) -> Carrier {
    Carrier {
        symbol_rate: SymbolRate::new(symbol_rate).unwrap(),
        idle: IdleSpec::Silence,
        encapsulation: Encapsulation::gse(Label::Broadcast),
        closing_timeout,
        scheduling: None,
        streams: vec![plframe(modcod, FecFrameSpec::Normal, PilotsSpec::Off)],
    }
}

pub fn any_plframe() -> impl Strategy<Value = PlFrame> {
    let fecframe = prop_oneof![Just(FecFrameSpec::Normal), Just(FecFrameSpec::Short)];
    let pilots = prop_oneof![Just(PilotsSpec::Off), Just(PilotsSpec::On)];
    (1..=28u8, fecframe, pilots).prop_filter_map("no 9/10 on short frames", |(number, fecframe, pilots)| {
        PlFrame::new(Modcod::new(number)?, fecframe, pilots)
    })
}

/// Now and then other frames.
pub fn any_changes() -> impl Strategy<Value = Vec<Option<PlFrame>>> {
    prop::collection::vec(prop::option::weighted(0.2, any_plframe()), 0..150)
}

/// With GSE or a transport stream.
pub fn any_carrier(streams: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Carrier> {
    any_carrier_with(prop_oneof![3 => any_gse().prop_map(Encapsulation::Gse), 2 => any_ts()], streams)
}

pub fn any_gse() -> impl Strategy<Value = Gse> {
    prop_oneof![Just(Label::Broadcast), Just(Label::Three), Just(Label::Six)].prop_map(Gse::new)
}

pub fn any_ts() -> impl Strategy<Value = Encapsulation> {
    prop_oneof![Just(Encapsulation::mpe()), Just(Encapsulation::ule())]
}

pub fn any_carrier_with(
    encapsulation: impl Strategy<Value = Encapsulation>,
    streams: impl Into<prop::collection::SizeRange>,
) -> impl Strategy<Value = Carrier> {
    let rate = (prop_oneof![100_000..1_000_000u64, 1_000_000..50_000_000u64])
        .prop_map(|rate| SymbolRate::new(rate).unwrap());
    let idle = prop_oneof![Just(IdleSpec::Silence), Just(IdleSpec::DummyFrames)];
    let timeout = prop_oneof![Just(0), 0..50_000_000u64].prop_map(Duration::from_nanos);
    let streams = prop::collection::vec(any_plframe(), streams);
    (rate, idle, encapsulation, timeout, streams).prop_map(
        |(symbol_rate, idle, encapsulation, closing_timeout, streams)| Carrier {
            symbol_rate,
            idle,
            encapsulation,
            closing_timeout,
            scheduling: None,
            streams,
        },
    )
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
