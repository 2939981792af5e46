//! The return link as a whole: terminals ask and send, the controller plans, superframe after superframe.

use std::collections::VecDeque;

use bentpipe_units::{Bytes, Duration, Time, earlier};

use super::background::{Background, Filler};
use super::burst_plan::BurstPlan;
use super::channel::Channel;
use super::class_queue::Sent;
use super::controller::Controller;
use super::terminal::{Sink, Terminal};
use super::{
    AccessDelay, Asked, ConfigError, Departure, Fate, Grant, Phase, Probe, Request, ReturnConfig, Timing,
};
use crate::queue::Waiting;
use crate::random::Stream;
use crate::rcs2::{Reassembler, Superframes};
use crate::{Direction, DropCause, Packet, QueueClassReport};

/// The return link of one terminal, with the controller and the other terminals.
///
/// Sans-IO like [`crate::Path`]: packets and instants go in, packets and instants come out, and polling late changes
/// nothing. Instants are those of the terminal's transmitter; propagation to the hub comes after.
pub struct ReturnLink<P> {
    now: Time,
    superframes: Superframes,
    superframe: u64,
    max_packet: Bytes,
    timing: Timing,
    plan: BurstPlan,
    controller: Controller,
    own: Terminal<P>,
    receiver: Vec<Reassembler>,
    background: Vec<Background>,
    out: Out<P>,
    probe: Probe,
    probes: VecDeque<Probe>,
}

/// Where the terminal's doings go.
struct Out<P> {
    mail: Vec<Mail>,
    departures: VecDeque<Departure<P>>,
    channel: Channel,
    timing: Timing,
    /// Account of the terminal's first class.
    account: usize,
}

/// The same of another terminal, whose packets nobody awaits.
struct Elsewhere<'a, P> {
    out: &'a mut Out<P>,
    account: usize,
}

/// A request on its way to the controller.
#[derive(Clone, Copy, Debug)]
struct Mail {
    arrives: Time,
    account: usize,
    request: Request,
}

impl<P: Packet> ReturnLink<P> {
    /// A link that starts in its superframe 0, where nobody has asked for anything.
    ///
    /// # Errors
    /// When the terminals cannot share the layout like this; see [`ConfigError`].
    pub fn new(config: &ReturnConfig, seed: u64, start: Time) -> Result<Self, ConfigError> {
        let mut controller = config.controller()?;
        if config.phase == Phase::Random {
            let mut stream = Stream::new(seed, Direction::Return, "constant-rate");
            controller.continue_from(|| stream.uniform());
        }
        let superframes = Superframes::under_way(config.layout, start, phase(config, seed));
        let numbered = config.background.iter().zip(1..);
        let mut link = Self {
            now: start,
            superframes,
            superframe: 0,
            max_packet: Bytes::new(u64::from(config.encapsulation.max_sdu_bytes())),
            timing: config.timing,
            plan: BurstPlan::new(config.layout.columns(), config.placement),
            controller,
            own: Terminal::new(config, &config.classes, 0, superframes, seed),
            receiver: vec![Reassembler::new(config.encapsulation); config.classes.len()],
            background: numbered
                .map(|(own, number)| Background::new(config, own, number, superframes, seed))
                .collect(),
            out: Out {
                mail: Vec::new(),
                departures: VecDeque::new(),
                channel: Channel::new(config, seed),
                timing: config.timing,
                account: 0,
            },
            probe: Probe::empty(config.layout.slots()),
            probes: VecDeque::new(),
        };
        link.start(0);
        Ok(link)
    }

    /// Offers a packet to one class.
    ///
    /// # Errors
    /// When it is dropped on arrival: the queue is full, or it is longer than the encapsulation allows. The packet comes back.
    pub fn enqueue(&mut self, now: Time, class: usize, packet: P) -> Result<(), (DropCause, P)> {
        self.advance(now);
        if u64::from(packet.len_bytes()) > self.max_packet.get() {
            return Err((DropCause::Oversize, packet));
        }
        let size = Bytes::new(u64::from(packet.len_bytes()));
        let waiting = Waiting { since: self.now, size, packet };
        self.own.enqueue(class, waiting).map_err(|packet| (DropCause::Queue, packet))
    }

