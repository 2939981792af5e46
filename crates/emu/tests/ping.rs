//! Pings over the kernel's own UDP.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::common::{PORTS, Site, address, available_cc, record, run, spec};
use bentpipe_emu::KernelNet;
use bentpipe_run::{ClientReport, Dscp, PingSpec, Status, Workload};
use bentpipe_units::{Bytes, Duration};
use bentpipe_web::ping;

const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn requests(count: u32, payload: u64) -> PingSpec {
    PingSpec { count, interval_ns: Duration::from_millis(5), payload_bytes: Bytes::new(payload) }
}

async fn pings(requests: &PingSpec, origin: IpAddr, patience: Duration) -> ClientReport {
    let origin = SocketAddr::new(origin, PORTS.echo);
    ping::run(&KernelNet::default(), requests, origin, LOCAL, Dscp::DEFAULT, patience).await
}

#[test]
fn every_request_is_answered_whatever_its_size() {
    for payload in [20, 1_472, 9_000] {
        let requests = requests(10, payload);
        let spec = spec(available_cc()[0], Workload::Ping(requests.clone()));
        let record = run(async {
            let site = Site::start(&spec);
            let report = pings(&requests, site.address, Duration::from_secs(5)).await;
            record(&spec, report, site.origin.report())
        });
        assert_eq!((record.status, record.metrics.ping_loss_fraction), (Status::Succeeded, Some(0.0)));
        assert_eq!(record.series["ping"].len(), 10);
        assert!(record.metrics.rtt_min_s.is_some_and(|rtt| rtt > 0.0));
    }
}

#[test]
fn requests_that_nobody_answers_are_lost_and_end_with_the_patience() {
    let report = run(pings(&requests(3, 20), address(), Duration::from_millis(100)));
    assert_eq!(report.ping.expect("a report").rtts, [None; 3]);
    assert_eq!(report.faults, []);
}
