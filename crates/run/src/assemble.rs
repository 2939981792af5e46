//! The record of a run from the reports of client, origin and link: figures, series, and whether it is valid.

use std::collections::BTreeMap;

use bentpipe_units::{Bytes, Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::flows::{self, Payload};
use crate::{
    BrowserRecord, BytesByLayer, ClientReport, ConnectionReport, Direction, Drops, End, Engine, FlowRecord,
    LinkReport, Metrics, ObjectSighting, ObjectTiming, OriginReport, PepSpec, PingReport, Provenance, Reason,
    RunRecord, RunSpec, Status, Table, Workload,
};
use crate::{handshakes, queues, spare_connections, streams, visit};

/// The reports of a finished run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunReports {
    /// The client's.
    pub client: ClientReport,
    /// The origin's.
    pub origin: OriginReport,
    /// The link's.
    pub link: LinkReport,
}

/// Turns the parties' reports into the record: one origin of time, figures computed, validity judged.
pub fn assemble(
    run_id: String,
    engine: Engine,
    spec: RunSpec,
    provenance: Provenance,
    reports: RunReports,
) -> RunRecord {
    let RunReports { mut client, origin, link } = reports;
    let start = client.started;
    let mut origin = visit::left_out(&spec, origin, start);
    client.transfers.append(&mut origin.transfers);
    client.transfers.sort_by_key(|transfer| transfer.flow);
    let queues = queues::records(&spec, &link);
    let mut flows = flows::records(&spec, &client, &origin);
    if !queues.is_empty() {
        flows::add_round_trips(&mut flows, &client, &origin);
    }
    let bytes_by_layer = BytesByLayer::of(&spec, &client, &link);
    let metrics = metrics(&spec, &flows, &client, &origin, &link);
    let faults: Vec<Reason> = client.faults.iter().chain(&origin.faults).cloned().collect();
    let doubts = doubts(&spec, &client, &origin, &link);
    let status = match (faults.is_empty(), doubts.is_empty()) {
        (false, _) => Status::Failed,
        (true, false) => Status::Invalid,
        (true, true) => Status::Succeeded,
    };
    RunRecord {
        run_id,
        status,
        reasons: faults.into_iter().chain(doubts).collect(),
        engine,
        spec,
        provenance,
        metrics,
        objects: client.objects.iter().map(|object| timing(object, start)).collect(),
        browser: client.browser.as_ref().map(|browser| BrowserRecord::of(browser, start)),
        bytes_by_layer,
        flows,
        queues,
        series: series(start, &client, origin.sender, link.series, link.probes),
        client_connections: relative(client.connections, start),
        origin_connections: relative(origin.connections, start),
    }
}

/// The record of a run that has no reports, because something broke before them.
pub fn failed(
    run_id: String,
    engine: Engine,
    spec: RunSpec,
    provenance: Provenance,
    reason: Reason,
) -> RunRecord {
    let mut reports = RunReports::default();
    reports.client.faults.push(reason);
    assemble(run_id, engine, spec, provenance, reports)
}

