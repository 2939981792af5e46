//! Whatever an endpoint may legally report, in whatever order: windows and rates stay usable.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};

use bentpipe_cc::careful_resume::{Memory, Resume, Saved};
use bentpipe_cc::rate::{PacketState, RateEstimator};
use bentpipe_cc::slow_start::{Pacing, SlowStartExit};
use bentpipe_cc::usage::UsageTracker;
use bentpipe_cc::{
    AckSample, Algorithm, Config, CongestionControl, CongestionEvent, CongestionKind, Event, SentSample,
    build_resuming,
};
use bentpipe_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

use crate::common::{config, packets};

#[derive(Clone, Copy, Debug)]
enum Op {
    Wait(Duration),
    Send(u64),
    /// Delivers the oldest packets, then loses the next.
    Ack {
        delivered: usize,
        lost: usize,
        is_cwnd_limited: bool,
    },
    AppLimited,
    Congestion(CongestionKind),
    RecoveryEnd,
    Undo,
    Idle,
    Mss(u64),
}

fn op() -> impl Strategy<Value = Op> {
    let is_cwnd_limited = any::<bool>();
    let kind = prop_oneof![
        Just(CongestionKind::Loss),
        Just(CongestionKind::Ecn),
        Just(CongestionKind::Timeout),
        Just(CongestionKind::Persistent),
    ];
    prop_oneof![
        4 => prop_oneof![0..1_000u64, 0..50_000_000u64, 0..20_000_000_000u64]
            .prop_map(|ns| Op::Wait(Duration::from_nanos(ns))),
        6 => (1..40u64).prop_map(Op::Send),
        8 => (0..30usize, 0..5usize, is_cwnd_limited)
            .prop_map(|(delivered, lost, is_cwnd_limited)| Op::Ack { delivered, lost, is_cwnd_limited }),
        1 => Just(Op::AppLimited),
        1 => kind.prop_map(Op::Congestion),
        1 => Just(Op::RecoveryEnd),
        1 => Just(Op::Undo),
        1 => Just(Op::Idle),
        1 => (500..9_000u64).prop_map(Op::Mss),
    ]
}

/// An endpoint that does as it is told.
struct Endpoint {
    cc: Box<dyn CongestionControl>,
    now: Time,
    mss: Bytes,
    flight: VecDeque<(Bytes, Time, PacketState)>,
    in_flight: Bytes,
    sent: u64,
    acked: u64,
    srtt: Option<Duration>,
    estimator: RateEstimator,
    usage: UsageTracker,
}

