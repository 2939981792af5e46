//! Whatever a scenario asks for: a run ends, nothing appears or vanishes, and a failure names its reason.
//!
//! `PROPTEST_CASES=20000 PROPTEST_RNG_SEED=7 cargo test -p bentpipe-sim --test all any_scenario` looks further.

// A run that never ends can only be noticed from outside.
#![allow(clippy::disallowed_methods)]

use std::io::{Write as _, stderr};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration as RealDuration;
use std::{env, process, thread};

use crate::common::{Scenario, Temper, record, scenarios};
use bentpipe_run::{
    ConnectionReport, Direction, DropCounts, ObjectKind, ObjectTiming, RunRecord, RunSpec, Status, Workload,
};
use bentpipe_sim::Content;
use bentpipe_units::Duration;
use proptest::prelude::*;

/// What a case may take on a machine that has other things to do; the longest takes a second by itself.
const PATIENCE: RealDuration = RealDuration::from_secs(120);
const CASES: u32 = 1000;
/// Packets of one run, both directions: ten times what the largest workload needs where little is lost.
const MOST_PACKETS: u64 = 1_000_000;
/// Where nearly all is lost: BBR paces by its initial window until it has seen the pipe full, and forgets what it saw at
/// each timeout, as in Linux.
const MOST_LOST_PACKETS: u64 = 10_000_000;
/// Differences of sums of times in seconds.
const ROUNDING_S: f64 = 1e-9;

/// Ends the process, with the case, when `work` does not end.
fn in_time<T>(scenario: &Scenario, work: impl FnOnce() -> T) -> T {
    let (done, is_done) = channel::<()>();
    let case = serde_json::to_string(&scenario.spec).unwrap();
    let watch = thread::spawn(move || {
        if is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            // Not by a macro, whose output the test harness would keep to itself.
            let _ = writeln!(stderr(), "a run that does not end: {case}");
            process::abort();
        }
    });
    let result = work();
    drop(done);
    watch.join().unwrap();
    result
}

fn check(scenario: &Scenario, record: &RunRecord) -> Result<(), TestCaseError> {
    let Scenario { temper, spec } = scenario;
    match record.status {
        Status::Succeeded => prop_assert!(record.reasons.is_empty()),
        Status::Failed | Status::Invalid => {
            prop_assert!(*temper == Temper::Any, "{:?}", record.reasons);
            prop_assert!(!record.reasons.is_empty());
        }
    }
    if record.status == Status::Succeeded {
        did_what_was_asked(spec, record)?;
    }
    let most_packets = match temper {
        Temper::Mild | Temper::Lossy => MOST_PACKETS,
        Temper::Any => MOST_LOST_PACKETS,
    };
    prop_assert!(record.metrics.wire_packets_down + record.metrics.wire_packets_up <= most_packets);
    ends_in_time(spec, record)?;
    adds_up(spec, record)?;
    goes_forwards(record)
}

/// The workload is complete; that the bytes are the right ones is what loader and receiver check.
fn did_what_was_asked(spec: &RunSpec, record: &RunRecord) -> Result<(), TestCaseError> {
    let metrics = &record.metrics;
    match &spec.workload {
        Workload::PageLoad(load) => {
            prop_assert_eq!(record.objects.len(), 1 + load.page.objects.len());
            for object in &load.page.objects {
                let found = record.objects.iter().find(|found| found.url.ends_with(&object.path)).unwrap();
                // What names others has room for that, whatever it was asked to be.
                let may_be_longer = matches!(object.kind, ObjectKind::Style | ObjectKind::Script);
                let is_right =
                    found.bytes == object.bytes.get() || (may_be_longer && found.bytes > object.bytes.get());
                prop_assert!(is_right, "{} of {} bytes", found.bytes, found.url);
                prop_assert_eq!(found.status, 200);
            }
            prop_assert!(metrics.plt_s.is_some() && metrics.ttfb_s.is_some());
        }
        Workload::Bulk(_) | Workload::Flows(_) | Workload::Iperf3(_) => {
            let asked = spec.flows().unwrap();
            prop_assert_eq!(record.flows.len(), asked.flows.len());
            if let Some(bytes) = asked.bytes {
                prop_assert!(record.flows.iter().all(|flow| flow.bytes == bytes.get()));
            }
            let each = record.flows.iter().map(|flow| flow.bytes).sum();
            prop_assert_eq!(metrics.payload_bytes, Some(each));
            let received: f64 = record.series["progress"].column("received_bytes").iter().sum();
            prop_assert_eq!(Some(received), metrics.payload_bytes.map(|bytes| bytes as f64));
            let carried = match asked.direction {
                Direction::Down => metrics.wire_bytes_down,
                Direction::Up => metrics.wire_bytes_up,
            };
            prop_assert!(metrics.payload_bytes.is_some_and(|bytes| bytes <= carried));
        }
        Workload::Ping(ping) => {
            let rtts = record.series["ping"].column("rtt_s");
            prop_assert_eq!(rtts.len(), ping.count as usize);
            let lost = rtts.iter().filter(|rtt| rtt.is_nan()).count();
            prop_assert_eq!(metrics.ping_loss_fraction, Some(lost as f64 / rtts.len() as f64));
            let dropped = metrics.drops.forward.total() + metrics.drops.return_.total();
            prop_assert!(dropped <= lost as u64, "{dropped} dropped, {lost} not answered");
        }
    }
    Ok(())
}

