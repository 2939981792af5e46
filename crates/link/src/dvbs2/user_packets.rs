//! TS packets as the user packets of a carrier, cut where a frame ends (EN 302 307-1, clauses 5.1.4 and 5.1.5).

use std::collections::VecDeque;

use bentpipe_units::{Bytes, Time};

use super::Backlog;
use crate::Packet;
use crate::mpeg_ts::{Encapsulation, Payload, TS_PACKET_BYTES};

/// The packets of a stream on their way into TS packets, and these into frames.
///
/// TS packets are user packets: a CRC-8 takes the place of the sync byte (EN 302 307-1, clause 5.1.4), so that each has
/// its 188 bytes, and one may be cut where a frame ends (clause 5.1.5). The receiver goes on with whole user packets
/// only. So a packet is complete with the last byte of its last TS packet, and a frame that has a byte of a TS packet
/// has a part of every packet in that one.
pub(super) struct UserPackets<P> {
    encapsulation: Encapsulation,
    /// Bytes of the last TS packet that are in no frame yet.
    unsent: u32,
    /// Packets that TS packets hold, the last of which is not completely sent.
    open: VecDeque<Open<P>>,
}

struct Open<P> {
    since: Time,
    /// Bytes of its SNDU that are in no TS packet yet: none of all but the last packet.
    rest: u32,
    packet: P,
}

impl<P: Packet> UserPackets<P> {
    pub(super) const fn new(encapsulation: Encapsulation) -> Self {
        Self { encapsulation, unsent: 0, open: VecDeque::new() }
    }

    /// When the oldest of the open packets came.
    pub(super) fn oldest(&self) -> Option<Time> {
        self.open.iter().map(|open| open.since).min()
    }

    pub(super) fn open_packets(&self) -> usize {
        self.open.len()
    }

    /// Whether what waits fills a data field with TS packets that have no padding.
    pub(super) fn fills(&self, data_field: Bytes, backlog: &Backlog) -> bool {
        let full = self.sndu_bytes(backlog) / u64::from(Payload::EMPTY.room());
        Bytes::new(u64::from(self.unsent) + full * u64::from(TS_PACKET_BYTES)) >= data_field
    }

    /// What TS packets have still to carry.
    fn sndu_bytes(&self, backlog: &Backlog) -> u64 {
        let rest = self.open.back().map_or(0, |open| u64::from(open.rest));
        let overhead = backlog.packets * u64::from(self.encapsulation.overhead());
        rest + overhead + backlog.bytes.get()
    }

    /// Fills a data field: the rest of the open TS packet, then TS packets made of what waits, the last of them as far
    /// as it fits. Returns the bytes of TS packets, and how many packets are complete with them.
    #[inline(always)]
    pub(super) fn pack(
        &mut self,
        room: u32,
        mut next: impl FnMut() -> Option<(Time, P)>,
        mut complete: impl FnMut(P),
    ) -> (u32, usize) {
        let (mut left, mut completed) = (room, 0);
        loop {
            let sent = self.unsent.min(left);
            self.unsent -= sent;
            left -= sent;
            if self.unsent > 0 {
                break;
            }
            while self.open.front().is_some_and(|open| open.rest == 0)
                && let Some(whole) = self.open.pop_front()
            {
                complete(whole.packet);
                completed += 1;
            }
            if left == 0 || !self.make(&mut next) {
                break;
            }
        }
        (room - left, completed)
    }

    /// Makes a TS packet of the open packet and of those from `next`; what they leave of it is padding. Returns whether
    /// there was anything to put in.
    fn make(&mut self, mut next: impl FnMut() -> Option<(Time, P)>) -> bool {
        let mut payload = Payload::EMPTY;
        if let Some(open) = self.open.back_mut() {
            open.rest -= payload.go_on(open.rest);
        }
        while payload.takes_start(self.encapsulation)
            && let Some((since, packet)) = next()
        {
            let sndu = self.encapsulation.sndu_bytes(packet.len_bytes());
            self.open.push_back(Open { since, rest: sndu - payload.start(sndu), packet });
        }
        if payload != Payload::EMPTY {
            self.unsent = TS_PACKET_BYTES;
        }
        self.unsent > 0
    }
}
