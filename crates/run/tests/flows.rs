//! The figures of several flows, computed by hand from reports with round numbers.

use crate::common::{at_ms, bulk_spec, download, page_load, record, spec, transfer, two_flows};
use bentpipe_run::Algorithm::{Bbr, Cubic};
use bentpipe_run::{Direction, RunReports, RunSpec, Table, TransferReport, Workload};
use bentpipe_units::{Bytes, Duration};

fn close(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-9 * expected.abs().max(1.0))
}

/// Bins of 100 ms: each so many milliseconds after the start of the workload at its end, with its bytes.
fn bins(rows: &[(u64, u64)]) -> Table {
    let mut table = Table::default();
    for (end_ms, bytes) in rows {
        let end_s = Duration::from_nanos(at_ms(*end_ms).as_nanos()).as_secs_f64();
        table.push([("time_s", end_s), ("received_bytes", *bytes as f64)]);
    }
    table
}

/// Two flows of 10 s that received these bins.
fn with_bins(first: &[(u64, u64)], second: &[(u64, u64)]) -> (RunSpec, RunReports) {
    let sum = |rows: &[(u64, u64)]| rows.iter().map(|(_, bytes)| bytes).sum();
    let (spec, mut reports) =
        two_flows([Cubic, Bbr], [(sum(first), 1_000, 9_000), (sum(second), 1_000, 9_000)]);
    reports.client.transfers[0].progress = bins(first);
    reports.client.transfers[1].progress = bins(second);
    (spec, reports)
}

fn starting_at(spec: &mut RunSpec, flow: usize, start: Duration) {
    let Workload::Flows(flows) = &mut spec.workload else { unreachable!() };
    flows.flows[flow].start_ns = start;
}

#[test]
fn a_record_has_each_flow_with_its_times_and_its_goodput() {
    let (mut spec, reports) = two_flows([Cubic, Bbr], [(1_000_000, 1_000, 5_000), (3_000_000, 3_000, 9_000)]);
    starting_at(&mut spec, 1, Duration::from_secs(2));
    let flows = record(spec, reports).flows;
    assert_eq!([flows[0].cc, flows[1].cc], [Cubic, Bbr]);
    assert_eq!([flows[0].client_port, flows[1].client_port], [Some(40_001), Some(40_002)]);
    assert_eq!([flows[0].bytes, flows[1].bytes], [1_000_000, 3_000_000]);
    // 8 Mbit between 1 s and 5 s, 24 Mbit between 3 s and 9 s.
    assert!(close(flows[0].goodput_bps, 2e6) && close(flows[1].goodput_bps, 4e6), "{flows:?}");
    // The second started 2 s after the first.
    assert!(close(flows[0].completion_s, 5.0) && close(flows[1].completion_s, 7.0), "{flows:?}");
    assert_eq!([flows[0].start_s, flows[1].start_s], [0.0, 2.0]);
    assert!(close(flows[1].first_byte_s, 3.0) && close(flows[1].last_byte_s, 9.0), "{flows:?}");
}

#[test]
fn flows_of_so_many_bytes_are_rated_over_their_own_completion_times() {
    let (mut spec, reports) = two_flows([Cubic, Bbr], [(1_000_000, 1_000, 4_000), (1_000_000, 3_000, 6_000)]);
    starting_at(&mut spec, 1, Duration::from_secs(2));
    let Workload::Flows(flows) = &mut spec.workload else { unreachable!() };
    (flows.bytes, flows.duration_ns) = (Some(Bytes::new(1_000_000)), None);
    let record = record(spec, reports);
    // 8 Mbit in 4 s from the start of each; together 16 Mbit in 6 s.
    assert!(record.flows.iter().all(|flow| close(flow.goodput_bps, 2e6)), "{:?}", record.flows);
    assert!(close(record.metrics.goodput_bps, 16e6 / 6.0));
}

