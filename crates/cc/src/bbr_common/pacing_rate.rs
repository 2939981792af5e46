//! The pacing rate: guessed at first, then a gain times the estimated bandwidth.

use bentpipe_units::{Bytes, Duration, Rate};

/// One per cent below the estimate, so that queues drain.
const PACING_MARGIN: f64 = 0.99;
/// RTT assumed by the initial rate when none is known.
const UNKNOWN_RTT: Duration = Duration::from_millis(1);
/// One byte per second: the resolution of the original, and never a standstill.
const MIN_RATE: Rate = Rate::from_bps(8);

#[derive(Clone, Copy, Debug)]
pub(crate) struct PacingRate {
    rate: Rate,
    /// Whether no RTT has been known yet.
    is_guessed: bool,
}

impl PacingRate {
    /// BBRInitPacingRate: gain x initial window / RTT until the first bandwidth sample.
    pub fn new(cwnd: Bytes, rtt: Option<Duration>, startup_gain: f64) -> Self {
        let bandwidth = Rate::of(cwnd, rtt.unwrap_or(UNKNOWN_RTT));
        Self { rate: paced(bandwidth, startup_gain), is_guessed: rtt.is_none() }
    }

    pub const fn get(&self) -> Rate {
        self.rate
    }

    /// The first RTT takes the place of the guess.
    pub fn on_srtt(&mut self, cwnd: Bytes, srtt: Option<Duration>, startup_gain: f64) {
        if self.is_guessed && srtt.is_some() {
            *self = Self::new(cwnd, srtt, startup_gain);
        }
    }

    /// BBRSetPacingRateWithGain.
    pub fn update(&mut self, bandwidth: Rate, gain: f64, is_pipe_full: bool) {
        let rate = paced(bandwidth, gain);
        // Until the pipe is full a lower sample is more likely the application's doing than the network's.
        if is_pipe_full || rate > self.rate {
            self.rate = rate;
        }
    }
}

fn paced(bandwidth: Rate, gain: f64) -> Rate {
    bandwidth.mul_f64(gain * PACING_MARGIN).max(MIN_RATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_never_less_than_a_byte_per_second() {
        let mut rate = PacingRate::new(Bytes::new(15_000), None, 2.885);
        rate.update(Rate::ZERO, 1.0, true);
        assert_eq!(rate.get(), Rate::from_bps(8));
    }
}
