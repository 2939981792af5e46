//! How much of full bursts is packets, found by filling bursts until they repeat themselves.

use std::collections::BTreeMap;

use super::{Encapsulation, Fragmenter};

/// Bytes of packets that full bursts carry in the long run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goodput {
    /// So many bytes of packets ...
    pub bytes: u64,
    /// ... in so many bursts.
    pub bursts: u64,
}

impl Goodput {
    /// Of packets of one length, one after the other without end.
    ///
    /// What a burst starts with says all that can come after it, so that the bursts repeat themselves: this is one
    /// such cycle, and exact.
    ///
    /// # Panics
    /// When a burst has no room for a fragment of a packet, or the encapsulation none for the packet.
    pub fn of(encapsulation: Encapsulation, burst_bytes: u32, packet_bytes: u32) -> Self {
        assert!(encapsulation.least_burst_bytes(burst_bytes) > 0, "a burst has room");
        let mut fragmenter = Fragmenter::new(encapsulation);
        let mut seen = BTreeMap::new();
        let (mut bursts, mut packets) = (0u64, 0u64);
        loop {
            if let Some((bursts_then, packets_then)) =
                seen.insert(fragmenter.pending_bytes(), (bursts, packets))
            {
                let bytes = (packets - packets_then) * u64::from(packet_bytes);
                return Self { bytes, bursts: bursts - bursts_then };
            }
            packets += fill(&mut fragmenter, burst_bytes, packet_bytes);
            bursts += 1;
        }
    }
}

/// Fills a burst; returns how many packets it completes.
fn fill(fragmenter: &mut Fragmenter, burst_bytes: u32, packet_bytes: u32) -> u64 {
    fragmenter.start_burst();
    let (mut space, mut completed) = (burst_bytes, 0);
    loop {
        let piece = match fragmenter.pending_bytes() {
            0 => fragmenter.start(packet_bytes, space),
            _ => fragmenter.resume(space),
        };
        let Some(piece) = piece else { return completed };
        space -= piece.burst_bytes();
        completed += u64::from(piece.is_last());
    }
}
