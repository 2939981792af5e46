use std::collections::VecDeque;

use bentpipe_run::DirectionSpec;
use bentpipe_units::{Bytes, Time};

use crate::capacity::Capacity;
use crate::counters::Counters;
use crate::loss::Loss;
use crate::propagation::Propagation;
use crate::queue::{Queue, Waiting};
use crate::{DropCause, Event, Packet, Way};

/// One direction of a path: queue, capacity, loss, propagation, and their counters.
pub(crate) struct Direction<P> {
    way: Way,
    mtu: Bytes,
    queue: Queue<P>,
    capacity: Capacity,
    loss: Loss,
    propagation: Propagation,
    /// Packets that will arrive, from the start of their transmission on, in order of release.
    arriving: VecDeque<(Time, P)>,
    /// Packets that will not, in order of the end of their transmission.
    vanishing: VecDeque<(Time, P)>,
    pub(crate) counters: Counters,
}

impl<P: Packet> Direction<P> {
    pub(crate) fn new(way: Way, spec: &DirectionSpec, mtu: Bytes, seed: u64, start: Time) -> Self {
        Self {
            way,
            mtu,
            queue: Queue::new(&spec.queue),
            capacity: Capacity::new(&spec.capacity),
            loss: Loss::new(&spec.loss, seed, way),
            propagation: Propagation::new(spec.delay_ns, &spec.jitter, seed, way),
            arriving: VecDeque::new(),
            vanishing: VecDeque::new(),
            counters: Counters::new(start),
        }
    }

    pub(crate) fn enqueue(&mut self, now: Time, packet: P) -> Result<(), (DropCause, P)> {
        self.advance(now);
        let size = size_of(&packet);
        self.counters.offered(now, size);
        if size > self.mtu {
            return self.refuse(now, DropCause::Oversize, packet);
        }
        if self.capacity.free_at() <= now {
            self.transmit(Waiting { since: now, size, packet });
            return Ok(());
        }
        let wait = || self.capacity.clear_at(self.queue.bytes()).since(now);
        if !self.queue.admits(size, wait) {
            return self.refuse(now, DropCause::Queue, packet);
        }
        self.queue.push(Waiting { since: now, size, packet });
        self.counters.queue(now, self.queue.bytes());
        Ok(())
    }

    /// Starts every transmission that was to start by `now`, each at its own instant.
    pub(crate) fn advance(&mut self, now: Time) {
        while self.capacity.free_at() <= now {
            let start = self.capacity.free_at();
            let Some(waiting) = self.queue.pop() else { return };
            self.counters.queue(start, self.queue.bytes());
            self.transmit(waiting);
        }
    }

    /// When [`Direction::pop`] has something, or when another transmission can end in a loss.
    pub(crate) fn next_event(&self) -> Option<Time> {
        let next_loss_draw =
            (!self.loss.is_none() && !self.queue.is_empty()).then(|| self.capacity.free_at());
        [self.next_due(), next_loss_draw].into_iter().flatten().min()
    }

    /// The instant of the event that [`Direction::pop`] would return.
    pub(crate) fn next_due(&self) -> Option<Time> {
        let due = |events: &VecDeque<(Time, P)>| events.front().map(|(at, _)| *at);
        [due(&self.vanishing), due(&self.arriving)].into_iter().flatten().min()
    }

    /// Takes out the earliest event.
    pub(crate) fn pop(&mut self) -> Option<Event<P>> {
        let way = self.way;
        let next = self.next_due()?;
        if self.vanishing.front().is_some_and(|(at, _)| *at == next) {
            let (at, packet) = self.vanishing.pop_front()?;
            let cause = DropCause::Channel;
            self.counters.dropped(at, cause);
            return Some(Event::Lost { way, at, cause, packet });
        }
        let (due, packet) = self.arriving.pop_front()?;
        self.counters.delivered(due, size_of(&packet));
        Some(Event::Delivered { way, due, packet })
    }

    pub(crate) fn held_packets(&self) -> usize {
        self.queue.len() + self.arriving.len() + self.vanishing.len()
    }

    /// The fate is drawn when the transmission starts: its end and the order of the draws are known by then.
    fn transmit(&mut self, waiting: Waiting<P>) {
        let Waiting { since, size, packet } = waiting;
        let sent = self.capacity.transmit(since, size);
        if self.loss.takes(size) {
            self.vanishing.push_back((sent, packet));
        } else {
            self.arriving.push_back((self.propagation.release(sent), packet));
        }
    }

    fn refuse(&mut self, now: Time, cause: DropCause, packet: P) -> Result<(), (DropCause, P)> {
        self.counters.dropped(now, cause);
        Err((cause, packet))
    }
}

fn size_of<P: Packet>(packet: &P) -> Bytes {
    Bytes::new(u64::from(packet.len_bytes()))
}
