//! Bulk flows: one by one, all together, and against each other.

use bentpipe_units::{Bytes, Duration, Time};

use crate::{
    ClientReport, ConnectionReport, FlowRecord, FlowSpec, FlowsSpec, INTERVAL, OriginReport, RttUnderLoad,
    RunSpec, Table, TransferReport,
};

/// The flows of a run as its parties saw them; none of other workloads.
pub(crate) fn records(spec: &RunSpec, client: &ClientReport, origin: &OriginReport) -> Vec<FlowRecord> {
    let Some(flows) = spec.flows() else { return Vec::new() };
    let shared = payload_while_all_ran(&flows, client);
    let total: f64 = shared.iter().sum();
    let record = |((index, flow), payload): ((u16, &FlowSpec), f64)| {
        let start = client.started + flow.start_ns;
        let after_start = |at: Time| at.since(client.started).as_secs_f64();
        let received = transfer(client, index).map(Payload::of).filter(|p| p.bytes > Bytes::ZERO);
        let client_port = client_port(client, index);
        FlowRecord {
            cc: flow.cc,
            transport: flow.transport,
            start_s: after_start(start),
            client_port,
            bytes: received.map_or(0, |payload| payload.bytes.get()),
            first_byte_s: received.map(|payload| after_start(payload.first_byte)),
            last_byte_s: received.map(|payload| after_start(payload.last_byte)),
            completion_s: received.map(|payload| payload.last_byte.since(start).as_secs_f64()),
            goodput_bps: received.and_then(|payload| payload.goodput_bps(&flows, start)),
            retransmitted_packets: connections(client, origin, index)
                .filter_map(|c| c.retransmitted_packets)
                .sum(),
            rtt_mean_s: client_port.and_then(|port| rtt_mean_s([&client.sender, &origin.sender], port)),
            share: (total > 0.0).then(|| payload / total),
            rtt_under_load: None,
        }
    };
    (0..).zip(&flows.flows).zip(shared).map(record).collect()
}

/// Adds how long each flow's round trips were while it ran.
pub(crate) fn add_round_trips(flows: &mut [FlowRecord], client: &ClientReport, origin: &OriginReport) {
    for flow in flows {
        let Some(port) = flow.client_port else { continue };
        let own = |one: &&ConnectionReport| one.client_port == port && one.min_rtt.is_some();
        // Of both ends, the one that sends has rows.
        let senders = [(&client.sender, &client.connections), (&origin.sender, &origin.connections)];
        flow.rtt_under_load = senders.into_iter().find_map(|(rows, connections)| {
            let mut rtts: Vec<f64> = srtts(rows, port).collect();
            rtts.sort_by(f64::total_cmp);
            let least = connections.iter().find(own)?.min_rtt?;
            let (p50_s, p99_s) = (nearest_rank(&rtts, 0.5)?, nearest_rank(&rtts, 0.99)?);
            Some(RttUnderLoad { min_s: least.as_secs_f64(), p50_s, p99_s })
        });
    }
}

