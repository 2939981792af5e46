use std::collections::VecDeque;

use bentpipe_units::{Bytes, Time};

use super::background::{Background, Filler};
use super::burst_plan::BurstPlan;
use super::class_queue::Queued;
use super::controller::{AccountConfig, Controller, Supply};
use super::terminal::{Sink, Terminal};
use super::{Asked, ConfigError, Grant, Request, ReturnConfig, Timing};
use crate::random::Stream;
use crate::rcs2::{Reassembler, Superframes};
use crate::{DropCause, Packet, Way};

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

/// A packet leaves the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// When the last burst with a part of it ends.
    pub at: Time,
    /// When it came.
    pub since: Time,
    /// Its class.
    pub class: usize,
    /// Whether all bursts with a part of it arrive.
    pub fate: Fate,
    /// The packet.
    pub packet: P,
}

/// What becomes of a packet that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It can be reassembled.
    Whole,
    /// A burst with a part of it is lost.
    Broken,
}

/// What one superframe was for the terminal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Its number.
    pub superframe: u64,
    /// Its begin.
    pub start: Time,
    /// Slots given to all terminals.
    pub allocated: u32,
    /// Slots given to this one.
    pub granted: Grant,
    /// Slots per superframe of the rate that it asks for at the end of the superframe.
    pub requested_rate: f64,
    /// Slots of volume that it asked for in the superframe.
    pub requested_slots: u64,
    /// Bursts that carried data.
    pub used: u32,
    /// Bytes of bursts that what waits needs at the end of the superframe.
    pub backlog: Bytes,
}

/// Where the terminal's doings go.
struct Out<P> {
    mail: Vec<Mail>,
    departures: VecDeque<Departure<P>>,
    burst_error: f64,
    stream: Stream,
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
    /// A link whose superframe 0 begins at `start`, where nobody has asked for anything.
    ///
    /// # Errors
    /// When the terminals cannot share the layout like this; see [`ConfigError`].
    pub fn new(config: &ReturnConfig, seed: u64, start: Time) -> Result<Self, ConfigError> {
        config.check()?;
        let superframes = Superframes::new(config.layout, start);
        let supply = Supply { slots: config.layout.slots(), per_terminal: config.layout.columns() };
        let accounts: Vec<_> = (config.terminals().enumerate())
            .flat_map(|(terminal, mixes)| mixes.into_iter().map(move |mix| AccountConfig { terminal, mix }))
            .collect();
        let numbered = config.background.iter().zip(1..);
        let mut link = Self {
            now: start,
            superframes,
            superframe: 0,
            max_packet: Bytes::new(u64::from(config.encapsulation.max_sdu_bytes())),
            timing: config.timing,
            plan: BurstPlan::new(config.layout.columns(), config.placement),
            controller: Controller::new(supply, config.order, &accounts)?,
            own: Terminal::new(config, &config.classes, 0, superframes),
            receiver: vec![Reassembler::new(config.encapsulation); config.classes.len()],
            background: numbered
                .map(|(own, number)| Background::new(config, own, number, superframes, seed))
                .collect(),
            out: Out {
                mail: Vec::new(),
                departures: VecDeque::new(),
                burst_error: 0.0,
                stream: Stream::new(seed, Way::Return, "burst"),
                timing: config.timing,
                account: 0,
            },
            probe: Probe::empty(start),
            probes: VecDeque::new(),
        };
        link.begin(0);
        Ok(link)
    }

    /// Offers a packet to one class.
    ///
    /// # Errors
    /// When it is dropped on arrival: the queue is full, or it is longer than RLE can send. The packet comes back.
    pub fn enqueue(&mut self, now: Time, class: usize, packet: P) -> Result<(), (DropCause, P)> {
        self.advance(now);
        if u64::from(packet.len_bytes()) > self.max_packet.get() {
            return Err((DropCause::Oversize, packet));
        }
        self.own.enqueue(self.now, class, packet).map_err(|packet| (DropCause::Queue, packet))
    }

    /// When to call [`ReturnLink::poll`] next if no packet comes before; none when nothing is held.
    ///
    /// Never later than the next departure. It is also the end of a burst that completes no packet, and the begin of a
    /// superframe when the terminal has no slot left in the present one: `poll` then returns `None`, and the next
    /// instant is strictly later.
    pub fn next_event(&self) -> Option<Time> {
        let departure = self.out.departures.front().map(|departure| departure.at);
        let waits = self.own.held_packets() > 0;
        let progress = waits.then(|| match self.own.next_burst() {
            Some(burst) => burst.end,
            None => self.superframes.start(self.superframe + 1),
        });
        [departure, progress].into_iter().flatten().min()
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

    /// From now on each burst is lost with this probability.
    pub fn set_burst_error(&mut self, now: Time, probability: f64) {
        self.advance(now);
        self.out.burst_error = probability;
    }

    /// Does everything that was to be done by `now`, each at its own instant.
    fn advance(&mut self, now: Time) {
        self.now = self.now.max(now);
        loop {
            let end = self.superframes.start(self.superframe + 1);
            match self.own.next() {
                Some(step) if step.span().start <= self.now => {
                    self.own.act(step, &mut self.receiver, &mut self.out);
                }
                None if end <= self.now => {
                    self.finish();
                    self.begin(self.superframe + 1);
                }
                _ => return,
            }
        }
    }

    /// The controller's plan takes effect; what others do in the superframe depends on nothing that comes in it.
    fn begin(&mut self, superframe: u64) {
        self.superframe = superframe;
        let start = self.superframes.start(superframe);
        self.deliver_requests(start);
        let grants = self.controller.plan();
        let (own, others) = grants.split_at(self.receiver.len());
        self.own.begin(superframe, own, &self.plan, 0);
        let granted = own.iter().fold(Grant::default(), Grant::plus);
        let mut before = u64::from(granted.total());
        let end = self.superframes.start(superframe + 1);
        for (terminal, (account, grant)) in self.background.iter_mut().zip((own.len()..).zip(others)) {
            terminal.terminal.begin(superframe, &[*grant], &self.plan, before);
            before += u64::from(grant.total());
            terminal.run_until(end, &mut Elsewhere { out: &mut self.out, account });
        }
        self.probe = Probe {
            superframe,
            granted,
            allocated: u32::try_from(before).unwrap_or(u32::MAX),
            ..Probe::empty(start)
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
        self.probes.push_back(Probe {
            requested_rate: self.own.rate().as_f64(),
            requested_slots: self.own.asked_slots,
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

    fn burst(&mut self) -> bool {
        // Drawn for every burst, so that a change of the probability moves no later draw.
        self.stream.uniform() >= self.burst_error
    }

    fn packet(&mut self, at: Time, class: usize, queued: Queued<P>, whole: bool) {
        let fate = if whole { Fate::Whole } else { Fate::Broken };
        let Queued { since, packet } = queued;
        self.departures.push_back(Departure { at, since, class, fate, packet });
    }
}

impl<P> Sink<Filler> for Elsewhere<'_, P> {
    fn request(&mut self, at: Time, class: usize, asked: Asked) {
        self.out.post(at, self.account + class, asked);
    }

    fn burst(&mut self) -> bool {
        true
    }

    fn packet(&mut self, _: Time, _: usize, _: Queued<Filler>, _: bool) {}
}

impl Probe {
    const fn empty(start: Time) -> Self {
        Self {
            superframe: 0,
            start,
            allocated: 0,
            granted: Grant { cra: 0, rbdc: 0, volume: 0, free: 0 },
            requested_rate: 0.0,
            requested_slots: 0,
            used: 0,
            backlog: Bytes::ZERO,
        }
    }
}
