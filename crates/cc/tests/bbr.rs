//! BBR version 1: the model, the states and the window.

use crate::common::{Flow, GEO_RTT, Path, TokenBucket, ack, at_ms, config, event, geo, packets, wide};
use bentpipe_cc::bbr::{Bbr, BbrSpec, Mode};
use bentpipe_cc::cubic::Cubic;
use bentpipe_cc::rate::RateSample;
use bentpipe_cc::{
    AckSample, Config, CongestionControl, CongestionKind, Demand, Event, RecoverySpan, SentSample,
};
use bentpipe_units::{Bytes, Duration, Rate, Switch, Time};

/// 2/ln 2 (draft-cardwell-iccrg-bbr-congestion-control-00, BBRHighGain), to the three places that Linux has.
const HIGH_GAIN: f64 = 2.885;

fn flow(path: Path) -> Flow<Bbr> {
    Flow::new(Bbr::new(config()), path)
}

fn run_to(flow: &mut Flow<Bbr>, mode: Mode) {
    flow.run_while(|flow| flow.cc.mode() != mode);
}

#[test]
fn the_initial_rate_is_the_gain_times_a_window_in_a_millisecond() {
    // No RTT is known: 2.885 * 15 000 B / 1 ms, less one per cent.
    let expected = Rate::from_bps(120_000_000).mul_f64(HIGH_GAIN * 0.99);
    assert_eq!(Bbr::new(config()).state().pacing_rate, Some(expected));
}

#[test]
fn a_handshake_rtt_sets_the_initial_rate() {
    // 2.885 * 15 000 B / 500 ms, less one per cent.
    let cc = Bbr::new(Config { handshake_rtt: Some(Duration::from_millis(500)), ..config() });
    assert_eq!(cc.state().pacing_rate, Some(Rate::from_bps(240_000).mul_f64(HIGH_GAIN * 0.99)));
}

#[test]
fn the_first_rtt_sample_replaces_the_guessed_rate() {
    let mut flow = flow(geo());
    flow.run_while(|flow| flow.last_ack.is_none());
    let expected = Rate::of(packets(10), GEO_RTT).mul_f64(HIGH_GAIN * 0.99);
    assert_eq!(flow.cc.state().pacing_rate, Some(expected));
}

#[test]
fn bandwidth_and_rtt_of_a_geo_path_are_found() {
    let mut flow = flow(geo());
    flow.run_until(at_ms(30_000));
    let found = flow.found_share();
    assert!((0.98..=1.0).contains(&found), "{found} of the rate");
    assert_eq!(flow.cc.min_rtt(), Some(GEO_RTT));
    assert_eq!(flow.lost, Bytes::ZERO);
}

#[test]
fn start_up_doubles_what_is_delivered_each_round() {
    // The gain 2/ln 2 is made for a factor of two per RTT.
    let mut flow = flow(wide());
    flow.assert_doubling();
    assert_eq!(flow.cc.mode(), Mode::Startup);
}

#[test]
fn start_up_ends_after_three_rounds_without_a_quarter_more() {
    let mut flow = flow(geo());
    // 1.25 times the estimate is out of reach once it has passed 8 Mbit/s.
    flow.run_while(|flow| flow.cc.state().bandwidth < Some(Rate::from_bps(8_000_000)));
    let reached_at = flow.now;
    run_to(&mut flow, Mode::Drain);
    // Rounds last between the bare RTT and that with start-up's queue: cwnd 2.885 BDP, so 2.885 RTT.
    let rounds = flow.now.since(reached_at).as_secs_f64() / GEO_RTT.as_secs_f64();
    assert!((3.0..=4.0 * HIGH_GAIN).contains(&rounds), "{rounds} round-trip times");
    assert_eq!(flow.cc.state().ssthresh, Some(one_bdp(&flow)));
}

fn one_bdp(flow: &Flow<Bbr>) -> Bytes {
    quantized(flow, 1.0, Bytes::ZERO)
}

/// The BDP times the gain, and `extra`, in whole packets; three bursts of two packets; rounded up to an even number.
fn quantized(flow: &Flow<Bbr>, gain: f64, extra: Bytes) -> Bytes {
    let bdp = flow.cc.state().bandwidth.unwrap().as_bytes_per_sec() * GEO_RTT.as_secs_f64();
    let bytes = bdp * gain + extra.get() as f64;
    packets(((bytes / 1500.0).ceil() as u64 + 6).next_multiple_of(2))
}

