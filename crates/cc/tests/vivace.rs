//! PCC Vivace: intervals, start, pairs and what they lead to. The formulas themselves are tested beside them.

use crate::common::{Flow, Path, ack, at_ms, config, event, packets};
use bentpipe_cc::rate::RateSample;
use bentpipe_cc::vivace::{Phase, Vivace};
use bentpipe_cc::{AckSample, Config, CongestionControl, CongestionKind, Demand, Event, SentSample};
use bentpipe_units::{Bytes, Duration, Rate, Time};

const START: Rate = Rate::from_bps(4_194_304);
const RTT: Duration = Duration::from_millis(100);

fn vivace() -> Vivace {
    Vivace::new(Config { handshake_rtt: Some(RTT), ..config() })
}

fn flow(path: Path) -> Flow<Vivace> {
    let cc = Vivace::new(Config { handshake_rtt: Some(path.rtt), ..config() });
    Flow::new(cc, path)
}

fn megabits(mbit: f64) -> Rate {
    Rate::from_bps((mbit * 1e6) as u64)
}

/// What was delivered between two times, in bit/s.
fn throughput(flow: &mut Flow<Vivace>, from_s: u64, until_s: u64) -> f64 {
    flow.run_until(at_ms(1_000 * from_s));
    let before = flow.delivered;
    flow.run_until(at_ms(1_000 * until_s));
    (flow.delivered - before).bits() as f64 / (until_s - from_s) as f64
}

#[test]
fn it_starts_at_512_kibibytes_per_second_and_a_window_of_two_round_trips() {
    let cc = vivace();
    assert_eq!(cc.state().pacing_rate, Some(START));
    assert_eq!(cc.cwnd(), Bytes::new(104_857));
    // Without a round trip the configured window counts.
    assert_eq!(Vivace::new(config()).cwnd(), packets(10));
}

#[test]
fn the_rate_doubles_while_utility_grows_and_returns_to_the_last_good_one() {
    // 100 Mbit/s: 4.2 * 2^4 = 67.1 Mbit/s fits, twice that makes the queue grow.
    let mut flow = flow(Path::new(100, 100, packets(20_000)));
    let mut rates = vec![START];
    flow.run_while(|flow| {
        let rate = flow.cc.state().pacing_rate.unwrap();
        if rates.last() != Some(&rate) {
            rates.push(rate);
        }
        flow.cc.phase() == Phase::Starting
    });
    let doubled: Vec<_> = (0..=5).map(|n| Rate::from_bps(START.as_bps() << n)).collect();
    assert_eq!(rates[..6], doubled);
    assert_eq!(flow.cc.base_rate(), doubled[4]);
}

#[test]
fn a_decision_of_the_start_takes_two_round_trips() {
    // One in which an interval leaves, one until its packets are acknowledged; a packet lasts 2.9 ms.
    let mut flow = flow(Path::new(1_000, 100, packets(20_000)));
    flow.run_while(|flow| flow.cc.state().pacing_rate == Some(START));
    let first = flow.now;
    assert!((0.195..0.206).contains(&first.since(Time::ZERO).as_secs_f64()), "{first:?}");
}

#[test]
fn pairs_are_five_per_cent_above_and_below_in_either_order() {
    let mut flow = flow(Path::new(100, 100, packets(20_000)));
    flow.run_while(|flow| flow.cc.phase() == Phase::Starting);
    let (mut firsts, mut last) = ([0, 0], None);
    while flow.now < at_ms(60_000) {
        flow.step(Time::MAX);
        let (base, rate) = (flow.cc.base_rate(), flow.cc.state().pacing_rate.unwrap());
        let kind = (rate.as_bps() as f64 / base.as_bps() as f64 * 100.0).round() as u64;
        assert!([95, 100, 105].contains(&kind), "{kind} %");
        if last == Some(100) && kind != 100 {
            firsts[usize::from(kind == 105)] += 1;
        }
        last = Some(kind);
    }
    assert!(firsts[0] > 20 && firsts[1] > 20, "{firsts:?}");
}

