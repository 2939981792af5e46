//! Whole flows over a path that they know, or take for another.

use super::*;

/// 250 Mbit/s times 600 ms in packets, which the buffer holds as well.
const BDP: u64 = 12_500;

/// When 100 MB have arrived over that path, in seconds, by a sender that takes it for so many times as wide as it is, or
/// does not know it; and its phases.
fn completion(algorithm: Algorithm, times: u64) -> (f64, Vec<Phase>) {
    let path = Memory::default().path(SERVER);
    if times > 0 {
        let rtt = Duration::from_millis(600);
        path.save(Saved { cwnd: packets(times * BDP), rtt, expires: Time::ZERO + LIFETIME });
    }
    let config = Config { slow_start_exit: SlowStartExit::HyStart(Pacing::Paced), ..config() };
    let resume = Resume { path, max_jump: None, lifetime: LIFETIME, started: Time::ZERO };
    let cc = CarefulResume::new(build(algorithm, config), &config, resume);
    let mut flow = Flow::new(cc, Path::new(250, 600, packets(BDP)));
    let total = packets(100_000_000 / 1_500);
    flow.supply = total;
    // What is lost is retransmitted.
    let mut lost = Bytes::ZERO;
    flow.run_while(|flow| flow.delivered < total && flow.lost == lost);
    while flow.delivered < total {
        flow.supply += flow.lost - lost;
        lost = flow.lost;
        flow.run_while(|flow| flow.delivered < total && flow.lost == lost);
    }
    let phases = flow.cc.resumption().iter().map(|transition| transition.phase).collect();
    (flow.now.as_nanos() as f64 / 1e9, phases)
}

#[test]
fn a_resumed_flow_skips_the_round_trips_of_slow_start() {
    // picoquic's tests of seeded starts: below 5 s for CUBIC where one that is not seeded takes above 5.4 s. Transmission
    // alone takes 3.2 s, and the jump comes after a round trip.
    let known = [Phase::Reconnaissance, Phase::Unvalidated, Phase::Validating, Phase::Normal];
    for (algorithm, bound) in [(Algorithm::Reno, 5.0), (Algorithm::Cubic, 5.0), (Algorithm::Bbr, 6.2)] {
        let (alone, none) = completion(algorithm, 0);
        assert!(alone > 5.4 && none.is_empty(), "{}: {alone} s", algorithm.name());
        let (resumed, phases) = completion(algorithm, 1);
        assert_eq!(phases, known, "{}", algorithm.name());
        assert!(resumed < bound, "{}: {resumed} s", algorithm.name());
        // A false capacity of twice the path's costs no more than a twentieth.
        let (misled, _) = completion(algorithm, 2);
        assert!(misled < 1.05 * alone, "{}: {misled} s", algorithm.name());
    }
}

#[test]
fn a_flow_that_takes_its_path_for_six_times_as_wide_retreats_and_is_still_done_sooner() {
    for algorithm in [Algorithm::Reno, Algorithm::Cubic, Algorithm::Bbr] {
        let (misled, phases) = completion(algorithm, 6);
        assert_eq!(phases[3..], [Phase::SafeRetreat, Phase::Normal], "{}", algorithm.name());
        assert!(misled < 6.0, "{}: {misled} s", algorithm.name());
    }
}