fn metrics(
    spec: &RunSpec,
    flows: &[FlowRecord],
    client: &ClientReport,
    origin: &OriginReport,
    link: &LinkReport,
) -> Metrics {
    let start = client.started;
    let after_start = |at: Time| at.since(start).as_secs_f64();
    let (html, embedded) = match client.objects.split_first() {
        Some((html, rest)) => (Some(html), rest),
        None => (None, &[][..]),
    };
    let transferred = Payload::of_all(&client.transfers);
    let payload: Option<Bytes> = match &*client.transfers {
        [] => html.map(|_| client.objects.iter().map(|object| object.bytes).sum()),
        transfers => Some(transfers.iter().map(|one| one.bytes).sum()),
    };
    let first = client.connections.first();
    let end = transferred.map(|payload| payload.last_byte).or_else(|| last_byte(&client.objects));
    let alone = payload.filter(|p| p.get() > 0 && is_alone(spec));
    let percent_above = |wire: u64| alone.map(|p| (wire as f64 / p.get() as f64 - 1.0) * 100.0);
    let (down, up) = (
        link.direction(spec.link_direction(Direction::Down)),
        link.direction(spec.link_direction(Direction::Up)),
    );
    let of_data = spec.link_direction(if is_up(spec) { Direction::Up } else { Direction::Down });
    let span = end.filter(|_| is_alone(spec)).map(|end| end.since(start));
    let (wire_down, wire_up) = (down.offered_bytes.get(), up.offered_bytes.get());
    let mut metrics = Metrics {
        plt_s: last_byte(&client.objects).map(after_start),
        fcp_s: embedded.iter().map(|o| o.last_byte).min().map(after_start),
        lcp_s: largest(embedded).map(|o| after_start(o.last_byte)),
        ttfb_s: html.map(|o| after_start(o.first_byte)),
        connect_s: first.and_then(|c| Some(c.connected?.since(c.started).as_secs_f64())),
        tls_s: first.and_then(|c| Some(c.secured?.since(c.connected?).as_secs_f64())),
        completion_s: transferred.map(|payload| after_start(payload.last_byte)),
        goodput_bps: transferred
            .zip(spec.flows())
            .and_then(|(payload, flows)| payload.goodput_bps(&flows, start)),
        jain_index: flows::jain_index(flows),
        payload_bytes: payload.map(Bytes::get),
        wire_bytes_down: wire_down,
        wire_bytes_up: wire_up,
        wire_packets_down: down.offered_packets,
        wire_packets_up: up.offered_packets,
        overhead_percent: percent_above(wire_down + wire_up),
        overhead_forward_percent: percent_above(wire_down).filter(|_| !is_up(spec)),
        retransmitted_packets: retransmitted_packets(client, origin),
        connections_used: html.map(|_| streams::connections_used(&client.objects)),
        streams_max: html.map(|_| streams::most(&client.objects)),
        drops: Drops { forward: link.forward.drops, return_: link.return_.drops },
        first_flight_bytes: first_flight(spec, client, link).map(Bytes::get),
        queue_mean_bytes_down: down.queue_mean_bytes,
        queue_max_bytes_down: down.queue_max_bytes.get(),
        utilisation: span.and_then(|span| utilisation(spec, link, of_data, span)),
        ack_utilisation: span
            .filter(|_| spec.flows().is_some() && spec.quic.ack_frequency.is_some())
            .and_then(|span| utilisation(spec, link, of_data.opposite(), span)),
        ..Metrics::default()
    };
    round_trips(&mut metrics, client, origin);
    if let Some(lateness) = link.lateness {
        metrics.lateness_p50_s = Some(lateness.p50.as_secs_f64());
        metrics.lateness_p99_s = Some(lateness.p99.as_secs_f64());
        metrics.lateness_p999_s = Some(lateness.p999.as_secs_f64());
        metrics.lateness_max_s = Some(lateness.max.as_secs_f64());
    }
    metrics
}

/// Reasons not to trust the numbers although the workload ended.
fn doubts(spec: &RunSpec, client: &ClientReport, origin: &OriginReport, link: &LinkReport) -> Vec<Reason> {
    let mut doubts = client.doubts.clone();
    if let Some(lateness) = link.lateness {
        let bound = spec.validity.lateness_p999_ns;
        if lateness.p999 > bound {
            doubts.push(Reason::EmulatorLate {
                p999_ns: lateness.p999,
                bound_ns: bound,
                latest_ns: lateness.timer.map(|_| lateness.max),
                timer_ns: lateness.timer.map(|timer| timer.beside_latest),
            });
        }
        if lateness.refused > 0 {
            doubts.push(Reason::PacketsRefused { packets: lateness.refused });
        }
    }
    let wanted_alpn = match &spec.workload {
        Workload::PageLoad(load) => Some(load.http.alpn()),
        Workload::Bulk(_) | Workload::Flows(_) | Workload::Iperf3(_) | Workload::Ping(_) => None,
    };
    let flows = spec.flows().map(|flows| flows.flows).unwrap_or_default();
    let own = |flow: Option<u16>| flow.and_then(|index| flows.get(usize::from(index)));
    for (end, connection) in ends(client, origin) {
        let to_proxy = match &spec.pep {
            _ if connection.protocol != ConnectionReport::TO_PROXY => None,
            Some(PepSpec::Proxy(proxy)) => Some(proxy.cc),
            Some(PepSpec::Masque(proxy)) => Some(proxy.cc),
            Some(PepSpec::Split(_) | PepSpec::Tunnel(_) | PepSpec::QuicSplit(_)) | None => None,
        };
        let of_flow = || own(connection.flow).map_or(spec.cc, |flow| flow.cc);
        let wanted = to_proxy.unwrap_or_else(of_flow);
        let found = &*connection.congestion_control;
        let has_its_own = connection.transport != ConnectionReport::TUNNEL;
        // What the QUIC of a browser uses for its requests nobody can read back, nor that of what never connected.
        let never_connected = connection.connected.is_none() && found.is_empty();
        let is_told = (spec.client.is_none() || end != End::Client || connection.transport != "quic")
            && !never_connected;
        if has_its_own
            && is_told
            && found != wanted.name()
            && Some(found) != wanted.kernel_name_with(spec.slow_start)
        {
            let (expected, found) = (wanted.name().to_owned(), found.to_owned());
            doubts.push(Reason::WrongCongestionControl { end, expected, found });
        }
        let fell_back = handshakes::fell_back(spec, connection);
        let is_wrong = |wanted: &&str| connection.protocol != *wanted && !connection.is_bare() && !fell_back;
        if let Some(wanted) = wanted_alpn.filter(|_| to_proxy.is_none()).filter(is_wrong) {
            let (expected, found) = (wanted.to_owned(), connection.protocol.clone());
            doubts.push(Reason::WrongProtocol { end, expected, found });
        }
    }
    doubts.extend(handshakes::doubts(spec, client, origin));
    doubts.extend(handshakes::key_exchange_doubts(spec, client, origin));
    doubts.extend(spare_connections::doubt(spec, client, origin));
    let ports: Vec<u16> =
        (0..).take(flows.len()).filter_map(|flow| flows::client_port(client, flow)).collect();
    if (1..ports.len()).any(|n| ports[..n].contains(&ports[n])) {
        doubts.push(Reason::SharedPort);
    }
    distinct(doubts)
}

