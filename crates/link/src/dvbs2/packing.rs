use bentpipe_units::{Bytes, Time};

use super::{Backlog, Edge, Encapsulation, Fragmentation, PlFrame};
use crate::Packet;

/// Packets that share frames.
pub(super) struct Stream<P> {
    pub(super) plframe: PlFrame,
    /// A packet of which earlier frames have carried a part.
    open: Option<Open<P>>,
}

struct Open<P> {
    since: Time,
    fragmentation: Fragmentation,
    packet: P,
}

/// The contents of a BBFRAME.
pub(super) struct Filling {
    pub(super) used: Bytes,
    pub(super) completed: usize,
    pub(super) starts: Edge,
    pub(super) ends: Edge,
}

impl<P: Packet> Stream<P> {
    pub(super) fn new(plframe: PlFrame) -> Self {
        Self { plframe, open: None }
    }

    /// When the oldest packet came that is not completely sent; none when there is nothing to send.
    pub(super) fn oldest(&self, backlog: &Backlog) -> Option<Time> {
        self.open.as_ref().map(|open| open.since).or(backlog.oldest)
    }

    /// Whether what waits leaves no room in a frame for the start of another packet.
    pub(super) fn fills(&self, encapsulation: Encapsulation, backlog: &Backlog) -> bool {
        let open = self.open.as_ref().map_or(0, |open| u64::from(open.fragmentation.rest()));
        let headers = backlog.packets * u64::from(encapsulation.complete_header());
        let waiting = Bytes::new(open + headers) + backlog.bytes;
        waiting + Bytes::new(u64::from(least_start(encapsulation))) > self.plframe.data_field()
    }

    /// Fills one frame: the rest of the open packet, then packets from `next`, the last of them as far as it fits.
    pub(super) fn fill(
        &mut self,
        encapsulation: Encapsulation,
        mut next: impl FnMut() -> Option<(Time, P)>,
        mut complete: impl FnMut(P),
    ) -> Filling {
        let starts = self.edge();
        let room = self.plframe.data_field_bytes();
        let mut left = room;
        let mut completed = 0;
        let mut begin = |left| {
            let (since, packet) = (left >= least_start(encapsulation)).then(&mut next).flatten()?;
            let fragmentation = Fragmentation::new(encapsulation, packet.len_bytes());
            Some(Open { since, fragmentation, packet })
        };
        while let Some(mut open) = self.open.take().or_else(|| begin(left)) {
            let Some(gse) = open.fragmentation.take(left) else {
                self.open = Some(open);
                break;
            };
            left -= gse.len;
            if gse.part.ends() {
                complete(open.packet);
                completed += 1;
            } else {
                self.open = Some(open);
            }
        }
        Filling { used: Bytes::new(u64::from(room - left)), completed, starts, ends: self.edge() }
    }

    pub(super) fn has_open(&self) -> bool {
        self.open.is_some()
    }

    fn edge(&self) -> Edge {
        if self.has_open() { Edge::InsidePacket } else { Edge::BetweenPackets }
    }
}

/// Room below which no packet is begun: the header of a first fragment and one byte.
const fn least_start(encapsulation: Encapsulation) -> u32 {
    encapsulation.first_header() + 1
}