    /// When to call [`ReturnLink::poll`] next if no packet comes before; none when nothing is held.
    ///
    /// Never later than the next departure. It is also the end of a burst that completes no packet, and the start of a
    /// superframe when the terminal has no slot left in the present one: `poll` then returns `None`, and the next
    /// instant is strictly later.
    pub fn next_event(&self) -> Option<Time> {
        let departure = self.out.departures.front().map(|departure| departure.at);
        let waits = self.own.held_packets() > 0;
        let progress = waits.then(|| match self.own.next_burst() {
            Some(burst) if self.own.drops_admitted() => burst.start,
            Some(burst) => burst.end,
            None => self.superframes.start(self.superframe + 1),
        });
        earlier(departure, progress)
    }

    /// The earliest departure that was due by `now`; call it until it returns `None`.
    pub fn poll(&mut self, now: Time) -> Option<Departure<P>> {
        self.advance(now);
        let due = self.out.departures.front().is_some_and(|departure| departure.at <= self.now);
        if due { self.out.departures.pop_front() } else { None }
    }

    /// The oldest finished superframe that was not asked for yet.
    pub fn poll_probe(&mut self, now: Time) -> Option<Probe> {
        self.advance(now);
        self.probes.pop_front()
    }

    /// Packets waiting, in part sent, or sent and not polled.
    pub fn held_packets(&self) -> usize {
        self.own.held_packets() + self.out.departures.len()
    }

    /// The workload starts, and with it the attenuation.
    pub(crate) fn mark(&mut self, now: Time) {
        self.out.channel.mark(now);
        self.own.mark();
    }

    /// What the queue of each class reports that marks packets, since the mark.
    pub(crate) fn queue_reports(&self) -> impl Iterator<Item = Vec<QueueClassReport>> {
        self.own.queue_reports()
    }

    /// Does the next thing if it was to be done by `now`; says at what instant.
    pub(crate) fn step(&mut self, now: Time) -> Option<Time> {
        self.now = self.now.max(now);
        match self.own.next() {
            Some(step) => {
                let at = step.span().start;
                (at <= self.now).then(|| self.own.act(step, &mut self.receiver, &mut self.out))?;
                Some(at)
            }
            None => {
                let end = self.superframes.start(self.superframe + 1);
                (end <= self.now).then(|| {
                    self.finish();
                    self.start(self.superframe + 1);
                    end
                })
            }
        }
    }

    /// When something next happens to a packet that has not left; none when there is none.
    pub(crate) fn next_step(&self) -> Option<Time> {
        (self.own.held_packets() > 0).then(|| match self.own.next_burst() {
            Some(burst) => burst.start,
            None => self.superframes.start(self.superframe + 1),
        })
    }

    /// The next departure of bursts that have started, due or not.
    pub(crate) fn take(&mut self) -> Option<Departure<P>> {
        self.out.departures.pop_front()
    }

    /// Bytes of packets that wait, of each class.
    pub(crate) fn waiting_bytes(&self) -> impl Iterator<Item = Bytes> {
        self.own.waiting_bytes()
    }

    /// Does everything that was to be done by `now`, each at its own instant.
    fn advance(&mut self, now: Time) {
        while self.step(now).is_some() {}
    }

