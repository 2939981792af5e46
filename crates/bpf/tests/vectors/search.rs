//! SEARCH as an eBPF program and as the crate has it, step by step over the same packets, on the window of Reno: that
//! of the kernel's CUBIC is the kernel's own.

use bentpipe_cc::bbr::BbrSpec;
use bentpipe_cc::reno::Reno;
use bentpipe_cc::slow_start::SlowStartExit;
use bentpipe_cc::usage::WindowUsage;
use bentpipe_cc::{
    AckSample, Config, CongestionControl, CongestionEvent, CongestionKind, CwndUnit, Demand, Event,
    RecoverySpan, SentSample,
};
use bentpipe_units::{Bytes, Duration, Time};

use crate::SEQUENCES;
use crate::dice::Dice;
use crate::twin::Script;

const MSS: u64 = 1448;
/// More than the 13 bins before the first comparison.
const EVENTS: u64 = 150;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    Recovery,
    Timeout,
}

/// A sender over a path that delivers so many packets a round trip at most.
struct Sender {
    reno: Reno,
    dice: Dice,
    now_us: u64,
    rtt_us: u64,
    capacity: u64,
    phase: Phase,
}

#[test]
fn search_in_c_does_as_in_rust_over_random_paths() {
    let mut script = Script::default();
    // A window of 3.5 round trips, 0.26, one packet for three.
    script.parameters("P 350 26 3");
    // Exits by SEARCH and not by a loss.
    let exits = (0..SEQUENCES).filter(|sequence| run(*sequence, &mut script)).count();
    assert!(exits > SEQUENCES as usize / 10, "{exits} exits are tried");
    script.check("search");
}

fn run(sequence: u64, script: &mut Script) -> bool {
    let mut dice = Dice::new(sequence);
    let initial = dice.between(2, 60);
    let reno = Reno::new(Config {
        now: Time::ZERO,
        mss: Bytes::new(MSS),
        initial_window: Bytes::new(initial * MSS),
        handshake_rtt: None,
        seed: 0,
        slow_start_exit: SlowStartExit::Search,
        bbr: BbrSpec::LINUX,
        cwnd_unit: CwndUnit::Segments,
        recovery_span: RecoverySpan::UntilRepaired,
    });
    let (rtt_us, capacity) = (dice.magnitude(100, 2_000_000), dice.magnitude(10, 1_000));
    let mut sender = Sender { reno, dice, now_us: 0, rtt_us, capacity, phase: Phase::Open };
    script.event(sequence, &format!("I {initial}"), sender.state());
    let mut has_left = false;
    for _ in 0..EVENTS {
        let was_in_slow_start = sender.reno.state().ssthresh.is_none();
        for event in sender.step() {
            script.event(sequence, &event.0, event.1);
        }
        has_left |=
            was_in_slow_start && sender.reno.state().ssthresh.is_some() && sender.phase == Phase::Open;
    }
    has_left
}

impl Sender {
    /// What happens, and the state after each event.
    fn step(&mut self) -> Vec<(String, String)> {
        let event = match self.phase {
            Phase::Open if self.dice.chance(1, 600) => {
                self.phase = Phase::Recovery;
                self.congestion(CongestionKind::Loss, 0);
                "L".to_owned()
            }
            _ if self.dice.chance(1, 1_000) => {
                self.phase = Phase::Timeout;
                let in_flight = self.dice.between(0, 20);
                self.congestion(CongestionKind::Timeout, in_flight);
                format!("T {in_flight}")
            }
            Phase::Recovery | Phase::Timeout if self.dice.chance(1, 8) => {
                self.phase = Phase::Open;
                if self.dice.chance(1, 3) {
                    self.reno.on_event(Event::Undo { now: self.now() });
                    "U".to_owned()
                } else {
                    self.reno.on_event(Event::RecoveryEnd { now: self.now() });
                    "E".to_owned()
                }
            }
            _ => return self.part_of_a_round_trip(),
        };
        vec![(event, self.state())]
    }

    /// A tenth of a round trip or so, in which a part of the window leaves and as much of it arrives as the path takes.
    fn part_of_a_round_trip(&mut self) -> Vec<(String, String)> {
        let parts = self.dice.between(2, 12);
        let pause = if self.dice.chance(1, 100) { self.dice.between(1, 60) } else { 1 };
        self.now_us += self.rtt_us * pause / parts + self.dice.between(0, 3);
        let window = self.reno.cwnd().get() / MSS;
        let sent = window / parts;
        self.reno.on_sent(&SentSample {
            now: self.now(),
            bytes: Bytes::new(sent * MSS),
            prior_in_flight: Bytes::new(MSS),
            demand: Demand::Backlogged,
        });
        let mut events = vec![(format!("X {sent}"), self.state())];
        let acked = sent.min(self.capacity / parts).max(1);
        // Now and then there is no sample, and the round trip grows with the queue.
        let rtt_us = if self.dice.chance(1, 20) {
            0
        } else {
            let inflated = window.clamp(self.capacity, 6 * self.capacity);
            self.rtt_us * self.dice.between(100, 130) * inflated / (100 * self.capacity)
        };
        let in_flight = window * self.dice.between(50, 100) / 100;
        let peak = window * self.dice.between(30, 100) / 100;
        let is_cwnd_limited = self.dice.chance(9, 10);
        let rtt = (rtt_us > 0).then(|| Duration::from_micros(rtt_us));
        self.reno.on_ack(&AckSample {
            now: self.now(),
            acked: Bytes::new(acked * MSS),
            lost: Bytes::ZERO,
            marked: Bytes::ZERO,
            delivered: Bytes::ZERO,
            prior_in_flight: Bytes::ZERO,
            in_flight: Bytes::new(in_flight * MSS),
            rtt,
            is_maybe_delayed: false,
            newest_sent: None,
            srtt: rtt,
            rate: None,
            usage: WindowUsage { is_cwnd_limited, peak_in_flight: Bytes::new(peak * MSS) },
            is_disordered: false,
        });
        let line =
            format!("A {} {rtt_us} {acked} {in_flight} {} {peak}", self.now_us, u8::from(is_cwnd_limited));
        events.push((line, self.state()));
        events
    }

    fn congestion(&mut self, kind: CongestionKind, in_flight: u64) {
        let (now, in_flight) = (self.now(), Bytes::new(in_flight * MSS));
        self.reno.on_event(Event::Congestion(CongestionEvent { now, kind, in_flight }));
    }

    const fn now(&self) -> Time {
        Time::from_nanos(self.now_us * 1_000)
    }

    fn state(&self) -> String {
        let ssthresh = self.reno.state().ssthresh.map_or(0x7fff_ffff, |ssthresh| ssthresh.get() / MSS);
        format!("{} {ssthresh}", self.reno.cwnd().get() / MSS)
    }
}
