//! The queue before the transmitter. Model page: docs/models/queue.md.

mod class_probe;
mod class_queues;
mod classifier;
mod codel;
mod dualpi2;
mod fifo;
mod random_early_drop;
mod sojourn;

use bentpipe_units::{Bytes, Duration, Switch, Time, earlier};

pub(crate) use self::class_probe::{ClassProbe, table as classes};
pub(crate) use self::class_queues::{ClassQueues, named_reports};
pub use self::classifier::ClassSpec;
pub(crate) use self::classifier::Classifier;
use self::codel::Codel;
use self::dualpi2::Dualpi2;
pub use self::dualpi2::Dualpi2Spec;
use self::fifo::Fifo;
pub(crate) use self::fifo::Waiting;
use self::random_early_drop::RandomEarlyDrop;
use crate::random::Stream;
use crate::{Packet, QueueClassReport};

/// Limit of the queue, and what is dropped below it; the packet in transmission does not count.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum QueueSpec {
    /// At most so many bytes wait.
    Bytes {
        /// Sum of the lengths of waiting packets.
        limit_bytes: Bytes,
    },
    /// At most so many packets wait.
    Packets {
        /// Number of waiting packets.
        limit_packets: u64,
    },
    /// A packet that would wait longer than this is dropped on arrival.
    Time {
        /// Wait before transmission starts.
        limit_ns: Duration,
    },
    /// Arriving packets are dropped at random once more than `start_bytes` wait.
    RandomEarlyDrop {
        /// Sum of the lengths of waiting packets; above it every packet is dropped.
        limit_bytes: Bytes,
        /// Below it no packet is dropped.
        start_bytes: Bytes,
        /// Probability of a drop as the queue reaches its limit; it rises in proportion from `start_bytes` on.
        p: f64,
    },
    /// Packets that waited too long for too long are dropped as they leave (RFC 8289).
    Codel {
        /// Sum of the lengths of waiting packets; above it every packet is dropped on arrival.
        limit_bytes: Bytes,
        /// Acceptable wait.
        target_ns: Duration,
        /// How long the wait may exceed the target; of the order of the round trip.
        interval_ns: Duration,
        /// Whether packets of senders that take part in ECN are marked in place of a drop as they leave.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Switch::is_off"))]
        ecn: Switch,
    },
    /// Two queues, of which that of L4S packets is served first and marked early (RFC 9332).
    Dualpi2(Dualpi2Spec),
}

/// A first-in first-out queue that refuses what exceeds its limit (drop-tail), and may drop packets before that.
pub(crate) struct Queue<P> {
    discipline: Discipline<P>,
    /// All that waits, but for L4S packets in a dual queue.
    fifo: Fifo<P>,
}

/// What is dropped.
enum Discipline<P> {
    Bytes { limit: Bytes },
    Packets { limit: u64 },
    Time { limit: Duration },
    RandomEarlyDrop(RandomEarlyDrop),
    Codel { limit: Bytes, codel: Codel },
    Dualpi2(Box<Dualpi2<P>>),
}

impl<P: Packet> Queue<P> {
    pub(crate) fn new(spec: &QueueSpec, mtu: Bytes, stream: Stream) -> Self {
        let discipline = match *spec {
            QueueSpec::Bytes { limit_bytes } => Discipline::Bytes { limit: limit_bytes },
            QueueSpec::Packets { limit_packets } => Discipline::Packets { limit: limit_packets },
            QueueSpec::Time { limit_ns } => Discipline::Time { limit: limit_ns },
            QueueSpec::RandomEarlyDrop { limit_bytes, start_bytes, p } => {
                Discipline::RandomEarlyDrop(RandomEarlyDrop::new(start_bytes, limit_bytes, p, stream))
            }
            QueueSpec::Codel { limit_bytes, target_ns, interval_ns, ecn } => {
                let codel = Codel::new(target_ns, interval_ns, mtu, ecn.is_on());
                Discipline::Codel { limit: limit_bytes, codel }
            }
            QueueSpec::Dualpi2(spec) => Discipline::Dualpi2(Box::new(Dualpi2::new(spec, mtu))),
        };
        Self { discipline, fifo: Fifo::new() }
    }

