//! How packets get on the air: the queue of one direction and its transmitter.

mod delay_probe;
mod sink;

use bentpipe_units::{Bytes, Time};

pub(crate) use self::delay_probe::{DelayProbe, table as delays};
pub(crate) use self::sink::{Admitted, Delay, EgressSink};
use crate::config::Capacity;
use crate::dvbs2::egress::Dvbs2;
use crate::pipe::{ConstantRate, Pipe, ScheduledRate};
use crate::queue::{ClassProbe, Waiting};
use crate::random::Seed;
use crate::rcs2::egress::Rcs2;
use crate::schedule::Cursor;
use crate::{DirectionSpec, Packet, QueueClassReport, Table};

/// One kind of access for each kind of capacity.
pub(crate) enum Egress<P> {
    Pipe(Box<Pipe<P, ConstantRate>>),
    Scheduled(Box<Pipe<P, ScheduledRate>>),
    Dvbs2(Box<Dvbs2<P>>),
    Rcs2(Box<Rcs2<P>>),
}

impl<P: Packet> Egress<P> {
    /// The queue and transmitter of a direction, whose capacity has been checked.
    pub(crate) fn new(
        (spec, capacity): (&DirectionSpec, &Capacity<'_>),
        schedule: Option<&Cursor>,
        mtu: Bytes,
        seed: Seed,
        start: Time,
    ) -> Self {
        match capacity {
            Capacity::Constant(rate) => {
                let (queue, stream) = (&spec.queue, seed.stream("queue"));
                match schedule {
                    None => Self::Pipe(Box::new(Pipe::new(ConstantRate::new(*rate), queue, mtu, stream))),
                    Some(cursor) => {
                        let transmitter = ScheduledRate::new(cursor.clone());
                        Self::Scheduled(Box::new(Pipe::new(transmitter, queue, mtu, stream)))
                    }
                }
            }
            Capacity::Dvbs2(of, carrier) => {
                Self::Dvbs2(Box::new(Dvbs2::new((of, carrier), spec, schedule, mtu, seed, start)))
            }
            Capacity::Rcs2(of, config) => Self::Rcs2(Box::new(Rcs2::new(of, config, seed.run, start))),
        }
    }

    /// Offers a packet that comes at `waiting.since`, after [`Egress::advance`] to this instant.
    pub(crate) fn enqueue(&mut self, waiting: Waiting<P>, exit: &mut impl EgressSink<P>) -> Admitted<P> {
        match self {
            Self::Pipe(pipe) => pipe.enqueue(waiting, exit),
            Self::Scheduled(pipe) => pipe.enqueue(waiting, exit),
            Self::Dvbs2(carrier) => carrier.enqueue(waiting, exit),
            Self::Rcs2(return_link) => return_link.enqueue(waiting, exit),
        }
    }

    /// Does everything that was to be done by `now`, each thing at its own instant.
    pub(crate) fn advance(&mut self, now: Time, exit: &mut impl EgressSink<P>) {
        match self {
            Self::Pipe(pipe) => pipe.advance(now, exit),
            Self::Scheduled(pipe) => pipe.advance(now, exit),
            Self::Dvbs2(carrier) => carrier.advance(now, exit),
            Self::Rcs2(return_link) => return_link.advance(now, exit),
        }
    }

    /// When [`Egress::advance`] next does something with a packet that is held here; none when none is.
    pub(crate) fn next_step(&self) -> Option<Time> {
        match self {
            Self::Pipe(pipe) => pipe.next_step(),
            Self::Scheduled(pipe) => pipe.next_step(),
            Self::Dvbs2(carrier) => carrier.next_step(),
            Self::Rcs2(return_link) => return_link.next_step(),
        }
    }

    /// Whether a step can tell of something that is due before what was told so far, or when nothing was told.
    ///
    /// Where packets are only put off and never dropped, what is told of the first of them is the next event, and
    /// nobody need come back for a step.
    pub(crate) fn has_internal_events(&self) -> bool {
        match self {
            Self::Pipe(pipe) => pipe.drops_admitted(),
            Self::Scheduled(pipe) => pipe.drops_admitted(),
            // A frame or a burst may be lost.
            Self::Dvbs2(_) | Self::Rcs2(_) => true,
        }
    }

    /// Packets of whose end nothing was told yet.
    pub(crate) fn held_packets(&self) -> usize {
        match self {
            Self::Pipe(pipe) => pipe.held_packets(),
            Self::Scheduled(pipe) => pipe.held_packets(),
            Self::Dvbs2(carrier) => carrier.held_packets(),
            Self::Rcs2(return_link) => return_link.held_packets(),
        }
    }

    /// The workload starts.
    pub(crate) fn mark(&mut self, now: Time) {
        match self {
            Self::Pipe(pipe) => pipe.mark(),
            Self::Scheduled(pipe) => {
                pipe.mark();
                pipe.mark_schedule(now);
            }
            Self::Dvbs2(carrier) => carrier.mark(now),
            Self::Rcs2(return_link) => return_link.mark(now),
        }
    }

    /// The probe of its classes, where it can have classes.
    pub(crate) fn classes(&mut self) -> Option<&mut ClassProbe> {
        match self {
            Self::Pipe(_) | Self::Scheduled(_) => None,
            Self::Dvbs2(carrier) => Some(carrier.classes()),
            Self::Rcs2(return_link) => Some(return_link.classes()),
        }
    }

    /// The classes of a queue that marks packets, since the mark.
    pub(crate) fn queue_classes(&self) -> Vec<QueueClassReport> {
        match self {
            Self::Pipe(pipe) => pipe.queue_classes(),
            Self::Scheduled(pipe) => pipe.queue_classes(),
            Self::Dvbs2(carrier) => carrier.queue_classes(),
            Self::Rcs2(return_link) => return_link.queue_classes(),
        }
    }

    /// Its frames since the mark until `now`, where it is a DVB-S2 carrier.
    pub(crate) fn acm(&mut self, now: Time) -> Option<Table> {
        match self {
            Self::Pipe(_) | Self::Scheduled(_) | Self::Rcs2(_) => None,
            Self::Dvbs2(carrier) => Some(carrier.acm(now)),
        }
    }

    /// Its superframes since the mark until `now`, where it is a DVB-RCS2 return link.
    pub(crate) fn dama(&mut self, now: Time) -> Option<Table> {
        match self {
            Self::Pipe(_) | Self::Scheduled(_) | Self::Dvbs2(_) => None,
            Self::Rcs2(return_link) => Some(return_link.dama(now)),
        }
    }
}
