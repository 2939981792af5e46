//! What an interval was worth.

use super::fixed::power_of_millionths;

const MILLION: u64 = 1_000_000;
/// b: the weight of the RTT's growth (NSDI'18 section 3; latency flavour).
const LATENCY: u64 = 900;
/// c: the weight of loss, in hundredths.
const LOSS_HUNDREDTHS: u64 = 1_135;

/// What became of the packets of an interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// Bit/s.
    pub rate: u64,
    /// max(0, dRTT/dt) in millionths.
    pub growth_ppm: u64,
    /// Bytes.
    pub acked: u64,
    /// Bytes.
    pub lost: u64,
}

/// U = x^0.9 - 900 x g - 11.35 x L in millionths, x in Mbit/s.
pub(super) fn utility(outcome: Outcome) -> i64 {
    // A rate in bit/s is x in millionths.
    let rate = outcome.rate;
    let throughput = power_of_millionths(rate);
    let latency = rate * outcome.growth_ppm / MILLION * LATENCY;
    let loss = rate * loss_ppm(outcome) / MILLION * LOSS_HUNDREDTHS / 100;
    throughput as i64 - latency as i64 - loss as i64
}

fn loss_ppm(outcome: Outcome) -> u64 {
    (outcome.lost * MILLION).checked_div(outcome.acked + outcome.lost).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAN: Outcome = Outcome { rate: 10_000_000, growth_ppm: 0, acked: 750_000, lost: 0 };

    #[test]
    fn a_clean_interval_is_worth_the_power_of_its_rate() {
        // 10^0.9 = 7.943282.
        assert!(utility(CLEAN).abs_diff(7_943_282) <= 10);
    }

    #[test]
    fn each_per_cent_of_loss_costs_eleven_per_cent_of_the_rate() {
        let lossy = Outcome { acked: 990, lost: 10, ..CLEAN };
        assert_eq!(utility(CLEAN) - utility(lossy), 1_135_000);
    }

    #[test]
    fn a_growing_queue_costs_nine_times_the_rate_for_each_per_cent() {
        let growing = Outcome { growth_ppm: 10_000, ..CLEAN };
        assert_eq!(utility(CLEAN) - utility(growing), 90_000_000);
    }

    #[test]
    fn an_interval_of_which_nothing_is_known_has_no_loss() {
        assert_eq!(utility(Outcome { acked: 0, ..CLEAN }), utility(CLEAN));
    }
}