/// Each once, in the order in which they came.
fn distinct(doubts: Vec<Reason>) -> Vec<Reason> {
    let mut kept = Vec::new();
    for doubt in doubts {
        if !kept.contains(&doubt) {
            kept.push(doubt);
        }
    }
    kept
}

fn ends<'a>(
    client: &'a ClientReport,
    origin: &'a OriginReport,
) -> impl Iterator<Item = (End, &'a ConnectionReport)> {
    let client = client.connections.iter().map(|connection| (End::Client, connection));
    client.chain(origin.connections.iter().map(|connection| (End::Origin, connection)))
}

fn timing(object: &ObjectSighting, start: Time) -> ObjectTiming {
    let after_start = |at: Time| at.since(start).as_secs_f64();
    ObjectTiming {
        url: object.url.clone(),
        bytes: object.bytes.get(),
        connection: object.connection,
        discovered_s: after_start(object.discovered),
        request_s: after_start(object.requested),
        first_byte_s: after_start(object.first_byte),
        last_byte_s: after_start(object.last_byte),
        status: object.status,
        response_header_bytes: object.response_header_bytes.get(),
        request_header_bytes: object.request_header_bytes.get(),
    }
}

fn relative(connections: Vec<ConnectionReport>, start: Time) -> Vec<ConnectionReport> {
    connections.into_iter().map(|connection| connection.relative_to(start)).collect()
}

fn last_byte(objects: &[ObjectSighting]) -> Option<Time> {
    objects.iter().map(|object| object.last_byte).max()
}

/// The largest object; of several, the one that is complete first.
fn largest(objects: &[ObjectSighting]) -> Option<&ObjectSighting> {
    objects.iter().min_by_key(|object| (std::cmp::Reverse(object.bytes), object.last_byte))
}

/// Bytes delivered to the client in the first idle round trip of data: the sender's first window.
///
/// Of a page load the data are the embedded objects, of a flow its payload. The window starts with the first
/// packet that can be an answer: not earlier than a round trip after the request. (The loader sees the first
/// byte only when a whole TLS record has come, which may take a second window.)
///
/// None of a flow up: its data take the other direction, whose packets are not kept. None of several flows, whose
/// packets are kept as one. None either where a window takes longer to transmit than a round trip: its end and the
/// next one's start cannot be told apart, or where the round trip changes.
fn first_flight(spec: &RunSpec, client: &ClientReport, link: &LinkReport) -> Option<Bytes> {
    if is_up(spec) || client.transfers.len() > 1 || spec.link.is_scheduled() {
        return None;
    }
    let round_trip = spec.link.forward.delay_ns + spec.link.return_.delay_ns;
    let window = Bytes::new(u64::from(spec.tcp.initial_window) * spec.link.mtu_bytes.get());
    let down = spec.link.direction(spec.link_direction(Direction::Down));
    if down.capacity.nominal_bps().time_for(window) > round_trip {
        return None;
    }
    let earliest = match client.transfers.first() {
        Some(_) => client.connections.first()?.connected? + round_trip,
        None => client.objects.iter().skip(1).map(|object| object.requested).min()? + round_trip,
    };
    let first = link.first_packets.iter().find(|packet| packet.at >= earliest)?.at;
    let flight =
        link.first_packets.iter().filter(|packet| packet.at >= first && packet.at < first + round_trip);
    Some(flight.map(|packet| packet.bytes).sum())
}

