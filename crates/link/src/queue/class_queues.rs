//! Queues of classes side by side, served in the order of urgency. Model page: docs/models/classes.md.

use std::ops::Range;

use bentpipe_units::{Bytes, Duration, Time};

use super::classifier::Classifier;
use super::{ClassProbe, Queue, Waiting};
use crate::dvbs2::Backlog;
use crate::random::Seed;
use crate::{ClassSpec, Packet, QueueClassReport, QueueSpec};

/// A queue for each class, the most urgent first; the last is that of the packets of no class.
pub(crate) struct ClassQueues<P> {
    classifier: Classifier,
    queues: Vec<Queue<P>>,
    /// Of all classes but the last.
    names: Vec<String>,
    probe: ClassProbe,
}

impl<P: Packet> ClassQueues<P> {
    pub(crate) fn new(classes: &[ClassSpec], other: &QueueSpec, mtu: Bytes, seed: Seed, start: Time) -> Self {
        let queue =
            |class: &ClassSpec| Queue::new(&class.queue, mtu, seed.stream(&format!("queue.{}", class.name)));
        let other = Queue::new(other, mtu, seed.stream("queue"));
        Self {
            classifier: Classifier::new(classes),
            queues: classes.iter().map(queue).chain([other]).collect(),
            names: classes.iter().map(|class| class.name.clone()).collect(),
            probe: ClassProbe::new(classes, start),
        }
    }

    /// The workload starts.
    pub(crate) fn mark(&mut self, now: Time) {
        self.probe.mark(now);
        self.queues.iter_mut().for_each(Queue::mark);
    }

    /// The classes of those queues that mark packets.
    pub(crate) fn report(&self) -> Vec<QueueClassReport> {
        named_reports(&self.names, self.queues.iter().map(Queue::report))
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.queues.len()
    }

    pub(crate) fn class_of(&self, packet: &P) -> usize {
        self.classifier.class_of(packet.dscp())
    }

    /// Whether a packet of `size` that would wait for `wait` gets in.
    pub(crate) fn admits(&mut self, class: usize, size: Bytes, wait: impl FnOnce(&Self) -> Duration) -> bool {
        let wait = if self.queues[class].limits_wait() { wait(self) } else { Duration::ZERO };
        self.queues[class].admits(size, None, || wait)
    }

    pub(crate) fn push(&mut self, class: usize, waiting: Waiting<P>) {
        let now = waiting.since;
        self.queues[class].push(waiting);
        self.note(class, now);
    }

    /// Takes out the first packet of the most urgent of some classes; those dropped before it go to `drop`.
    pub(crate) fn pop(
        &mut self,
        classes: Range<usize>,
        now: Time,
        mut drop: impl FnMut(Waiting<P>),
    ) -> Option<Waiting<P>> {
        for class in classes {
            if self.queues[class].is_empty() {
                continue;
            }
            let first = self.queues[class].pop(now, &mut drop);
            self.note(class, now);
            if first.is_some() {
                return first;
            }
        }
        None
    }

    /// Length of the first packet of a class.
    pub(crate) fn first_bytes(&self, class: usize) -> Option<Bytes> {
        self.queues[class].front().map(|first| first.size)
    }

    /// What waits in some classes together.
    pub(crate) fn backlog(&self, classes: Range<usize>) -> Backlog {
        let queues = &self.queues[classes];
        Backlog {
            packets: queues.iter().map(|queue| queue.len() as u64).sum(),
            bytes: queues.iter().map(Queue::bytes).sum(),
            oldest: queues.iter().filter_map(Queue::oldest).min(),
        }
    }

    /// Sum of the lengths of waiting packets.
    pub(crate) fn bytes(&self) -> Bytes {
        self.queues.iter().map(Queue::bytes).sum()
    }

    pub(crate) fn len(&self) -> usize {
        self.queues.iter().map(Queue::len).sum()
    }

    pub(crate) fn probe(&mut self) -> &mut ClassProbe {
        &mut self.probe
    }

    fn note(&mut self, class: usize, at: Time) {
        self.probe.waiting(class, at, self.queues[class].bytes());
    }
}

/// What several queues report, each name after that of its class of service; the last queue has no class.
pub(crate) fn named_reports(
    names: &[String],
    queues: impl Iterator<Item = Vec<QueueClassReport>>,
) -> Vec<QueueClassReport> {
    let mut named = Vec::new();
    for (class, reports) in names.iter().map(Some).chain([None]).zip(queues) {
        named.extend(reports.into_iter().map(|one| match class {
            Some(class) => QueueClassReport { name: format!("{class} {}", one.name), ..one },
            None => one,
        }));
    }
    named
}
