//! The return egress: a return link between the class queues of a path and its propagation.

use bentpipe_units::{Bytes, Time};

use super::dama::{Departure, Fate, Probe, ReturnConfig, ReturnLink};
use crate::egress::{Admitted, Delay, EgressSink};
use crate::queue::{ClassProbe, Classifier, Waiting, named_reports};
use crate::{DropCause, Packet, QueueClassReport, Rcs2Spec, Table};

/// Timeslots of a DVB-RCS2 return link, assigned on demand. Model page: docs/models/dama.md.
pub(crate) struct Rcs2<P> {
    link: ReturnLink<P>,
    classifier: Classifier,
    /// Bytes that wait in each class, as last told.
    waiting: Vec<Bytes>,
    classes: ClassProbe,
    /// Of all classes but the last.
    names: Vec<String>,
    marked: Time,
    /// Superframes since the mark.
    probes: Vec<Probe>,
}

impl<P: Packet> Rcs2<P> {
    /// A return link that starts at `start`, by its spec and what that comes to.
    pub(crate) fn new(spec: &Rcs2Spec, config: &ReturnConfig, seed: u64, start: Time) -> Self {
        let link = ReturnLink::new(config, seed, start).expect("the spec has been checked");
        Self {
            link,
            classifier: Classifier::new(spec.classes.iter().map(|class| &class.class)),
            waiting: vec![Bytes::ZERO; spec.classes.len() + 1],
            classes: ClassProbe::new(spec.classes.iter().map(|class| &class.class), start),
            names: spec.classes.iter().map(|class| class.class.name.clone()).collect(),
            marked: start,
            probes: Vec::new(),
        }
    }

    pub(crate) fn enqueue(&mut self, waiting: Waiting<P>, exit: &mut impl EgressSink<P>) -> Admitted<P> {
        let Waiting { since, packet, .. } = waiting;
        let class = self.classifier.class_of(packet.dscp());
        self.link.enqueue(since, class, packet)?;
        self.tell_waiting(since, exit);
        Ok(())
    }

    pub(crate) fn advance(&mut self, now: Time, exit: &mut impl EgressSink<P>) {
        while let Some(at) = self.link.step(now) {
            self.tell_waiting(at, exit);
            while let Some(departure) = self.link.take() {
                tell(departure, exit);
            }
        }
    }

    pub(crate) fn next_step(&self) -> Option<Time> {
        self.link.next_step()
    }

    pub(crate) fn held_packets(&self) -> usize {
        self.link.held_packets()
    }

    pub(crate) fn mark(&mut self, now: Time) {
        self.link.mark(now);
        self.marked = now;
        self.classes.mark(now);
        self.collect_probes(now);
        self.probes.clear();
    }

    pub(crate) fn classes(&mut self) -> &mut ClassProbe {
        &mut self.classes
    }

    /// The classes of those of its queues that mark packets.
    pub(crate) fn queue_classes(&self) -> Vec<QueueClassReport> {
        named_reports(&self.names, self.link.queue_reports())
    }

    /// The superframes that started since the mark and ended by `now`.
    pub(crate) fn dama(&mut self, now: Time) -> Table {
        self.collect_probes(now);
        let mut table = Table::default();
        for probe in &self.probes {
            table.push([
                ("time_s", probe.start.since(Time::ZERO).as_secs_f64()),
                ("capacity_slots", f64::from(probe.capacity)),
                ("allocated_slots", f64::from(probe.allocated)),
                ("requested_rate_slots", probe.requested_rate),
                ("requested_volume_slots", probe.requested_volume as f64),
                ("granted_cra_slots", f64::from(probe.granted.cra)),
                ("granted_rbdc_slots", f64::from(probe.granted.rbdc)),
                ("granted_volume_slots", f64::from(probe.granted.volume)),
                ("granted_free_slots", f64::from(probe.granted.free)),
                ("used_slots", f64::from(probe.used)),
                ("backlog_bytes", probe.backlog.get() as f64),
                ("es_n0_db", probe.es_n0.get()),
            ]);
        }
        table
    }

    fn collect_probes(&mut self, now: Time) {
        let new = std::iter::from_fn(|| self.link.poll_probe(now)).filter(|probe| probe.start >= self.marked);
        self.probes.extend(new);
    }

    fn tell_waiting(&mut self, at: Time, exit: &mut impl EgressSink<P>) {
        let mut has_changed = false;
        for (class, (told, bytes)) in self.waiting.iter_mut().zip(self.link.waiting_bytes()).enumerate() {
            if *told != bytes {
                *told = bytes;
                has_changed = true;
                self.classes.waiting(class, at, bytes);
            }
        }
        if has_changed {
            exit.waiting(at, self.waiting.iter().copied().sum());
        }
    }
}

fn tell<P: Packet>(departure: Departure<P>, exit: &mut impl EgressSink<P>) {
    let Departure { at, fate, delay, packet, .. } = departure;
    match fate {
        Fate::Whole => {
            let size = Bytes::new(u64::from(packet.len_bytes()));
            let delay = Delay {
                queue: delay.queue,
                request: delay.request,
                slot: delay.slot,
                transmission: delay.bursts,
            };
            exit.sent(at, size, delay, packet);
        }
        Fate::Broken => exit.lost(at, DropCause::Channel, packet),
        Fate::Dropped => exit.lost(at, DropCause::Queue, packet),
    }
}
