//! The figures of a record, computed by hand from reports with round numbers.

use crate::common;
use crate::common::{at_ms, bulk_spec, download, object, page_load, record, spec, transfer};
use bentpipe_run::{
    AckFrequencySpec, Direction, DirectionReport, DropCounts, LatenessReport, Metrics, ObjectSighting,
    PacketSighting, RunReports,
};
use bentpipe_run::{PingReport, PingSpec, RunSpec, Table, Workload};
use bentpipe_units::{Bytes, Duration, Time};

fn metrics(spec: RunSpec, reports: RunReports) -> Metrics {
    record(spec, reports).metrics
}

fn assert_close(found: Option<f64>, expected: f64) {
    let found = found.expect("a figure");
    assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} is not {expected}");
}

#[test]
fn page_load_time_ends_with_the_last_byte_of_the_last_object() {
    // object-2.jpg is complete at 3.000 s.
    assert_close(metrics(spec(), page_load()).plt_s, 3.0);
    let mut reports = page_load();
    reports.client.objects.swap(1, 2);
    assert_close(metrics(spec(), reports).plt_s, 3.0);
}

#[test]
fn first_contentful_paint_is_the_first_embedded_object_complete_not_the_document() {
    // The document is complete at 1.600 s, object-1.jpg at 2.200 s (alshagri2023's definition of FCP).
    assert_close(metrics(spec(), page_load()).fcp_s, 2.2);
}

#[test]
fn largest_contentful_paint_is_the_largest_embedded_object_complete() {
    assert_close(metrics(spec(), page_load()).lcp_s, 3.0);
    let mut reports = page_load();
    // A document larger than every object is not an embedded object.
    reports.client.objects[0].bytes = Bytes::new(1_000_000);
    reports.client.objects.push(object("/last.jpg", 10, [1_600, 1_612, 3_100, 3_200]));
    assert_close(metrics(spec(), reports).lcp_s, 3.0);
}

#[test]
fn of_several_largest_objects_the_first_complete_paints() {
    let mut reports = page_load();
    reports.client.objects.push(object("/object-3.jpg", 50_000, [1_600, 1_612, 2_150, 2_500]));
    assert_close(metrics(spec(), reports).lcp_s, 2.5);
}

#[test]
fn a_page_without_objects_has_a_load_time_and_no_paints() {
    let mut reports = page_load();
    reports.client.objects.truncate(1);
    let metrics = metrics(spec(), reports);
    assert_close(metrics.plt_s, 1.6);
    assert_eq!((metrics.fcp_s, metrics.lcp_s), (None, None));
}

#[test]
fn time_to_first_byte_is_that_of_the_document_and_counts_from_the_start() {
    assert_close(metrics(spec(), page_load()).ttfb_s, 1.59);
}

#[test]
fn tcp_and_tls_handshakes_are_those_of_the_first_connection() {
    let mut reports = page_load();
    let mut second = common::connection();
    second.started = at_ms(1_600);
    second.connected = Some(at_ms(2_500));
    second.secured = Some(at_ms(9_000));
    reports.client.connections.push(second);
    let metrics = metrics(spec(), reports);
    assert_close(metrics.connect_s, 0.53);
    assert_close(metrics.tls_s, 0.53);
}

#[test]
fn a_connection_without_tls_of_its_own_has_no_tls_time() {
    let mut reports = page_load();
    reports.client.connections[0].secured = None;
    let metrics = metrics(spec(), reports);
    assert_close(metrics.connect_s, 0.53);
    assert_eq!(metrics.tls_s, None);
}

#[test]
fn overhead_is_what_the_wire_carried_above_the_bodies() {
    let mut reports = page_load();
    // Bodies: 1000 + 20 000 + 50 000 = 71 000 bytes. 85 200 is 20 % more; 92 300 is 30 % more.
    reports.link.forward = DirectionReport {
        offered_bytes: Bytes::new(85_200),
        offered_packets: 60,
        ..DirectionReport::default()
    };
    reports.link.return_ = DirectionReport {
        offered_bytes: Bytes::new(7_100),
        offered_packets: 40,
        ..DirectionReport::default()
    };
    let metrics = metrics(spec(), reports);
    assert_eq!(metrics.payload_bytes, Some(71_000));
    assert_close(metrics.overhead_forward_percent, 20.0);
    assert_close(metrics.overhead_percent, 30.0);
    assert_eq!((metrics.wire_bytes_down, metrics.wire_bytes_up), (85_200, 7_100));
    assert_eq!((metrics.wire_packets_down, metrics.wire_packets_up), (60, 40));
}

