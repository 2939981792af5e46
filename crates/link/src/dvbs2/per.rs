//! The probability that a frame is lost at an Es/N0: a steep curve through the threshold of its MODCOD.

use bentpipe_units::Decibel;

use super::PlFrame;

/// Error probability at the threshold: quasi-error-free reception (EN 302 307-1, clause 6).
const AT_THRESHOLD: f64 = 1e-7;
/// The tail falls by a decade in this many dB.
const DB_PER_DECADE: f64 = 0.1;

/// The probability that a frame received at `es_n0` is lost: [`error_probability`] through 1e-7 at the threshold.
pub fn frame_error(plframe: PlFrame, es_n0: Decibel) -> f64 {
    error_probability(AT_THRESHOLD, es_n0.get() - plframe.threshold().get())
}

/// A logistic curve in dB through `p0` at the threshold.
///
/// p(x) = 1 / (1 + exp((x - x50) / s)), with s = 0.1 dB / ln 10 and x50 = threshold - s ln(1 / p0 - 1).
pub(crate) fn error_probability(p0: f64, above_db: f64) -> f64 {
    debug_assert!(!above_db.is_nan(), "no signal and a perfect one are infinite, not NaN");
    let odds_at_threshold = (1.0 - p0) / p0;
    1.0 / (1.0 + odds_at_threshold * libm::pow(10.0, above_db / DB_PER_DECADE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dvbs2::{FecFrameSpec, Modcod, PilotsSpec};

    fn at(above_db: f64, fecframe: FecFrameSpec) -> f64 {
        let modcod = Modcod::named("8PSK 3/4").unwrap();
        let plframe = PlFrame::new(modcod, fecframe, PilotsSpec::On).unwrap();
        // Table 13: 7.91 dB.
        frame_error(plframe, Decibel::new(7.91 + above_db))
    }

    #[test]
    fn at_the_threshold_one_frame_in_ten_million_is_lost() {
        assert!((at(0.0, FecFrameSpec::Normal) / 1e-7 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_tenth_of_a_decibel_is_a_decade_in_the_tail() {
        for (above_db, expected) in [(-0.3, 1e-4), (-0.2, 1e-5), (-0.1, 1e-6), (0.1, 1e-8), (0.5, 1e-12)] {
            assert!((at(above_db, FecFrameSpec::Normal) / expected - 1.0).abs() < 1e-3, "{above_db} dB");
        }
    }

    #[test]
    fn half_of_the_frames_are_lost_0_7_db_below_the_threshold_and_all_of_them_a_decibel_below_that() {
        assert!((at(-0.7, FecFrameSpec::Normal) - 0.5).abs() < 1e-6);
        assert!(at(-1.7, FecFrameSpec::Normal) > 1.0 - 1e-9);
    }

    #[test]
    fn short_frames_need_0_3_db_more() {
        assert!((at(0.3, FecFrameSpec::Short) / 1e-7 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn no_signal_loses_everything_and_a_perfect_one_nothing() {
        assert_eq!(at(f64::NEG_INFINITY, FecFrameSpec::Normal), 1.0);
        assert_eq!(at(f64::INFINITY, FecFrameSpec::Normal), 0.0);
    }
}
