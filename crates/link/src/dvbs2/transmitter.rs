//! A transmitter that fills frame after frame from its queue (EN 302 307-1, clause 5): when each starts, and with what.

use std::collections::VecDeque;

use bentpipe_units::{Bytes, Duration, Time};

use super::frame::DUMMY_SYMBOLS;
use super::packing::{Filling, Stream};
use super::scheduling::Steps;
use super::symbols::SymbolClock;
use super::{Backlog, Edge, Encapsulation, IdleSpec, PlFrame, Scheduling, Share, Source, SymbolRate};
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
    /// The steps in which frames are filled; none where each is filled as it starts.
    pub scheduling: Option<Scheduling>,
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
///
/// With [`Scheduling`] frames are filled in steps: at each step those that start before the next one, from what waits at
/// the step, one after the other. One that is not over by the next step goes on, and the frames of that step follow it,
/// so that a period that holds no whole number of frames wastes nothing.
pub struct Transmitter<P> {
    idle: IdleSpec,
    closing_timeout: Duration,
    streams: Vec<Stream<P>>,
    clock: SymbolClock,
    /// What a schedule leaves of the carrier; all of it where there is none.
    share: Option<Box<Share>>,
    /// Latest instant seen: what waits has not changed since.
    seen: Time,
    scheduler: Option<Scheduler<P>>,
}

