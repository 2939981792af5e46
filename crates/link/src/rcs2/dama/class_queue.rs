//! One class of a terminal from arrival to last burst: its queue, the packet under way, and its requests.

use bentpipe_units::{Bytes, Duration, Rate, Time};

use super::{Agent, ControlLoop, Mix};
use crate::queue::{Queue, Waiting};
use crate::rcs2::{Encapsulation, Fragmenter, Piece};
use crate::{Packet, QueueClassReport};

/// One class of a terminal: its packets, the one under way, and its agent.
pub(super) struct ClassQueue<P> {
    queue: Queue<P>,
    /// Bytes of bursts that all packets need that wait, each sent whole.
    waiting_whole: u64,
    /// The packet that has left the queue and not been sent whole.
    head: Option<Head<P>>,
    /// When the last packet before it was out of the way.
    free_since: Time,
    encapsulation: Encapsulation,
    fragmenter: Fragmenter,
    /// Most bursts that the class is ever given, in bytes of packets sent whole.
    most: Rate,
    pub(super) agent: Agent,
}

/// What all classes of a terminal have in common.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) encapsulation: Encapsulation,
    /// Bytes of backlog that one slot is sure to carry.
    pub(super) slot_bytes: u64,
    pub(super) control: ControlLoop,
}

/// The superframe and the burst in hand, each by its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) superframe: Time,
    pub(super) start: Time,
}

/// A packet of which the last piece is sent.
pub(super) struct Sent<P> {
    pub(super) since: Time,
    /// When it became the first of its class.
    pub(super) first: Time,
    /// Where its first piece was sent.
    pub(super) started: Slot,
    pub(super) packet: P,
}

struct Head<P> {
    waiting: Waiting<P>,
    /// None as long as no burst had room for its start.
    started: Option<Slot>,
}

impl<P: Packet> ClassQueue<P> {
    pub(super) fn new(queue: Queue<P>, mix: Mix, most: Rate, frame: Frame) -> Self {
        Self {
            queue,
            waiting_whole: 0,
            head: None,
            free_since: Time::ZERO,
            encapsulation: frame.encapsulation,
            fragmenter: Fragmenter::new(frame.encapsulation),
            most,
            agent: Agent::new(mix, frame.slot_bytes, frame.control),
        }
    }

    pub(super) fn enqueue(&mut self, waiting: Waiting<P>) -> Result<(), P> {
        let whole = self.whole(&waiting);
        let (most, backlog) = (self.most, self.backlog());
        if !self.queue.admits(waiting.size, None, || estimated_wait(most, backlog)) {
            return Err(waiting.packet);
        }
        self.waiting_whole += whole;
        self.agent.arrived(whole);
        self.queue.push(waiting);
        Ok(())
    }

    /// Another burst: to be called before the first piece of it.
    pub(super) const fn start_burst(&mut self) {
        self.fragmenter.start_burst();
    }

    /// The next piece for a burst with this space left, and the packet that it completes; packets that the queue
    /// drops instead go to `drop`.
    pub(super) fn send(
        &mut self,
        slot: Slot,
        space_bytes: u32,
        drop: impl FnMut(Waiting<P>),
    ) -> Option<(Piece, Option<Sent<P>>)> {
        if self.head.is_none() {
            self.take_head(slot.start, space_bytes, drop)?;
        }
        let head = self.head.as_mut()?;
        let piece = if head.started.is_some() {
            self.fragmenter.resume(space_bytes)?
        } else {
            let piece = self.fragmenter.start(head.waiting.packet.len_bytes(), space_bytes)?;
            head.started = Some(slot);
            piece
        };
        let sent = if piece.is_last() { self.finish(slot.start) } else { None };
        Some((piece, sent))
    }

    /// Bytes of bursts that everything here still needs, each piece sent whole.
    pub(super) fn backlog(&self) -> u64 {
        let head = match &self.head {
            Some(Head { waiting, started: None }) => self.whole(waiting),
            _ => u64::from(self.fragmenter.pending_bytes()),
        };
        self.waiting_whole + head
    }

    /// Packets, the one under way among them.
    pub(super) fn len(&self) -> usize {
        self.queue.len() + usize::from(self.head.is_some())
    }

    /// Sum of the lengths of the packets that wait.
    pub(super) fn waiting_bytes(&self) -> Bytes {
        self.queue.bytes()
    }

    /// Whether packets can be dropped after they were admitted.
    pub(super) fn drops_admitted(&self) -> bool {
        self.queue.drops_admitted()
    }

    /// The workload starts.
    pub(super) fn mark(&mut self) {
        self.queue.mark();
    }

    /// The classes of a queue that marks packets.
    pub(super) fn report(&self) -> Vec<QueueClassReport> {
        self.queue.report()
    }

    /// Takes the next packet from the queue if this burst has room for the start of the first that waits. Where
    /// that is dropped, the one after it may be too long and have to wait for the next burst.
    fn take_head(&mut self, now: Time, space_bytes: u32, mut drop: impl FnMut(Waiting<P>)) -> Option<()> {
        let first = self.queue.front()?;
        self.fragmenter.clone().start(first.packet.len_bytes(), space_bytes)?;
        let encapsulation = self.encapsulation;
        let (waiting_whole, free_since) = (&mut self.waiting_whole, &mut self.free_since);
        let head = self.queue.pop(now, |dropped| {
            *waiting_whole -= whole_bytes(encapsulation, &dropped.packet);
            *free_since = now;
            drop(dropped);
        })?;
        self.waiting_whole -= self.whole(&head);
        self.head = Some(Head { waiting: head, started: None });
        Some(())
    }

    fn finish(&mut self, now: Time) -> Option<Sent<P>> {
        let Head { waiting, started } = self.head.take()?;
        let first = waiting.since.max(std::mem::replace(&mut self.free_since, now));
        Some(Sent { since: waiting.since, first, started: started?, packet: waiting.packet })
    }

    fn whole(&self, waiting: &Waiting<P>) -> u64 {
        whole_bytes(self.encapsulation, &waiting.packet)
    }
}

fn whole_bytes<P: Packet>(encapsulation: Encapsulation, packet: &P) -> u64 {
    u64::from(encapsulation.whole_bytes(packet.len_bytes()))
}

/// Nobody knows what will be assigned: as long as the backlog takes with the most that the class is ever given.
fn estimated_wait(most: Rate, backlog: u64) -> Duration {
    if backlog == 0 { Duration::ZERO } else { most.time_for(Bytes::new(backlog)) }
}
