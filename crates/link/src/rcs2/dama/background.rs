//! The terminals that share the return link: each asks, waits and sends as the measured one does.

use bentpipe_units::{Bytes, Time};

use super::terminal::{Sink, Terminal};
use super::{BackgroundConfig, ReturnConfig};
use crate::load::Source;
use crate::queue::Waiting;
use crate::random::Stream;
use crate::rcs2::{Reassembler, Superframes};
use crate::{Direction, Packet};

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

impl Background {
    pub(super) fn new(
        config: &ReturnConfig,
        own: &BackgroundConfig,
        number: u32,
        superframes: Superframes,
        seed: u64,
    ) -> Self {
        let stream = Stream::new(seed, Direction::Return, &format!("background.{number}"));
        let classes = std::slice::from_ref(&own.class);
        Self {
            terminal: Terminal::new(config, classes, number, superframes, seed),
            source: Source::new(&own.load, stream, superframes.start(0)),
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
        while let Some(arrival) = self.source.before(now) {
            let packet = Filler { bytes: arrival.bytes };
            let size = Bytes::new(u64::from(arrival.bytes));
            // What finds the queue full is lost, as anybody's packet.
            let _ = self.terminal.enqueue(0, Waiting { since: arrival.at, size, packet });
        }
    }
}

impl Packet for Filler {
    fn len_bytes(&self) -> u32 {
        self.bytes
    }
}
