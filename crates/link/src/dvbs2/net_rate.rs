//! The rate of IP packets that a carrier comes to, found by packing frames and not by a formula.

use bentpipe_units::{Bytes, Duration, Rate, Time};

use super::{Backlog, Carrier, Encapsulation, IdleSpec, PlFrame, Source, SymbolRate, Transmitter};
use crate::Packet;

/// So many frames hold so many packets that the one cut at the end weighs less than a thousandth.
const FRAMES: usize = 10_000;

/// The rate of IP packets of one length, one after the other, on a carrier of such frames.
pub fn net_rate(rate: SymbolRate, encapsulation: Encapsulation, plframe: PlFrame, packet: Bytes) -> Rate {
    let carrier = Carrier {
        symbol_rate: rate,
        idle: IdleSpec::Silence,
        encapsulation,
        closing_timeout: Duration::ZERO,
        scheduling: None,
        streams: vec![plframe],
    };
    let mut transmitter = Transmitter::new(&carrier, Time::ZERO);
    let mut endless = Endless(packet);
    let mut sent = Bytes::ZERO;
    for _ in 0..FRAMES {
        let _ = transmitter.poll(Time::MAX, &mut endless, |_| sent += packet);
    }
    Rate::of(sent, transmitter.free_at().since(Time::ZERO))
}

/// A packet of a length.
struct Uniform(Bytes);

/// A queue that never empties.
struct Endless(Bytes);

impl Packet for Uniform {
    fn len_bytes(&self) -> u32 {
        u32::try_from(self.0.get()).expect("an IP packet is shorter than 4 GiB")
    }
}

impl Source for Endless {
    type Packet = Uniform;

    fn backlog(&self, _: usize) -> Backlog {
        Backlog { packets: 1, bytes: self.0, oldest: Some(Time::ZERO) }
    }

    fn pop(&mut self, _: usize, _: Time) -> Option<(Time, Uniform)> {
        Some((Time::ZERO, Uniform(self.0)))
    }
}
