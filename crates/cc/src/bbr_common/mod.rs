//! What both versions of BBR have in common.

mod aggregation;
mod congestion_window;
mod mode;
mod pacing_rate;
mod probe_rtt;

use bentpipe_units::{Bytes, Duration, Rate};

use crate::{RecoveryWindow, State};

pub(crate) use aggregation::{Aggregation, AggregationLimits, HALF_ROUNDS};
pub(crate) use congestion_window::CongestionWindow;
pub use mode::Mode;
pub(crate) use pacing_rate::PacingRate;
pub(crate) use probe_rtt::ProbeRtt;

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

/// What both versions want of an endpoint; the bandwidth is unknown as long as it is zero.
pub(crate) fn state(
    ssthresh: Option<Bytes>,
    pacing_rate: PacingRate,
    send_quantum: Bytes,
    bandwidth: Rate,
) -> State {
    State {
        ssthresh,
        pacing_rate: Some(pacing_rate.get()),
        send_quantum: Some(send_quantum),
        bandwidth: Some(bandwidth).filter(|rate| *rate > Rate::ZERO),
        recovery_window: RecoveryWindow::Algorithm,
    }
}
