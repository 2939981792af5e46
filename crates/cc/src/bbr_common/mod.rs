//! What both versions of BBR have in common.

mod aggregation;
mod mode;
mod pacing_rate;
mod probe_rtt;

use bentpipe_units::{Bytes, Duration, Rate};

pub(crate) use aggregation::{Aggregation, AggregationLimits, HALF_ROUNDS};
pub use mode::Mode;
pub(crate) use pacing_rate::PacingRate;
pub(crate) use probe_rtt::ProbeRtt;

/// The smallest window in packets: enough for delayed acknowledgements (draft: MinPipeCwnd).
pub(crate) const MIN_PACKETS: u64 = 4;
/// The largest send quantum in bytes.
const MAX_QUANTUM: u64 = 65_536;

/// BBRBDPMultiple, in bytes and not rounded.
pub(crate) fn bdp(bandwidth: Rate, min_rtt: Duration, gain: f64) -> f64 {
    bandwidth.as_bytes_per_sec() * min_rtt.as_secs_f64() * gain
}

/// BBRSetSendQuantum: about a millisecond's worth and `extra` bytes, in packets of `mss`.
pub(crate) fn quantum_packets(pacing_rate: Rate, extra: u64, mss: Bytes) -> u64 {
    (pacing_rate.as_bps() / 8 / 1024 + extra).min(MAX_QUANTUM) / mss.get()
}

/// BBRSaveCwnd: the window to restore later, when the present one may be reduced already.
pub(crate) fn saved_cwnd(cwnd: Bytes, prior_cwnd: Bytes, is_reduced: bool) -> Bytes {
    if is_reduced { prior_cwnd.max(cwnd) } else { cwnd }
}
