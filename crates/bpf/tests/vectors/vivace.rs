//! PCC Vivace as an eBPF program and as the crate has it, step by step over the same intervals.

use std::collections::VecDeque;

use bentpipe_cc::bbr::BbrSpec;
use bentpipe_cc::rate::RateSample;
use bentpipe_cc::slow_start::SlowStartExit;
use bentpipe_cc::usage::WindowUsage;
use bentpipe_cc::vivace::Vivace;
use bentpipe_cc::{
    AckSample, Config, CongestionControl, CongestionEvent, CongestionKind, CwndUnit, Demand, Event,
    RecoverySpan, SentSample,
};
use bentpipe_units::{Bytes, Duration, Time};

use crate::SEQUENCES;
use crate::dice::Dice;
use crate::twin::Script;

const MSS: u64 = 1448;
const STEPS: u64 = 220;

#[test]
fn vivace_in_c_does_as_in_rust_over_random_acknowledgements() {
    let mut script = Script::default();
    // PCC-Kernel's start rate: 512 * 1024 bytes/s.
    script.parameters("P 4194304");
    let mut climbs = 0;
    for sequence in 0..SEQUENCES {
        let mut sender = Sender::new(sequence, &mut script);
        for _ in 0..STEPS {
            sender.step();
        }
        climbs += sender.climbs;
    }
    script.check("vivace");
    // Agreement about the start alone would show little.
    assert!(climbs > SEQUENCES, "{climbs}");
}

/// A sender over a crude path: batches of packets, a queue without a bound, random loss, jitter.
struct Sender<'a> {
    sequence: u64,
    script: &'a mut Script,
    dice: Dice,
    vivace: Vivace,
    now_us: u64,
    rtt_us: u64,
    capacity_bps: u64,
    loss_per_mille: u64,
    jitter_us: u64,
    free_at_us: u64,
    srtt_us: u64,
    in_flight: u64,
    flight: VecDeque<Batch>,
    is_suspended: bool,
    /// Steps along the gradient.
    climbs: u64,
}

struct Batch {
    bytes: u64,
    left_us: u64,
    due_us: u64,
}

impl<'a> Sender<'a> {
    fn new(sequence: u64, script: &'a mut Script) -> Self {
        let mut dice = Dice::new(sequence);
        let rtt_us = dice.magnitude(1_000, 1_000_000);
        let now_us = dice.magnitude(1, 1 << 50);
        let seed = dice.magnitude(1, 1 << 62);
        let srtt_us = if dice.chance(3, 4) { rtt_us } else { 0 };
        let vivace = Vivace::new(Config {
            now: at(now_us),
            mss: Bytes::new(MSS),
            initial_window: Bytes::new(10 * MSS),
            handshake_rtt: (srtt_us > 0).then(|| span(srtt_us)),
            seed,
            slow_start_exit: SlowStartExit::Loss,
            bbr: BbrSpec::LINUX,
            cwnd_unit: CwndUnit::Segments,
            recovery_span: RecoverySpan::UntilRepaired,
        });
        let coin = (seed ^ (seed >> 32)) as u32;
        script.event(sequence, &format!("S {now_us} {coin} {MSS} {} {srtt_us}", 10 * MSS), state(&vivace));
        Self {
            sequence,
            script,
            vivace,
            now_us,
            rtt_us,
            capacity_bps: dice.magnitude(1_000_000, 100_000_000),
            loss_per_mille: if dice.chance(1, 2) { 0 } else { dice.magnitude(1, 60) },
            jitter_us: dice.magnitude(1, rtt_us / 20),
            free_at_us: now_us,
            srtt_us,
            in_flight: 0,
            flight: VecDeque::new(),
            is_suspended: false,
            climbs: 0,
            dice,
        }
    }

    /// A part of a round trip: what came is acknowledged, what may leaves.
    fn step(&mut self) {
        let span_us = self.dice.between(self.rtt_us / 20, self.rtt_us / 3);
        self.now_us += span_us;
        let before = self.vivace.base_rate().as_bps();
        while self.flight.front().is_some_and(|batch| batch.due_us <= self.now_us) {
            self.acknowledge();
        }
        let after = self.vivace.base_rate().as_bps();
        if ![before / 2, before, before * 2].contains(&after) {
            self.climbs += 1;
        }
        if self.dice.chance(1, 400) {
            self.time_out();
        } else if self.is_suspended && self.dice.chance(1, 3) {
            self.is_suspended = false;
            self.vivace.on_event(Event::RecoveryEnd { now: at(self.now_us) });
            self.note(format!("E {}", self.now_us));
        }
        self.send(span_us);
    }

