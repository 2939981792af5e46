//! The forward egress: class queues, the carrier they are sent on, and the receiver of its frames.

use std::ops::Range;

use bentpipe_units::{Bytes, Duration, Time};

use super::acm::Acm;
use super::probe::AcmProbe;
use super::{Backlog, Carrier, Fate, Frame, Reassembly, Source, Transmitter, frame_error};
use crate::egress::{Admitted, Delay, EgressSink};
use crate::queue::{ClassProbe, ClassQueues, Waiting};
use crate::random::{Seed, Stream};
use crate::signal::EsN0;
use crate::{DirectionSpec, DropCause, Dvbs2Spec, ModulationSpec, Packet, Table};

/// Class queues before a DVB-S2 carrier. Model page: docs/models/dvbs2.md.
pub(crate) struct Dvbs2<P> {
    queues: ClassQueues<P>,
    streams: Streams,
    transmitter: Transmitter<Started<P>>,
    acm: Option<Acm>,
    receiver: Receiver,
    probe: AcmProbe,
    /// Packets that the frame in the making completes.
    completed: Vec<Started<P>>,
}

/// Which classes share frames.
#[derive(Clone, Copy)]
enum Streams {
    /// All of them.
    One { classes: usize },
    /// None: each has frames of its own.
    PerClass,
}

/// The far end of the channel.
struct Receiver {
    es_n0: EsN0,
    /// From the start of a frame until it starts to arrive.
    propagation: Duration,
    fates: Stream,
    reassembly: Reassembly,
}

/// A packet of which a frame carries a part.
struct Started<P> {
    /// When the first such frame was filled: where it starts, or the step before.
    start: Time,
    waiting: Waiting<P>,
}

/// The queues as the transmitter sees them.
struct Feed<'a, P, E> {
    queues: &'a mut ClassQueues<P>,
    streams: Streams,
    exit: &'a mut E,
}

impl<P: Packet> Dvbs2<P> {
    /// A carrier that starts at `start`, by its spec and what that comes to.
    pub(crate) fn new(
        (spec, carrier): (&Dvbs2Spec, &Carrier),
        direction: &DirectionSpec,
        mtu: Bytes,
        seed: Seed,
        start: Time,
    ) -> Self {
        let queues = ClassQueues::new(&spec.classes, &direction.queue, mtu, seed, start);
        let (streams, acm) = match &spec.modulation {
            ModulationSpec::ByClass { .. } => (Streams::PerClass, None),
            ModulationSpec::Constant { .. } => (Streams::One { classes: queues.count() }, None),
            ModulationSpec::Adaptive(acm) => (
                Streams::One { classes: queues.count() },
                Some(Acm::new(acm, spec.fecframe, spec.pilots, start)),
            ),
        };
        let receiver = Receiver {
            es_n0: EsN0::new(&spec.es_n0),
            propagation: direction.delay_ns,
            fates: seed.stream("frame"),
            reassembly: Reassembly::new(carrier.streams.len()),
        };
        let mut access = Self {
            streams,
            transmitter: Transmitter::new(&under_way(carrier, seed), start),
            acm,
            receiver,
            probe: AcmProbe::new(carrier, streams.of_class(queues.count() - 1), start),
            completed: Vec::new(),
            queues,
        };
        access.adapt(start);
        access
    }

    pub(crate) fn enqueue(&mut self, waiting: Waiting<P>, exit: &mut impl EgressSink<P>) -> Admitted<P> {
        let now = waiting.since;
        let class = self.queues.class_of(&waiting.packet);
        self.transmitter.observe(now);
        let (streams, transmitter) = (self.streams, &self.transmitter);
        let wait = |queues: &_| wait(queues, streams, transmitter, class, now);
        if !self.queues.admits(class, waiting.size, wait) {
            return Err((DropCause::Queue, waiting.packet));
        }
        self.queues.push(class, waiting);
        exit.waiting(now, self.queues.bytes());
        Ok(())
    }

    /// Starts every frame that was to start by `now`, with the MODCOD of its start.
    pub(crate) fn advance(&mut self, now: Time, exit: &mut impl EgressSink<P>) {
        while let Some(report) = self.next_report().filter(|report| *report <= now) {
            self.transmit(report, exit);
            self.adapt(report);
        }
        self.transmit(now, exit);
    }

    /// When the next frame starts or is filled; or when a report comes that may change this.
    pub(crate) fn next_step(&self) -> Option<Time> {
        let start =
            self.transmitter.next_start(|stream| self.queues.backlog(self.streams.classes(stream)))?;
        Some(self.next_report().map_or(start, |report| report.min(start)))
    }