#[test]
fn drain_empties_the_queue_that_start_up_built() {
    let mut flow = flow(geo());
    run_to(&mut flow, Mode::Drain);
    let built = flow.queue;
    assert_eq!(flow.cc.pacing_gain(), 1.0 / HIGH_GAIN);
    run_to(&mut flow, Mode::ProbeBw);
    assert!(built > Duration::from_millis(500), "start-up queues more than a BDP: {built}");
    assert!(flow.in_flight <= one_bdp(&flow));
    assert!(flow.queue < Duration::from_millis(15), "the bursts' allowance at most: {}", flow.queue);
}

#[test]
fn the_window_is_two_bdp_when_cruising() {
    let mut flow = flow(geo());
    flow.run_until(at_ms(16_000));
    assert_eq!((flow.cc.mode(), flow.cc.pacing_gain()), (Mode::ProbeBw, 1.0));
    // Each packet acknowledged by itself is an aggregate of one.
    assert_eq!(flow.cc.cwnd(), quantized(&flow, 2.0, packets(1)));
}

#[test]
fn the_gain_cycle_probes_drains_and_cruises_for_six_round_trips() {
    let mut flow = flow(geo());
    run_to(&mut flow, Mode::ProbeRtt);
    run_to(&mut flow, Mode::ProbeBw);
    let mut gains = vec![(flow.cc.pacing_gain(), flow.now)];
    flow.run_while(|flow| {
        let gain = flow.cc.pacing_gain();
        if gain != gains.last().unwrap().0 {
            gains.push((gain, flow.now));
        }
        flow.cc.mode() == Mode::ProbeBw
    });
    let probe = gains.iter().position(|(gain, _)| *gain == 1.25).expect("a cycle has a probe");
    assert_eq!(gains[probe + 1].0, 0.75);
    assert_eq!(gains[probe + 2].0, 1.0);
    let cruise = gains[probe + 3].1.since(gains[probe + 2].1).as_secs_f64();
    assert_eq!(gains[probe + 3].0, 1.25);
    // Phases end with the first acknowledgement after one minimum RTT: 1.2 ms late at most.
    let six = 6.0 * GEO_RTT.as_secs_f64();
    assert!((six..six + 6.0 * 0.0025).contains(&cruise), "{cruise} s");
}

#[test]
fn the_first_phase_depends_on_the_seed_and_is_never_the_draining_one() {
    let first_gain = |seed| {
        let mut flow = Flow::new(Bbr::new(Config { seed, ..config() }), Path::new(10, 20, packets(100)));
        run_to(&mut flow, Mode::ProbeBw);
        flow.cc.pacing_gain()
    };
    let gains: Vec<f64> = (0..50).map(first_gain).collect();
    // Each phase but the draining one has probability 1/7: all 50 alike happens once in 2000 sets of seeds.
    assert!(gains.contains(&1.25) && gains.contains(&1.0) && !gains.contains(&0.75), "{gains:?}");
}

#[test]
fn pacing_is_the_estimate_times_the_gain_less_one_per_cent() {
    let mut flow = flow(geo());
    flow.run_until(at_ms(16_000));
    let expected = flow.cc.state().bandwidth.unwrap().mul_f64(flow.cc.pacing_gain() * 0.99);
    assert_eq!(flow.cc.state().pacing_rate, Some(expected));
}

#[test]
fn a_burst_is_about_a_millisecond_and_at_least_two_packets() {
    // 10 Mbit/s: 1.2 kB in a 1024th of a second, so two packets. 1 Gbit/s: 122 kB, cut to 64 KiB: 43 packets.
    for (mbit, expected) in [(10, packets(2)), (1_000, packets(43))] {
        let mut flow = flow(Path::new(mbit, 20, packets(20_000)));
        flow.run_until(at_ms(2_000));
        assert_eq!(flow.cc.state().send_quantum, Some(expected), "{mbit} Mbit/s");
    }
}

#[test]
fn a_burst_below_1200_kilobits_per_second_is_one_packet() {
    // bbr_min_tso_rate: 1200000. 120 000 bits * 2.885 * 0.99 in 285 ms are 1.203 Mbit/s, in 286 ms 1.198.
    for (rtt_ms, expected) in [(285, packets(2)), (286, packets(1))] {
        let handshake_rtt = Some(Duration::from_millis(rtt_ms));
        let cc = Bbr::new(Config { handshake_rtt, ..config() });
        assert_eq!(cc.state().send_quantum, Some(expected), "{rtt_ms} ms");
    }
}

