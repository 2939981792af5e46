//! A queue before a transmitter of a constant or a scheduled rate. Model page: docs/models/capacity.md.

mod constant_rate;
mod scheduled_rate;
mod transmitter;

use bentpipe_units::{Bytes, Duration, Time};

pub(crate) use self::constant_rate::ConstantRate;
pub(crate) use self::scheduled_rate::ScheduledRate;
use self::transmitter::Transmitter;
use crate::egress::{Admitted, Delay, EgressSink};
use crate::queue::{Queue, Waiting};
use crate::random::Stream;
use crate::{DropCause, Packet, QueueClassReport, QueueSpec};

/// A packet that comes so soon after the start of a transmission finds the transmitted packet still waiting.
///
/// ACKs keep time with the transmitter, so in virtual time their answers come at the very instant at which a
/// transmission starts, give or take the rounding of instants. On hosts they come before it: the first answer of a busy
/// period, to which the transmitter keeps time, takes some 30 us longer than those that follow it.
const TIE: Duration = Duration::from_nanos(10);

/// A queue before a transmitter.
pub(crate) struct Pipe<P, T> {
    queue: Queue<P>,
    transmitter: T,
    last_taken: Option<Taken>,
}

/// A packet that was taken from the queue.
#[derive(Clone, Copy)]
struct Taken {
    at: Time,
    size: Bytes,
}

impl<P: Packet> Pipe<P, ScheduledRate> {
    /// The workload starts.
    pub(crate) fn mark_schedule(&mut self, now: Time) {
        self.transmitter.mark(now);
    }
}

impl<P: Packet, T: Transmitter> Pipe<P, T> {
    pub(crate) fn new(transmitter: T, queue: &QueueSpec, mtu: Bytes, stream: Stream) -> Self {
        Self { queue: Queue::new(queue, mtu, stream), transmitter, last_taken: None }
    }

    pub(crate) fn enqueue(&mut self, waiting: Waiting<P>, exit: &mut impl EgressSink<P>) -> Admitted<P> {
        let now = waiting.since;
        if self.transmitter.free_at() <= now {
            let waiting = self.queue.pass(waiting).map_err(|waiting| (DropCause::Queue, waiting.packet))?;
            self.transmit(now, waiting, exit);
            return Ok(());
        }
        let backlog = self.queue.bytes();
        let wait = || self.transmitter.clear_at(backlog).since(now);
        let just_taken =
            self.last_taken.filter(|last| last.at.saturating_add(TIE) > now).map(|last| last.size);
        if !self.queue.admits(waiting.size, just_taken, wait) {
            return Err((DropCause::Queue, waiting.packet));
        }
        self.queue.push(waiting);
        exit.waiting(now, self.queue.bytes());
        Ok(())
    }

    /// Starts every transmission that was to start by `now`.
    pub(crate) fn advance(&mut self, now: Time, exit: &mut impl EgressSink<P>) {
        while self.transmitter.free_at() <= now && !self.queue.is_empty() {
            let start = self.transmitter.free_at();
            let drop = |waiting: Waiting<P>| exit.lost(start, DropCause::Queue, waiting.packet);
            let first = self.queue.pop(start, drop);
            exit.waiting(start, self.queue.bytes());
            if let Some(waiting) = first {
                self.last_taken = Some(Taken { at: start, size: waiting.size });
                self.transmit(start, waiting, exit);
            }
        }
    }

    pub(crate) fn next_step(&self) -> Option<Time> {
        (!self.queue.is_empty()).then(|| self.transmitter.free_at())
    }

    pub(crate) fn drops_admitted(&self) -> bool {
        self.queue.drops_admitted()
    }

    /// The workload starts.
    pub(crate) fn mark(&mut self) {
        self.queue.mark();
    }

    /// The classes of a queue that marks packets.
    pub(crate) fn queue_classes(&self) -> Vec<QueueClassReport> {
        self.queue.report()
    }

    pub(crate) fn held_packets(&self) -> usize {
        self.queue.len()
    }

    fn transmit(&mut self, start: Time, waiting: Waiting<P>, exit: &mut impl EgressSink<P>) {
        let Waiting { since, size, packet } = waiting;
        let sent = self.transmitter.transmit(since, size);
        let delay = Delay { queue: start.since(since), transmission: sent.since(start), ..Delay::default() };
        exit.sent(sent, size, delay, packet);
    }
}