/// The virtual deadline: a workload's timeout, or the time that pings take, and the closing of the connections.
fn ends_in_time(spec: &RunSpec, record: &RunRecord) -> Result<(), TestCaseError> {
    let round_trip = spec.link.forward.delay_ns + spec.link.return_.delay_ns;
    let most = match &spec.workload {
        Workload::Ping(ping) => {
            ping.interval_ns * u64::from(ping.count) + round_trip * 2 + Duration::from_secs(2)
        }
        Workload::PageLoad(_) | Workload::Bulk(_) | Workload::Flows(_) | Workload::Iperf3(_) => {
            spec.validity.timeout_ns
        }
    };
    // Both waits are a program's, due at a tick of a millisecond and seen within another.
    let ticks = Duration::from_millis(2) * 2;
    let closing = round_trip * 3 / 2 + Duration::from_millis(100) + ticks;
    let ended_s = record.series["link"].column("time_s").last().copied().unwrap_or_default();
    prop_assert!(ended_s <= (most + closing).as_secs_f64() + ROUNDING_S, "ended at {ended_s} s");
    Ok(())
}

/// What went into each direction of the link has come out, was dropped, or is still inside.
fn adds_up(spec: &RunSpec, record: &RunRecord) -> Result<(), TestCaseError> {
    let (metrics, link) = (&record.metrics, &record.series["link"]);
    // What a visit before the load has sent, jitter may hold back until the load is counted.
    let is_repeat = matches!(&spec.workload, Workload::PageLoad(load) if load.visit.is_some());
    let left_of_visit = if is_repeat { f64::INFINITY } else { 0.0 };
    let sum = |column: &str| link.column(column).iter().sum::<f64>();
    let mut offered = [metrics.wire_bytes_down, metrics.wire_bytes_up];
    if spec.server_behind.is_some() {
        offered.reverse();
    }
    let [forward, return_] = offered;
    let directions: [(&str, u64, DropCounts); 2] =
        [("forward", forward, metrics.drops.forward), ("return", return_, metrics.drops.return_)];
    for (name, offered, drops) in directions {
        prop_assert_eq!(sum(&format!("{name}_sent_bytes")), offered as f64);
        prop_assert_eq!(sum(&format!("{name}_drops")), drops.total() as f64);
        let delivered = sum(&format!("{name}_delivered_bytes"));
        prop_assert!(delivered <= offered as f64 + left_of_visit, "{delivered} of {offered} bytes delivered");
        prop_assert_eq!(drops.oversize, 0, "a host sends no packet that its link cannot carry");
    }
    Ok(())
}

/// Effects come after their causes, and every number is one.
fn goes_forwards(record: &RunRecord) -> Result<(), TestCaseError> {
    let is_ordered = |object: &ObjectTiming| {
        let steps = [0.0, object.discovered_s, object.request_s, object.first_byte_s, object.last_byte_s];
        steps.is_sorted()
    };
    prop_assert!(record.objects.iter().all(is_ordered));
    let is_alive = |connection: &ConnectionReport| {
        let steps = [Some(connection.started), connection.connected, connection.secured];
        steps.into_iter().flatten().is_sorted()
            && connection.min_rtt.zip(connection.srtt).is_none_or(|(min, _)| min > Duration::ZERO)
    };
    prop_assert!(record.client_connections.iter().chain(&record.origin_connections).all(is_alive));
    for (name, table) in &record.series {
        prop_assert!(name == "ping" || table.column("time_s").iter().all(|time| time.is_finite()), "{name}");
    }
    prop_assert!(record.series["link"].column("time_s").is_sorted());
    Ok(())
}

/// The surroundings of the first character in which two records differ.
fn first_difference(first: &str, second: &str) -> String {
    let at = first.bytes().zip(second.bytes()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| text[at.saturating_sub(200)..text.len().min(at + 100)].to_owned();
    format!("...{}...\n...{}...", around(first), around(second))
}

fn config() -> ProptestConfig {
    let cases =
        env::var("PROPTEST_CASES").map_or(CASES, |cases| cases.parse().expect("PROPTEST_CASES is a number"));
    ProptestConfig { cases, max_shrink_iters: 500, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_scenario_ends_with_what_was_asked_or_a_reason_and_does_so_again(scenario in scenarios()) {
        let run = |content| in_time(&scenario, || record(&scenario.spec, content));
        // With bytes the receiver of a flow compares each with the one that was sent.
        let bytes = run(Content::Bytes);
        check(&scenario, &bytes)?;
        let [first, second] = [bytes, run(Content::Length)].map(|record| serde_json::to_string(&record).unwrap());
        prop_assert!(first == second, "equal runs differ: {}", first_difference(&first, &second));
    }
}