#[test]
fn a_burst_is_at_most_127_packets() {
    // bbr_tso_segs_goal: 0x7F; 64 KiB have 128 packets of 512 bytes.
    let mss = Bytes::new(512);
    let cc = Bbr::new(Config { handshake_rtt: Some(Duration::from_micros(10)), mss, ..config() });
    assert_eq!(cc.state().send_quantum, Some(Bytes::new(127 * 512)));
}

#[test]
fn a_bandwidth_sample_counts_for_ten_rounds() {
    // bbr_bw_rtts: CYCLE_LEN + 2; minmax_running_max forgets what is more than that old.
    let rtt = Duration::from_millis(100);
    let mut cc = Bbr::new(config());
    let mut delivered = Bytes::ZERO;
    // An acknowledgement for each round trip; returns how many packets in one the estimate is.
    let mut round = |number: u64, n: u64| {
        let sample = RateSample {
            delivered: packets(n),
            interval: rtt,
            prior_delivered: delivered,
            demand: Demand::Backlogged,
        };
        delivered += packets(n);
        let now = Time::ZERO + rtt * number;
        cc.on_ack(&AckSample { delivered, rate: Some(sample), ..ack(now, packets(n), rtt) });
        cc.state().bandwidth.unwrap().volume_in(rtt)
    };
    round(1, 100);
    for number in 2..=11 {
        assert_eq!(round(number, 50), packets(100), "round {number}");
    }
    assert_eq!(round(12, 50), packets(50));
}

#[test]
fn every_ten_seconds_the_flow_dips_to_four_packets() {
    let mut flow = flow(geo());
    for _ in 0..4 {
        let last_minimum = flow.now;
        run_to(&mut flow, Mode::ProbeRtt);
        let waited = flow.now.since(last_minimum).as_secs_f64();
        assert!((9.5..=10.01).contains(&waited) || last_minimum == Time::ZERO, "{waited} s");
        assert_eq!(flow.cc.cwnd(), packets(4));
        flow.run_while(|flow| flow.in_flight > packets(4));
        let at_floor = flow.now;
        run_to(&mut flow, Mode::ProbeBw);
        // 200 ms or one round trip, whichever is longer.
        let held = flow.now.since(at_floor);
        assert!((Duration::from_millis(200)..=GEO_RTT + Duration::from_millis(20)).contains(&held), "{held}");
        assert_eq!(flow.cc.min_rtt(), Some(GEO_RTT));
        assert!(flow.cc.cwnd() > packets(800), "restored");
    }
}

#[test]
fn the_dip_does_not_lower_the_bandwidth_estimate() {
    let mut flow = flow(geo());
    flow.run_until(at_ms(60_000));
    let found = flow.found_share();
    assert!(found > 0.98, "{found} of the rate after five dips");
}

#[test]
fn a_shorter_rtt_is_taken_at_once_and_a_longer_one_after_ten_seconds() {
    let mut flow = flow(geo());
    flow.run_until(at_ms(15_000));
    flow.path.rtt = Duration::from_millis(300);
    flow.run_until(at_ms(16_500));
    assert_eq!(flow.cc.min_rtt(), Some(Duration::from_micros(301_200)));
    flow.path.rtt = Duration::from_millis(600);
    flow.run_until(at_ms(20_000));
    assert_eq!(flow.cc.min_rtt(), Some(Duration::from_micros(301_200)));
    flow.run_until(at_ms(40_000));
    assert_eq!(flow.cc.min_rtt(), Some(Duration::from_micros(601_200)));
}

#[test]
fn half_the_bandwidth_is_noticed_after_ten_rounds() {
    let mut flow = flow(geo());
    flow.run_until(at_ms(15_000));
    flow.path.rate = Rate::from_bps(5_000_000);
    flow.run_until(at_ms(40_000));
    let found = flow.found_share();
    assert!((0.95..=1.02).contains(&found), "{found} of the new rate");
}

#[test]
fn random_loss_of_one_per_cent_hardly_slows_bbr_and_cripples_cubic() {
    let lossy = Path { lose_every: Some(100), ..geo() };
    let goodput = |delivered: Bytes| delivered.bits() as f64 / 60.0 / 10e6;
    let (mut bbr, mut cubic) = (flow(lossy), Flow::new(Cubic::new(config()), lossy));
    bbr.run_until(at_ms(60_000));
    cubic.run_until(at_ms(60_000));
    assert!(goodput(bbr.delivered) > 0.7, "BBR: {}", goodput(bbr.delivered));
    assert!(goodput(cubic.delivered) < 0.2, "CUBIC: {}", goodput(cubic.delivered));
}

