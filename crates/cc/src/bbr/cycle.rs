//! The gain cycle of ProbeBW.

use bentpipe_units::{Bytes, Duration, Time};
use rand_core::Rng;
use rand_pcg::Pcg32;

use crate::AckSample;

/// One phase of probing, one of draining what it queued, six of cruising.
const GAINS: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    phase: usize,
    start: Time,
}

/// Levels of inflight that end a phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct CycleLevels {
    /// One estimated BDP times the phase's gain.
    pub probed: Bytes,
    /// One estimated BDP.
    pub drained: Bytes,
}

impl Cycle {
    /// A cycle in a random phase, but never the draining one, which only has sense after a probe.
    pub fn start(rng: &mut Pcg32, at: Time) -> Self {
        const STARTS: [usize; 7] = [0, 2, 3, 4, 5, 6, 7];
        // The product of a 32-bit number and 7 is below 7 * 2^32.
        let index = (u64::from(rng.next_u32()) * STARTS.len() as u64) >> 32;
        Self { phase: STARTS[index as usize], start: at }
    }

    pub const fn gain(&self) -> f64 {
        GAINS[self.phase]
    }

    pub const fn is_probing(&self) -> bool {
        self.phase == 0
    }

    /// Whether the phase is over: after one minimum RTT, but a probe goes on until inflight shows it (or packets
    /// are lost) and a drain stops as soon as the queue is gone.
    pub fn is_over(
        &self,
        ack: &AckSample,
        at: Time,
        min_rtt: Duration,
        levels: CycleLevels,
        gain: f64,
    ) -> bool {
        let full_length = at.since(self.start) > min_rtt;
        if gain > 1.0 {
            full_length && (ack.lost > Bytes::ZERO || ack.prior_in_flight >= levels.probed)
        } else if gain < 1.0 {
            full_length || ack.prior_in_flight <= levels.drained
        } else {
            full_length
        }
    }

    pub fn advance(&mut self, at: Time) {
        self.phase = (self.phase + 1) % GAINS.len();
        self.start = at;
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn a_cycle_starts_in_any_phase_but_the_draining_one() {
        // bbr_reset_probe_bw_mode: CYCLE_LEN - 1 less 0 to 6, and one phase on: 0, 7, 6, ... 2, each as often.
        let mut rng = Pcg32::seed_from_u64(1);
        let mut starts = [0; 8];
        for _ in 0..7_000 {
            starts[Cycle::start(&mut rng, Time::ZERO).phase] += 1;
        }
        assert_eq!(starts[1], 0);
        // 1000 of each; their standard deviation is 29.
        for phase in [0, 2, 3, 4, 5, 6, 7] {
            assert!((850..1_150).contains(&starts[phase]), "{starts:?}");
        }
    }
}