#[test]
fn a_flow_that_carried_nothing_has_no_overhead() {
    let mut reports = download(transfer(0, 600, 600));
    reports.link.forward.offered_bytes = Bytes::new(1_000);
    let metrics = metrics(bulk_spec(Direction::Down, Some(Bytes::new(1_000)), None), reports);
    assert_eq!((metrics.overhead_percent, metrics.overhead_forward_percent), (None, None));
    assert_eq!((metrics.payload_bytes, metrics.completion_s, metrics.goodput_bps), (Some(0), None, None));
}

#[test]
fn a_flow_by_iperf3_has_a_goodput_but_no_overhead_and_no_utilisation() {
    // Its ends tell each other their results while data still arrive, which nobody counts.
    let mut spec = bulk_spec(Direction::Down, Some(Bytes::new(1_000_000)), None);
    let Workload::Bulk(flow) = spec.workload else { unreachable!() };
    spec.workload = Workload::Iperf3(flow);
    let mut reports = download(transfer(1_000_000, 1_000, 5_000));
    reports.link.forward.offered_bytes = Bytes::new(1_500_000);
    let metrics = metrics(spec, reports);
    // 8 Mbit within 5 s.
    assert_close(metrics.goodput_bps, 1.6e6);
    assert_eq!((metrics.overhead_percent, metrics.overhead_forward_percent), (None, None));
    assert_eq!((metrics.utilisation, metrics.wire_bytes_down), (None, 1_500_000));
}

#[test]
fn drops_and_retransmissions_are_those_of_both_directions_and_both_ends() {
    let mut reports = page_load();
    reports.link.forward.drops = DropCounts { queue: 3, channel: 2, oversize: 0 };
    reports.link.return_.drops = DropCounts { queue: 0, channel: 0, oversize: 1 };
    reports.client.connections[0].retransmitted_packets = Some(1);
    reports.origin.connections[0].retransmitted_packets = Some(5);
    let metrics = metrics(spec(), reports);
    assert_eq!((metrics.drops.forward.total(), metrics.drops.return_.total()), (5, 1));
    assert_eq!(metrics.retransmitted_packets, Some(6));
}

#[test]
fn packets_sent_again_are_of_the_end_that_knows_them_and_unknown_where_none_does() {
    let mut reports = page_load();
    reports.client.connections[0].retransmitted_packets = None;
    reports.origin.connections[0].retransmitted_packets = Some(5);
    assert_eq!(metrics(spec(), reports.clone()).retransmitted_packets, Some(5));
    reports.origin.connections[0].retransmitted_packets = None;
    assert_eq!(metrics(spec(), reports).retransmitted_packets, None);
}

#[test]
fn streams_are_the_objects_that_one_connection_has_under_way_at_a_time() {
    let mut reports = page_load();
    let object = reports.client.objects[1].clone();
    // Requested and complete in ms: three at once on the first connection, two on the second, one after the other
    // on the third.
    let loads = [
        (0, 2_000, 3_000),
        (0, 2_100, 4_000),
        (0, 2_200, 2_900),
        (1, 2_000, 9_000),
        (1, 2_000, 9_000),
        (2, 2_000, 3_000),
        (2, 3_000, 4_000),
    ];
    reports.client.objects = loads
        .map(|(connection, requested, last_byte)| ObjectSighting {
            connection,
            requested: at_ms(requested),
            last_byte: at_ms(last_byte),
            ..object.clone()
        })
        .to_vec();
    let metrics = metrics(spec(), reports);
    assert_eq!((metrics.connections_used, metrics.streams_max), (Some(3), Some(3)));
}

fn packets(at: &[(u64, u64)]) -> Vec<PacketSighting> {
    at.iter().map(|(ms, bytes)| PacketSighting { at: at_ms(*ms), bytes: Bytes::new(*bytes) }).collect()
}

#[test]
fn the_first_flight_is_one_round_trip_of_answers_to_the_first_object_request() {
    let mut reports = page_load();
    // The first object is requested at 1610 ms and the link's round trip is 530 ms: answers come from 2140 ms on.
    reports.link.first_packets = packets(&[
        (2_139, 60),
        (2_150, 1_500),
        (2_400, 1_500),
        (2_679, 1_400),
        (2_680, 1_500),
        (2_700, 1_500),
    ]);
    assert_eq!(metrics(spec(), reports).first_flight_bytes, Some(4_400));
}

#[test]
fn a_packet_exactly_one_round_trip_after_the_request_starts_the_first_flight() {
    let mut reports = page_load();
    reports.link.first_packets = packets(&[(2_140, 1_500)]);
    assert_eq!(metrics(spec(), reports).first_flight_bytes, Some(1_500));
}