#[test]
fn a_policer_is_recognised_and_its_rate_kept() {
    // 100 Mbit/s line, policed to 5 Mbit/s after 200 kB. Half the packets and more are lost at first.
    let mut path = Path::new(100, 40, packets(2_000));
    path.policer = Some(TokenBucket::full(Rate::from_bps(5_000_000), Bytes::new(200_000)));
    let mut flow = flow(path);
    flow.run_until(at_ms(1_000));
    let found = flow.cc.state().bandwidth.unwrap().as_bps() as f64 / 5e6;
    assert!((0.95..=1.0).contains(&found), "{found} of the policed rate");
    assert_eq!(flow.cc.pacing_gain(), 1.0, "no probing while policed");
    let lost = flow.lost;
    flow.run_until(at_ms(2_000));
    assert_eq!(flow.lost, lost, "below the policed rate nothing is lost");
}

#[test]
fn the_policers_rate_is_dropped_after_48_rounds() {
    let mut path = Path::new(100, 40, packets(2_000));
    path.policer = Some(TokenBucket::full(Rate::from_bps(5_000_000), Bytes::new(200_000)));
    let mut flow = flow(path);
    flow.run_until(at_ms(1_000));
    flow.path.policer = None;
    // Recognised before 1 s; 48 rounds of some 42 ms later still trusted or just released.
    flow.run_until(at_ms(2_400));
    assert!(flow.cc.state().bandwidth.unwrap() < Rate::from_bps(5_000_000));
    // Then a quarter more per cycle of 8 round trips: ln 20 / ln 1.25 = 14 cycles.
    flow.run_until(at_ms(3_000 + 14 * 8 * 42));
    assert!(
        flow.cc.state().bandwidth.unwrap() > Rate::from_bps(80_000_000),
        "{}",
        flow.cc.state().bandwidth.unwrap()
    );
}

#[test]
fn the_first_round_of_recovery_sends_no_more_than_is_delivered() {
    let mut flow = flow(geo());
    flow.run_until(at_ms(16_000));
    let before = flow.cc.cwnd();
    flow.cc.on_event(Event::Congestion(event(flow.now, CongestionKind::Loss)));
    let acked = flow.delivered;
    flow.run_while(|flow| flow.delivered == acked);
    assert_eq!(flow.cc.cwnd(), flow.in_flight + packets(1), "in flight and what was just delivered");
    flow.cc.on_event(Event::RecoveryEnd { now: flow.now });
    let acked = flow.delivered;
    flow.run_while(|flow| flow.delivered == acked);
    assert_eq!(flow.cc.cwnd(), before, "restored");
}

/// The window after the first packet that arrives after a loss, right after a recovery has ended; with what was in flight.
fn window_after_a_second_loss(recovery_span: RecoverySpan) -> (Bytes, Bytes) {
    let mut flow = Flow::new(Bbr::new(Config { recovery_span, ..config() }), geo());
    flow.run_until(at_ms(16_000));
    let events = [
        Event::Congestion(event(flow.now, CongestionKind::Loss)),
        Event::RecoveryEnd { now: flow.now },
        Event::Congestion(event(flow.now, CongestionKind::Loss)),
    ];
    for happens in events {
        flow.cc.on_event(happens);
        let acked = flow.delivered;
        flow.run_while(|flow| flow.delivered == acked);
    }
    (flow.cc.cwnd(), flow.in_flight)
}

#[test]
fn a_loss_right_after_a_recovery_is_conserved_anew_where_recovery_lasts_until_all_is_repaired() {
    // bbr_set_cwnd_to_recover_or_restore: whenever TCP's state becomes Recovery.
    let (cwnd, in_flight) = window_after_a_second_loss(RecoverySpan::UntilRepaired);
    assert_eq!(cwnd, in_flight + packets(1));
    // QUIC's recovery ends a round trip earlier, so that the second loss is of the same episode and the window stays.
    let (cwnd, in_flight) = window_after_a_second_loss(RecoverySpan::RoundTrip);
    assert!(cwnd.get() > in_flight.get() * 3 / 2, "{cwnd}, {in_flight} in flight");
}

