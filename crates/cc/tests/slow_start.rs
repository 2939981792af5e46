//! Leaving slow start before the queue overflows.

use bentpipe_cc::cubic::Cubic;
use bentpipe_cc::rate::RateSample;
use bentpipe_cc::reno::Reno;
use bentpipe_cc::slow_start::{Pacing, SlowStartChoice, SlowStartExit};
use bentpipe_cc::usage::WindowUsage;
use bentpipe_cc::{Config, CongestionControl, CongestionKind, Demand, Event, SentSample};
use bentpipe_units::{Bytes, Duration, Time};

use crate::common::{Flow, Path, ack, at_ms, config, event, packets};

fn cubic(slow_start_exit: SlowStartExit) -> Cubic {
    Cubic::new(Config { slow_start_exit, ..config() })
}

/// Runs until slow start ends; returns the threshold, which is the window then.
fn window_at_exit(exit: SlowStartExit, path: Path) -> (Bytes, Flow<Cubic>) {
    let mut flow = Flow::new(cubic(exit), path);
    flow.run_while(|flow| flow.cc.state().ssthresh.is_none() && flow.now < at_ms(60_000));
    (flow.cc.state().ssthresh.expect("slow start ends"), flow)
}

#[test]
fn without_a_detector_slow_start_ends_with_losses() {
    let (_, flow) = window_at_exit(SlowStartExit::Loss, Path::new(4, 500, packets(200)));
    assert!(flow.lost > Bytes::ZERO);
}

#[test]
fn on_a_500_ms_path_hystart_leaves_when_the_delay_rises() {
    // 4 Mbit/s: acknowledgements are 3 ms apart, too far for a train, and the BDP is 167 packets. The packets that
    // leave as the window of 160 is acknowledged find an empty queue at first, so the round of 320 has a small least
    // RTT; those that leave as 320 are acknowledged find 320 - 167 packets queued, 460 ms, and are the round of 640.
    // Its ninth sample is judged, when eight have grown the window.
    let path = Path::new(4, 500, packets(600));
    let (window, flow) = window_at_exit(SlowStartExit::HyStart(Pacing::Unpaced), path);
    assert_eq!(window, packets(640 + 8));
    assert_eq!(flow.lost, Bytes::ZERO);
}

#[test]
fn on_a_500_ms_path_hystart_leaves_when_the_train_fills_half_of_it() {
    // 10 Mbit/s: acknowledgements 1.2 ms apart. The rounds of 10, 20, ..., 160 packets last at most 192 ms. In the
    // round of 320 the 211th acknowledgement comes 210 * 1.2 = 252 ms after the first, the first to exceed
    // (501.2 + 1) / 2 = 251.1 ms; 210 have grown the window by then.
    let path = Path::new(10, 500, packets(1_000));
    let (window, flow) = window_at_exit(SlowStartExit::HyStart(Pacing::Unpaced), path);
    assert_eq!(window, packets(320 + 210));
    assert_eq!(flow.lost, Bytes::ZERO);
}

#[test]
fn a_paced_sender_is_granted_a_whole_round_trip_of_train() {
    // Threshold 501.2 + 1 ms instead of half of it: the 420th acknowledgement (419 * 1.2 = 502.8 ms) of the round of
    // 640 packets, unless the delay detector is earlier. With 640 packets on a BDP of 416 it is.
    let path = Path::new(10, 500, packets(1_000));
    let (unpaced, _) = window_at_exit(SlowStartExit::HyStart(Pacing::Unpaced), path);
    let (paced, _) = window_at_exit(SlowStartExit::HyStart(Pacing::Paced), path);
    assert!(paced > unpaced, "{paced} against {unpaced}");
}

/// Feeds whole rounds to a controller.
struct Rounds {
    cc: Box<dyn CongestionControl>,
    now: Time,
    delivered: Bytes,
}

impl Rounds {
    fn new(exit: SlowStartExit) -> Self {
        Self::of(Box::new(cubic(exit)))
    }

    fn of(cc: Box<dyn CongestionControl>) -> Self {
        Self { cc, now: Time::ZERO, delivered: Bytes::ZERO }
    }

