//! The forward egress: class queues, the carrier they are sent on, and the receiver of its frames.

use std::ops::Range;

use bentpipe_units::{Bytes, Duration, Time};

use super::acm::Acm;
use super::customers::{Customers, Turn};
use super::probe::AcmProbe;
use super::{Backlog, Carrier, Fate, Frame, Reassembly, Share, Source, Transmitter, frame_error};
use crate::egress::{Admitted, Delay, EgressSink};
use crate::queue::{ClassProbe, ClassQueues, Waiting};
use crate::random::{Seed, Stream};
use crate::schedule::Cursor;
use crate::signal::EsN0;
use crate::{DirectionSpec, DropCause, Dvbs2Spec, ModulationSpec, Packet, QueueClassReport, Table};

/// Class queues before a DVB-S2 carrier. Model page: docs/models/dvbs2.md.
pub(crate) struct Dvbs2<P> {
    queues: ClassQueues<P>,
    streams: Streams,
    customers: Option<Box<Customers>>,
    transmitter: Transmitter<Carried<P>>,
    /// Whether a frame waits for packets to fill it, so that one that comes may have it start.
    waits_for_more: bool,
    acm: Option<Acm>,
    receiver: Receiver,
    probe: AcmProbe,
    /// Packets that the frame in the making completes.
    completed: Vec<Carried<P>>,
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
enum Carried<P> {
    Measured(Started<P>),
    /// Of another customer, of this length.
    Other(u32),
}

/// A packet that is measured, of which a frame carries a part.
struct Started<P> {
    /// When the first such frame was filled: where it starts, or the step before.
    start: Time,
    waiting: Waiting<P>,
}

/// The queues as the transmitter sees them.
struct Feed<'a, P, E> {
    queues: &'a mut ClassQueues<P>,
    customers: Option<&'a mut Customers>,
    streams: Streams,
    exit: &'a mut E,
}

