//! One direction of a path: what waits, what is on its way, and what of it will be lost, in order of time.

use std::collections::VecDeque;

use bentpipe_units::{Bytes, Duration, Time, earlier};

use crate::channel::Loss;
use crate::channel::Propagation;
use crate::config::Capacity;
use crate::counters::Counters;
use crate::egress::DelayProbe;
use crate::egress::{Admitted, Delay, Egress, EgressSink};
use crate::queue::Waiting;
use crate::random::Seed;
use crate::schedule::{Cursor, ScheduledChannel, followed};
use crate::{Direction, DirectionReport, DirectionSpec, DropCause, Event, Packet};

/// One direction of a path: access, loss, propagation, and their counters.
pub(crate) struct DirectionalPath<P> {
    direction: Direction,
    mtu: Bytes,
    egress: Egress<P>,
    /// [`Egress::next_step`] since the access last changed: asking it anew for every packet costs more than the rest.
    next_step: Option<Time>,
    channel: Channel<P>,
}

/// What packets meet after they were sent.
struct Channel<P> {
    loss: Loss,
    /// How long the propagation takes where no schedule says otherwise.
    delay: Duration,
    propagation: Propagation,
    schedule: Option<Box<ScheduledChannel>>,
    /// Packets that will arrive, from the start of their transmission on, in order of release.
    arriving: VecDeque<(Time, P)>,
    /// Packets that will not, with what takes them and when, in order of time.
    vanishing: VecDeque<(Time, DropCause, P)>,
    counters: Counters,
    /// Only on paths that have something to tell apart.
    delays: Option<DelayProbe>,
}