    /// Ten acknowledgements of one packet each; returns the window's growth in packets.
    fn round(&mut self, rtt_ms: u64) -> f64 {
        self.round_of([rtt_ms; 10])
    }

    /// An acknowledgement of one packet for each RTT, all at once.
    fn round_of(&mut self, rtts_ms: [u64; 10]) -> f64 {
        self.acknowledge(rtts_ms, WindowUsage { is_cwnd_limited: true, peak_in_flight: packets(1) })
    }

    /// A round of a sender that has less to send than its window takes.
    fn idle_round(&mut self, rtt_ms: u64) -> f64 {
        self.acknowledge([rtt_ms; 10], WindowUsage { is_cwnd_limited: false, peak_in_flight: packets(10) })
    }

    fn acknowledge(&mut self, rtts_ms: [u64; 10], usage: WindowUsage) -> f64 {
        let before = self.cc.cwnd();
        let prior_delivered = self.delivered;
        self.now += Duration::from_millis(rtts_ms[0]);
        for rtt in rtts_ms.map(Duration::from_millis) {
            self.delivered += packets(1);
            let mut sample = ack(self.now, packets(1), rtt);
            (sample.delivered, sample.usage) = (self.delivered, usage);
            let delivered = self.delivered - prior_delivered;
            sample.rate =
                Some(RateSample { delivered, interval: rtt, prior_delivered, demand: Demand::Backlogged });
            self.cc.on_ack(&sample);
        }
        (self.cc.cwnd() - before).get() as f64 / packets(1).get() as f64
    }

    fn is_in_first_slow_start(&self) -> bool {
        self.cc.state().ssthresh.is_none()
    }
}

const PLUS_PLUS: SlowStartExit = SlowStartExit::HyStartPlusPlus(Pacing::Paced);

#[test]
fn hystart_plus_plus_slows_down_by_four_when_the_delay_rises() {
    // RFC 9406 section 4.2: threshold clamp(100 / 8, 4, 16) = 12.5 ms over the last round's minimum, seen with the
    // 8th sample of the round, which itself grows the window by a quarter: 7 + 3 / 4.
    let mut rounds = Rounds::new(PLUS_PLUS);
    assert_eq!(rounds.round(100), 10.0);
    assert_eq!(rounds.round(112), 10.0, "12 ms is not enough");
    assert_eq!(rounds.round(126), 7.75, "112 + 14 ms");
    assert_eq!(rounds.round(126), 2.5);
    assert_eq!(rounds.cc.state().ssthresh, None, "not yet convinced");
}

#[test]
fn hystart_plus_plus_gives_up_slow_start_after_five_conservative_rounds() {
    let mut rounds = Rounds::new(PLUS_PLUS);
    rounds.round(100);
    rounds.round(130);
    for _ in 0..4 {
        rounds.round(130);
        assert_eq!(rounds.cc.state().ssthresh, None);
    }
    // The round that started conservative slow start counts as the first of five.
    let window = rounds.cc.cwnd();
    rounds.round(130);
    assert_eq!(rounds.cc.state().ssthresh, Some(window));
}

#[test]
fn hystart_plus_plus_resumes_slow_start_when_the_delay_was_jitter() {
    let mut rounds = Rounds::new(PLUS_PLUS);
    rounds.round(100);
    rounds.round(130);
    // The 8th sample of 100 ms refutes the baseline of 130 ms: 7 quarters and 3 whole packets.
    assert_eq!(rounds.round(100), 7.0 / 4.0 + 3.0);
    assert_eq!(rounds.round(100), 10.0);
}

#[test]
fn hystart_plus_plus_without_pacing_grows_by_at_most_eight_packets_per_acknowledgement() {
    // RFC 9406 section 4.3: L = 8.
    let mut cc = cubic(SlowStartExit::HyStartPlusPlus(Pacing::Unpaced));
    cc.on_ack(&ack(at_ms(100), packets(10), Duration::from_millis(100)));
    assert_eq!(cc.cwnd(), packets(18));
}

