//! What congestion controls are known for, through the whole simulator: TCP endpoint or QUIC, link, bulk flow.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::time::Instant;

use crate::sample::{half_of, sample, with_windows};
use bentpipe_run::{
    Algorithm, BbrSpec, BulkSpec, Direction, Engine, JitterSpec, LossSpec, Provenance, QuantileSpec,
    RunRecord, RunSpec, Status, Switch, Transport, Workload, assemble,
};
use bentpipe_sim::{Config, simulate};
use bentpipe_units::{Bytes, Duration, Rate};

const MEGABIT: u64 = 1_000_000;
/// Of a GEO path, in milliseconds.
const RTT_MS: u64 = 600;
/// Payload of a TCP segment over an MTU of 1500 with timestamps.
const SEGMENT: f64 = 1448.0;

/// A GEO path with a drop-tail queue, on which only congestion windows limit.
fn geo(rate: Rate, queue: Bytes, loss: f64) -> RunSpec {
    let mut spec = sample();
    let rtt = Duration::from_millis(RTT_MS);
    spec.link.forward = half_of(rtt, rate, queue);
    if loss > 0.0 {
        spec.link.forward.loss = LossSpec::Bernoulli { p: loss };
    }
    spec.link.return_ = half_of(rtt, rate, Bytes::new(10_000_000));
    let buffer = Bytes::new(60_000_000);
    spec.tcp.receive_buffer_bytes = buffer;
    spec.tcp.send_buffer_bytes = buffer;
    with_windows(&mut spec, buffer.get());
    spec.capture.pcapng = false;
    spec.capture.qlog = false;
    spec.validity.timeout_ns = Duration::from_secs(1_000);
    spec
}

fn download(mut spec: RunSpec, cc: Algorithm, transport: Transport, extent: Extent) -> RunRecord {
    spec.cc = cc;
    let (bytes, duration_ns) = match extent {
        Extent::For(span) => (None, Some(span)),
        Extent::Of(bytes) => (Some(bytes), None),
    };
    spec.workload = Workload::Bulk(BulkSpec { transport, direction: Direction::Down, bytes, duration_ns });
    let config = Config::new(Instant::now());
    let reports = simulate(&spec, &config).unwrap();
    let record = assemble("0".to_owned(), Engine::Simulate, spec, Provenance::default(), reports);
    assert_eq!(record.status, Status::Succeeded, "{cc:?}: {:?}", record.reasons);
    record
}

#[derive(Clone, Copy)]
enum Extent {
    For(Duration),
    Of(Bytes),
}

/// Goodput in Mbit/s of two minutes over 10 Mbit/s with one BDP of buffer.
fn goodput(cc: Algorithm, transport: Transport, loss: f64) -> f64 {
    let rate = Rate::from_bps(10 * MEGABIT);
    let spec = geo(rate, rate.volume_in(Duration::from_millis(RTT_MS)), loss);
    let record = download(spec, cc, transport, Extent::For(Duration::from_secs(120)));
    record.metrics.goodput_bps.unwrap() / MEGABIT as f64
}

/// Of the goodput without loss, what one packet lost in a hundred leaves.
fn kept(cc: Algorithm, transport: Transport) -> f64 {
    let (clean, lossy) = (goodput(cc, transport, 0.0), goodput(cc, transport, 0.01));
    println!("{} over {transport:?}: {clean:.3} Mbit/s, {lossy:.3} with 1 % loss", cc.name());
    lossy / clean
}

#[test]
fn bbr_keeps_three_quarters_of_its_goodput_with_one_per_cent_of_random_loss() {
    for transport in [Transport::Tcp, Transport::Quic] {
        for cc in [Algorithm::Bbr, Algorithm::Bbr3, Algorithm::Vivace] {
            let kept = kept(cc, transport);
            assert!(kept >= 0.75, "{cc:?} over {transport:?}: {kept}");
        }
    }
}

#[test]
fn cubic_keeps_less_than_fifteen_per_cent_of_its() {
    for transport in [Transport::Tcp, Transport::Quic] {
        let kept = kept(Algorithm::Cubic, transport);
        assert!(kept < 0.15, "over {transport:?}: {kept}");
    }
}

#[test]
fn reno_stays_within_a_factor_of_two_of_the_mathis_formula() {
    // Mathis et al. 1997: MSS / RTT * sqrt(3 / (2 p)), and sqrt(3 / (4 p)) with delayed acknowledgements.
    let formula = SEGMENT * 8.0 / (RTT_MS as f64 / 1e3) * (1.5_f64 / 0.01).sqrt() / MEGABIT as f64;
    for transport in [Transport::Tcp, Transport::Quic] {
        let found = goodput(Algorithm::Reno, transport, 0.01);
        println!("reno over {transport:?}: {found:.4} Mbit/s, formula {formula:.4}");
        assert!((formula / 2.0..formula * 2.0).contains(&found), "{transport:?}: {found}, formula {formula}");
    }
}

