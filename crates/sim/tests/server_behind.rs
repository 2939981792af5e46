//! A server behind the terminal: its data take the return link, and everything else is as it was.

use std::time::Instant;

use crate::sample::{half_of, sample};
use bentpipe_run::{
    Algorithm, BulkSpec, Direction, Engine, Http, PageLoadSpec, PingSpec, Provenance, RunRecord, RunSpec,
    ServerBehind, Status, Transport, Workload, assemble,
};
use bentpipe_sim::{Config, simulate};
use bentpipe_units::{Bytes, Duration, Rate};

/// 10 Mbit/s forward, 1 Mbit/s return, delays and queues of their own, nothing by chance.
fn unequal(workload: Workload) -> RunSpec {
    let mut spec = sample();
    spec.cc = Algorithm::Cubic;
    let (rate, limit) = (Rate::from_bps, Bytes::new);
    spec.link.forward = half_of(Duration::from_millis(300), rate(10_000_000), limit(60_000));
    spec.link.return_ = half_of(Duration::from_millis(200), rate(1_000_000), limit(30_000));
    RunSpec { workload, ..spec }
}

fn workloads() -> Vec<Workload> {
    let Workload::PageLoad(load) = sample().workload else { panic!("the sample loads a page") };
    let page = |http| Workload::PageLoad(PageLoadSpec { http, connections: 6, ..load.clone() });
    let bulk = |transport, direction| {
        let bytes = Some(Bytes::new(300_000));
        Workload::Bulk(BulkSpec { transport, direction, bytes, duration_ns: None })
    };
    let (interval_ns, payload_bytes) = (Duration::from_millis(70), Bytes::new(56));
    vec![
        page(Http::H1),
        page(Http::H2),
        page(Http::H3),
        bulk(Transport::Tcp, Direction::Down),
        bulk(Transport::Tcp, Direction::Up),
        bulk(Transport::Quic, Direction::Down),
        Workload::Ping(PingSpec { count: 10, interval_ns, payload_bytes }),
    ]
}

fn record(spec: &RunSpec) -> RunRecord {
    // The QUIC library wants an instant to call zero; which one changes nothing.
    #[allow(clippy::disallowed_methods)]
    let reports = simulate(spec, &Config::new(Instant::now())).unwrap();
    assemble("0".to_owned(), Engine::Simulate, spec.clone(), Provenance::default(), reports)
}

/// The same link turned round, with the server where it mostly is.
fn turned_round(spec: &RunSpec) -> RunSpec {
    let mut turned = RunSpec { server_behind: None, ..spec.clone() };
    std::mem::swap(&mut turned.link.forward, &mut turned.link.return_);
    turned
}

#[test]
fn a_run_with_the_server_behind_the_terminal_is_one_over_the_link_turned_round() {
    for workload in workloads() {
        let behind = RunSpec { server_behind: Some(ServerBehind::Terminal), ..unequal(workload) };
        let (record, mut turned) = (record(&behind), record(&turned_round(&behind)));
        assert_eq!(record.status, Status::Succeeded, "{:?}", record.reasons);
        // What the record says of the link's directions is of those of the link.
        let drops = &mut turned.metrics.drops;
        std::mem::swap(&mut drops.forward, &mut drops.return_);
        assert_eq!(record.metrics, turned.metrics, "{:?}", behind.workload);
        assert_eq!(record.objects, turned.objects);
        assert_eq!(record.bytes_by_layer, turned.bytes_by_layer);
        let column = |record: &RunRecord, name: &str| record.series["link"].column(name).to_vec();
        for (here, there) in [("forward", "return"), ("return", "forward")] {
            for what in ["sent_bytes", "delivered_bytes", "queue_bytes", "drops"] {
                let there = column(&turned, &format!("{there}_{what}"));
                assert_eq!(column(&record, &format!("{here}_{what}")), there);
            }
        }
    }
}

#[test]
fn what_the_server_sends_takes_the_return_link() {
    let down = BulkSpec {
        transport: Transport::Tcp,
        direction: Direction::Down,
        bytes: Some(Bytes::new(300_000)),
        duration_ns: None,
    };
    let behind = RunSpec { server_behind: Some(ServerBehind::Terminal), ..unequal(Workload::Bulk(down)) };
    let metrics = record(&behind).metrics;
    // 300 kB at 1 Mbit/s take 2.4 s, at 10 Mbit/s 0.24 s.
    assert!(metrics.completion_s.unwrap() > 2.4);
    assert!(metrics.wire_bytes_down > 300_000 && metrics.wire_bytes_up < 30_000);
    assert!((0.1..=1.0).contains(&metrics.utilisation.unwrap()));
}