#[test]
fn the_run_has_the_payload_of_all_flows_over_the_time_that_any_of_them_took() {
    // Flows that follow each other on a link of 8 Mbit/s do not carry 16 Mbit/s.
    let (mut spec, reports) = two_flows([Cubic, Bbr], [(4_000_000, 1_000, 5_000), (4_000_000, 5_000, 9_000)]);
    starting_at(&mut spec, 1, Duration::from_secs(4));
    let metrics = record(spec, reports).metrics;
    assert_eq!(metrics.payload_bytes, Some(8_000_000));
    assert!(close(metrics.goodput_bps, 8e6) && close(metrics.completion_s, 9.0), "{metrics:?}");
    assert_eq!(metrics.first_flight_bytes, None);
}

#[test]
fn shares_and_jains_index_are_those_of_the_payload_while_all_flows_ran() {
    // Jain, Chiu, Hawe 1984: of 1 and 3 it is 16 / (2 * 10).
    let (spec, reports) = with_bins(&[(1_000, 1_000)], &[(1_000, 1_000), (2_000, 2_000)]);
    let record = record(spec, reports);
    assert!(close(record.flows[0].share, 0.25) && close(record.flows[1].share, 0.75), "{:?}", record.flows);
    assert!(close(record.metrics.jain_index, 0.8));
}

#[test]
fn what_came_before_the_last_flow_started_or_after_the_common_end_is_nobodys_share() {
    let early_and_late = [(500, 7_000), (5_000, 1_000), (10_100, 9_000)];
    let (mut spec, mut reports) = with_bins(&early_and_late, &[(5_000, 1_000)]);
    reports.client.transfers[0].last_byte = at_ms(10_100);
    starting_at(&mut spec, 1, Duration::from_secs(1));
    let record = record(spec, reports);
    assert!(close(record.metrics.jain_index, 1.0), "{:?}", record.flows);
}

#[test]
fn a_bin_that_is_cut_counts_by_the_part_that_is_within() {
    // The bin from 4.95 to 5.05 s is half before the second flow, which starts at 5 s.
    let (mut spec, reports) = with_bins(&[(5_050, 2_000)], &[(6_000, 1_000)]);
    starting_at(&mut spec, 1, Duration::from_secs(5));
    let record = record(spec, reports);
    assert!(close(record.flows[0].share, 0.5), "{:?}", record.flows);
}

#[test]
fn the_bin_of_the_last_byte_counts_whole_though_it_ends_after_it() {
    let (mut spec, mut reports) = with_bins(&[(1_000, 1_000)], &[(1_000, 1_000), (3_000, 5_000)]);
    let Workload::Flows(flows) = &mut spec.workload else { unreachable!() };
    (flows.bytes, flows.duration_ns) = (Some(Bytes::new(6_000)), None);
    // 90 of the 100 ms of either bin come after the first flow's last byte: a tenth of the other's counts.
    reports.client.transfers[0].last_byte = at_ms(910);
    let record = record(spec, reports);
    assert!(close(record.flows[0].share, 1_000.0 / 1_100.0), "{:?}", record.flows);
}

#[test]
fn flows_of_so_many_bytes_run_together_until_the_first_is_complete() {
    let (mut spec, mut reports) = with_bins(&[(1_000, 1_000)], &[(1_000, 1_000), (3_000, 5_000)]);
    let Workload::Flows(flows) = &mut spec.workload else { unreachable!() };
    (flows.bytes, flows.duration_ns) = (Some(Bytes::new(6_000)), None);
    reports.client.transfers[0].last_byte = at_ms(1_000);
    assert!(close(record(spec, reports).metrics.jain_index, 1.0));
}

#[test]
fn a_flow_that_got_nothing_has_no_times_and_counts_in_jains_index() {
    let (spec, mut reports) = with_bins(&[(1_000, 1_000)], &[]);
    reports.client.transfers[1] = TransferReport { flow: 1, ..transfer(0, 530, 530) };
    let record = record(spec, reports);
    let starved = &record.flows[1];
    assert_eq!((starved.bytes, starved.share), (0, Some(0.0)));
    assert_eq!((starved.first_byte_s, starved.completion_s, starved.goodput_bps), (None, None, None));
    // 1/n when one flow gets everything.
    assert!(close(record.metrics.jain_index, 0.5));
    // The starved flow's order is no start of a payload.
    assert_eq!(record.metrics.goodput_bps, record.flows[0].goodput_bps);
    assert_eq!(record.metrics.completion_s, record.flows[0].completion_s);
}

