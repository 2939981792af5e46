//! The probability that a burst is lost at an Es/N0, around the threshold of its waveform (EN 301 545-2, Annex A).

use bentpipe_units::Decibel;

use crate::dvbs2::error_probability;

/// Error probability at the threshold (EN 301 545-2, Annex A).
const AT_THRESHOLD: f64 = 1e-5;

/// The probability that a burst received at `es_n0` is lost: a logistic curve in dB through 1e-5 at the threshold of
/// its waveform, as steep as that of DVB-S2.
pub fn burst_error(threshold: Decibel, es_n0: Decibel) -> f64 {
    error_probability(AT_THRESHOLD, es_n0.get() - threshold.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(above_db: f64) -> f64 {
        // Waveform 14: 1.71 dB.
        burst_error(Decibel::new(1.71), Decibel::new(1.71 + above_db))
    }

    #[test]
    fn at_the_threshold_one_burst_in_a_hundred_thousand_is_lost() {
        assert!((at(0.0) / 1e-5 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_tenth_of_a_decibel_is_a_decade_in_the_tail() {
        for (above_db, expected) in [(-0.2, 1e-3), (0.1, 1e-6), (0.5, 1e-10)] {
            assert!((at(above_db) / expected - 1.0).abs() < 1e-2, "{above_db} dB");
        }
    }

    #[test]
    fn half_of_the_bursts_are_lost_half_a_decibel_below_the_threshold() {
        // The odds at the threshold are 99 999, at -0.5 dB 10^-5 of that.
        assert!((at(-0.5) - 0.5).abs() < 1e-5);
    }

    #[test]
    fn no_signal_loses_everything_and_a_perfect_one_nothing() {
        assert_eq!(at(f64::NEG_INFINITY), 1.0);
        assert_eq!(at(f64::INFINITY), 0.0);
    }
}