/// How much of a direction was used.
fn utilisation(
    spec: &RunSpec,
    link: &LinkReport,
    taken: bentpipe_link::Direction,
    span: Duration,
) -> Option<f64> {
    let (direction, counted) = (spec.link.direction(taken), link.direction(taken));
    let rate_bps = scheduled_mean_bps(link, taken, span)
        .unwrap_or_else(|| direction.capacity.nominal_bps().as_bps() as f64);
    let possible = rate_bps / 8.0 * span.as_secs_f64();
    (possible > 0.0).then(|| counted.delivered_bytes.get() as f64 / possible)
}

/// The mean rate that the schedule of a direction offered from the mark on, where it has one.
fn scheduled_mean_bps(link: &LinkReport, way: bentpipe_link::Direction, span: Duration) -> Option<f64> {
    let path = link.probes.get("path")?;
    let end_s = (link.marked + span).since(Time::ZERO).as_secs_f64();
    let rates = path.column(match way {
        bentpipe_link::Direction::Forward => "forward_capacity_bps",
        bentpipe_link::Direction::Return => "return_capacity_bps",
    });
    // A workload shorter than a row has the first.
    let rows = path.column("time_s").partition_point(|time_s| *time_s <= end_s).max(1).min(rates.len());
    let mean = rates[..rows].iter().sum::<f64>() / rows as f64;
    (!mean.is_nan()).then_some(mean)
}

/// Whether the link carried what the workload counts and no more. iperf3's flow goes on while its ends tell each
/// other their results.
fn is_alone(spec: &RunSpec) -> bool {
    !matches!(spec.workload, Workload::Iperf3(_))
}

fn is_up(spec: &RunSpec) -> bool {
    spec.flows().is_some_and(|flows| flows.direction == Direction::Up)
}

/// Of the ends that know it.
fn retransmitted_packets(client: &ClientReport, origin: &OriginReport) -> Option<u64> {
    let ends = client.connections.iter().chain(&origin.connections);
    ends.filter_map(|connection| connection.retransmitted_packets).reduce(|sum, more| sum + more)
}

fn round_trips(metrics: &mut Metrics, client: &ClientReport, origin: &OriginReport) {
    let samples: Vec<f64> = match &client.ping {
        Some(ping) => ping.rtts.iter().flatten().map(|rtt| rtt.as_secs_f64()).collect(),
        None => {
            let smoothed = [&client.sender, &origin.sender].into_iter().flat_map(|t| t.column("srtt_s"));
            smoothed.copied().filter(|srtt| !srtt.is_nan()).collect()
        }
    };
    metrics.ping_loss_fraction = client.ping.as_ref().map(lost_fraction);
    if samples.is_empty() {
        return;
    }
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let squares: f64 = samples.iter().map(|rtt| (rtt - mean) * (rtt - mean)).sum();
    metrics.rtt_mean_s = Some(mean);
    metrics.rtt_sd_s = (samples.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
    metrics.rtt_min_s = samples.iter().copied().reduce(f64::min);
    metrics.rtt_max_s = samples.iter().copied().reduce(f64::max);
}

fn lost_fraction(ping: &PingReport) -> f64 {
    let lost = ping.rtts.iter().filter(|rtt| rtt.is_none()).count();
    lost as f64 / ping.rtts.len().max(1) as f64
}

fn series(
    start: Time,
    client: &ClientReport,
    origin_sender: Table,
    link: Table,
    probes: BTreeMap<String, Table>,
) -> BTreeMap<String, Table> {
    let mut series = BTreeMap::new();
    let mut sender = origin_sender;
    sender.append(client.sender.clone());
    let mut progress = Table::default();
    for transfer in &client.transfers {
        let mut own = transfer.progress.clone();
        own.add_constant(
            "client_port",
            flows::client_port(client, transfer.flow).map_or(f64::NAN, f64::from),
        );
        progress.append(own);
    }
    let everywhere = [("link", link), ("sender", sender), ("progress", progress)];
    let everywhere = everywhere.map(|(name, table)| (name.to_owned(), table));
    for (name, mut table) in probes.into_iter().chain(everywhere) {
        table.shift("time_s", -Duration::from_nanos(start.as_nanos()).as_secs_f64());
        series.insert(name, table);
    }
    if let Some(ping) = &client.ping {
        let mut table = Table::default();
        for (sequence, rtt) in ping.rtts.iter().enumerate() {
            table.push([
                ("sequence", sequence as f64),
                ("rtt_s", rtt.map_or(f64::NAN, Duration::as_secs_f64)),
            ]);
        }
        series.insert("ping".to_owned(), table);
    }
    series
}
