use crate::{ClientReport, ConnectionReport, Handshake, OriginReport, Resumption, RunSpec, Visit, Workload};

/// TLS handshakes that went another way than the run's settings want.
///
/// The first connection of a client that was there before takes from that visit what the settings allow, that of one
/// that was not takes nothing. Of the later ones each may find no ticket left: then its handshake is a full one.
pub(crate) fn doubts(spec: &RunSpec, client: &ClientReport, origin: &OriginReport) -> Vec<String> {
    let Some(tls) = spec.tls else { return Vec::new() };
    let wanted = wanted(tls.resumption);
    let first = client.connections.first().map(|connection| connection.client_port);
    let allowed =
        |connection: &ConnectionReport| match (Some(connection.client_port) == first, is_repeat(spec)) {
            (true, true) => [wanted; 2],
            (true, false) => [Handshake::Full; 2],
            (false, _) => [wanted, Handshake::Full],
        };
    let ends = [("client", &client.connections), ("origin", &origin.connections)];
    let each = ends.into_iter().flat_map(|(end, list)| list.iter().map(move |connection| (end, connection)));
    each.filter_map(|(end, connection)| {
        let (allowed, found) = (allowed(connection), connection.handshake?);
        (!allowed.contains(&found)).then(|| {
            let (expected, found) = (allowed[0].name(), found.name());
            format!("wrong TLS handshake at the {end}: expected {expected}, found {found}")
        })
    })
    .collect()
}

fn wanted(resumption: Resumption) -> Handshake {
    match resumption {
        Resumption::None => Handshake::Full,
        Resumption::Ticket => Handshake::Resumed,
        Resumption::EarlyData => Handshake::EarlyDataAccepted,
    }
}

fn is_repeat(spec: &RunSpec) -> bool {
    matches!(&spec.workload, Workload::PageLoad(load) if load.visit == Some(Visit::Repeat))
}