#[test]
fn hybla_is_faster_than_reno_with_one_per_cent_of_random_loss() {
    // Its window grows by rho^2 = 576 segments in a round trip instead of one.
    for transport in [Transport::Tcp, Transport::Quic] {
        let found = [Algorithm::Hybla, Algorithm::Reno].map(|cc| goodput(cc, transport, 0.01));
        println!("hybla and reno over {transport:?}: {found:.3?} Mbit/s");
        assert!(found[0] > 3.0 * found[1], "{transport:?}: {found:?} Mbit/s");
    }
}

/// Mbit/s of BBR over 10 Mbit/s and 20 ms whose return path holds acknowledgements for up to 60 ms, 50 ms at a time; the mean of
/// three draws of how long.
fn with_gathered_acknowledgements(transport: Transport, bbr: Option<BbrSpec>) -> f64 {
    [1, 2, 3].map(|seed| with_acknowledgements_gathered_by(seed, transport, bbr)).iter().sum::<f64>() / 3.0
}

fn with_acknowledgements_gathered_by(seed: u64, transport: Transport, bbr: Option<BbrSpec>) -> f64 {
    let rate = Rate::from_bps(10 * MEGABIT);
    let mut spec = geo(rate, Bytes::new(1_000_000), 0.0);
    spec.bbr = bbr;
    spec.seed = seed;
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.delay_ns = Duration::from_millis(10);
    }
    let quantiles =
        [(0.0, 0), (1.0, 60_000_000)].map(|(p, offset_ns)| QuantileSpec { p, offset_ns }).to_vec();
    spec.link.return_.jitter = JitterSpec::Empirical { quantiles, hold_ns: Duration::from_millis(50) };
    let record = download(spec, Algorithm::Bbr, transport, Extent::For(Duration::from_secs(60)));
    record.metrics.goodput_bps.unwrap() / MEGABIT as f64
}

#[test]
fn bbr_without_room_for_gathered_acknowledgements_waits_for_them() {
    // Two BDP of the least round trip do not bridge acknowledgements that come 60 ms late (Linux before 5.1).
    for transport in [Transport::Tcp, Transport::Quic] {
        let before = with_gathered_acknowledgements(transport, Some(BbrSpec { extra_acked: Switch::Off }));
        let todays = with_gathered_acknowledgements(transport, None);
        println!("bbr over {transport:?}: {before:.2} Mbit/s, {todays:.2} with room");
        assert!(before < 0.97 * todays, "{transport:?}: {before} and {todays} Mbit/s");
    }
}

/// Seconds for so many megabytes over the path of Claypool, Chung, Claypool 2020: 144 Mbit/s, 600 ms with a standard
/// deviation of 17 ms, a queue of 36 MB. The median of five runs: CUBIC leaves slow start early or not, by chance.
fn start_up(cc: Algorithm, megabytes: u64) -> f64 {
    let time = |seed| {
        let mut spec = geo(Rate::from_bps(144 * MEGABIT), Bytes::new(36_000_000), 0.0);
        spec.link.forward.jitter = JitterSpec::Normal { sd_ns: Duration::from_millis(17) };
        spec.seed = seed;
        let record = download(spec, cc, Transport::Tcp, Extent::Of(Bytes::new(megabytes * MEGABIT)));
        record.metrics.completion_s.unwrap()
    };
    let mut times = [1, 2, 3, 4, 5].map(time);
    times.sort_by(f64::total_cmp);
    times[2]
}

#[test]
fn a_small_download_is_fastest_with_hybla_and_vivace() {
    // Claypool 2020: 1 MB in about 4 s with both. The larger first windows: rho segments, 4.2 Mbit/s.
    let order = [Algorithm::Hybla, Algorithm::Vivace, Algorithm::Bbr];
    let times = order.map(|cc| start_up(cc, 1));
    println!("1 MB: {times:.2?} s");
    assert!(times.is_sorted(), "{times:?}");
    assert!(times[2] < 1.1 * start_up(Algorithm::Cubic, 1));
}

#[test]
fn start_up_is_fastest_with_hybla_then_bbr_vivace_and_cubic() {
    // Claypool 2020, throughput of the first 30 s: 40.8, 23.1, 20.3, 16.6 Mbit/s.
    let order = ["hybla", "bbr", "vivace", "cubic"];
    for megabytes in [5, 30] {
        let named = |name| Algorithm::ALL.into_iter().find(|cc| cc.name() == name).unwrap();
        let times = order.map(|name| start_up(named(name), megabytes));
        println!("{megabytes} MB: {order:?} {times:.2?} s");
        assert!(times.is_sorted(), "{megabytes} MB: {times:?}");
    }
}
