//! Controlled delay, RFC 8289. Model page: docs/models/codel.md.

use bentpipe_units::{Bytes, Duration, Time};

use super::fifo::{Fifo, Waiting};
use super::sojourn::Sojourn;
use crate::{Ecn, Packet, QueueClassReport};

/// The state of CoDel (RFC 8289 section 5.2); it drops packets as they leave the queue, or marks them.
pub(crate) struct Codel {
    /// Whether packets of senders that take part in ECN are marked in place of a drop.
    marks: bool,
    sojourn: Sojourn,
    target: Duration,
    interval: Duration,
    mtu: Bytes,
    /// `first_above_time_`: when a wait that stays above the target allows a drop; none is the RFC's zero.
    first_above: Option<Time>,
    phase: Phase,
    drop_next: Time,
    /// Drops since the dropping phase started.
    count: u32,
    /// `count` when the last dropping phase started.
    last_count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Passing,
    Dropping,
}

/// What left the queue: `dodequeue_result`.
enum Head<P> {
    /// Nothing waits.
    None,
    /// Its wait is below the target, or has not been above it long enough.
    Good(Waiting<P>),
    /// It may be dropped: `ok_to_drop`.
    Late(Waiting<P>),
}

impl Codel {
    pub(crate) fn new(target: Duration, interval: Duration, mtu: Bytes, marks: bool) -> Self {
        Self {
            marks,
            sojourn: Sojourn::new(),
            target,
            interval,
            mtu,
            first_above: None,
            phase: Phase::Passing,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// Takes out the packet that leaves at `now`; those dropped before it go to `drop`.
    pub(super) fn dequeue<P: Packet>(
        &mut self,
        now: Time,
        fifo: &mut Fifo<P>,
        mut drop: impl FnMut(Waiting<P>),
    ) -> Option<Waiting<P>> {
        let mut dropped = 0;
        let first = self.select(now, fifo, |waiting| {
            dropped += 1;
            drop(waiting);
        })?;
        (0..dropped).for_each(|_| self.sojourn.dropped());
        self.left(now.since(first.since));
        Some(first)
    }

    /// Section 5.5, `dequeue`.
    ///
    /// What is marked in place of a drop leaves as the one behind a dropped packet would, and counts as one
    /// (RFC 8289 section 1: drop or mark; Linux, `codel_dequeue`).
    fn select<P: Packet>(
        &mut self,
        now: Time,
        fifo: &mut Fifo<P>,
        mut drop: impl FnMut(Waiting<P>),
    ) -> Option<Waiting<P>> {
        let mut head = self.take(now, fifo);
        match self.phase {
            Phase::Dropping => {
                // A backlog may call for several drops at once.
                while now >= self.drop_next
                    && let Head::Late(waiting) = head
                {
                    self.count += 1;
                    match self.marked(waiting) {
                        Ok(marked) => {
                            self.drop_next = self.control_law(self.drop_next);
                            return Some(marked);
                        }
                        Err(waiting) => drop(waiting),
                    }
                    head = self.take(now, fifo);
                    if matches!(head, Head::Late(_)) {
                        self.drop_next = self.control_law(self.drop_next);
                    }
                }
                if !matches!(head, Head::Late(_)) {
                    self.phase = Phase::Passing;
                }
            }
            Phase::Passing => {
                if let Head::Late(waiting) = head {
                    match self.marked(waiting) {
                        Ok(marked) => {
                            self.start_dropping(now);
                            return Some(marked);
                        }
                        Err(waiting) => drop(waiting),
                    }
                    head = self.take(now, fifo);
                    self.start_dropping(now);
                }
            }
        }
        head.into_waiting()
    }

    /// A packet found the transmitter idle and nothing waiting: it left with a wait of zero.
    pub(crate) fn pass(&mut self) {
        self.first_above = None;
        self.phase = Phase::Passing;
        self.left(Duration::ZERO);
    }

    /// The workload starts.
    pub(super) fn mark(&mut self) {
        self.sojourn = Sojourn::new();
    }

    /// Its one class, where it marks.
    pub(super) fn report(&self) -> Vec<QueueClassReport> {
        if self.marks { vec![self.sojourn.report("all")] } else { Vec::new() }
    }

    fn left(&mut self, wait: Duration) {
        if self.marks {
            self.sojourn.left(wait);
        }
    }

    /// The packet with a mark, where that takes the place of a drop.
    fn marked<P: Packet>(&mut self, mut waiting: Waiting<P>) -> Result<Waiting<P>, Waiting<P>> {
        if !self.marks || !waiting.packet.ecn().is_capable() {
            return Err(waiting);
        }
        // One that came with a mark is not ours.
        if waiting.packet.ecn() != Ecn::Ce {
            self.sojourn.marked();
        }
        waiting.packet.mark_ce();
        Ok(waiting)
    }

    /// Starts where the last phase left off, when that was not long ago (section 5.5).
    fn start_dropping(&mut self, now: Time) {
        let delta = self.count - self.last_count;
        let is_recent = now.since(self.drop_next) < self.interval * 16;
        self.count = if delta > 1 && is_recent { delta } else { 1 };
        self.phase = Phase::Dropping;
        self.drop_next = self.control_law(now);
        self.last_count = self.count;
    }

    /// Takes out the first packet and judges its wait (section 5.6, `dodequeue`).
    fn take<P>(&mut self, now: Time, fifo: &mut Fifo<P>) -> Head<P> {
        let Some(waiting) = fifo.pop() else {
            self.first_above = None;
            return Head::None;
        };
        // What an MTU or less leaves behind is no standing queue.
        if now.since(waiting.since) < self.target || fifo.bytes() <= self.mtu {
            self.first_above = None;
            return Head::Good(waiting);
        }
        match self.first_above {
            None => {
                self.first_above = Some(now.saturating_add(self.interval));
                Head::Good(waiting)
            }
            Some(allowed) if now < allowed => Head::Good(waiting),
            Some(_) => Head::Late(waiting),
        }
    }

    /// t + interval / sqrt(count) (section 5.4).
    fn control_law(&self, t: Time) -> Time {
        let step = self.interval.as_nanos() as f64 / f64::from(self.count).sqrt();
        t.saturating_add(Duration::from_nanos(step.round() as u64))
    }
}

impl<P> Head<P> {
    fn into_waiting(self) -> Option<Waiting<P>> {
        match self {
            Self::None => None,
            Self::Good(waiting) | Self::Late(waiting) => Some(waiting),
        }
    }
}