#[test]
fn a_timeout_restarts_from_one_packet_and_the_window_returns() {
    let mut flow = flow(geo());
    flow.run_until(at_ms(16_000));
    let before = flow.cc.cwnd();
    flow.cc.on_event(Event::Congestion(event(flow.now, CongestionKind::Timeout)));
    assert_eq!(flow.cc.cwnd(), packets(1));
    let acked = flow.delivered;
    flow.run_while(|flow| flow.delivered == acked);
    assert_eq!(flow.cc.cwnd(), packets(4));
    flow.cc.on_event(Event::RecoveryEnd { now: flow.now });
    let acked = flow.delivered;
    flow.run_while(|flow| flow.delivered == acked);
    assert_eq!(flow.cc.cwnd(), before);
}

#[test]
fn after_a_pause_sending_resumes_at_the_estimate_without_a_dip() {
    let mut flow = flow(geo());
    flow.run_until(at_ms(16_000));
    flow.supply = Bytes::ZERO;
    flow.run_until(at_ms(45_000));
    let estimate = flow.cc.state().bandwidth.unwrap();
    flow.supply = packets(1_000);
    let sent = SentSample {
        now: flow.now,
        bytes: packets(1),
        prior_in_flight: Bytes::ZERO,
        demand: Demand::AppLimited,
    };
    flow.cc.on_sent(&sent);
    assert_eq!(flow.cc.state().pacing_rate, Some(estimate.mul_f64(0.99)), "gain 1");
    flow.run_until(at_ms(45_600));
    assert_ne!(flow.cc.mode(), Mode::ProbeRtt, "the silence was a ProbeRTT in itself");
    assert_eq!(flow.cc.state().bandwidth, Some(estimate));
}

#[test]
fn application_limited_samples_do_not_lower_the_estimate() {
    let mut flow = flow(geo());
    flow.run_until(at_ms(16_000));
    let estimate = flow.cc.state().bandwidth.unwrap();
    flow.supply = Bytes::ZERO;
    for second in 17..60 {
        flow.run_until(at_ms(1_000 * second));
        flow.supply = packets(3);
    }
    assert_eq!(flow.cc.state().bandwidth, Some(estimate));
}

#[test]
fn gathered_acknowledgements_widen_the_window() {
    // Feed the same flow with and without acknowledgements held back by up to 50 ms.
    let ((plain, _), (gathered, bdp)) =
        (cruising(None, BbrSpec::LINUX), cruising(Some(GATHERED), BbrSpec::LINUX));
    assert!(gathered > plain);
    // At most 100 ms worth beyond two BDP, the bursts and the probe.
    let most = bdp.get() * 2 + 125_000 + packets(3 * 2 + 4).get();
    assert!(gathered.get() <= most, "{gathered} against {most}");
}

#[test]
fn before_linux_5_1_gathered_acknowledgements_did_not_widen_the_window() {
    // bbr_target_cwnd of 5.0: two BDP in whole packets, three bursts, made even, and two packets more while probing.
    let before = BbrSpec { extra_acked: Switch::Off };
    let (cwnd, bdp) = cruising(Some(GATHERED), before);
    let most = bdp.get() * 2 + packets(3 * 2 + 4).get();
    assert!(cwnd.get() <= most, "{cwnd} against {most}");
    assert!(cruising(Some(GATHERED), BbrSpec::LINUX).0 > cwnd);
}

const GATHERED: Duration = Duration::from_millis(50);

/// Window and BDP after 8 s over 10 Mbit/s and 100 ms with acknowledgements held back to multiples of `hold`.
fn cruising(hold: Option<Duration>, bbr: BbrSpec) -> (Bytes, Bytes) {
    let mut flow = Flow::new(Bbr::new(Config { bbr, ..config() }), Path::new(10, 100, packets(1_000)));
    flow.gather_acks = hold;
    flow.run_until(at_ms(8_000));
    assert_eq!(flow.cc.mode(), Mode::ProbeBw);
    (flow.cc.cwnd(), flow.cc.state().bandwidth.unwrap().volume_in(flow.cc.min_rtt().unwrap()))
}

#[test]
fn the_same_seed_gives_the_same_flow() {
    let run = || {
        let mut flow = flow(Path { lose_every: Some(150), ..geo() });
        flow.run_until(at_ms(30_000));
        format!("{:?}", flow.cc)
    };
    assert_eq!(run(), run());
}