#[test]
fn after_a_timeout_linuxs_detector_is_armed_again_and_hystart_plus_plus_is_not() {
    // RFC 9406 section 4.3: only for the initial slow start. Linux resets HyStart with the rest of CUBIC's state.
    for (exit, detects) in [
        (SlowStartExit::HyStart(Pacing::Unpaced), true),
        (SlowStartExit::HyStartLinux4_15, true),
        (SlowStartExit::HyStartPlusPlus(Pacing::Paced), false),
    ] {
        let mut rounds = Rounds::new(exit);
        (0..10).for_each(|_| {
            rounds.round(100);
        });
        rounds.cc.on_event(Event::Congestion(event(rounds.now, CongestionKind::Timeout)));
        rounds.cc.on_event(Event::RecoveryEnd { now: rounds.now });
        let threshold = rounds.cc.state().ssthresh;
        rounds.round(100);
        rounds.round(100);
        (0..8).for_each(|_| {
            rounds.round(150);
        });
        assert_eq!(rounds.cc.state().ssthresh < threshold, detects, "{exit:?}");
    }
}

fn reno(slow_start_exit: SlowStartExit) -> Rounds {
    Rounds::of(Box::new(Reno::new(Config { slow_start_exit, ..config() })))
}

#[test]
fn hystart_plus_plus_slows_reno_down_and_ends_its_slow_start_as_cubics() {
    let mut rounds = reno(PLUS_PLUS);
    assert_eq!(rounds.round(100), 10.0);
    // The 8th sample of 130 ms is more than 100 + 12.5 ms.
    assert_eq!(rounds.round(130), 7.75);
    for _ in 0..4 {
        assert_eq!(rounds.round(130), 2.5);
    }
    let window = rounds.cc.cwnd();
    rounds.round(130);
    assert_eq!(rounds.cc.state().ssthresh, Some(window));
}

#[test]
fn linuxs_hystart_is_not_renos() {
    let mut rounds = reno(SlowStartExit::HyStart(Pacing::Unpaced));
    for rtt_ms in [100, 100, 200, 400, 800] {
        assert_eq!(rounds.round(rtt_ms), 10.0);
    }
    assert_eq!(rounds.cc.state().ssthresh, None);
}

#[test]
fn the_losses_of_reno_end_hystart_plus_plus() {
    // RFC 9406 section 4.3: only for the initial slow start.
    let mut rounds = reno(PLUS_PLUS);
    rounds.round(100);
    rounds.round(130);
    rounds.cc.on_event(Event::Congestion(event(rounds.now, CongestionKind::Timeout)));
    rounds.cc.on_event(Event::RecoveryEnd { now: rounds.now });
    // One packet after the timeout, and a threshold of half of 27: each acknowledgement counts whole again.
    assert_eq!(rounds.round(130), 10.0);
}

#[test]
fn a_scenario_that_chooses_nothing_has_linuxs_rule() {
    let chosen = |choice| SlowStartExit::of(choice, Pacing::Paced);
    assert_eq!(chosen(None), SlowStartExit::HyStart(Pacing::Paced));
}

#[test]
fn a_scenario_that_chooses_has_what_it_chose_and_quic_no_old_kernels_rule() {
    for (choice, pacing, exit) in [
        (SlowStartChoice::HyStartPlusPlus, Pacing::Paced, PLUS_PLUS),
        (SlowStartChoice::Loss, Pacing::Paced, SlowStartExit::Loss),
        (SlowStartChoice::Loss, Pacing::Unpaced, SlowStartExit::Loss),
        (SlowStartChoice::Linux4_15, Pacing::Unpaced, SlowStartExit::HyStartLinux4_15),
        (SlowStartChoice::Linux4_15, Pacing::Paced, SlowStartExit::HyStart(Pacing::Paced)),
        (SlowStartChoice::Search, Pacing::Unpaced, SlowStartExit::Search),
        (SlowStartChoice::Search, Pacing::Paced, SlowStartExit::Search),
    ] {
        assert_eq!(SlowStartExit::of(Some(choice), pacing), exit);
    }
}

// ---- Linux 4.15 (net/ipv4/tcp_cubic.c), against today's rule -------------------------------------------------------

const TODAYS: SlowStartExit = SlowStartExit::HyStart(Pacing::Unpaced);

