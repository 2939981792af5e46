//! A transmitter that fills frame after frame from its queue (EN 302 307-1, clause 5): when each starts, and with what.

use bentpipe_units::{Bytes, Duration, Time};

use super::frame::DUMMY_SYMBOLS;
use super::packing::{Filling, Stream};
use super::symbols::SymbolClock;
use super::{Backlog, Edge, Encapsulation, IdleSpec, PlFrame, Source, SymbolRate};
use crate::Packet;

/// The settings of a carrier.
#[derive(Clone, Debug)]
pub struct Carrier {
    /// Symbols per second.
    pub symbol_rate: SymbolRate,
    /// What is sent when no frame is due.
    pub idle: IdleSpec,
    /// How packets get into frames.
    pub encapsulation: Encapsulation,
    /// How long a packet waits for others to fill its frame.
    pub closing_timeout: Duration,
    /// The frames of each stream; several streams are VCM.
    pub streams: Vec<PlFrame>,
}

/// A PLFRAME with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The stream whose packets it carries.
    pub stream: usize,
    /// Its MODCOD and length.
    pub plframe: PlFrame,
    /// When its first symbol starts.
    pub start: Time,
    /// When its last symbol ends.
    pub end: Time,
    /// Bytes of GSE or TS packets; the rest of the data field is padding.
    pub used: Bytes,
    /// Packets whose last byte it carries, with transport streams the last byte of their last TS packet.
    pub completed: usize,
    /// Whether its first byte of data continues a packet.
    pub starts: Edge,
    /// Whether its last packet is continued in the stream's next frame.
    pub ends: Edge,
    /// Packets that it carries a part of and does not complete. With GSE at most one; a TS packet that is continued in
    /// the next frame may hold several.
    pub open: usize,
    /// Dummy PLFRAMEs sent since the frame before.
    pub dummies: u64,
}

/// Builds the frames of a carrier. See the [module's documentation](super) for the order of calls.
///
/// A frame is due when what waits for it fills it, or when its oldest packet has waited for the closing timeout. It
/// starts when it is due and the frame before it has ended. Of several that could start at once, that of the first
/// stream goes first.
pub struct Transmitter<P> {
    idle: IdleSpec,
    closing_timeout: Duration,
    streams: Vec<Stream<P>>,
    clock: SymbolClock,
    /// Latest instant seen: what waits has not changed since.
    seen: Time,
}

/// The next frame, in the order of precedence.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    start: Time,
    stream: usize,
    /// Dummy PLFRAMEs before it.
    dummies: u64,
}

impl<P: Packet> Transmitter<P> {
    /// A carrier that starts at `start`.
    pub fn new(carrier: &Carrier, start: Time) -> Self {
        Self {
            idle: carrier.idle,
            closing_timeout: carrier.closing_timeout,
            streams: (carrier.streams.iter())
                .map(|plframe| Stream::new(*plframe, carrier.encapsulation))
                .collect(),
            clock: SymbolClock::new(carrier.symbol_rate, start),
            seen: start,
        }
    }

    /// Frames of a stream that start from now on are these.
    pub fn set_plframe(&mut self, stream: usize, plframe: PlFrame) {
        self.streams[stream].plframe = plframe;
    }

    /// When the next frame starts if nothing changes before; none when nothing waits.
    ///
    /// `backlog` says what waits for a stream's frames.
    pub fn next_start(&self, backlog: impl Fn(usize) -> Backlog) -> Option<Time> {
        self.next(backlog).map(|next| next.start)
    }

    /// The earliest frame that was to start by `now`, its packets having gone to `complete` in their order.
    ///
    /// Call it until it returns `None`. Instants must not go backwards.
    pub fn poll(
        &mut self,
        now: Time,
        source: &mut impl Source<Packet = P>,
        mut complete: impl FnMut(P),
    ) -> Option<Frame> {
        while let Some(next) = self.next(|stream| source.backlog(stream))
            && next.start <= now
        {
            let Next { start, stream, dummies, .. } = next;
            let pop = || source.pop(stream, start);
            let filling = self.streams[stream].fill(pop, &mut complete);
            // Nothing, if the queue dropped all there was.
            if filling.used > Bytes::ZERO {
                let Filling { used, completed, starts, ends, open } = filling;
                let plframe = self.streams[stream].plframe;
                let end = self.send(start, dummies, plframe);
                return Some(Frame {
                    stream,
                    plframe,
                    start,
                    end,
                    used,
                    completed,
                    starts,
                    ends,
                    open,
                    dummies,
                });
            }
        }
        self.observe(now);
        None
    }

    /// What waits may change at `now`, by which no frame was to start.
    pub fn observe(&mut self, now: Time) {
        self.seen = self.seen.max(now);
    }

    /// Packets of which some bytes are sent and some are not; they are no longer in the queue.
    pub fn open_packets(&self) -> usize {
        self.streams.iter().map(Stream::open_packets).sum()
    }

    /// How long so much in the data fields of a stream takes, frame after frame.
    pub fn time_for(&self, stream: usize, data: Bytes) -> Duration {
        let plframe = self.streams[stream].plframe;
        let symbols = data.get().saturating_mul(u64::from(plframe.symbols())) / plframe.data_field().get();
        self.clock.rate().time_for(symbols)
    }

    /// When the last frame ends, or ended.
    pub fn free_at(&self) -> Time {
        self.clock.end()
    }

    fn next(&self, backlog: impl Fn(usize) -> Backlog) -> Option<Next> {
        let frames = self.streams.iter().enumerate().filter_map(|(index, stream)| {
            let backlog = backlog(index);
            let oldest = stream.oldest(&backlog)?;
            let due = if stream.fills(&backlog) {
                self.seen
            } else {
                self.seen.max(oldest.saturating_add(self.closing_timeout))
            };
            let (start, dummies) = self.start(due);
            Some(Next { start, stream: index, dummies })
        });
        frames.min()
    }

    /// When a frame that is due at `due` starts, and how many dummy PLFRAMEs come before it.
    fn start(&self, due: Time) -> (Time, u64) {
        match self.idle {
            IdleSpec::Silence => (due.max(self.clock.end()), 0),
            IdleSpec::DummyFrames => {
                let dummies = self.clock.symbols_until(due).div_ceil(DUMMY_SYMBOLS);
                let mut clock = self.clock;
                clock.send(dummies.saturating_mul(DUMMY_SYMBOLS));
                (clock.end(), dummies)
            }
        }
    }

    /// Returns when the frame ends.
    fn send(&mut self, start: Time, dummies: u64, plframe: PlFrame) -> Time {
        self.clock.send(dummies.saturating_mul(DUMMY_SYMBOLS));
        if start > self.clock.end() {
            self.clock.pause(start);
        }
        self.clock.send(u64::from(plframe.symbols()));
        self.clock.end()
    }
}