impl<P: Packet> Dvbs2<P> {
    /// A carrier that starts at `start`, by its spec and what that comes to.
    pub(crate) fn new(
        (spec, carrier): (&Dvbs2Spec, &Carrier),
        direction: &DirectionSpec,
        schedule: Option<&Cursor>,
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
        let share = schedule.map(|cursor| Share::new(cursor.clone(), spec.nominal_bps));
        let mut access = Self {
            streams,
            customers: Customers::new(spec.background.as_deref().unwrap_or_default(), mtu, seed, start),
            waits_for_more: carrier.closing_timeout > Duration::ZERO,
            transmitter: Transmitter::new(&under_way(carrier, seed), start).shared(share),
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
        if self.customers.is_some() {
            // What others have sent until now, whoever waits for it.
            self.advance(now, exit);
        }
        let class = self.queues.class_of(&waiting.packet);
        self.transmitter.observe(now);
        let (streams, transmitter, customers) = (self.streams, &self.transmitter, self.customers.as_deref());
        let wait = |queues: &_| wait(queues, customers, streams, transmitter, class, now);
        if !self.queues.admits(class, waiting.size, wait) {
            return Err((DropCause::Queue, waiting.packet));
        }
        self.queues.push(class, waiting);
        if let Some(customers) = &mut self.customers
            && class + 1 == self.queues.count()
        {
            customers.measured_waits();
        }
        exit.waiting(now, self.queues.bytes());
        Ok(())
    }

    /// Starts every frame that was to start by `now`, with the MODCOD of its start.
    pub(crate) fn advance(&mut self, now: Time, exit: &mut impl EgressSink<P>) {
        while let Some(report) = self.next_report().filter(|report| *report <= now) {
            self.share(report, exit);
            self.adapt(report);
        }
        self.share(now, exit);
    }

    /// When the next frame starts or is filled; or when a report comes that may change this.
    pub(crate) fn next_step(&self) -> Option<Time> {
        let customers = self.customers.as_deref();
        if customers.is_some() && self.held_packets() == 0 {
            // What others send can be done later.
            return None;
        }
        let start = self
            .transmitter
            .next_start(|stream| backlog(&self.queues, customers, self.streams.classes(stream)))?;
        let arrival = customers.filter(|_| self.waits_for_more).and_then(Customers::next_arrival);
        [self.next_report(), arrival].into_iter().flatten().chain([start]).min()
    }

    pub(crate) fn held_packets(&self) -> usize {
        let in_frames = match &self.customers {
            None => self.transmitter.open_packets(),
            Some(customers) => customers.measured_in_frames,
        };
        self.queues.len() + in_frames
    }

    pub(crate) fn mark(&mut self, now: Time) {
        self.receiver.es_n0.set_origin(now);
        self.transmitter.mark(now);
        self.queues.mark(now);
        self.probe.mark(now);
    }

    pub(crate) fn classes(&mut self) -> &mut ClassProbe {
        self.queues.probe()
    }

    /// The classes of those of its queues that mark packets.
    pub(crate) fn queue_classes(&self) -> Vec<QueueClassReport> {
        self.queues.report()
    }

    /// Its frames since the mark until `now`: `acm`.
    pub(crate) fn acm(&mut self, now: Time) -> Table {
        self.probe.table(now, &self.receiver.es_n0)
    }

    /// Lets come what others send by `now`, and starts every frame that was to start by then.
    fn share(&mut self, now: Time, exit: &mut impl EgressSink<P>) {
        while let Some(at) = self.customers.as_ref().and_then(|customers| customers.next_arrival())
            && at <= now
        {
            self.transmit(at, exit);
            self.customers.iter_mut().for_each(|customers| customers.arrive());
        }
        self.transmit(now, exit);
    }

    fn transmit(&mut self, now: Time, exit: &mut impl EgressSink<P>) {
        loop {
            let customers = self.customers.as_deref_mut();
            let feed = &mut Feed { queues: &mut self.queues, customers, streams: self.streams, exit };
            let completed = &mut self.completed;
            let Some(frame) = self.transmitter.poll(now, feed, |packet| completed.push(packet)) else {
                return;
            };
            let fate = self.receiver.fate(&frame);
            let lost = self.receiver.reassembly.receive(&frame, fate);
            self.probe.sent(&frame, fate);
            for (index, carried) in completed.drain(..).enumerate() {
                let Carried::Measured(started) = carried else { continue };
                if let Some(customers) = &mut self.customers {
                    customers.measured_in_frames -= 1;
                }
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

impl<P: Packet> Packet for Carried<P> {
    fn len_bytes(&self) -> u32 {
        match self {
            Self::Measured(started) => started.waiting.packet.len_bytes(),
            Self::Other(bytes) => *bytes,
        }
    }
}

impl<P: Packet, E: EgressSink<P>> Feed<'_, P, E> {
    /// Takes out the first packet that is measured of the most urgent of some classes.
    fn pop_measured(&mut self, classes: Range<usize>, start: Time) -> Option<Waiting<P>> {
        let drop = |waiting: Waiting<P>| self.exit.lost(start, DropCause::Queue, waiting.packet);
        let first = self.queues.pop(classes, start, drop);
        self.exit.waiting(start, self.queues.bytes());
        if first.is_some()
            && let Some(customers) = &mut self.customers
        {
            customers.measured_in_frames += 1;
        }
        first
    }

    /// Takes out the packet of whose turn it is among the packets of no class and those of others.
    fn pop_in_turn(&mut self, start: Time) -> Option<(Time, Carried<P>)> {
        let class = self.queues.count() - 1;
        let measured = self.queues.first_bytes(class).map(Bytes::get);
        match self.customers.as_mut()?.turn(measured)? {
            Turn::Other { since, bytes } => Some((since, Carried::Other(bytes))),
            Turn::Measured => {
                let first = self.pop_measured(class..class + 1, start);
                let has_more = self.queues.first_bytes(class).is_some();
                let bytes = first.as_ref().map_or(Bytes::ZERO, |waiting| waiting.size);
                self.customers.iter_mut().for_each(|customers| customers.measured_sent(bytes, has_more));
                first.map(|waiting| carried(waiting, start))
            }
        }
    }
}

impl<P: Packet, E: EgressSink<P>> Source for Feed<'_, P, E> {
    type Packet = Carried<P>;

    fn backlog(&self, stream: usize) -> Backlog {
        backlog(self.queues, self.customers.as_deref(), self.streams.classes(stream))
    }

    fn pop(&mut self, stream: usize, start: Time) -> Option<(Time, Carried<P>)> {
        let classes = self.streams.classes(stream);
        let is_shared = self.customers.is_some() && classes.end == self.queues.count();
        if !is_shared {
            return self.pop_measured(classes, start).map(|waiting| carried(waiting, start));
        }
        match self.pop_measured(classes.start..classes.end - 1, start) {
            Some(urgent) => Some(carried(urgent, start)),
            None => self.pop_in_turn(start),
        }
    }
}

fn carried<P>(waiting: Waiting<P>, start: Time) -> (Time, Carried<P>) {
    (waiting.since, Carried::Measured(Started { start, waiting }))
}

/// What waits for frames of some classes, with what waits of others for those of the last.
fn backlog<P: Packet>(
    queues: &ClassQueues<P>,
    customers: Option<&Customers>,
    classes: Range<usize>,
) -> Backlog {
    let is_last = classes.end == queues.count();
    let measured = queues.backlog(classes);
    match customers.filter(|_| is_last) {
        None => measured,
        Some(customers) => measured.with(&customers.backlog()),
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
    customers: Option<&Customers>,
    streams: Streams,
    transmitter: &Transmitter<Carried<P>>,
    class: usize,
    now: Time,
) -> Duration {
    let ahead = (0..=streams.of_class(class)).map(|stream| {
        let classes = streams.classes(stream);
        let shared = customers.filter(|_| class + 1 == classes.end && classes.end == queues.count());
        let ahead = queues.backlog(classes.start..classes.end.min(class + 1)).bytes;
        let of_others = shared.map_or(Bytes::ZERO, |customers| customers.before(ahead));
        transmitter.time_for(stream, ahead + of_others)
    });
    transmitter.clear_at(now, ahead.sum()).since(now)
}
