//! A terminal within a superframe: its request slot, the slots it was granted, and which class gets each.

use bentpipe_units::{Bytes, Time};

use super::burst_plan::BurstPlan;
use super::class_queue::{ClassQueue, Frame, Sent, Slot};
use super::{Asked, ClassConfig, ControlLoop, Grant, ReturnConfig, SignallingSpec, SlotRate};
use crate::queue::{Queue, Waiting};
use crate::random::Stream;
use crate::rcs2::{Goodput, Reassembler, Span, Superframes};
use crate::{Direction, Packet, QueueClassReport};

/// A terminal: its classes, the slots it has in the present superframe, and its turn to ask.
pub(super) struct Terminal<P> {
    classes: Vec<ClassQueue<P>>,
    payload: u32,
    signalling: SignallingSpec,
    /// The request slot of its own: in superframes of this phase of the period, at this opportunity.
    phase: u32,
    opportunity: u32,
    /// Slots of the constant rates until an answer to a request could be there.
    constant_slots: u64,
    superframes: Superframes,
    superframe: u64,
    /// When the superframe started.
    started: Time,
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
    /// A burst is sent that starts at `at`; says whether it arrives.
    fn burst(&mut self, at: Time) -> bool;
    /// The last piece of a packet is sent, complete at `at`; `whole` says whether all of it arrives.
    fn packet(&mut self, at: Time, class: usize, sent: Sent<P>, whole: bool);
    /// The queue drops a packet instead of sending it.
    fn dropped(&mut self, at: Time, class: usize, waiting: Waiting<P>);
}

impl<P: Packet> Terminal<P> {
    /// The terminal with this number, which is also its place among the request slots.
    pub(super) fn new(
        config: &ReturnConfig,
        classes: &[ClassConfig],
        number: u32,
        superframes: Superframes,
        seed: u64,
    ) -> Self {
        let slot_bytes = u64::from(config.slot_bytes());
        let opportunities = config.layout.request_opportunities();
        let (phase, opportunity) = match config.signalling {
            SignallingSpec::RequestSlot { .. } => (number / opportunities, number % opportunities),
            SignallingSpec::Piggyback { period, .. } => (number % period, 0),
        };
        let asked_at = match config.signalling {
            SignallingSpec::RequestSlot { .. } => superframes.request(0, opportunity).end,
            SignallingSpec::Piggyback { .. } => superframes.start(1),
        };
        let answered = asked_at + config.timing.request_delay + config.timing.lead;
        let cycle = superframes.spanning(answered.since(superframes.start(0))).max(1);
        let control = ControlLoop { period: config.signalling.period(), cycle };
        let constant = classes.iter().map(|class| class.mix.cra).fold(SlotRate::ZERO, SlotRate::plus);
        let frame = Frame { encapsulation: config.encapsulation, slot_bytes, control };
        let queue = |(place, class): (usize, &ClassConfig)| {
            let name = queue_name(number, place + 1 == classes.len(), place);
            let queue = Queue::new(&class.queue, config.mtu, Stream::new(seed, Direction::Return, &name));
            let most = class.mix.most_slots(config.layout.columns());
            let most = most.bit_rate(&config.layout, Goodput { bytes: slot_bytes, bursts: 1 });
            ClassQueue::new(queue, class.mix, most, frame)
        };
        Self {
            classes: classes.iter().enumerate().map(queue).collect(),
            payload: config.burst_bytes(),
            signalling: config.signalling,
            phase,
            opportunity,
            constant_slots: constant.slots_in(cycle - 1),
            superframes,
            superframe: 0,
            started: superframes.start(0),
            columns: Vec::new(),
            passed: 0,
            asks: false,
            used: 0,
            asked_slots: 0,
        }
    }

    /// A superframe starts, with these grants of the classes; cells `before` are other terminals'.
    pub(super) fn start(&mut self, superframe: u64, grants: &[Grant], plan: &BurstPlan, before: u64) {
        let slots = grants.iter().map(Grant::total).sum();
        plan.place(before, slots, &mut self.columns);
        for (class, grant) in self.classes.iter_mut().zip(grants) {
            class.agent.granted(grant);
        }
        self.superframe = superframe;
        self.started = self.superframes.start(superframe);
        self.passed = 0;
        // A turn for which there was no burst stays until there is one.
        self.asks |= superframe % u64::from(self.signalling.period()) == u64::from(self.phase);
        self.used = 0;
        self.asked_slots = 0;
    }

    pub(super) fn enqueue(&mut self, class: usize, waiting: Waiting<P>) -> Result<(), P> {
        self.classes[class].enqueue(waiting)
    }

    /// What it does next in the present superframe.
    pub(super) fn next(&self) -> Option<Step> {
        let ask = self.asks && matches!(self.signalling, SignallingSpec::RequestSlot { .. });
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

    /// Bytes of packets that wait, of each class.
    pub(super) fn waiting_bytes(&self) -> impl Iterator<Item = Bytes> {
        self.classes.iter().map(ClassQueue::waiting_bytes)
    }

    /// Whether packets can be dropped after they were admitted.
    pub(super) fn drops_admitted(&self) -> bool {
        self.classes.iter().any(ClassQueue::drops_admitted)
    }

    /// The workload starts.
    pub(super) fn mark(&mut self) {
        self.classes.iter_mut().for_each(ClassQueue::mark);
    }

    /// What the queue of each class reports that marks packets.
    pub(super) fn queue_reports(&self) -> impl Iterator<Item = Vec<QueueClassReport>> {
        self.classes.iter().map(ClassQueue::report)
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
        if let SignallingSpec::Piggyback { bytes, .. } = self.signalling
            && self.asks
            && self.ask(span.end, sink)
        {
            space -= bytes;
        }
        self.passed += 1;
        if self.backlog() == 0 {
            return;
        }
        let slot = Slot { superframe: self.started, start: span.start };
        let arrives = sink.burst(span.start);
        let mut carries = false;
        for (number, class) in self.classes.iter_mut().enumerate() {
            class.start_burst();
            while let Some((piece, sent)) =
                class.send(slot, space, |waiting| sink.dropped(span.start, number, waiting))
            {
                carries = true;
                space -= piece.burst_bytes();
                let whole = arrives && receiver[number].accept(piece).is_some();
                if let Some(sent) = sent {
                    sink.packet(span.end, number, sent, whole);
                }
            }
        }
        self.used += u32::from(carries);
    }
}

/// The queue of packets of no class has the name that the queue of a direction has elsewhere.
fn queue_name(terminal: u32, is_last: bool, place: usize) -> String {
    match (terminal, is_last) {
        (0, true) => "queue".to_owned(),
        (0, false) => format!("queue.{place}"),
        (background, _) => format!("background.{background}.queue"),
    }
}

impl Step {
    pub(super) const fn span(&self) -> Span {
        match self {
            Self::Ask(span) | Self::Burst(span) => *span,
        }
    }
}