    fn send(&mut self, span_us: u64) {
        let rate = self.vivace.state().pacing_rate.expect("Vivace paces").as_bps();
        let room = self.vivace.cwnd().get().saturating_sub(self.in_flight) / MSS;
        let share = if self.dice.chance(1, 40) { 50 } else { self.dice.between(97, 105) };
        let due = u128::from(rate) * u128::from(span_us * share) / (8 * 100 * 1_000_000);
        let packets = (due / u128::from(MSS)) as u64;
        let bytes = packets.clamp(1, 10_000).min(room) * MSS;
        if bytes == 0 {
            return;
        }
        self.vivace.on_sent(&SentSample {
            now: at(self.now_us),
            bytes: Bytes::new(bytes),
            prior_in_flight: Bytes::new(self.in_flight),
            demand: Demand::Backlogged,
        });
        self.in_flight += bytes;
        self.free_at_us = self.free_at_us.max(self.now_us) + bytes * 8_000_000 / self.capacity_bps;
        let due_us = self.free_at_us + self.rtt_us + self.dice.between(0, self.jitter_us);
        self.flight.push_back(Batch { bytes, left_us: self.now_us, due_us });
        self.note(format!("X {bytes}"));
    }

    fn acknowledge(&mut self) {
        let batch = self.flight.pop_front().expect("one is due");
        let prior_in_flight = self.in_flight;
        self.in_flight -= batch.bytes;
        let packets = batch.bytes / MSS;
        let lost = (0..packets.min(200)).filter(|_| self.dice.chance(self.loss_per_mille, 1_000)).count()
            as u64
            * MSS;
        let acked = batch.bytes - lost;
        let rtt_us = (acked > 0 && self.dice.chance(9, 10)).then(|| self.now_us - batch.left_us);
        if let Some(rtt_us) = rtt_us {
            self.srtt_us = if self.srtt_us == 0 { rtt_us } else { (7 * self.srtt_us + rtt_us) / 8 };
        }
        let demand = if self.dice.chance(1, 1_000) { Demand::AppLimited } else { Demand::Backlogged };
        self.vivace.on_ack(&AckSample {
            now: at(self.now_us),
            acked: Bytes::new(acked),
            lost: Bytes::new(lost),
            marked: Bytes::ZERO,
            delivered: Bytes::ZERO,
            prior_in_flight: Bytes::new(prior_in_flight),
            in_flight: Bytes::new(self.in_flight),
            rtt: rtt_us.map(span),
            is_maybe_delayed: false,
            newest_sent: None,
            srtt: (self.srtt_us > 0).then(|| span(self.srtt_us)),
            rate: Some(RateSample {
                delivered: Bytes::ZERO,
                interval: Duration::from_micros(1),
                prior_delivered: Bytes::ZERO,
                demand,
            }),
            usage: WindowUsage { is_cwnd_limited: false, peak_in_flight: Bytes::ZERO },
            is_disordered: false,
        });
        let rtt = rtt_us.unwrap_or(u64::MAX);
        let limited = u8::from(demand == Demand::AppLimited);
        self.note(format!(
            "A {} {acked} {lost} {} {rtt} {} {limited}",
            self.now_us, self.in_flight, self.srtt_us
        ));
    }

    fn time_out(&mut self) {
        self.is_suspended = true;
        let in_flight = Bytes::new(self.in_flight);
        self.vivace.on_event(Event::Congestion(CongestionEvent {
            now: at(self.now_us),
            kind: CongestionKind::Timeout,
            in_flight,
        }));
        self.note(format!("T {}", self.in_flight + MSS));
    }

    fn note(&mut self, event: String) {
        self.script.event(self.sequence, &event, state(&self.vivace));
    }
}

const fn at(us: u64) -> Time {
    Time::from_nanos(us * 1_000)
}

const fn span(us: u64) -> Duration {
    Duration::from_micros(us)
}

fn state(vivace: &Vivace) -> String {
    let rate = vivace.state().pacing_rate.expect("Vivace paces").as_bps();
    format!("{rate} {} {}", vivace.cwnd().get(), vivace.base_rate().as_bps())
}
