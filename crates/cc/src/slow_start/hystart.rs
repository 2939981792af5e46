//! HyStart (Ha, Rhee 2011) with the thresholds of Linux.

use bentpipe_units::{Duration, Time};

use super::detector::{Pacing, SlowStartView, Verdict};
use crate::AckSample;
use crate::round::{Boundary, Rounds};

/// No detection below this window, in packets.
const LOW_WINDOW: u64 = 16;
/// RTT samples of a round that are taken before the delay detector judges.
const MIN_SAMPLES: u32 = 8;
/// Acknowledgements closer than this belong to one train.
const TRAIN_GAP: Duration = Duration::from_millis(2);
/// What receivers and interfaces may hold an acknowledgement back: 1 ms, below some 2 Gbit/s.
const ACK_DELAY: Duration = Duration::from_millis(1);
const DELAY_MIN: Duration = Duration::from_millis(4);
const DELAY_MAX: Duration = Duration::from_millis(16);

#[derive(Clone, Debug)]
pub(crate) struct HyStart {
    pacing: Pacing,
    rounds: Rounds,
    round_start: Time,
    /// The last acknowledgement of the train that started with the round.
    train_end: Time,
    samples: u32,
    round_min_rtt: Duration,
}

impl HyStart {
    pub fn new(pacing: Pacing, now: Time) -> Self {
        Self {
            pacing,
            rounds: Rounds::default(),
            round_start: now,
            train_end: now,
            samples: 0,
            round_min_rtt: Duration::MAX,
        }
    }

    pub fn on_ack(&mut self, ack: &AckSample, rtt: Duration, view: SlowStartView) -> Verdict {
        if self.rounds.on_ack(ack) == Boundary::Start {
            self.round_start = ack.now;
            self.train_end = ack.now;
            self.samples = 0;
            self.round_min_rtt = Duration::MAX;
        }
        if view.cwnd.get() < LOW_WINDOW * view.mss.get() {
            return Verdict::Continue;
        }
        if self.train_fills_the_pipe(ack.now, view.min_rtt) || self.delay_rises(rtt, view.min_rtt) {
            return Verdict::Exit;
        }
        Verdict::Continue
    }

    /// A train as long as the one-way delay (half the RTT) means that the window has reached the path's capacity.
    fn train_fills_the_pipe(&mut self, now: Time, min_rtt: Duration) -> bool {
        if now.since(self.train_end) > TRAIN_GAP {
            return false;
        }
        self.train_end = now;
        let round_trip = min_rtt + ACK_DELAY;
        let limit = match self.pacing {
            Pacing::Unpaced => round_trip / 2,
            // Pacing itself spreads a window over half a round trip in slow start.
            Pacing::Paced => round_trip,
        };
        now.since(self.round_start) > limit
    }

    /// The round's smallest RTT exceeds the path's by an eighth.
    fn delay_rises(&mut self, rtt: Duration, min_rtt: Duration) -> bool {
        self.round_min_rtt = self.round_min_rtt.min(rtt);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        self.round_min_rtt > min_rtt + (min_rtt / 8).clamp(DELAY_MIN, DELAY_MAX)
    }
}
