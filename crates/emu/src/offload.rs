//! Where segmentation offload is worth it and cannot be seen: on the fastest links alone.

use bentpipe_link::{Direction, LinkSpec, nominal_rate};
use bentpipe_run::RunSpec;
use bentpipe_units::{Duration, Rate};

/// A direction below this has its packets handed over one by one, as a host without receive offload gets them.
const FROM: Rate = Rate::from_bps(500_000_000);
/// From here on the hosts' TCP takes so much of the link's core that they are to receive on others, though each packet
/// then waits for an interrupt between processors, some microseconds.
const STEERED_FROM: Rate = Rate::from_bps(1_000_000_000);
/// A train is no longer than what passes in this time, at least two packets.
pub(crate) const SPAN: Duration = Duration::from_micros(24);
/// As many as two segments a host acknowledges at once by itself (RFC 9293 section 3.8.6.3).
const FEWEST: u64 = 2;
/// No more full segments fit the 65 535 bytes of a super-segment on Ethernet: (65 535 - 52) / 1448.
const MOST: u64 = 45;

/// Whether the devices of a run's link have segmentation offload: where one of its directions has it.
pub fn has_segmentation_offload(spec: &RunSpec) -> bool {
    [Direction::Forward, Direction::Return]
        .into_iter()
        .any(|direction| most_merged(&spec.link, direction) > 1)
}

/// Whether packets of a run's link are to be received on other cores than the link's: where one of its directions is so
/// fast.
pub fn has_receive_steering(spec: &RunSpec) -> bool {
    [&spec.link.forward, &spec.link.return_]
        .into_iter()
        .any(|of| nominal_rate(&of.capacity, spec.link.mtu_bytes).is_ok_and(|rate| rate >= STEERED_FROM))
}

/// How many packets of a direction may be handed over as one.
pub(crate) fn most_merged(link: &LinkSpec, direction: Direction) -> usize {
    let of = match direction {
        Direction::Forward => &link.forward,
        Direction::Return => &link.return_,
    };
    match nominal_rate(&of.capacity, link.mtu_bytes) {
        Ok(rate) if rate >= FROM => {
            let packets = rate.volume_in(SPAN).get() / link.mtu_bytes.get().max(1);
            usize::try_from(packets.clamp(FEWEST, MOST)).unwrap_or(1)
        }
        _ => 1,
    }
}
