use bentpipe_units::Time;

use super::burst_plan::BurstPlan;
use super::class_queue::{ClassQueue, Queued};
use super::{Asked, ClassConfig, ControlLoop, Grant, ReturnConfig, Signalling, SlotRate};
use crate::Packet;
use crate::rcs2::{Reassembler, Span, Superframes};

/// A terminal: its classes, the slots it has in the present superframe, and its turn to ask.
pub(super) struct Terminal<P> {
    classes: Vec<ClassQueue<P>>,
    payload: u32,
    signalling: Signalling,
    /// The request slot of its own: in superframes of this phase of the period, at this opportunity.
    phase: u32,
    opportunity: u32,
    /// Slots of the constant rates until an answer to a request could be there.
    constant_slots: u64,
    superframes: Superframes,
    superframe: u64,
    columns: Vec<u32>,
    /// How many of the columns have passed.
    passed: usize,
    asks: bool,
    pub(super) used: u32,
    pub(super) asked_slots: u64,
}

/// Something a terminal does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Asks in its request slot.
    Ask(Span),
    /// Sends a burst in its next traffic slot.
    Burst(Span),
}

/// What comes out of a terminal.
pub(super) trait Sink<P> {
    /// A request of one class leaves, complete at `at`.
    fn request(&mut self, at: Time, class: usize, asked: Asked);
    /// A burst is sent; says whether it arrives.
    fn burst(&mut self) -> bool;
    /// The last piece of a packet is sent, complete at `at`; `whole` says whether all of it arrives.
    fn packet(&mut self, at: Time, class: usize, queued: Queued<P>, whole: bool);
}

impl<P: Packet> Terminal<P> {
    /// The terminal with this number, which is also its place among the request slots.
    pub(super) fn new(
        config: &ReturnConfig,
        classes: &[ClassConfig],
        number: u32,
        superframes: Superframes,
    ) -> Self {
        let payload = u32::try_from(config.burst_payload.get()).unwrap_or(u32::MAX);
        let data_bytes = payload - config.signalling.burst_bytes();
        let slot_bytes = u64::from(config.encapsulation.least_burst_bytes(data_bytes));
        let opportunities = config.layout.request_opportunities();
        let (phase, opportunity) = match config.signalling {
            Signalling::RequestSlot { .. } => (number / opportunities, number % opportunities),
            Signalling::Piggyback { period, .. } => (number % period, 0),
        };
        let asked_at = match config.signalling {
            Signalling::RequestSlot { .. } => superframes.request(0, opportunity).end,
            Signalling::Piggyback { .. } => superframes.start(1),
        };
        let answered = asked_at + config.timing.request_delay + config.timing.lead;
        let cycle = superframes.spanning(answered.since(superframes.start(0))).max(1);
        let control = ControlLoop { period: config.signalling.period(), cycle };
        let constant = classes.iter().map(|class| class.mix.cra).fold(SlotRate::ZERO, SlotRate::plus);
        let queue = |class| ClassQueue::new(class, config.encapsulation, slot_bytes, control);
        Self {
            classes: classes.iter().map(queue).collect(),
            payload,
            signalling: config.signalling,
            phase,
            opportunity,
            constant_slots: constant.slots_in(cycle - 1),
            superframes,
            superframe: 0,
            columns: Vec::new(),
            passed: 0,
            asks: false,
            used: 0,
            asked_slots: 0,
        }
    }

    /// A superframe begins, with these grants of the classes; cells `before` are other terminals'.
    pub(super) fn begin(&mut self, superframe: u64, grants: &[Grant], plan: &BurstPlan, before: u64) {
        let slots = grants.iter().map(Grant::total).sum();
        plan.place(before, slots, &mut self.columns);
        for (class, grant) in self.classes.iter_mut().zip(grants) {
            class.agent.granted(grant);
        }
        self.superframe = superframe;
        self.passed = 0;
        self.asks = superframe % u64::from(self.signalling.period()) == u64::from(self.phase);
        self.used = 0;
        self.asked_slots = 0;
    }

    pub(super) fn enqueue(&mut self, now: Time, class: usize, packet: P) -> Result<(), P> {
        self.classes[class].enqueue(now, packet)
    }

    /// What it does next in the present superframe.
    pub(super) fn next(&self) -> Option<Step> {
        let ask = self.asks && matches!(self.signalling, Signalling::RequestSlot { .. });
        let ask = ask.then(|| Step::Ask(self.superframes.request(self.superframe, self.opportunity)));
        let burst = self.next_burst().map(Step::Burst);
        [ask, burst].into_iter().flatten().min_by_key(|step| step.span().start)
    }

    /// Its next traffic slot of the present superframe.
    pub(super) fn next_burst(&self) -> Option<Span> {
        let column = self.columns.get(self.passed)?;
        Some(self.superframes.traffic(self.superframe, *column))
    }

    /// Does what [`Terminal::next`] says.
    pub(super) fn act(&mut self, step: Step, receiver: &mut [Reassembler], sink: &mut impl Sink<P>) {
        match step {
            Step::Ask(span) => _ = self.ask(span.end, sink),
            Step::Burst(span) => self.send_burst(span, receiver, sink),
        }
    }

    /// Bytes of bursts that everything waiting needs.
    pub(super) fn backlog(&self) -> u64 {
        self.classes.iter().map(ClassQueue::backlog).sum()
    }

    /// The rate last asked for, over all classes.
    pub(super) fn rate(&self) -> SlotRate {
        self.classes.iter().map(|class| class.agent.rate()).fold(SlotRate::ZERO, SlotRate::plus)
    }

    pub(super) fn held_packets(&self) -> usize {
        self.classes.iter().map(ClassQueue::len).sum()
    }

    /// Lets every class ask; returns whether any did.
    fn ask(&mut self, at: Time, sink: &mut impl Sink<P>) -> bool {
        self.asks = false;
        let mut coming = (self.columns.len() - self.passed) as u64 + self.constant_slots;
        let mut any = false;
        for (number, class) in self.classes.iter_mut().enumerate() {
            let asked = class.agent.ask(class.backlog(), &mut coming);
            if !asked.is_empty() {
                any = true;
                self.asked_slots += asked.slots();
                sink.request(at, number, asked);
            }
        }
        any
    }

    /// Fills a burst, the most urgent class first; what does not fit is left for the next.
    fn send_burst(&mut self, span: Span, receiver: &mut [Reassembler], sink: &mut impl Sink<P>) {
        let mut space = self.payload;
        if let Signalling::Piggyback { bytes, .. } = self.signalling
            && self.asks
            && self.ask(span.end, sink)
        {
            space -= bytes;
        }
        self.passed += 1;
        if self.backlog() == 0 {
            return;
        }
        self.used += 1;
        let arrives = sink.burst();
        for (number, class) in self.classes.iter_mut().enumerate() {
            while let Some((ppdu, sent)) = class.send(space) {
                space -= ppdu.burst_bytes();
                let whole = arrives && receiver[number].accept(ppdu).is_some();
                if let Some(queued) = sent {
                    sink.packet(span.end, number, queued, whole);
                }
            }
        }
    }
}

impl Step {
    pub(super) const fn span(&self) -> Span {
        match self {
            Self::Ask(span) | Self::Burst(span) => *span,
        }
    }
}