impl<P: Packet> DirectionalPath<P> {
    pub(crate) fn new(
        seed: Seed,
        (spec, capacity): (&DirectionSpec, &Capacity<'_>),
        mtu: Bytes,
        start: Time,
        delays: Option<DelayProbe>,
    ) -> Self {
        let schedule = followed(spec, seed);
        let channel = Channel {
            loss: Loss::new(&spec.loss, seed, start),
            delay: spec.delay_ns,
            propagation: Propagation::new(&spec.jitter, seed, start),
            schedule: schedule.clone().map(|cursor| Box::new(ScheduledChannel::new(cursor, seed))),
            arriving: VecDeque::new(),
            vanishing: VecDeque::new(),
            counters: Counters::new(start),
            delays,
        };
        Self {
            direction: seed.direction,
            mtu,
            egress: Egress::new((spec, capacity), schedule.as_ref(), mtu, seed, start),
            next_step: None,
            channel,
        }
    }

    pub(crate) fn enqueue(&mut self, now: Time, packet: P) -> Admitted<P> {
        // What an access that holds nothing puts off, such as a change of MODCOD, it has to do before.
        if self.next_step.is_none_or(|step| step <= now) {
            self.egress.advance(now, &mut self.channel);
        }
        let size = Bytes::new(u64::from(packet.len_bytes()));
        self.channel.counters.offered(now, size);
        let admitted = if size > self.mtu {
            Err((DropCause::Oversize, packet))
        } else {
            self.egress.enqueue(Waiting { since: now, size, packet }, &mut self.channel)
        };
        self.next_step = self.egress.next_step();
        admitted.inspect_err(|(cause, _)| self.channel.counters.dropped(now, *cause))
    }

    /// Does everything that was to be done by `now`, each thing at its own instant.
    pub(crate) fn advance(&mut self, now: Time) {
        self.egress.advance(now, &mut self.channel);
        self.next_step = self.egress.next_step();
    }

    /// The same, for packets alone: what an access does that holds none can be done later.
    pub(crate) fn advance_packets(&mut self, now: Time) {
        if self.next_step.is_some_and(|step| step <= now) {
            self.advance(now);
        }
    }

    /// When [`DirectionalPath::pop`] has something, or when a waiting packet can turn out to be lost.
    pub(crate) fn next_event(&self) -> Option<Time> {
        let has_internal_events = self.egress.has_internal_events() || self.channel.can_lose();
        let next_step = if has_internal_events { self.next_step } else { None };
        earlier(self.next_due(), next_step)
    }

    /// The instant of the event that [`DirectionalPath::pop`] would return.
    pub(crate) fn next_due(&self) -> Option<Time> {
        let lost = self.channel.vanishing.front().map(|(at, ..)| *at);
        let delivered = self.channel.arriving.front().map(|(due, _)| *due);
        earlier(lost, delivered)
    }

    /// Takes out the earliest event.
    pub(crate) fn pop(&mut self) -> Option<Event<P>> {
        let direction = self.direction;
        let next = self.next_due()?;
        let channel = &mut self.channel;
        if channel.vanishing.front().is_some_and(|(at, ..)| *at == next) {
            let (at, cause, packet) = channel.vanishing.pop_front()?;
            channel.counters.dropped(at, cause);
            return Some(Event::Lost { direction, at, cause, packet });
        }
        let (due, packet) = channel.arriving.pop_front()?;
        if let Some(delays) = &mut channel.delays {
            delays.delivered(due);
        }
        channel.counters.delivered(due, Bytes::new(u64::from(packet.len_bytes())));
        Some(Event::Delivered { direction, due, packet })
    }

    pub(crate) fn held_packets(&self) -> usize {
        self.egress.held_packets() + self.channel.arriving.len() + self.channel.vanishing.len()
    }

    /// The workload starts, and counting starts again, after [`DirectionalPath::advance`] to this instant.
    pub(crate) fn mark(&mut self, now: Time) {
        self.egress.mark(now);
        self.channel.counters.mark(now);
        if let Some(schedule) = &mut self.channel.schedule {
            schedule.mark(now);
        }
        if let Some(delays) = &mut self.channel.delays {
            delays.mark(now);
        }
    }

    pub(crate) fn counters(&mut self) -> &mut Counters {
        &mut self.channel.counters
    }

    /// What happened since the mark, after [`DirectionalPath::advance`] to this instant.
    pub(crate) fn report(&self, now: Time) -> DirectionReport {
        DirectionReport { queue_classes: self.egress.queue_classes(), ..self.channel.counters.report(now) }
    }

    pub(crate) fn egress(&mut self) -> &mut Egress<P> {
        &mut self.egress
    }

    pub(crate) fn delays(&mut self) -> Option<&mut DelayProbe> {
        self.channel.delays.as_mut()
    }

    /// The schedule that capacity and propagation follow.
    pub(crate) fn schedule(&self) -> Option<Cursor> {
        self.channel.schedule.as_ref().map(|schedule| schedule.cursor())
    }
}

impl<P> Channel<P> {
    /// Whether a packet can be lost that was sent.
    fn can_lose(&self) -> bool {
        self.schedule.is_some() || !self.loss.is_none()
    }
}

impl<P> EgressSink<P> for Channel<P> {
    fn waiting(&mut self, at: Time, bytes: Bytes) {
        self.counters.queue(at, bytes);
    }

    /// The fate is drawn when the access tells: the end of the transmission and the order of the draws are known.
    fn sent(&mut self, at: Time, size: Bytes, delay: Delay, packet: P) {
        if at == Time::MAX {
            // At a rate of zero no transmission ends, and nothing is lost after it.
            self.arriving.push_back((at, packet));
            return;
        }
        let (delay_now, is_taken) = match &mut self.schedule {
            None => (self.delay, false),
            Some(schedule) => schedule.meet(at),
        };
        // Both are drawn, so that the draws of one are the same whatever the other takes.
        if self.loss.takes(at, size) | is_taken {
            self.vanishing.push_back((at, DropCause::Channel, packet));
        } else {
            let due = self.propagation.release(at, delay_now);
            if let Some(delays) = &mut self.delays {
                delays.sent(delay, due.since(at));
            }
            self.arriving.push_back((due, packet));
        }
    }

    fn lost(&mut self, at: Time, cause: DropCause, packet: P) {
        // A frame that was told of may end later: a scheduler fills those after it before.
        let place = self.vanishing.partition_point(|(other, ..)| *other <= at);
        self.vanishing.insert(place, (at, cause, packet));
    }
}