    pub(crate) fn held_packets(&self) -> usize {
        self.queues.len() + self.transmitter.open_packets()
    }

    pub(crate) fn mark(&mut self, now: Time) {
        self.receiver.es_n0.set_origin(now);
        self.queues.probe().mark(now);
        self.probe.mark(now);
    }

    pub(crate) fn classes(&mut self) -> &mut ClassProbe {
        self.queues.probe()
    }

    /// Its frames since the mark until `now`: `acm`.
    pub(crate) fn acm(&mut self, now: Time) -> Table {
        self.probe.table(now, &self.receiver.es_n0)
    }

    fn transmit(&mut self, now: Time, exit: &mut impl EgressSink<P>) {
        loop {
            let feed = &mut Feed { queues: &mut self.queues, streams: self.streams, exit };
            let completed = &mut self.completed;
            let Some(frame) = self.transmitter.poll(now, feed, |packet| completed.push(packet)) else {
                return;
            };
            let fate = self.receiver.fate(&frame);
            let lost = self.receiver.reassembly.receive(&frame, fate);
            self.probe.sent(&frame, fate);
            for (index, started) in completed.drain(..).enumerate() {
                if index < lost {
                    exit.lost(frame.end, DropCause::Channel, started.waiting.packet);
                } else {
                    started.leave(frame.end, exit);
                }
            }
        }
    }

    /// From now on frames are those that the gateway chooses by the reports it has.
    fn adapt(&mut self, now: Time) {
        if let Some(acm) = &mut self.acm {
            let plframe = acm.plframe_at(now, &self.receiver.es_n0);
            self.transmitter.set_plframe(0, plframe);
            self.probe.adapted(now, plframe, acm.reported());
        }
    }

    fn next_report(&self) -> Option<Time> {
        self.acm.as_ref().map(Acm::next_arrival)
    }
}

impl Receiver {
    /// Drawn for every frame, so that a change of the probability moves no later draw.
    fn fate(&mut self, frame: &Frame) -> Fate {
        let es_n0 = self.es_n0.at(frame.start.saturating_add(self.propagation));
        if self.fates.uniform() < frame_error(frame.plframe, es_n0) { Fate::Lost } else { Fate::Received }
    }
}

impl Streams {
    fn classes(self, stream: usize) -> Range<usize> {
        match self {
            Self::One { classes } => 0..classes,
            Self::PerClass => stream..stream + 1,
        }
    }

    fn of_class(self, class: usize) -> usize {
        match self {
            Self::One { .. } => 0,
            Self::PerClass => class,
        }
    }
}

impl<P> Started<P> {
    /// The packet's last frame ends.
    fn leave(self, at: Time, exit: &mut impl EgressSink<P>) {
        let Self { start, waiting: Waiting { since, size, packet } } = self;
        let delay = Delay { queue: start.since(since), transmission: at.since(start), ..Delay::default() };
        exit.sent(at, size, delay, packet);
    }
}

impl<P: Packet> Packet for Started<P> {
    fn len_bytes(&self) -> u32 {
        self.waiting.packet.len_bytes()
    }
}

impl<P: Packet, E: EgressSink<P>> Source for Feed<'_, P, E> {
    type Packet = Started<P>;

    fn backlog(&self, stream: usize) -> Backlog {
        self.queues.backlog(self.streams.classes(stream))
    }

    fn pop(&mut self, stream: usize, start: Time) -> Option<(Time, Started<P>)> {
        let drop = |waiting: Waiting<P>| self.exit.lost(start, DropCause::Queue, waiting.packet);
        let first = self.queues.pop(self.streams.classes(stream), start, drop);
        self.exit.waiting(start, self.queues.bytes());
        first.map(|waiting| (waiting.since, Started { start, waiting }))
    }
}

/// The carrier of a network that does not begin with the run.
fn under_way(carrier: &Carrier, seed: Seed) -> Carrier {
    let share = || seed.stream("scheduling").uniform();
    let scheduling = carrier.scheduling.map(|scheduling| scheduling.under_way(share()));
    Carrier { scheduling, ..carrier.clone() }
}

/// How long a packet of the class would wait, an estimate: what goes before it, over the rate of data fields now in
/// force.
fn wait<P: Packet>(
    queues: &ClassQueues<P>,
    streams: Streams,
    transmitter: &Transmitter<Started<P>>,
    class: usize,
    now: Time,
) -> Duration {
    let ahead = (0..=streams.of_class(class)).map(|stream| {
        let classes = streams.classes(stream);
        let ahead = queues.backlog(classes.start..classes.end.min(class + 1));
        transmitter.time_for(stream, ahead.bytes)
    });
    transmitter.opens_at(now).since(now) + ahead.sum()
}