#[test]
fn the_first_flight_of_a_flow_down_answers_the_order_sent_with_the_handshakes_end() {
    let mut reports = download(transfer(1_000_000, 1_060, 4_000));
    // Connected at 530 ms, so answers come from 1060 ms on and the flight ends before 1590 ms.
    reports.link.first_packets = packets(&[(530, 60), (1_060, 1_500), (1_589, 1_500), (1_590, 1_500)]);
    let flow = bulk_spec(Direction::Down, Some(Bytes::new(1_000_000)), None);
    assert_eq!(metrics(flow, reports).first_flight_bytes, Some(3_000));
}

#[test]
fn a_flow_up_has_no_first_flight_because_acknowledgements_are_not_data() {
    let mut reports = download(transfer(1_000_000, 1_060, 4_000));
    reports.origin.transfers = std::mem::take(&mut reports.client.transfers);
    reports.link.first_packets = packets(&[(1_060, 60), (1_100, 60)]);
    let flow = bulk_spec(Direction::Up, Some(Bytes::new(1_000_000)), None);
    assert_eq!(metrics(flow, reports).first_flight_bytes, None);
}

#[test]
fn utilisation_is_what_was_delivered_over_what_fits_into_the_load() {
    let mut reports = page_load();
    // 8 Mbit/s for 3.000 s carry 3 MB.
    reports.link.forward.delivered_bytes = Bytes::new(1_500_000);
    assert_close(metrics(spec(), reports).utilisation, 0.5);
}

#[test]
fn acknowledgements_of_a_flow_use_the_direction_that_its_data_do_not() {
    let unasked = |direction| bulk_spec(direction, Some(Bytes::new(1_000_000)), None);
    let flow = |direction| {
        let mut spec = unasked(direction);
        spec.quic.ack_frequency = Some(AckFrequencySpec {
            ack_eliciting_threshold: 9,
            requested_max_ack_delay_ns: Duration::from_millis(25),
            reordering_threshold: 1,
        });
        spec
    };
    let mut reports = download(transfer(1_000_000, 1_060, 4_000));
    // 2 Mbit/s for 4.000 s carry 1 MB, 8 Mbit/s 4 MB.
    reports.link.return_.delivered_bytes = Bytes::new(250_000);
    reports.link.forward.delivered_bytes = Bytes::new(2_000_000);
    let down = metrics(flow(Direction::Down), reports.clone());
    assert_close(down.ack_utilisation, 0.25);
    assert_close(down.utilisation, 0.5);
    reports.origin.transfers = std::mem::take(&mut reports.client.transfers);
    let up = metrics(flow(Direction::Up), reports.clone());
    assert_close(up.ack_utilisation, 0.5);
    assert_close(up.utilisation, 0.25);
    // Records of runs that ask for nothing are what they were.
    assert_eq!(metrics(unasked(Direction::Up), reports).ack_utilisation, None);
}

#[test]
fn a_flow_of_so_many_bytes_is_rated_over_its_completion_time() {
    let flow = bulk_spec(Direction::Down, Some(Bytes::new(1_000_000)), None);
    let metrics = metrics(flow, download(transfer(1_000_000, 1_060, 4_000)));
    assert_close(metrics.completion_s, 4.0);
    // 8 Mbit in 4 s.
    assert_close(metrics.goodput_bps, 2e6);
    assert_eq!(metrics.payload_bytes, Some(1_000_000));
}

#[test]
fn a_flow_of_so_many_seconds_is_rated_between_its_first_and_last_byte() {
    let flow = bulk_spec(Direction::Down, None, Some(Duration::from_secs(5)));
    // 8 Mbit between 1 s and 5 s.
    let metrics = metrics(flow, download(transfer(1_000_000, 1_000, 5_000)));
    assert_close(metrics.goodput_bps, 2e6);
    assert_close(metrics.completion_s, 5.0);
}

#[test]
fn a_flow_that_arrived_in_one_piece_has_no_rate() {
    let flow = bulk_spec(Direction::Down, None, Some(Duration::from_secs(5)));
    assert_eq!(metrics(flow, download(transfer(1_000, 1_000, 1_000))).goodput_bps, None);
}

#[test]
fn a_flow_up_is_rated_by_what_the_origin_received() {
    let mut reports = download(transfer(1_000_000, 1_060, 4_000));
    reports.origin.transfers = std::mem::take(&mut reports.client.transfers);
    let flow = bulk_spec(Direction::Up, Some(Bytes::new(1_000_000)), None);
    assert_close(metrics(flow, reports).goodput_bps, 2e6);
}

fn ping(rtts_ms: &[Option<u64>]) -> (RunSpec, RunReports) {
    let count = rtts_ms.len() as u32;
    let ping = PingSpec { count, interval_ns: Duration::from_millis(200), payload_bytes: Bytes::new(20) };
    let mut reports = RunReports::default();
    reports.client.started = common::START;
    let rtts = rtts_ms.iter().map(|rtt| rtt.map(Duration::from_millis)).collect();
    reports.client.ping = Some(PingReport { rtts });
    (RunSpec { workload: Workload::Ping(ping), ..spec() }, reports)
}

