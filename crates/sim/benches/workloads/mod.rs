//! Runs to be timed, over a GEO link.

use bentpipe_run::{
    Algorithm, BulkSpec, CapacitySpec, CaptureSpec, Direction, Http, JitterSpec, LossSpec, ObjectSpec,
    PageLoadSpec, PageSpec, PingSpec, QueueSpec, RunSpec, Transport, Workload,
};
use bentpipe_units::{Bytes, Duration, Rate};

/// Gives the settings that no workload here depends on.
const SPEC: &str = include_str!("../../../run/tests/data/spec.json");
const BUFFERS: Bytes = Bytes::new(64_000_000);

/// A GEO link of 600 ms and so much per second in both directions, with a queue of one bandwidth-delay product.
fn over_geo(workload: Workload, rate: Rate) -> RunSpec {
    let mut spec: RunSpec = serde_json::from_str(SPEC).expect("the sample is a spec");
    let delay = Duration::from_millis(300);
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.capacity = CapacitySpec::Constant { rate_bps: rate };
        direction.delay_ns = delay;
        direction.jitter = JitterSpec::None;
        direction.queue = QueueSpec::Bytes { limit_bytes: rate.volume_in(delay * 2) };
        direction.loss = LossSpec::None;
    }
    spec.cc = Algorithm::Cubic;
    spec.tcp.receive_buffer_bytes = BUFFERS;
    spec.tcp.send_buffer_bytes = BUFFERS;
    spec.quic.stream_receive_window_bytes = BUFFERS;
    spec.quic.receive_window_bytes = BUFFERS;
    spec.quic.send_window_bytes = BUFFERS;
    spec.validity.timeout_ns = Duration::from_secs(600);
    spec.capture = CaptureSpec { pcapng: false, qlog: false };
    spec.workload = workload;
    spec
}

/// A download with CUBIC at 144 Mbit/s, losses by overflow included where it is long enough for them.
pub fn bulk(transport: Transport, bytes: u64) -> RunSpec {
    let bytes = Some(Bytes::new(bytes));
    let bulk = BulkSpec { transport, direction: Direction::Down, bytes, duration_ns: None };
    over_geo(Workload::Bulk(bulk), Rate::from_bps(144_000_000))
}

/// Eight objects of 62.5 kB (alshagri2023: uniform, 500 kB) at 10 Mbit/s.
pub fn page(http: Http) -> RunSpec {
    let object = |number| ObjectSpec::new(format!("/object-{number}.jpg"), Bytes::new(62_500));
    let page = PageSpec::new("uniform-500k", (1..=8).map(object));
    over_geo(Workload::PageLoad(PageLoadSpec::new(http, 1, page)), Rate::from_bps(10_000_000))
}

/// Pings of 20 bytes: hardly more than events of the link and of timers.
pub fn pings(count: u32) -> RunSpec {
    let (interval_ns, payload_bytes) = (Duration::from_millis(1), Bytes::new(20));
    over_geo(Workload::Ping(PingSpec { count, interval_ns, payload_bytes }), Rate::from_bps(144_000_000))
}
