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
    /// Packets that will not, with what takes them and when, in order of time.
    vanishing: VecDeque<(Time, DropCause, P)>,
    pub(crate) counters: Counters,
}

impl<P: Packet> Direction<P> {
    pub(crate) fn new(way: Way, spec: &DirectionSpec, mtu: Bytes, seed: u64, start: Time) -> Self {
        Self {
            way,
            mtu,
            queue: Queue::new(&spec.queue, mtu, seed, way),
            capacity: Capacity::new(&spec.capacity),
            loss: Loss::new(&spec.loss, seed, way, start),
            propagation: Propagation::new(spec.delay_ns, &spec.jitter, seed, way, start),
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
            self.queue.pass();
            self.transmit(Waiting { since: now, size, packet });
            return Ok(());
        }
        let backlog = self.queue.bytes();
        let wait = || self.capacity.clear_at(backlog).since(now);
        if !self.queue.admits(size, wait) {
            return self.refuse(now, DropCause::Queue, packet);
        }
        self.queue.push(Waiting { since: now, size, packet });
        self.counters.queue(now, self.queue.bytes());
        Ok(())
    }

    /// Starts every transmission that was to start by `now`, each at its own instant.
    pub(crate) fn advance(&mut self, now: Time) {
        while self.capacity.free_at() <= now && !self.queue.is_empty() {
            let start = self.capacity.free_at();
            let vanishing = &mut self.vanishing;
            let drop = |waiting: Waiting<P>| vanishing.push_back((start, DropCause::Queue, waiting.packet));
            let first = self.queue.pop(start, drop);
            self.counters.queue(start, self.queue.bytes());
            if let Some(waiting) = first {
                self.transmit(waiting);
            }
        }
    }

    /// When [`Direction::pop`] has something, or when a waiting packet can turn out to be lost.
    pub(crate) fn next_event(&self) -> Option<Time> {
        let can_lose_waiting =
            !self.queue.is_empty() && (self.queue.drops_admitted() || !self.loss.is_none());
        let next_fate = can_lose_waiting.then(|| self.capacity.free_at());
        [self.next_due(), next_fate].into_iter().flatten().min()
    }

    /// The instant of the event that [`Direction::pop`] would return.
    pub(crate) fn next_due(&self) -> Option<Time> {
        let lost = self.vanishing.front().map(|(at, ..)| *at);
        let delivered = self.arriving.front().map(|(due, _)| *due);
        [lost, delivered].into_iter().flatten().min()
    }

    /// Takes out the earliest event.
    pub(crate) fn pop(&mut self) -> Option<Event<P>> {
        let way = self.way;
        let next = self.next_due()?;
        if self.vanishing.front().is_some_and(|(at, ..)| *at == next) {
            let (at, cause, packet) = self.vanishing.pop_front()?;
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
        if sent == Time::MAX {
            // At a rate of zero no transmission ends, and nothing is lost after it.
            self.arriving.push_back((sent, packet));
        } else if self.loss.takes(sent, size) {
            self.vanishing.push_back((sent, DropCause::Channel, packet));
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