    /// Whether a packet of `size` that would wait for `wait` gets in, while one that was `just_taken` counts as waiting.
    pub(crate) fn admits(
        &mut self,
        size: Bytes,
        just_taken: Option<Bytes>,
        wait: impl FnOnce() -> Duration,
    ) -> bool {
        let bytes = self.fifo.bytes + just_taken.unwrap_or(Bytes::ZERO);
        match &mut self.discipline {
            Discipline::Bytes { limit } | Discipline::Codel { limit, .. } => bytes + size <= *limit,
            Discipline::Packets { limit } => {
                (self.fifo.waiting.len() as u64) + u64::from(just_taken.is_some()) < *limit
            }
            Discipline::Time { limit } => wait() <= *limit,
            Discipline::RandomEarlyDrop(early) => early.admits(bytes, size),
            Discipline::Dualpi2(dual) => dual.admits(&self.fifo),
        }
    }

    /// Whether it matters how long a packet would wait.
    pub(crate) fn limits_wait(&self) -> bool {
        matches!(self.discipline, Discipline::Time { .. })
    }

    pub(crate) fn push(&mut self, waiting: Waiting<P>) {
        match &mut self.discipline {
            Discipline::Dualpi2(dual) => dual.push(waiting, &mut self.fifo),
            _ => self.fifo.push(waiting),
        }
    }

    /// Takes out the packet whose transmission starts at `now`; those dropped before it go to `drop`.
    pub(crate) fn pop(&mut self, now: Time, drop: impl FnMut(Waiting<P>)) -> Option<Waiting<P>> {
        match &mut self.discipline {
            Discipline::Codel { codel, .. } => codel.dequeue(now, &mut self.fifo, drop),
            Discipline::Dualpi2(dual) => dual.dequeue(now, &mut self.fifo, drop),
            _ => self.fifo.pop(),
        }
    }

    /// A packet is transmitted as it comes, because nothing waits: itself, or marked.
    ///
    /// # Errors
    /// The packet, where it is dropped.
    pub(crate) fn pass(&mut self, waiting: Waiting<P>) -> Result<Waiting<P>, Waiting<P>> {
        match &mut self.discipline {
            Discipline::Codel { codel, .. } => codel.pass(),
            Discipline::Dualpi2(dual) => {
                let now = waiting.since;
                let mut dropped = None;
                dual.push(waiting, &mut self.fifo);
                let first = dual.dequeue(now, &mut self.fifo, |waiting| dropped = Some(waiting));
                return first.ok_or_else(|| dropped.expect("what was pushed leaves or is dropped"));
            }
            _ => {}
        }
        Ok(waiting)
    }

    /// Whether packets can be dropped after they were admitted.
    pub(crate) fn drops_admitted(&self) -> bool {
        matches!(self.discipline, Discipline::Codel { .. } | Discipline::Dualpi2(_))
    }

    /// Sum of the lengths of waiting packets.
    pub(crate) fn bytes(&self) -> Bytes {
        self.fifo.bytes + self.l4s().map_or(Bytes::ZERO, Fifo::bytes)
    }

    /// The packet whose turn it is.
    pub(crate) fn front(&self) -> Option<&Waiting<P>> {
        match &self.discipline {
            Discipline::Dualpi2(dual) => dual.front(&self.fifo),
            _ => self.fifo.front(),
        }
    }

    /// When the first of them came.
    pub(crate) fn oldest(&self) -> Option<Time> {
        let since = |fifo: &Fifo<P>| fifo.front().map(|first| first.since);
        earlier(since(&self.fifo), self.l4s().and_then(since))
    }

    pub(crate) fn len(&self) -> usize {
        self.fifo.waiting.len() + self.l4s().map_or(0, |fifo| fifo.waiting.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fifo.is_empty() && self.l4s().is_none_or(Fifo::is_empty)
    }

    /// The workload starts: what a queue counts that marks packets is counted from here.
    pub(crate) fn mark(&mut self) {
        match &mut self.discipline {
            Discipline::Codel { codel, .. } => codel.mark(),
            Discipline::Dualpi2(dual) => dual.mark(),
            _ => {}
        }
    }

    /// Its classes, where it marks packets.
    pub(crate) fn report(&self) -> Vec<QueueClassReport> {
        match &self.discipline {
            Discipline::Codel { codel, .. } => codel.report(),
            Discipline::Dualpi2(dual) => dual.report(),
            _ => Vec::new(),
        }
    }

    /// The queue of L4S packets beside the other.
    fn l4s(&self) -> Option<&Fifo<P>> {
        match &self.discipline {
            Discipline::Dualpi2(dual) => Some(&dual.l4s),
            _ => None,
        }
    }
}
