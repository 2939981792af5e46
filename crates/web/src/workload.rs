//! What a run's client does, whichever the engine.

use std::net::SocketAddr;

use bentpipe_net::Net;
use bentpipe_run::{ClientReport, Reason, Workload};
use bentpipe_units::Duration;

use crate::{Client, bulk, loader, ping};

/// How long a ping may take beyond two round trips: a heavy tail may take seconds; an answer later than that counts as
/// lost.
const PING_MARGIN: Duration = Duration::from_secs(2);

/// Makes ready what takes time and none of the network: draws the page. A path that changes does so from the start of
/// the workload on, so none of its time may pass meanwhile.
///
/// A page that cannot be drawn is a fault of the load, which says so.
pub fn prepare(client: &Client) {
    if let Workload::PageLoad(load) = &client.spec.workload {
        let _ = client.sites.of(&load.page);
    }
}

/// Runs the client's workload and reports what was seen; never fails, because faults are part of the report.
pub async fn run<N: Net>(net: &N, client: Client) -> ClientReport {
    match client.spec.workload.clone() {
        Workload::PageLoad(load) => loader::load(net, client, load).await,
        Workload::Bulk(_) | Workload::Flows(_) => bulk::run(net, client).await,
        Workload::Iperf3(_) => {
            ClientReport { faults: vec![Reason::Iperf3IsForeign], ..ClientReport::default() }
        }
        Workload::Ping(ping) => {
            let link = &client.spec.link;
            let patience = (link.forward.delay_ns + link.return_.delay_ns) * 2 + PING_MARGIN;
            let origin = SocketAddr::new(client.origin, client.ports.echo);
            ping::run(net, &ping, origin, client.local, client.spec.mark(), patience).await
        }
    }
}
