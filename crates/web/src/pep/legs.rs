//! The two legs of a connection in which a proxy takes part.

use bentpipe_run::{Algorithm, RunSpec, Transport, Workload};
use bentpipe_units::{Bytes, Duration};

/// Rest after a connection that could not be accepted.
pub(super) const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// The congestion control of a proxy's senders towards the hosts: that of the run's TCP connections, of several the
/// first one's; where there are none, the one that every kernel has.
pub(super) fn control_towards_hosts(spec: &RunSpec) -> Algorithm {
    let of_tcp = |transport, cc| (transport == Transport::Tcp).then_some(cc);
    let found = match &spec.workload {
        Workload::PageLoad(load) => of_tcp(load.http.transport(), spec.cc),
        Workload::Bulk(_) | Workload::Flows(_) | Workload::Iperf3(_) | Workload::Ping(_) => {
            spec.flows().and_then(|flows| flows.flows.iter().find_map(|flow| of_tcp(flow.transport, flow.cc)))
        }
    };
    found.unwrap_or(Algorithm::Reno)
}

/// A buffer's size as memory has it.
pub(super) fn buffer_bytes(size: Bytes) -> usize {
    usize::try_from(size.get()).unwrap_or(usize::MAX)
}