#[test]
fn round_trips_are_those_of_the_answers_that_came() {
    let (spec, reports) = ping(&[Some(500), None, Some(520), Some(540)]);
    let metrics = metrics(spec, reports);
    assert_close(metrics.rtt_mean_s, 0.52);
    // Sample standard deviation: sqrt((20^2 + 0 + 20^2) / 2) ms.
    assert_close(metrics.rtt_sd_s, 0.02);
    assert_close(metrics.rtt_min_s, 0.5);
    assert_close(metrics.rtt_max_s, 0.54);
    assert_close(metrics.ping_loss_fraction, 0.25);
}

#[test]
fn one_ping_has_no_standard_deviation_and_none_has_no_statistics() {
    let (one, one_ping) = ping(&[Some(500)]);
    let one = metrics(one, one_ping);
    assert_close(one.rtt_mean_s, 0.5);
    assert_eq!(one.rtt_sd_s, None);
    let (none, no_ping) = ping(&[None, None]);
    let none = metrics(none, no_ping);
    assert_eq!((none.rtt_mean_s, none.rtt_min_s, none.rtt_max_s), (None, None, None));
    assert_close(none.ping_loss_fraction, 1.0);
}

fn sender(srtts_s: &[f64]) -> Table {
    let mut table = Table::default();
    for (row, srtt_s) in srtts_s.iter().enumerate() {
        table.push([("time_s", 100.0 + row as f64 / 10.0), ("srtt_s", *srtt_s)]);
    }
    table
}

#[test]
fn without_pings_round_trips_are_the_senders_smoothed_ones() {
    let mut reports = page_load();
    reports.origin.sender = sender(&[0.54, 0.58]);
    reports.client.sender = sender(&[0.50]);
    let metrics = metrics(spec(), reports);
    assert_close(metrics.rtt_mean_s, 0.54);
    assert_close(metrics.rtt_sd_s, 0.04);
    assert_eq!(metrics.ping_loss_fraction, None);
}

#[test]
fn a_sender_that_has_no_sample_yet_does_not_pull_the_mean_down() {
    let mut reports = page_load();
    reports.origin.sender = sender(&[f64::NAN, 0.54, 0.58]);
    let metrics = metrics(spec(), reports);
    assert_close(metrics.rtt_mean_s, 0.56);
    assert_close(metrics.rtt_min_s, 0.54);
}

#[test]
fn lateness_is_that_of_the_link_and_absent_where_there_is_none() {
    let mut reports = page_load();
    reports.link.lateness = Some(LatenessReport {
        p50: Duration::from_micros(10),
        p99: Duration::from_micros(100),
        p999: Duration::from_micros(300),
        max: Duration::from_micros(700),
        count: 1_000,
        refused: 0,
        timer: None,
    });
    let late = metrics(spec(), reports.clone());
    assert_eq!((late.lateness_p50_s, late.lateness_p99_s), (Some(1e-5), Some(1e-4)));
    assert_eq!((late.lateness_p999_s, late.lateness_max_s), (Some(3e-4), Some(7e-4)));
    reports.link.lateness = None;
    assert_eq!(metrics(spec(), reports).lateness_p999_s, None);
}

#[test]
fn instants_of_a_record_count_from_the_start_of_the_workload() {
    let mut reports = page_load();
    reports.link.series.push([("time_s", 100.5), ("forward_queue_bytes", 9.0)]);
    reports.origin.sender = sender(&[0.5]);
    let record = record(spec(), reports);
    let html = &record.objects[0];
    let milestones = [html.discovered_s, html.request_s, html.first_byte_s, html.last_byte_s];
    for (found, expected) in milestones.into_iter().zip([0.0, 1.06, 1.59, 1.6]) {
        assert_close(Some(found), expected);
    }
    for connection in record.client_connections.iter().chain(&record.origin_connections) {
        assert_eq!(connection.started, Time::ZERO);
        assert_eq!(connection.connected, Some(Time::from_nanos(530_000_000)));
        assert_eq!(connection.secured, Some(Time::from_nanos(1_060_000_000)));
    }
    assert_close(record.series["link"].column("time_s").first().copied(), 0.5);
    assert_close(record.series["sender"].column("time_s").first().copied(), 0.0);
}

#[test]
fn the_series_of_pings_has_a_row_for_each_request_and_no_round_trip_where_none_came() {
    let (spec, reports) = ping(&[Some(500), None]);
    let series = &record(spec, reports).series["ping"];
    assert_eq!(series.column("sequence"), [0.0, 1.0]);
    let [came, lost] = series.column("rtt_s") else { panic!("two rows") };
    assert_close(Some(*came), 0.5);
    assert!(lost.is_nan());
}
