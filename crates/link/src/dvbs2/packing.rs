//! A stream's packets in its BBFRAMEs, whichever encapsulation it has, and what frames leave open.

use bentpipe_units::{Bytes, Time, earlier};

use super::gse_packets::GsePackets;
use super::user_packets::UserPackets;
use super::{Backlog, Encapsulation, PlFrame};
use crate::Packet;

/// Packets that share frames.
pub(super) struct Stream<P> {
    pub(super) plframe: PlFrame,
    packing: Packing<P>,
}

/// What of its packets earlier frames have carried.
enum Packing<P> {
    Gse(GsePackets<P>),
    Ts(UserPackets<P>),
}

/// Where the edge of a frame falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Between packets.
    BetweenPackets,
    /// Inside a packet, which is fragmented.
    InsidePacket,
}

/// The contents of a BBFRAME.
pub(super) struct Filling {
    pub(super) used: Bytes,
    pub(super) completed: usize,
    pub(super) starts: Edge,
    pub(super) ends: Edge,
    pub(super) open: usize,
}

impl<P: Packet> Stream<P> {
    pub(super) fn new(plframe: PlFrame, encapsulation: Encapsulation) -> Self {
        let packing = match encapsulation {
            Encapsulation::Gse(gse) => Packing::Gse(GsePackets::new(gse)),
            Encapsulation::Ts(ts) => Packing::Ts(UserPackets::new(ts)),
        };
        Self { plframe, packing }
    }

    /// When the oldest packet came that is not completely sent; none when there is nothing to send.
    #[inline(always)]
    pub(super) fn oldest(&self, backlog: &Backlog) -> Option<Time> {
        let open = match &self.packing {
            Packing::Gse(gse) => gse.oldest(),
            Packing::Ts(ts) => ts.oldest(),
        };
        // With classes a packet that waits may be older than the open ones.
        earlier(open, backlog.oldest)
    }

    /// Whether what waits leaves no room in a frame for the start of another packet.
    pub(super) fn fills(&self, backlog: &Backlog) -> bool {
        match &self.packing {
            Packing::Gse(gse) => gse.fills(self.plframe.data_field(), backlog),
            Packing::Ts(ts) => ts.fills(self.plframe.data_field(), backlog),
        }
    }

    /// Fills one frame: the rest of what is open, then packets from `next`, as far as they fit.
    #[inline(always)]
    pub(super) fn fill(
        &mut self,
        next: impl FnMut() -> Option<(Time, P)>,
        complete: impl FnMut(P),
    ) -> Filling {
        let starts = edge(self.open_packets());
        let room = self.plframe.data_field_bytes();
        let (used, completed) = match &mut self.packing {
            Packing::Gse(gse) => gse.pack(room, next, complete),
            Packing::Ts(ts) => ts.pack(room, next, complete),
        };
        let open = self.open_packets();
        Filling { used: Bytes::new(u64::from(used)), completed, starts, ends: edge(open), open }
    }

    /// Packets of which frames so far have carried a part and not all.
    pub(super) fn open_packets(&self) -> usize {
        match &self.packing {
            Packing::Gse(gse) => gse.open_packets(),
            Packing::Ts(ts) => ts.open_packets(),
        }
    }
}

const fn edge(open_packets: usize) -> Edge {
    if open_packets > 0 { Edge::InsidePacket } else { Edge::BetweenPackets }
}
