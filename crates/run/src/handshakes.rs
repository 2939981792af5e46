//! Whether each TLS handshake of a run went the way that its settings want.

use std::collections::BTreeMap;

use bentpipe_units::Time;

use crate::{
    ClientReport, ConnectionReport, End, Handshake, Http, OriginReport, Reason, Resumption, RunSpec, Visit,
    Workload,
};

/// TLS handshakes that went another way than the run's settings want.
///
/// The first connection of a client to each host takes from a visit before what the settings allow, and
/// without one nothing. Of the later ones each may find no ticket left: then its handshake is a full one. One that fell
/// back to HTTP/1.1 may find a ticket of another protocol, by which it is resumed and its early data refused (RFC 8446
/// section 4.2.10).
pub(crate) fn doubts(spec: &RunSpec, client: &ClientReport, origin: &OriginReport) -> Vec<Reason> {
    let Some(tls) = spec.tls else { return Vec::new() };
    let wanted = wanted(tls.resumption);
    let of_first = if is_repeat(spec) { wanted } else { Handshake::Full };
    let firsts = firsts(client);
    let ports: Vec<u16> = firsts.iter().filter_map(|index| port(&client.connections[*index])).collect();
    let at_client = client.connections.iter().enumerate();
    let at_client = at_client.map(|(index, connection)| (End::Client, firsts.contains(&index), connection));
    let at_origin = origin.connections.iter();
    let at_origin =
        at_origin.map(|connection| (End::Origin, ports.contains(&connection.client_port), connection));
    at_client
        .chain(at_origin)
        .filter_map(|(end, is_first, connection)| {
            let allowed = if is_first { [of_first; 2] } else { [wanted, Handshake::Full] };
            let found = connection.handshake?;
            let is_allowed =
                allowed.contains(&found) || (fell_back(spec, connection) && wanted != Handshake::Full);
            (!is_allowed).then(|| {
                let (expected, found) = (allowed[0].name().to_owned(), found.name().to_owned());
                Reason::WrongHandshake { end, expected, found }
            })
        })
        .collect()
}

/// Connections whose keys were agreed on by another way than the run asks for.
pub(crate) fn key_exchange_doubts(
    spec: &RunSpec,
    client: &ClientReport,
    origin: &OriginReport,
) -> Vec<Reason> {
    let Some(wanted) = spec.key_exchange else { return Vec::new() };
    let at_client = client.connections.iter().map(|connection| (End::Client, connection));
    let at_origin = origin.connections.iter().map(|connection| (End::Origin, connection));
    at_client
        .chain(at_origin)
        .filter_map(|(end, connection)| Some((end, connection.key_exchange.clone()?)))
        .filter(|(_, found)| found != wanted.name())
        .map(|(end, found)| Reason::WrongKeyExchange { end, expected: wanted.name().to_owned(), found })
        .collect()
}

/// Whether a connection took the place of one by another version of HTTP that was reset as idle.
pub(crate) fn fell_back(spec: &RunSpec, connection: &ConnectionReport) -> bool {
    spec.tcp.idle_fallback.is_on() && connection.protocol == Http::H1s.alpn()
}

/// The connections of a page load that were the first of their host to be secured, by their indices.
fn firsts(client: &ClientReport) -> Vec<usize> {
    let secured_at = |index: usize| {
        let connection = client.connections.get(index)?;
        // QUIC's are secured when they are connected.
        connection.secured.or(connection.connected)
    };
    let mut firsts: BTreeMap<&str, (Time, usize)> = BTreeMap::new();
    for object in &client.objects {
        let Some(at) = secured_at(object.connection) else { continue };
        // What stands between the second slash and the third.
        let host = object.url.split('/').nth(2).unwrap_or_default();
        let first = firsts.entry(host).or_insert((at, object.connection));
        *first = (at, object.connection).min(*first);
    }
    if firsts.len() == 1 {
        // All connections lead to the one host, also the first of all when it was reset before an object was complete.
        let secured = client
            .connections
            .iter()
            .enumerate()
            .filter(|(_, one)| one.handshake.is_some() && one.protocol != ConnectionReport::TO_PROXY);
        return secured
            .filter_map(|(index, _)| Some((secured_at(index)?, index)))
            .min()
            .map(|(_, index)| index)
            .into_iter()
            .collect();
    }
    firsts.into_values().map(|(_, index)| index).collect()
}

/// By which the origin knows the connection: those within one to a proxy have that one's, and end there.
fn port(connection: &ConnectionReport) -> Option<u16> {
    (connection.transport != ConnectionReport::TUNNEL).then_some(connection.client_port)
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