/// The value of which so much of all are no greater, of sorted ones.
fn nearest_rank(sorted: &[f64], p: f64) -> Option<f64> {
    let rank = (p * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// Jain, Chiu, Hawe 1984: (sum of x)^2 / (n * sum of x^2); of shares, the first sum is one.
pub(crate) fn jain_index(flows: &[FlowRecord]) -> Option<f64> {
    let shares: Vec<f64> = flows.iter().map(|flow| flow.share).collect::<Option<_>>()?;
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    (flows.len() > 1).then(|| 1.0 / (flows.len() as f64 * squares))
}

/// The client's port of a flow, once it is connected.
pub(crate) fn client_port(client: &ClientReport, flow: u16) -> Option<u16> {
    client.connections.iter().find(|connection| connection.flow == Some(flow)).map(|c| c.client_port)
}

/// Payload received, and from when to when.
#[derive(Clone, Copy)]
pub(crate) struct Payload {
    pub(crate) bytes: Bytes,
    pub(crate) first_byte: Time,
    pub(crate) last_byte: Time,
}

impl Payload {
    fn of(transfer: &TransferReport) -> Self {
        let TransferReport { bytes, first_byte, last_byte, .. } = *transfer;
        Self { bytes, first_byte, last_byte }
    }

    /// That of several transfers; none where nothing was received.
    pub(crate) fn of_all(transfers: &[TransferReport]) -> Option<Self> {
        // Of a flow that received nothing, both instants are that of its order.
        let received = || transfers.iter().filter(|one| one.bytes > Bytes::ZERO);
        Some(Self {
            bytes: received().map(|one| one.bytes).sum(),
            first_byte: received().map(|one| one.first_byte).min()?,
            last_byte: received().map(|one| one.last_byte).max()?,
        })
    }

    /// Payload limited by length is rated over its completion time, payload limited by time from first to last byte.
    pub(crate) fn goodput_bps(self, flows: &FlowsSpec, start: Time) -> Option<f64> {
        let from = if flows.bytes.is_some() { start } else { self.first_byte };
        let span = self.last_byte.since(from);
        (span > Duration::ZERO).then(|| self.bytes.bits() as f64 / span.as_secs_f64())
    }
}

/// What each flow received from the start of the last one to the end of the first one, in bytes.
fn payload_while_all_ran(flows: &FlowsSpec, client: &ClientReport) -> Vec<f64> {
    let start = flows.flows.iter().map(|flow| client.started + flow.start_ns).max();
    let end = match (flows.bytes, flows.duration_ns) {
        (None, Some(duration)) => Some(client.started + duration),
        _ => client.transfers.iter().map(|one| one.last_byte).min(),
    };
    let (start, end) = (start.unwrap_or(Time::MAX), end.unwrap_or(Time::ZERO));
    let count = flows.flows.len();
    (0..)
        .take(count)
        .map(|flow| transfer(client, flow).map_or(0.0, |one| bytes_within(one, start, end)))
        .collect()
}

/// Of a bin that is within in part, the same part of its bytes.
fn bytes_within(transfer: &TransferReport, start: Time, end: Time) -> f64 {
    // The last bin ends after the last byte: nothing of it is cut off.
    let end = if transfer.last_byte <= end { Time::MAX } else { end };
    let seconds = |at: Time| Duration::from_nanos(at.as_nanos()).as_secs_f64();
    let (start, end, width) = (seconds(start), seconds(end), INTERVAL.as_secs_f64());
    let bins = transfer.progress.column("time_s").iter().zip(transfer.progress.column("received_bytes"));
    bins.map(|(bin_end, bytes)| {
        bytes * ((bin_end.min(end) - (bin_end - width).max(start)) / width).clamp(0.0, 1.0)
    })
    .sum()
}

fn transfer(client: &ClientReport, flow: u16) -> Option<&TransferReport> {
    client.transfers.iter().find(|transfer| transfer.flow == flow)
}

fn connections<'a>(
    client: &'a ClientReport,
    origin: &'a OriginReport,
    flow: u16,
) -> impl Iterator<Item = &'a ConnectionReport> {
    client.connections.iter().chain(&origin.connections).filter(move |c| c.flow == Some(flow))
}

fn rtt_mean_s(senders: [&Table; 2], client_port: u16) -> Option<f64> {
    let own = senders.into_iter().flat_map(|table| srtts(table, client_port));
    let (count, sum) = own.fold((0, 0.0), |(count, sum), srtt| (count + 1, sum + srtt));
    (count > 0).then(|| sum / f64::from(count))
}

/// The smoothed RTT of one connection at each look at it.
fn srtts(sender: &Table, client_port: u16) -> impl Iterator<Item = f64> {
    let rows = sender.column("client_port").iter().zip(sender.column("srtt_s"));
    let own = rows.filter(move |(port, srtt)| **port == f64::from(client_port) && !srtt.is_nan());
    own.map(|(_, srtt)| *srtt)
}
