use bentpipe_units::{Duration, Time};

use super::terminal::{Sink, Terminal};
use super::{BackgroundConfig, ReturnConfig};
use crate::rcs2::{Reassembler, Superframes};
use crate::{Packet, Way, random::Stream};

/// A terminal whose packets are its own and go nowhere.
pub(super) struct Background {
    pub(super) terminal: Terminal<Filler>,
    source: Source,
    receiver: [Reassembler; 1],
}

/// A packet without content.
pub(super) struct Filler {
    bytes: u32,
}

/// Packets of one length at exponential gaps: a Poisson process.
struct Source {
    stream: Stream,
    bytes: u32,
    mean_gap_ns: f64,
    next: Time,
}

impl Background {
    pub(super) fn new(
        config: &ReturnConfig,
        own: &BackgroundConfig,
        number: u32,
        superframes: Superframes,
        seed: u64,
    ) -> Self {
        Self {
            terminal: Terminal::new(config, &[own.class], number, superframes),
            source: Source::new(own, number, seed, superframes.start(0)),
            receiver: [Reassembler::new(config.encapsulation)],
        }
    }

    /// Does all that is to be done in the superframe that lasts until `end`.
    pub(super) fn run_until(&mut self, end: Time, sink: &mut impl Sink<Filler>) {
        while let Some(step) = self.terminal.next() {
            self.receive_until(step.span().start);
            self.terminal.act(step, &mut self.receiver, sink);
        }
        self.receive_until(end);
    }

    fn receive_until(&mut self, now: Time) {
        while self.source.next < now {
            let (at, filler) = self.source.take();
            // What finds the queue full is lost, as anybody's packet.
            let _ = self.terminal.enqueue(at, 0, filler);
        }
    }
}

impl Source {
    fn new(config: &BackgroundConfig, number: u32, seed: u64, start: Time) -> Self {
        let rate = config.load.as_bytes_per_sec();
        let mut source = Self {
            stream: Stream::new(seed, Way::Return, &format!("background.{number}")),
            bytes: u32::try_from(config.packet.get()).unwrap_or(u32::MAX),
            mean_gap_ns: config.packet.get() as f64 / rate * 1e9,
            next: start,
        };
        source.next = source.after(start);
        source
    }

    fn take(&mut self) -> (Time, Filler) {
        let at = self.next;
        self.next = self.after(at);
        (at, Filler { bytes: self.bytes })
    }

    fn after(&mut self, at: Time) -> Time {
        let gap = -libm::log(1.0 - self.stream.uniform()) * self.mean_gap_ns;
        // Without a load the gap is infinite or no number at all.
        if gap.is_finite() { at.saturating_add(Duration::from_nanos(gap as u64)) } else { Time::MAX }
    }
}

impl Packet for Filler {
    fn len_bytes(&self) -> u32 {
        self.bytes
    }
}
