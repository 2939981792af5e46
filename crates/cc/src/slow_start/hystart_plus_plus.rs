//! HyStart++ (RFC 9406).

use bentpipe_units::{Bytes, Duration};

use super::detector::{Pacing, Verdict};
use crate::AckSample;
use crate::round::{Boundary, Rounds};

// RFC 9406 section 4.3.
const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// L for senders that do not pace, in packets per acknowledgement.
const UNPACED_LIMIT: u64 = 8;

#[derive(Clone, Debug)]
pub(crate) struct HyStartPlusPlus {
    pacing: Pacing,
    rounds: Rounds,
    phase: Phase,
    last_round_min_rtt: Option<Duration>,
    round_min_rtt: Option<Duration>,
    samples: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    SlowStart,
    /// Conservative slow start: grow slowly until the rise in delay is confirmed or refuted.
    Conservative {
        baseline: Duration,
        rounds: u32,
    },
}

impl HyStartPlusPlus {
    pub fn new(pacing: Pacing) -> Self {
        Self {
            pacing,
            rounds: Rounds::default(),
            phase: Phase::SlowStart,
            last_round_min_rtt: None,
            round_min_rtt: None,
            samples: 0,
        }
    }

    pub fn on_ack(&mut self, ack: &AckSample, rtt: Duration) -> Verdict {
        if self.rounds.on_ack(ack) == Boundary::Start && self.next_round() == Verdict::Exit {
            return Verdict::Exit;
        }
        let current = self.round_min_rtt.map_or(rtt, |least| least.min(rtt));
        self.round_min_rtt = Some(current);
        self.samples += 1;
        if self.samples >= N_RTT_SAMPLE {
            self.judge(current);
        }
        Verdict::Continue
    }

    /// Section 4.2: cwnd += min(N, L * SMSS), a quarter of it in conservative slow start.
    pub fn increase(&self, acked: Bytes, mss: Bytes) -> f64 {
        let limited = match self.pacing {
            Pacing::Paced => acked.get(),
            Pacing::Unpaced => acked.get().min(UNPACED_LIMIT * mss.get()),
        } as f64;
        match self.phase {
            Phase::SlowStart => limited,
            Phase::Conservative { .. } => limited / CSS_GROWTH_DIVISOR,
        }
    }

    fn next_round(&mut self) -> Verdict {
        self.last_round_min_rtt = self.round_min_rtt.take();
        self.samples = 0;
        if let Phase::Conservative { rounds, .. } = &mut self.phase {
            *rounds += 1;
            if *rounds >= CSS_ROUNDS {
                return Verdict::Exit;
            }
        }
        Verdict::Continue
    }

    fn judge(&mut self, current: Duration) {
        match (self.phase, self.last_round_min_rtt) {
            (Phase::SlowStart, Some(last)) => {
                let threshold = (last / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                if current >= last + threshold {
                    self.phase = Phase::Conservative { baseline: current, rounds: 0 };
                }
            }
            (Phase::Conservative { baseline, .. }, _) if current < baseline => self.phase = Phase::SlowStart,
            _ => {}
        }
    }
}