/// What fills frames in steps.
struct Scheduler<P> {
    steps: Steps,
    /// Those of the present step that have not started.
    frames: VecDeque<Frame>,
    /// What they complete.
    packets: VecDeque<P>,
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
            share: None,
            seen: start,
            scheduler: carrier.scheduling.map(|scheduling| Scheduler {
                steps: Steps::new(scheduling, start),
                frames: VecDeque::new(),
                packets: VecDeque::new(),
            }),
        }
    }

    /// The same, of which other customers take what a schedule does not leave.
    pub(crate) fn shared(self, share: Option<Share>) -> Self {
        Self { share: share.map(Box::new), ..self }
    }

    /// The workload starts.
    pub(crate) fn mark(&mut self, now: Time) {
        if let Some(share) = &mut self.share {
            share.mark(now);
        }
    }

    /// Frames of a stream that start from now on are these.
    pub fn set_plframe(&mut self, stream: usize, plframe: PlFrame) {
        self.streams[stream].plframe = plframe;
    }

    /// When the next frame starts if nothing changes before, or the next step that fills any; none when nothing waits.
    ///
    /// `backlog` says what waits for a stream's frames.
    pub fn next_start(&self, backlog: impl Fn(usize) -> Backlog) -> Option<Time> {
        match &self.scheduler {
            None => self.next(backlog).map(|next| next.start),
            Some(scheduler) => match scheduler.frames.front() {
                Some(frame) => Some(frame.start),
                None => self.next_step(scheduler.steps, backlog),
            },
        }
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
        if let Some(scheduler) = &self.scheduler {
            return self.poll_in_steps(scheduler.steps, now, source, complete);
        }
        // No frame starts before the last one ends, whatever waits.
        while self.clock.end() <= now
            && let Some(next) = self.next(|stream| source.backlog(stream))
            && next.start <= now
        {
            // Nothing, if the queue dropped all there was.
            if let Some(frame) = self.fill(next.start, &next, source, &mut complete) {
                return Some(frame);
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
        let scheduled = self.scheduler.as_ref().map_or(0, |scheduler| scheduler.packets.len());
        scheduled + self.streams.iter().map(Stream::open_packets).sum::<usize>()
    }

    /// How long so much in the data fields of a stream takes, frame after frame.
    pub fn time_for(&self, stream: usize, data: Bytes) -> Duration {
        let plframe = self.streams[stream].plframe;
        let symbols = data.get().saturating_mul(u64::from(plframe.symbols())) / plframe.data_field().get();
        self.clock.rate().time_for(symbols)
    }

    /// When frames have been sent that take `span`, if the first of them is filled after `now`.
    pub fn clear_at(&self, now: Time, span: Duration) -> Time {
        let opens = self.opens_at(now).max(now);
        match &self.share {
            None => opens.saturating_add(span),
            Some(share) => share.after(opens, span),
        }
    }

    /// When the last frame ends, or ended, and those of others that follow it.
    pub fn free_at(&self) -> Time {
        self.clock.end()
    }

    /// When a frame can start at the earliest that is filled after `now`.
    fn opens_at(&self, now: Time) -> Time {
        match &self.scheduler {
            None => self.free_at(),
            Some(scheduler) => self.free_at().max(scheduler.steps.after(now)),
        }
    }

    fn next(&self, backlog: impl Fn(usize) -> Backlog) -> Option<Next> {
        let frames = (0..self.streams.len()).filter_map(|stream| {
            let (start, dummies) = self.start(self.due(stream, &backlog(stream))?);
            Some(Next { start, stream, dummies })
        });
        frames.min()
    }

    /// When a stream's next frame is due; none when there is nothing for it.
    #[inline(always)]
    fn due(&self, stream: usize, backlog: &Backlog) -> Option<Time> {
        let stream = &self.streams[stream];
        if stream.fills(backlog) {
            return Some(self.seen);
        }
        let oldest = stream.oldest(backlog)?;
        Some(self.seen.max(oldest.saturating_add(self.closing_timeout)))
    }

    /// Fills a frame at `at`, at which packets leave the queue.
    // Here and in what it calls: with one caller the compiler did so by itself, and without it `poll` takes a third
    // longer.
    #[inline(always)]
    fn fill(
        &mut self,
        at: Time,
        next: &Next,
        source: &mut impl Source<Packet = P>,
        complete: impl FnMut(P),
    ) -> Option<Frame> {
        let &Next { start, stream, dummies } = next;
        let filling = self.streams[stream].fill(|| source.pop(stream, at), complete);
        if filling.used == Bytes::ZERO {
            return None;
        }
        let Filling { used, completed, starts, ends, open } = filling;
        let plframe = self.streams[stream].plframe;
        let end = self.send(start, dummies, plframe);
        Some(Frame { stream, plframe, start, end, used, completed, starts, ends, open, dummies })
    }

    fn poll_in_steps(
        &mut self,
        steps: Steps,
        now: Time,
        source: &mut impl Source<Packet = P>,
        mut complete: impl FnMut(P),
    ) -> Option<Frame> {
        loop {
            if let Some(scheduler) = &mut self.scheduler
                && let Some(frame) = scheduler.take(now)
            {
                scheduler.packets.drain(..frame.completed).for_each(&mut complete);
                return Some(frame);
            }
            match self.next_step(steps, |stream| source.backlog(stream)) {
                Some(step) if step <= now => self.fill_frames_of(step, steps.end(step), source),
                _ => break,
            }
        }
        self.observe(now);
        None
    }

    /// The next step that fills a frame if nothing changes before. What comes at the instant of a step waits for the next.
    fn next_step(&self, steps: Steps, backlog: impl Fn(usize) -> Backlog) -> Option<Time> {
        let due = (0..self.streams.len()).filter_map(|stream| self.due(stream, &backlog(stream))).min()?;
        let step = steps.from(due).max(steps.after(self.seen));
        let (start, _) = self.start(step);
        // What is on air may last for longer than a period.
        let step = if start < steps.end(step) { step } else { steps.of(start) };
        Some(step).filter(|step| *step < Time::MAX)
    }

    /// Fills what starts from `step` on and before `end`.
    fn fill_frames_of(&mut self, step: Time, end: Time, source: &mut impl Source<Packet = P>) {
        self.seen = step;
        let Some(mut scheduler) = self.scheduler.take() else { return };
        loop {
            let due = |stream: &usize| self.due(*stream, &source.backlog(*stream)) == Some(step);
            let (start, dummies) = self.start(step);
            let Some(stream) = (0..self.streams.len()).find(due).filter(|_| start < end) else { break };
            let next = Next { start, stream, dummies };
            let frame = self.fill(step, &next, source, |packet| scheduler.packets.push_back(packet));
            scheduler.frames.extend(frame);
        }
        self.scheduler = Some(scheduler);
    }

    /// When a frame that is due at `due` starts, and how many dummy PLFRAMEs come before it.
    fn start(&self, due: Time) -> (Time, u64) {
        let Some(share) = &self.share else { return self.start_on_whole(due) };
        let mut due = due.max(self.clock.end());
        loop {
            // A dummy PLFRAME may last until the others have all of the carrier.
            due = share.opens(due);
            if due == Time::MAX {
                return (due, 0);
            }
            let (start, dummies) = self.start_on_whole(due);
            if share.opens(start) == start {
                return (start, dummies);
            }
            due = start;
        }
    }

    fn start_on_whole(&self, due: Time) -> (Time, u64) {
        match self.idle {
            IdleSpec::Silence => (due.max(self.clock.end()), 0),
            IdleSpec::DummyFrames => {
                let dummies = self.clock.symbols_until(due).div_ceil(DUMMY_SYMBOLS);
                if dummies == 0 {
                    return (self.clock.end(), 0);
                }
                let mut clock = self.clock;
                clock.send(dummies.saturating_mul(DUMMY_SYMBOLS));
                (clock.end(), dummies)
            }
        }
    }

    /// Returns when the frame ends.
    #[inline(always)]
    fn send(&mut self, start: Time, dummies: u64, plframe: PlFrame) -> Time {
        if dummies > 0 {
            self.clock.send(dummies.saturating_mul(DUMMY_SYMBOLS));
        }
        if start > self.clock.end() {
            self.clock.pause(start);
        }
        self.clock.send(u64::from(plframe.symbols()));
        let end = self.clock.end();
        if let Some(share) = &mut self.share {
            let others = share.sent(start, end);
            if others > end {
                self.clock.pause(others);
            }
        }
        end
    }
}

impl<P> Scheduler<P> {
    /// The next of its frames, if it has started by `now`.
    fn take(&mut self, now: Time) -> Option<Frame> {
        let has_started = self.frames.front().is_some_and(|frame| frame.start <= now);
        if has_started { self.frames.pop_front() } else { None }
    }
}
