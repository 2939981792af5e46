//! Bulk flows over the kernel's own sockets.

use crate::common::{Site, available_cc, record, run, spec, transfer};
use bentpipe_run::{Algorithm, BulkSpec, Direction, RunRecord, RunSpec, Status, Transport, Workload};
use bentpipe_units::{Bytes, Duration};

const EVERY_FLOW: [(Transport, Direction); 4] = [
    (Transport::Tcp, Direction::Down),
    (Transport::Tcp, Direction::Up),
    (Transport::Quic, Direction::Down),
    (Transport::Quic, Direction::Up),
];

fn flow(
    cc: Algorithm,
    (transport, direction): (Transport, Direction),
    bytes: Option<u64>,
    duration_ns: Option<Duration>,
) -> RunSpec {
    spec(cc, Workload::Bulk(BulkSpec { transport, direction, bytes: bytes.map(Bytes::new), duration_ns }))
}

fn ran(spec: &RunSpec) -> RunRecord {
    run(async {
        let site = Site::start(spec);
        let report = transfer(site.client(spec)).await;
        record(spec, report, site.origin.report())
    })
}

#[test]
fn a_flow_of_so_many_bytes_arrives_complete_and_verified() {
    // The receiver compares every byte with the pattern and fails the run at the first difference.
    for cc in available_cc() {
        for kind in EVERY_FLOW {
            let record = ran(&flow(cc, kind, Some(3_000_001), None));
            assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{kind:?} {cc:?}");
            assert_eq!(record.metrics.payload_bytes, Some(3_000_001), "{kind:?} {cc:?}");
            let received: f64 = record.series["progress"].column("received_bytes").iter().sum();
            assert_eq!(received, 3_000_001.0, "{kind:?} {cc:?}");
            assert!(record.metrics.goodput_bps.is_some_and(|rate| rate > 0.0));
        }
    }
}

#[test]
fn a_flow_of_so_long_ends_with_its_time() {
    const LIMIT_S: f64 = 0.3;
    for cc in available_cc() {
        for kind in EVERY_FLOW {
            let record = ran(&flow(cc, kind, None, Some(Duration::from_secs_f64(LIMIT_S))));
            assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{kind:?} {cc:?}");
            assert!(record.metrics.payload_bytes.is_some_and(|bytes| bytes > 0), "{kind:?} {cc:?}");
            let completion_s = record.metrics.completion_s.expect("a flow");
            // Sent for 0.3 s; what is on the way then still arrives. Ten times is a stuck machine.
            assert!(
                completion_s > 0.5 * LIMIT_S && completion_s < 10.0 * LIMIT_S,
                "{kind:?}: {completion_s} s"
            );
        }
    }
}

#[test]
fn a_flow_of_no_bytes_is_over_at_once() {
    for cc in available_cc().into_iter().take(1) {
        for kind in EVERY_FLOW {
            let record = ran(&flow(cc, kind, Some(0), None));
            assert_eq!(
                (record.status, record.metrics.payload_bytes),
                (Status::Succeeded, Some(0)),
                "{kind:?}"
            );
        }
    }
}

#[test]
fn transport_and_congestion_control_of_a_flow_are_read_back_at_both_ends() {
    for cc in available_cc() {
        for kind in EVERY_FLOW {
            let record = ran(&flow(cc, kind, Some(100_000), None));
            let transport = if kind.0 == Transport::Tcp { "tcp" } else { "quic" };
            assert_eq!((record.client_connections.len(), record.origin_connections.len()), (1, 1));
            for connection in record.client_connections.iter().chain(&record.origin_connections) {
                assert_eq!((&*connection.transport, &*connection.protocol), (transport, "bulk"), "{kind:?}");
                assert_eq!(connection.congestion_control, cc.name(), "{kind:?}");
            }
        }
    }
}

#[test]
fn the_sender_is_sampled_whichever_end_it_is() {
    for cc in available_cc().into_iter().take(1) {
        for kind in EVERY_FLOW {
            let record = ran(&flow(cc, kind, None, Some(Duration::from_millis(350))));
            let sender = &record.series["sender"];
            // Rows at 0, 100, 200 and 300 ms; the connection is open before the second.
            assert!(sender.len() >= 2, "{kind:?}: {} rows", sender.len());
            assert!(sender.column("cwnd_bytes").iter().all(|cwnd| *cwnd > 0.0), "{kind:?}");
        }
    }
}
