use std::collections::VecDeque;

use bentpipe_units::{Bytes, Time};

use super::{Agent, ClassConfig, ControlLoop};
use crate::Packet;
use crate::rcs2::{Encapsulation, Fragmenter, Ppdu};

/// One class of a terminal: its packets, the one under way, and its agent.
pub(super) struct ClassQueue<P> {
    limit: Bytes,
    waiting: VecDeque<Queued<P>>,
    waiting_bytes: Bytes,
    /// Bytes of bursts that all packets need that wait, each sent whole.
    waiting_whole: u64,
    /// The packet of which a part has been sent.
    under_way: Option<Queued<P>>,
    encapsulation: Encapsulation,
    fragmenter: Fragmenter,
    pub(super) agent: Agent,
}

/// A packet and when it came.
pub(super) struct Queued<P> {
    pub(super) since: Time,
    pub(super) packet: P,
}

impl<P: Packet> ClassQueue<P> {
    pub(super) fn new(
        config: &ClassConfig,
        encapsulation: Encapsulation,
        slot_bytes: u64,
        control: ControlLoop,
    ) -> Self {
        Self {
            limit: config.limit,
            waiting: VecDeque::new(),
            waiting_bytes: Bytes::ZERO,
            waiting_whole: 0,
            under_way: None,
            encapsulation,
            fragmenter: Fragmenter::new(encapsulation),
            agent: Agent::new(config.mix, slot_bytes, control),
        }
    }

    pub(super) fn enqueue(&mut self, now: Time, packet: P) -> Result<(), P> {
        let size = size_of(&packet);
        if self.waiting_bytes + size > self.limit {
            return Err(packet);
        }
        let whole = self.whole(&packet);
        self.waiting_bytes += size;
        self.waiting_whole += whole;
        self.agent.arrived(whole);
        self.waiting.push_back(Queued { since: now, packet });
        Ok(())
    }

    /// The next piece for a burst with this space left, and the packet that it completes.
    pub(super) fn send(&mut self, space_bytes: u32) -> Option<(Ppdu, Option<Queued<P>>)> {
        let ppdu = if self.under_way.is_some() {
            self.fragmenter.resume(space_bytes)?
        } else {
            let ppdu = self.fragmenter.begin(self.waiting.front()?.packet.len_bytes(), space_bytes)?;
            self.under_way = self.waiting.pop_front().inspect(|first| {
                self.waiting_bytes -= size_of(&first.packet);
                self.waiting_whole -= u64::from(self.encapsulation.whole_bytes(first.packet.len_bytes()));
            });
            ppdu
        };
        let sent = if ppdu.is_last() { self.under_way.take() } else { None };
        Some((ppdu, sent))
    }

    /// Bytes of bursts that everything here still needs, each piece sent whole.
    pub(super) fn backlog(&self) -> u64 {
        self.waiting_whole + u64::from(self.fragmenter.pending_bytes())
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len() + usize::from(self.under_way.is_some())
    }

    fn whole(&self, packet: &P) -> u64 {
        u64::from(self.encapsulation.whole_bytes(packet.len_bytes()))
    }
}

fn size_of<P: Packet>(packet: &P) -> Bytes {
    Bytes::new(u64::from(packet.len_bytes()))
}