    /// The controller's plan takes effect; what others do in the superframe depends on nothing that comes in it.
    fn start(&mut self, superframe: u64) {
        self.superframe = superframe;
        let start = self.superframes.start(superframe);
        self.deliver_requests(start);
        let grants = self.controller.plan();
        let (own, others) = grants.split_at(self.receiver.len());
        self.own.start(superframe, own, &self.plan, 0);
        let granted = own.iter().fold(Grant::default(), Grant::plus);
        let mut before = u64::from(granted.total());
        let end = self.superframes.start(superframe + 1);
        for (terminal, (account, grant)) in self.background.iter_mut().zip((own.len()..).zip(others)) {
            terminal.terminal.start(superframe, &[*grant], &self.plan, before);
            before += u64::from(grant.total());
            terminal.run_until(end, &mut Elsewhere { out: &mut self.out, account });
        }
        self.probe = Probe {
            superframe,
            granted,
            allocated: u32::try_from(before).unwrap_or(u32::MAX),
            start,
            es_n0: self.out.channel.es_n0(start),
            ..Probe::empty(self.probe.capacity)
        };
    }

    /// Hands over the requests that are there when the superframe is planned.
    fn deliver_requests(&mut self, start: Time) {
        let (lead, controller) = (self.timing.lead, &mut self.controller);
        let mail = &mut self.out.mail;
        mail.sort_by_key(|mail| (mail.arrives, mail.account));
        let there = mail.partition_point(|mail| mail.arrives.saturating_add(lead) <= start);
        for Mail { account, request, .. } in mail.drain(..there) {
            controller.request(account, request);
        }
    }

    fn finish(&mut self) {
        if self.superframes.start(self.superframe + 1) == self.probe.start {
            // It was over before the link started.
            return;
        }
        self.probes.push_back(Probe {
            requested_rate: self.own.rate().as_f64(),
            requested_volume: self.own.asked_slots,
            used: self.own.used,
            backlog: Bytes::new(self.own.backlog()),
            ..self.probe
        });
    }
}

impl<P> Out<P> {
    fn post(&mut self, at: Time, account: usize, asked: Asked) {
        let arrives = at.saturating_add(self.timing.request_delay);
        self.mail.extend(asked.requests().map(|request| Mail { arrives, account, request }));
    }
}

impl<P> Sink<P> for Out<P> {
    fn request(&mut self, at: Time, class: usize, asked: Asked) {
        self.post(at, self.account + class, asked);
    }

    fn burst(&mut self, at: Time) -> bool {
        self.channel.passes(at)
    }

    fn packet(&mut self, at: Time, class: usize, sent: Sent<P>, whole: bool) {
        let fate = if whole { Fate::Whole } else { Fate::Broken };
        let delay = AccessDelay::of(&sent, at);
        let Sent { since, packet, .. } = sent;
        self.departures.push_back(Departure { at, since, class, fate, delay, packet });
    }

    /// What the burst in hand has completed already leaves at its end, which is later.
    fn dropped(&mut self, at: Time, class: usize, waiting: Waiting<P>) {
        let Waiting { since, packet, .. } = waiting;
        let delay = AccessDelay { queue: at.since(since), ..AccessDelay::default() };
        let place = self.departures.partition_point(|departure| departure.at <= at);
        self.departures.insert(place, Departure { at, since, class, fate: Fate::Dropped, delay, packet });
    }
}

impl<P> Sink<Filler> for Elsewhere<'_, P> {
    fn request(&mut self, at: Time, class: usize, asked: Asked) {
        self.out.post(at, self.account + class, asked);
    }

    fn burst(&mut self, _: Time) -> bool {
        true
    }

    fn packet(&mut self, _: Time, _: usize, _: Sent<Filler>, _: bool) {}

    fn dropped(&mut self, _: Time, _: usize, _: Waiting<Filler>) {}
}

/// How long before the start of the link superframe 0 started: requests come round once in a period.
fn phase(config: &ReturnConfig, seed: u64) -> Duration {
    match config.phase {
        Phase::Start => Duration::ZERO,
        Phase::Random => {
            let period = config.layout.duration() * u64::from(config.signalling.period());
            let share = Stream::new(seed, Direction::Return, "superframe").uniform();
            Duration::from_nanos((share * period.as_nanos() as f64) as u64)
        }
    }
}
