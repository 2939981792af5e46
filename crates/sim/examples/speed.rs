//! Prints how fast runs in virtual time are and how much memory they take:
//! `cargo run --release --package bentpipe-sim --example speed [PART OF A RUN'S NAME]`.
//!
//! Core seconds are those of the one thread that a run uses, as the kernel counts them; peak memory is that of the
//! process in one run, with everything that the process holds besides (some 10 MB). Linux only.

// It measures this machine: the only clocks that it reads are for that.
#![allow(clippy::disallowed_methods)]

#[path = "../benches/workloads/mod.rs"]
mod workloads;

use std::env;
use std::fs;
use std::io;
use std::time::Instant;

use bentpipe_net::Protection;
use bentpipe_run::{DirectionReport, Http, RunReports, RunSpec, Transport};
use bentpipe_sim::{Config, simulate};

/// The kernel's count of core time moves in ticks of some milliseconds: short runs are repeated this long.
const LEAST_SECONDS: f64 = 0.5;

fn main() -> io::Result<()> {
    println!(
        "{:<28}{:>12}{:>12}{:>16}{:>12}{:>12}{:>11}",
        "run", "virtual s", "core s", "virtual/core", "events/s", "MB/core s", "peak MB"
    );
    let only = env::args().nth(1).unwrap_or_default();
    let plain = [
        ("1000 pings", workloads::pings(1_000)),
        ("page of 500 kB, HTTP/1.1", workloads::page(Http::H1)),
        ("page of 500 kB, HTTP/2", workloads::page(Http::H2)),
        ("page of 500 kB, HTTP/3", workloads::page(Http::H3)),
        ("100 MB over TCP", workloads::bulk(Transport::Tcp, 100_000_000)),
        ("1 GB over TCP", workloads::bulk(Transport::Tcp, 1_000_000_000)),
        ("20 MB over QUIC", workloads::bulk(Transport::Quic, 20_000_000)),
        ("100 MB over QUIC", workloads::bulk(Transport::Quic, 100_000_000)),
    ];
    // As in a run with a capture.
    let encrypted = [
        ("20 MB over QUIC, encrypted", workloads::bulk(Transport::Quic, 20_000_000)),
        ("100 MB over QUIC, encrypted", workloads::bulk(Transport::Quic, 100_000_000)),
    ];
    let plain = plain.into_iter().map(|run| (run, None));
    let encrypted = encrypted.into_iter().map(|run| (run, Some(Protection::Cipher)));
    for ((name, spec), protection) in plain.chain(encrypted).filter(|((name, _), _)| name.contains(&only)) {
        measure(name, &spec, protection)?;
    }
    Ok(())
}

fn measure(name: &str, spec: &RunSpec, protection: Option<Protection>) -> io::Result<()> {
    let config = Config { protection, ..Config::new(Instant::now()) };
    // Forgets the peak so far (proc(5)).
    fs::write("/proc/self/clear_refs", "5")?;
    let (mut runs, started) = (0, core_seconds()?);
    let (reports, core_s) = loop {
        let reports = simulate(spec, &config).map_err(io::Error::other)?;
        runs += 1;
        let core_s = core_seconds()? - started;
        if core_s >= LEAST_SECONDS {
            break (reports, core_s / f64::from(runs));
        }
    };
    let virtual_s = virtual_seconds(&reports);
    println!(
        "{name:<28}{virtual_s:>12.1}{core_s:>12.4}{:>16.0}{:>12.0}{:>12.0}{:>11.1}",
        virtual_s / core_s,
        events(&reports) as f64 / core_s,
        reports.link.forward.delivered_bytes.get() as f64 / core_s / 1e6,
        peak_bytes()? as f64 / 1e6,
    );
    Ok(())
}

/// Until the link's last row, which is written when the run ends.
fn virtual_seconds(reports: &RunReports) -> f64 {
    reports.link.series.column("time_s").last().copied().unwrap_or_default()
}

/// Packets that entered or left the link.
fn events(reports: &RunReports) -> u64 {
    let of = |direction: &DirectionReport| {
        direction.offered_packets + direction.delivered_packets + direction.drops.channel
    };
    of(&reports.link.forward) + of(&reports.link.return_)
}

/// Time that this thread has spent on a core (the first number of schedstat, in nanoseconds).
fn core_seconds() -> io::Result<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanos = text.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
    nanos.map(|nanos| nanos as f64 / 1e9).ok_or_else(|| io::Error::other("schedstat has no number"))
}

/// The largest resident set since it was last forgotten.
fn peak_bytes() -> io::Result<u64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix("kB")).and_then(|n| n.trim().parse::<u64>().ok());
    kilobytes.map(|n| n * 1024).ok_or_else(|| io::Error::other("status has no VmHWM"))
}
