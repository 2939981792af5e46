//! The sample run, and links that several tests put in the place of its own.

use bentpipe_run::{
    BulkSpec, CapacitySpec, Direction, DirectionSpec, JitterSpec, LossSpec, QueueSpec, RunSpec, Transport,
    Workload,
};
use bentpipe_units::{Bytes, Duration, Rate};

/// The sample run as it is: a page load over 8 and 2 Mbit/s and 530 ms with random losses and jitter.
pub fn sample() -> RunSpec {
    serde_json::from_str(include_str!("../../run/tests/data/spec.json")).unwrap()
}

/// Gives both directions one rate and takes losses and jitter from them.
pub fn without_chance(spec: &mut RunSpec, rate_bps: Rate) {
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.capacity = CapacitySpec::Constant { rate_bps };
        direction.jitter = JitterSpec::None;
        direction.loss = LossSpec::None;
    }
}

/// Half of a round trip without losses and jitter, before it a drop-tail queue.
pub fn half_of(rtt: Duration, rate_bps: Rate, limit_bytes: Bytes) -> DirectionSpec {
    DirectionSpec {
        capacity: CapacitySpec::Constant { rate_bps },
        delay_ns: rtt / 2,
        jitter: JitterSpec::None,
        queue: QueueSpec::Bytes { limit_bytes },
        loss: LossSpec::None,
        schedule: None,
    }
}

/// Gives QUIC's windows a size: one that is large enough leaves the limit to congestion windows.
pub fn with_windows(spec: &mut RunSpec, bytes: u64) {
    let window = Bytes::new(bytes);
    spec.quic.stream_receive_window_bytes = window;
    spec.quic.receive_window_bytes = window;
    spec.quic.send_window_bytes = window;
}

/// Loses packets by chance in both directions.
pub fn losing(mut spec: RunSpec, p: f64) -> RunSpec {
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.loss = LossSpec::Bernoulli { p };
    }
    spec
}

/// A flow of so many bytes over QUIC.
pub fn quic_flow(direction: Direction, bytes: u64) -> Workload {
    let (bytes, transport) = (Some(Bytes::new(bytes)), Transport::Quic);
    Workload::Bulk(BulkSpec { transport, direction, bytes, duration_ns: None })
}