impl Endpoint {
    fn new(algorithm: Algorithm, config: Config, known: Option<Saved>) -> Self {
        let path = Memory::default().path(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let lifetime = Duration::from_secs(60);
        let resume = known.map(|saved| {
            path.save(saved);
            Resume { path, max_jump: None, lifetime, started: Time::ZERO }
        });
        Self {
            cc: build_resuming(algorithm, config, resume),
            now: config.now,
            mss: config.mss,
            flight: VecDeque::new(),
            in_flight: Bytes::ZERO,
            sent: 0,
            acked: 0,
            srtt: None,
            estimator: RateEstimator::new(config.now),
            usage: UsageTracker::new(),
        }
    }

    fn apply(&mut self, op: Op) {
        let now = self.now;
        match op {
            Op::Wait(span) => self.now += span,
            Op::Send(n) => (0..n).for_each(|_| self.send()),
            Op::Ack { delivered, lost, is_cwnd_limited } => self.ack(delivered, lost, is_cwnd_limited),
            Op::AppLimited => self.estimator.on_app_limited(self.in_flight),
            Op::Congestion(kind) => {
                self.cc.on_event(Event::Congestion(CongestionEvent { now, kind, in_flight: self.in_flight }));
            }
            Op::RecoveryEnd => self.cc.on_event(Event::RecoveryEnd { now }),
            Op::Undo => self.cc.on_event(Event::Undo { now }),
            Op::Idle => self.cc.on_event(Event::Idle { window: packets(10) }),
            Op::Mss(mss) => {
                self.mss = Bytes::new(mss);
                self.cc.on_event(Event::MssChange { mss: self.mss });
            }
        }
    }

    fn send(&mut self) {
        let (now, prior_in_flight) = (self.now, self.in_flight);
        let demand = self.estimator.demand();
        self.cc.on_sent(&SentSample { now, bytes: self.mss, prior_in_flight, demand });
        let state = self.estimator.on_sent(now, prior_in_flight);
        self.flight.push_back((self.mss, now, state));
        self.in_flight += self.mss;
        self.sent += 1;
    }

    fn take(&mut self, n: usize) -> Vec<(Bytes, Time, PacketState)> {
        let taken: Vec<_> = self.flight.drain(..n.min(self.flight.len())).collect();
        self.in_flight -= taken.iter().map(|packet| packet.0).sum();
        self.acked += taken.len() as u64;
        taken
    }

    fn ack(&mut self, delivered: usize, lost: usize, is_cwnd_limited: bool) {
        let prior_in_flight = self.in_flight;
        self.usage.on_transmit(self.sent, prior_in_flight, is_cwnd_limited);
        let delivered = self.take(delivered);
        let lost = self.take(lost);
        for (size, _, state) in &delivered {
            self.estimator.on_delivered(self.now, state, *size);
        }
        self.usage.on_acked(self.acked);
        let rtt = delivered.last().map(|(_, sent_at, _)| self.now.since(*sent_at));
        self.srtt = rtt.or(self.srtt);
        self.cc.on_ack(&AckSample {
            now: self.now,
            acked: delivered.iter().map(|packet| packet.0).sum(),
            lost: lost.iter().map(|packet| packet.0).sum(),
            marked: Bytes::ZERO,
            delivered: self.estimator.delivered(),
            prior_in_flight,
            in_flight: self.in_flight,
            rtt,
            is_maybe_delayed: false,
            newest_sent: self.estimator.newest_sent(),
            srtt: self.srtt,
            rate: self.estimator.sample(None),
            usage: self.usage.usage(),
            is_disordered: false,
        });
    }
}

fn algorithms() -> impl Strategy<Value = (Algorithm, SlowStartExit)> {
    let indifferent = Algorithm::ALL.into_iter().filter(|algorithm| *algorithm != Algorithm::Cubic);
    let indifferent = prop::sample::select(indifferent.collect::<Vec<_>>());
    prop_oneof![
        5 => indifferent.prop_map(|algorithm| (algorithm, SlowStartExit::Loss)),
        1 => Just((Algorithm::Cubic, SlowStartExit::Loss)),
        1 => Just((Algorithm::Cubic, SlowStartExit::HyStart(Pacing::Unpaced))),
        1 => Just((Algorithm::Cubic, SlowStartExit::HyStart(Pacing::Paced))),
        1 => Just((Algorithm::Cubic, SlowStartExit::HyStartLinux4_15)),
        1 => Just((Algorithm::Cubic, SlowStartExit::HyStartPlusPlus(Pacing::Paced))),
        1 => Just((Algorithm::Cubic, SlowStartExit::HyStartPlusPlus(Pacing::Unpaced))),
        1 => Just((Algorithm::Cubic, SlowStartExit::Search)),
        1 => Just((Algorithm::Reno, SlowStartExit::Search)),
    ]
}

/// What may be known of the path, some of it of another one.
fn known() -> impl Strategy<Value = Option<Saved>> {
    let saved = (1..10_000u64, 1..2_000u64, 0..100u64).prop_map(|(window, rtt_ms, left_s)| Saved {
        cwnd: packets(window),
        rtt: Duration::from_millis(rtt_ms),
        expires: Time::ZERO + Duration::from_secs(left_s),
    });
    prop::option::of(saved)
}

/// Packets that are always granted: one after a timeout (RFC 5681) and while BBR conserves packets, else the
/// algorithm's minimum.
fn floor(algorithm: Algorithm, ops: &[Op]) -> u64 {
    let congested = ops.iter().any(|op| matches!(op, Op::Congestion(_)));
    let timed_out = ops.iter().any(|op| matches!(op, Op::Congestion(CongestionKind::Timeout)));
    match algorithm {
        Algorithm::Bbr | Algorithm::Bbr3 | Algorithm::Vivace if congested => 1,
        Algorithm::Bbr | Algorithm::Bbr3 | Algorithm::Vivace => 4,
        Algorithm::Reno | Algorithm::Cubic | Algorithm::Hybla | Algorithm::Prague if timed_out => 1,
        Algorithm::Reno | Algorithm::Cubic | Algorithm::Hybla | Algorithm::Prague => 2,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_window_keeps_its_floor_and_the_rate_never_stops(
        (algorithm, slow_start_exit) in algorithms(),
        seed in any::<u64>(),
        known in known(),
        ops in prop::collection::vec(op(), 1..200),
    ) {
        let mut endpoint = Endpoint::new(algorithm, Config { seed, slow_start_exit, ..config() }, known);
        for (i, op) in ops.iter().enumerate() {
            endpoint.apply(*op);
            let least = floor(algorithm, &ops[..=i]) * endpoint.mss.get();
            let cwnd = endpoint.cc.cwnd().get();
            prop_assert!(cwnd >= least, "{op:?}: {cwnd} B");
            // Nothing but growth by what was delivered can raise it: 2^40 B means that arithmetic went wrong.
            prop_assert!(cwnd < 1 << 40, "{op:?}: {cwnd} B");
            prop_assert!(endpoint.cc.state().pacing_rate != Some(Rate::ZERO));
            prop_assert!(endpoint.cc.state().ssthresh != Some(Bytes::ZERO));
        }
    }

    #[test]
    fn a_clone_goes_on_as_the_original_does(
        (algorithm, slow_start_exit) in algorithms(),
        known in known(),
        before in prop::collection::vec(op(), 1..60),
        after in prop::collection::vec(op(), 1..60),
    ) {
        let start = || {
            let mut endpoint = Endpoint::new(algorithm, Config { slow_start_exit, ..config() }, known);
            before.iter().for_each(|op| endpoint.apply(*op));
            endpoint
        };
        let (mut original, mut cloned) = (start(), start());
        cloned.cc = cloned.cc.clone();
        after.iter().for_each(|op| original.apply(*op));
        after.iter().for_each(|op| cloned.apply(*op));
        prop_assert_eq!(format!("{:?}", original.cc), format!("{:?}", cloned.cc));
    }
}