/// A window of 30 packets on a path of 100 ms.
fn after_two_rounds(exit: SlowStartExit) -> Rounds {
    let mut rounds = Rounds::new(exit);
    rounds.round(100);
    rounds.round(100);
    rounds
}

#[test]
fn linux_4_15_leaves_by_eight_samples_which_the_first_of_a_round_is_not_among() {
    // hystart_update: `sample_cnt < HYSTART_MIN_SAMPLES` alone lowers curr_rtt. bictcp_cong_avoid: the round begins
    // after its first acknowledgement was a sample of the last one. 150 > 100 + clamp(100 / 8, 4, 16) ms.
    let high = [100, 150, 150, 150, 150, 150, 150, 150, 150, 100];
    let mut old = after_two_rounds(SlowStartExit::HyStartLinux4_15);
    old.round_of(high);
    // The tenth is judged before it lets the window grow.
    assert_eq!(old.cc.state().ssthresh, Some(packets(30 + 9)));
    let mut todays = after_two_rounds(TODAYS);
    todays.round_of(high);
    assert!(todays.is_in_first_slow_start(), "its first sample is the round's least RTT");
}

#[test]
fn linux_4_15_stays_when_one_of_the_eight_is_low() {
    for low in 1..=8 {
        let mut rtts_ms = [150; 10];
        // 12.5 ms above the least are allowed: 900 eighths of a millisecond are not more than 800 + 100.
        rtts_ms[low] = 112;
        let mut rounds = after_two_rounds(SlowStartExit::HyStartLinux4_15);
        assert_eq!(rounds.round_of(rtts_ms), 10.0);
        assert!(rounds.is_in_first_slow_start(), "sample {low}");
    }
}

#[test]
fn linux_4_15_begins_no_round_while_the_window_is_not_what_limits() {
    // bictcp_cong_avoid returns before bictcp_hystart_reset unless tcp_is_cwnd_limited; since 5.16 (4e1fddc98d25) the
    // reset is hystart_update's own. What was judged of the last round stays judged, however high the RTT.
    let mut old = after_two_rounds(SlowStartExit::HyStartLinux4_15);
    let mut todays = after_two_rounds(TODAYS);
    for rounds in [&mut old, &mut todays] {
        assert_eq!(rounds.idle_round(200), 0.0);
    }
    assert!(old.is_in_first_slow_start());
    assert!(!todays.is_in_first_slow_start());
}

#[test]
fn linux_4_15_measures_the_train_in_whole_milliseconds_without_the_delay_of_acknowledgements() {
    // As for today's rule above: the round of 320 packets begins at 6 * 501.2 = 3007.2 ms, which is 3007. The least
    // RTT is 4009 eighths of a millisecond, so that `delay_min >> 4` is 250 ms and 3258 ms is the first to exceed it:
    // that of the 210th acknowledgement, 209 * 1.2 ms after the first. 209 have grown the window.
    let path = Path::new(10, 500, packets(1_000));
    let (window, flow) = window_at_exit(SlowStartExit::HyStartLinux4_15, path);
    assert_eq!(window, packets(320 + 209));
    assert_eq!(flow.lost, Bytes::ZERO);
}

// ---- the thresholds of tcp_cubic.c, which today's rule and that of 4.15 share ----------------------------------------

const LINUXS: [SlowStartExit; 2] = [TODAYS, SlowStartExit::HyStartLinux4_15];

#[test]
fn hystart_allows_an_eighth_of_the_least_rtt_between_4_and_16_ms() {
    // HYSTART_DELAY_THRESH: clamp(delay_min >> 3, 4 ms, 16 ms), which the round's least RTT has to exceed.
    for exit in LINUXS {
        for (least_ms, allowed_ms) in [(16, 20), (64, 72), (400, 416)] {
            for (rtt_ms, stays) in [(allowed_ms, true), (allowed_ms + 1, false)] {
                let mut rounds = Rounds::new(exit);
                for ms in [least_ms, least_ms, rtt_ms] {
                    rounds.round(ms);
                }
                assert_eq!(rounds.is_in_first_slow_start(), stays, "{exit:?}: {least_ms}, then {rtt_ms} ms");
            }
        }
    }
}