#[test]
fn flows_that_never_ran_at_the_same_time_have_no_shares() {
    let (mut spec, reports) = with_bins(&[(1_000, 1_000)], &[(9_000, 1_000)]);
    starting_at(&mut spec, 1, Duration::from_secs(11));
    let record = record(spec, reports);
    assert_eq!((record.flows[0].share, record.metrics.jain_index), (None, None));
}

#[test]
fn retransmissions_are_those_of_both_ends_and_round_trips_those_of_the_sender() {
    let (spec, mut reports) = two_flows([Cubic, Bbr], [(1_000, 1_000, 2_000), (1_000, 1_000, 2_000)]);
    reports.client.connections[0].retransmitted_packets = Some(1);
    reports.origin.connections[0].retransmitted_packets = Some(10);
    reports.origin.connections[1].retransmitted_packets = Some(5);
    for (port, srtt) in [(40_001.0, f64::NAN), (40_001.0, 0.5), (40_002.0, 0.9), (40_001.0, 0.7)] {
        reports.origin.sender.push([("time_s", 100.5), ("client_port", port), ("srtt_s", srtt)]);
    }
    let record = record(spec, reports);
    assert_eq!([record.flows[0].retransmitted_packets, record.flows[1].retransmitted_packets], [11, 5]);
    assert!(close(record.flows[0].rtt_mean_s, 0.6) && close(record.flows[1].rtt_mean_s, 0.9));
    assert_eq!(record.metrics.retransmitted_packets, Some(16));
}

#[test]
fn progress_tells_flows_apart_by_the_clients_port() {
    let (spec, reports) = with_bins(&[(1_000, 1_000)], &[(1_000, 2_000), (2_000, 3_000)]);
    let progress = &record(spec, reports).series["progress"];
    assert_eq!(progress.column("client_port"), [40_001.0, 40_002.0, 40_002.0]);
    assert_eq!(progress.column("received_bytes"), [1_000.0, 2_000.0, 3_000.0]);
}

#[test]
fn flows_up_are_those_that_the_origin_received_in_the_order_of_the_spec() {
    let (mut spec, mut reports) = two_flows([Cubic, Bbr], [(1_000, 1_000, 2_000), (2_000, 1_000, 2_000)]);
    let Workload::Flows(flows) = &mut spec.workload else { unreachable!() };
    flows.direction = Direction::Up;
    reports.origin.transfers = std::mem::take(&mut reports.client.transfers);
    reports.origin.transfers.reverse();
    let flows = record(spec, reports).flows;
    assert_eq!([flows[0].bytes, flows[1].bytes], [1_000, 2_000]);
}

#[test]
fn a_single_flow_is_a_list_of_one_without_an_index_of_fairness() {
    let flow = bulk_spec(Direction::Down, Some(Bytes::new(1_000_000)), None);
    let mut reports = download(transfer(1_000_000, 1_060, 4_000));
    reports.client.connections[0].flow = Some(0);
    reports.client.transfers[0].progress = bins(&[(4_000, 1_000_000)]);
    let record = record(flow, reports);
    assert_eq!(record.flows.len(), 1);
    assert_eq!((record.flows[0].cc, record.flows[0].client_port), (Cubic, Some(40_001)));
    assert_eq!(record.flows[0].goodput_bps, record.metrics.goodput_bps);
    assert_eq!((record.flows[0].share, record.metrics.jain_index), (Some(1.0), None));
}

#[test]
fn other_workloads_have_no_flows() {
    assert_eq!(record(spec(), page_load()).flows, []);
}
