//! A data field filled with GSE packets: the rest of the open packet first, then what waits.

use bentpipe_units::{Bytes, Time};

use super::gse::Fragmentation;
use super::{Backlog, Gse};
use crate::Packet;

/// The packets of a stream on their way into GSE packets.
pub(super) struct GsePackets<P> {
    encapsulation: Gse,
    /// A packet of which earlier frames have carried a part.
    open: Option<Open<P>>,
}

struct Open<P> {
    since: Time,
    fragmentation: Fragmentation,
    packet: P,
}

impl<P: Packet> GsePackets<P> {
    pub(super) const fn new(encapsulation: Gse) -> Self {
        Self { encapsulation, open: None }
    }

    /// When the open packet came.
    pub(super) fn oldest(&self) -> Option<Time> {
        self.open.as_ref().map(|open| open.since)
    }

    pub(super) fn open_packets(&self) -> usize {
        usize::from(self.open.is_some())
    }

    /// Whether what waits leaves no room in a data field for the start of another packet.
    pub(super) fn fills(&self, data_field: Bytes, backlog: &Backlog) -> bool {
        self.waiting(backlog) + Bytes::new(u64::from(self.least_start())) > data_field
    }

    /// Room that the rest of the open packet and the backlog take, each packet in one piece.
    fn waiting(&self, backlog: &Backlog) -> Bytes {
        let open = self.open.as_ref().map_or(0, |open| u64::from(open.fragmentation.rest()));
        let headers = backlog.packets * u64::from(self.encapsulation.complete_header());
        Bytes::new(open + headers) + backlog.bytes
    }

    /// Fills a data field: the rest of the open packet, then packets from `next`, the last of them as far as it fits.
    /// Returns the bytes of GSE packets, and how many packets are complete with them.
    #[inline(always)]
    pub(super) fn pack(
        &mut self,
        room: u32,
        mut next: impl FnMut() -> Option<(Time, P)>,
        mut complete: impl FnMut(P),
    ) -> (u32, usize) {
        let (encapsulation, least_start) = (self.encapsulation, self.least_start());
        let (mut left, mut completed) = (room, 0);
        let mut start = |left| {
            let (since, packet) = (left >= least_start).then(&mut next).flatten()?;
            let fragmentation = Fragmentation::new(encapsulation, packet.len_bytes());
            Some(Open { since, fragmentation, packet })
        };
        while let Some(mut open) = self.open.take().or_else(|| start(left)) {
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
        (room - left, completed)
    }

    /// Room below which no packet is started: the header of a first fragment and one byte.
    const fn least_start(&self) -> u32 {
        self.encapsulation.first_header() + 1
    }
}