#[test]
fn hystart_is_silent_below_16_packets() {
    // hystart_low_window: 16. The least RTT is known; the next nine samples are twice as long.
    for exit in LINUXS {
        for (window, is_silent) in [(15, true), (16, false)] {
            let mut cc =
                Cubic::new(Config { initial_window: packets(15), slow_start_exit: exit, ..config() });
            cc.on_ack(&ack(at_ms(100), packets(window - 15), Duration::from_millis(100)));
            assert_eq!(cc.cwnd(), packets(window));
            for i in 1..=9 {
                let mut sample = ack(at_ms(100 + 10 * i), packets(1), Duration::from_millis(200));
                sample.usage = WindowUsage { is_cwnd_limited: false, peak_in_flight: packets(1) };
                cc.on_ack(&sample);
            }
            assert_eq!(cc.state().ssthresh.is_none(), is_silent, "{exit:?}, {window} packets");
        }
    }
}

/// How long a train of acknowledgements `gap` apart lasts when it ends slow start, on a path of 100 ms.
fn train_at_exit(exit: SlowStartExit, gap: Duration) -> Option<Duration> {
    let rtt = Duration::from_millis(100);
    let mut cc = Cubic::new(Config { initial_window: packets(30), slow_start_exit: exit, ..config() });
    let start = Time::ZERO + rtt;
    let mut now = start;
    while now < start + rtt * 2 {
        let mut sample = ack(now, packets(1), rtt);
        // All of the round that starts with the first.
        sample.rate = Some(RateSample {
            delivered: packets(1),
            interval: rtt,
            prior_delivered: Bytes::ZERO,
            demand: Demand::Backlogged,
        });
        cc.on_ack(&sample);
        if cc.state().ssthresh.is_some() {
            return Some(now.since(start));
        }
        now += gap;
    }
    None
}

#[test]
fn a_train_ends_slow_start_when_it_is_longer_than_half_the_round_trip_and_a_millisecond() {
    // hystart_update: delay_min + hystart_ack_delay (1 ms), halved without pacing.
    let gap = Duration::from_micros(100);
    assert_eq!(train_at_exit(TODAYS, gap), Some(Duration::from_micros(50_600)));
    let paced = SlowStartExit::HyStart(Pacing::Paced);
    assert_eq!(train_at_exit(paced, gap), Some(Duration::from_micros(101_100)));
    // 4.15: delay_min >> 4, in whole milliseconds.
    assert_eq!(train_at_exit(SlowStartExit::HyStartLinux4_15, gap), Some(Duration::from_millis(51)));
}

#[test]
fn acknowledgements_more_than_two_milliseconds_apart_are_no_train() {
    // hystart_ack_delta_us: 2000; of 4.15 hystart_ack_delta: 2, of its whole milliseconds.
    for exit in LINUXS {
        assert_eq!(
            train_at_exit(exit, Duration::from_millis(2)),
            Some(Duration::from_millis(52)),
            "{exit:?}"
        );
        assert_eq!(train_at_exit(exit, Duration::from_millis(3)), None, "{exit:?}");
    }
}

#[test]
fn hystart_plus_plus_allows_an_eighth_between_4_and_16_ms() {
    // RFC 9406 section 4.3: MIN_RTT_THRESH 4 ms, MAX_RTT_THRESH 16 ms, MIN_RTT_DIVISOR 8; the threshold itself is enough.
    for (last_ms, enough_ms) in [(16, 20), (64, 72), (400, 416)] {
        for (rtt_ms, growth) in [(enough_ms - 1, 10.0), (enough_ms, 7.75)] {
            let mut rounds = Rounds::new(PLUS_PLUS);
            rounds.round(last_ms);
            assert_eq!(rounds.round(rtt_ms), growth, "{last_ms}, then {rtt_ms} ms");
        }
    }
}

// ---- SEARCH (draft-chung-ccwg-search-09) ---------------------------------------------------------------------------

