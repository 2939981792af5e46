//! Connections that a browser opened ahead of need, which make a run doubtful.

use std::collections::BTreeSet;

use crate::{ClientReport, Http, OriginReport, PageSpec, Reason, RunSpec, Workload};

/// Connections that a browser opened beyond those that its protocol needs.
///
/// They carried no request, so that the client's list has none of them, but their handshakes were on the link with the
/// page. Nothing is said where the scenario wants duplicates (`tcp.connect_retry`), nor of HTTP/2 with several hosts: a
/// browser opens a few connections to a host of which it does not know yet whether one will do.
pub(crate) fn doubt(spec: &RunSpec, client: &ClientReport, origin: &OriginReport) -> Option<Reason> {
    let Workload::PageLoad(load) = &spec.workload else { return None };
    if spec.client.is_none() || spec.tcp.connect_retry_ns.is_some() || load.requests_per_connection.is_some()
    {
        return None;
    }
    let hosts = hosts(&load.page);
    let most = match load.http {
        Http::H1 | Http::H1s => hosts * usize::try_from(load.connections).expect("a number of connections"),
        Http::H3 => hosts,
        Http::H2 | Http::H2c | Http::Spdy if hosts == 1 => 1,
        Http::H2 | Http::H2c | Http::Spdy | Http::Http10 | Http::Http10s => return None,
    };
    // To one host it may need two: the Fetch standard keeps connections with and without credentials apart.
    let most = most.max(client.connections.len());
    let found = origin.connections.len();
    (found > most)
        .then_some(Reason::SpareConnections { connections: found as u64, most_connections: most as u64 })
}

fn hosts(page: &PageSpec) -> usize {
    let named = page.objects.iter().map(|object| object.host.as_ref().or(page.host.as_ref()));
    named.chain([page.host.as_ref()]).collect::<BTreeSet<_>>().len()
}
