//! The event loop, one page load and one bulk flow, each a whole run in virtual time.

// A benchmark needs an instant for the QUIC library's time zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

mod workloads;

use std::time::Instant;

use bentpipe_run::{Http, RunReports, RunSpec, Transport};
use bentpipe_sim::{Config, simulate};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const PINGS: u32 = 1_000;
const FLOW_BYTES: u64 = 20_000_000;

fn run(spec: &RunSpec) -> RunReports {
    let config = Config::new(Instant::now());
    let reports = simulate(spec, &config).expect("the run ends with a report");
    assert!(reports.client.faults.is_empty(), "{:?}", reports.client.faults);
    reports
}

fn event_loop(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("event loop");
    let spec = workloads::pings(PINGS);
    group.throughput(Throughput::Elements(PINGS.into()));
    group.bench_function("pings", |bencher| bencher.iter(|| run(&spec)));
    group.finish();
}

fn page(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("page of 500 kB");
    for http in [Http::H1, Http::H1s, Http::H2, Http::H3] {
        let spec = workloads::page(http);
        group.bench_function(format!("{http:?}"), |bencher| bencher.iter(|| run(&spec)));
    }
    group.finish();
}

fn bulk(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bulk flow of 20 MB");
    group.sample_size(10).throughput(Throughput::Bytes(FLOW_BYTES));
    for transport in [Transport::Tcp, Transport::Quic] {
        let spec = workloads::bulk(transport, FLOW_BYTES);
        group.bench_function(format!("{transport:?}"), |bencher| bencher.iter(|| run(&spec)));
    }
    group.finish();
}

criterion_group!(benches, event_loop, page, bulk);
criterion_main!(benches);