#[test]
fn search_leaves_beyond_the_bdp_before_the_first_loss_and_drains_to_it() {
    // 10 Mbit/s, 500 ms: a BDP of 417 packets; three bins of 3.5 / 10 of a round trip are 1.05 of it, 438 packets. The
    // bins before the exit hold what the full link delivers, up to a packet at either end.
    let mut flow = Flow::new(cubic(SlowStartExit::Search), Path::new(10, 500, packets(2_500)));
    let mut widest = Bytes::ZERO;
    flow.run_while(|flow| {
        widest = widest.max(flow.cc.cwnd());
        flow.cc.state().ssthresh.is_none()
    });
    let window = flow.cc.cwnd();
    assert!((packets(436)..=packets(440)).contains(&window), "{window}");
    assert_eq!(flow.cc.state().ssthresh, Some(window));
    assert_eq!(flow.lost, Bytes::ZERO);
    // Let C be the link's rate, R its round trip, and 0 the instant at which it is full: C 2^(u/R) arrives before, 2 C
    // 2^(u/R) is sent, and then C and 2 C. At t > R a packet arrives that was sent at u = (t - R) / 2. Sent until u in
    // 3.5 R: 2 C u + 2 C R (1 - 2^(u/R - 3.5)) / ln 2; delivered until t, where t < 3.5 R: C t + C R (1 - 2^(t/R - 3.5))
    // / ln 2. For t = 3.4 R they differ by 0.255, for 3.5 R by 0.264, when 4.4 and 4.5 BDP are in flight. Here each
    // round of slow start is a burst that queues, so that less had been sent a round trip ago.
    assert!((packets(4 * 417)..=packets(6 * 417)).contains(&widest), "{widest}");
}

#[test]
fn search_leaves_later_than_hystart_and_renos_slow_start_too() {
    let path = || Path::new(10, 500, packets(2_500));
    let mut hystart = Flow::new(cubic(TODAYS), path());
    hystart.run_while(|flow| flow.cc.state().ssthresh.is_none());
    let mut reno =
        Flow::new(Reno::new(Config { slow_start_exit: SlowStartExit::Search, ..config() }), path());
    let mut widest = Bytes::ZERO;
    reno.run_while(|flow| {
        widest = widest.max(flow.cc.cwnd());
        flow.cc.state().ssthresh.is_none()
    });
    assert!(widest > hystart.cc.cwnd(), "{widest} against {}", hystart.cc.cwnd());
    assert!(reno.now > hystart.now);
    assert_eq!(reno.lost, Bytes::ZERO);
}

#[test]
fn search_does_not_take_a_longer_round_trip_for_a_full_path() {
    // Each round is acknowledged at once, whole, and twice as much leaves. After eight rounds of 100 ms the path is
    // longer by a half and takes as much as before.
    let has_left = |exit| {
        let mut cc = cubic(exit);
        let (mut now, mut round, mut delivered) = (Time::ZERO, 10, Bytes::ZERO);
        for rtt in [[100; 8], [150; 8]].concat().into_iter().map(Duration::from_millis) {
            let sent = SentSample {
                now,
                bytes: packets(round),
                prior_in_flight: Bytes::ZERO,
                demand: Demand::Backlogged,
            };
            cc.on_sent(&sent);
            now += rtt;
            let prior_delivered = delivered;
            for _ in 0..10 {
                let mut sample = ack(now, packets(round / 10), rtt);
                delivered += sample.acked;
                sample.delivered = delivered;
                let rate = RateSample {
                    delivered: sample.acked,
                    interval: rtt,
                    prior_delivered,
                    demand: Demand::Backlogged,
                };
                sample.rate = Some(rate);
                cc.on_ack(&sample);
            }
            round *= 2;
        }
        cc.state().ssthresh.is_some()
    };
    assert_eq!([TODAYS, SlowStartExit::Search].map(has_left), [true, false]);
}

#[test]
fn the_losses_of_the_first_slow_start_end_search_and_taking_them_back_resumes_it() {
    let mut rounds = Rounds::new(SlowStartExit::Search);
    rounds.round(100);
    rounds.cc.on_event(Event::Congestion(event(rounds.now, CongestionKind::Loss)));
    assert!(!rounds.is_in_first_slow_start());
    rounds.cc.on_event(Event::Undo { now: rounds.now });
    assert!(rounds.is_in_first_slow_start());
    // Nothing was sent in the eyes of the congestion control, so that nothing is judged.
    assert_eq!(rounds.round(100), 10.0);
}