#[test]
fn seeds_draw_different_orders() {
    let order = |seed| {
        let cc = Vivace::new(Config { handshake_rtt: Some(RTT), seed, ..config() });
        let mut flow = Flow::new(cc, Path::new(100, 100, packets(20_000)));
        flow.run_until(at_ms(10_000));
        flow.delivered
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

#[test]
fn a_geo_path_is_filled_with_a_short_queue() {
    // Utility peaks where the queue starts to grow, so the queue stays well below a BDP (500 ms).
    let mut flow = flow(Path::new(10, 500, packets(2_000)));
    let rate = throughput(&mut flow, 60, 180);
    assert!(rate > 0.85e7, "{rate} bit/s");
    assert_eq!(flow.lost, Bytes::ZERO);
}

#[test]
fn one_lost_packet_in_a_hundred_costs_little() {
    // 11.35 * 0.01 = 0.11 of the rate, against x^0.9 = 0.8 of it at 10 Mbit/s: utility still grows with the rate.
    let mut path = Path::new(10, 500, packets(2_000));
    let clean = throughput(&mut flow(path), 60, 180);
    path.lose_every = Some(100);
    let lossy = throughput(&mut flow(path), 60, 180);
    assert!(lossy > 0.9 * clean, "{lossy} of {clean} bit/s");
}

#[test]
fn heavy_loss_lowers_the_rate() {
    // 11.35 * 0.2 = 2.3 of the rate: every packet less is a gain.
    let mut path = Path::new(100, 100, packets(20_000));
    path.lose_every = Some(5);
    let mut flow = flow(path);
    flow.run_until(at_ms(60_000));
    assert!(flow.cc.base_rate() < START, "{}", flow.cc.base_rate());
}

#[test]
fn an_application_that_sends_less_learns_nothing() {
    // A packet each 5 ms is 2.4 Mbit/s, less than 9/10 of the start rate: each interval is void.
    let mut flow = flow(Path::new(100, 100, packets(20_000)));
    flow.supply = Bytes::ZERO;
    for packet in 0..2_000 {
        flow.supply += packets(1);
        flow.run_until(at_ms(5 * packet));
    }
    assert_eq!((flow.cc.phase(), flow.cc.state().pacing_rate), (Phase::Starting, Some(START)));
}

#[test]
fn a_packet_of_an_application_that_was_short_voids_its_interval() {
    let mut cc = vivace();
    let limited = RateSample {
        delivered: packets(1),
        interval: RTT,
        prior_delivered: Bytes::ZERO,
        demand: Demand::AppLimited,
    };
    send(&mut cc, at_ms(0), 35);
    cc.on_ack(&AckSample { rate: Some(limited), ..outstanding(at_ms(100), 34) });
    // The interval closes with this acknowledgement and is judged with the last of its packets.
    cc.on_ack(&outstanding(at_ms(101), 0));
    assert_eq!(cc.state().pacing_rate, Some(START));
}

#[test]
fn a_timeout_suspends_it_and_recovery_starts_a_pair_at_the_last_good_rate() {
    let mut flow = flow(Path::new(1_000, 100, packets(20_000)));
    flow.run_while(|flow| flow.cc.base_rate() < megabits(30.0));
    let mut cc = flow.cc;
    cc.on_event(Event::Congestion(event(flow.now, CongestionKind::Timeout)));
    assert_eq!((cc.phase(), cc.cwnd()), (Phase::Suspended, packets(1)));
    cc.on_ack(&ack(flow.now, packets(1), RTT));
    assert!(cc.cwnd() > packets(4));
    cc.on_event(Event::RecoveryEnd { now: flow.now });
    assert_eq!((cc.phase(), cc.base_rate()), (Phase::Probing, Rate::from_bps(START.as_bps() << 2)));
}

#[test]
fn a_fast_recovery_changes_nothing() {
    let mut cc = vivace();
    let before = (cc.cwnd(), cc.state().pacing_rate);
    cc.on_event(Event::Congestion(event(at_ms(1), CongestionKind::Loss)));
    assert_eq!((cc.cwnd(), cc.state().pacing_rate), before);
}

#[test]
fn when_the_path_shrinks_the_rate_follows() {
    // From 20 to 5 Mbit/s: each step down is bounded, and the bound widens (5, 15, 25 ... per cent).
    let mut flow = flow(Path::new(20, 100, packets(200)));
    flow.run_until(at_ms(30_000));
    flow.path.rate = megabits(5.0);
    flow.run_until(at_ms(50_000));
    assert!(flow.cc.base_rate() < megabits(6.0), "{}", flow.cc.base_rate());
}

fn send(cc: &mut Vivace, now: Time, n: u64) {
    for packet in 0..n {
        let prior_in_flight = packets(packet);
        cc.on_sent(&SentSample { now, bytes: packets(1), prior_in_flight, demand: Demand::Backlogged });
    }
}

fn outstanding(now: Time, in_flight: u64) -> AckSample {
    AckSample { in_flight: packets(in_flight), ..ack(now, packets(1), RTT) }
}
