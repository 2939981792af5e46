//! The Es/N0 thresholds and efficiencies of the waveforms (EN 301 545-2, Annex A), against OpenSAND's tables.

use bentpipe_link::rcs2::{BurstLength, Waveform};

/// Spectral efficiencies of OpenSAND's `rcs2/definition_RLE.txt`, by waveform id from 3 on: payload bits over the
/// symbols of the burst and four of guard time, to two digits.
const OPENSAND: [f64; 20] = [
    0.56, 0.87, 1.26, 1.42, 1.60, 1.70, 1.93, 2.13, 2.59, 2.87, //
    0.61, 0.93, 1.30, 1.47, 1.64, 1.75, 1.98, 2.19, 2.66, 2.96,
];
const OPENSAND_GUARD_SYMBOLS: u32 = 4;

#[test]
fn payloads_are_those_of_the_standard() {
    // EN 301 545-2, Table A-1, as in the waveform table of the satellite module of ns-3 (dvbRcs2Waveforms.txt).
    let payloads = Waveform::ALL.map(|waveform| waveform.payload().get());
    let short = [38, 59, 85, 96, 108, 115, 130, 144, 175, 194];
    let long = [123, 188, 264, 298, 333, 355, 400, 444, 539, 599];
    assert_eq!(payloads[..10], short);
    assert_eq!(payloads[10..], long);
}

#[test]
fn thresholds_are_those_of_the_independent_table() {
    // Es/N0 in dB at a burst error rate of 1e-5, of the same `rcs2/definition_RLE.txt`.
    let thresholds = Waveform::ALL.map(|waveform| waveform.threshold().get());
    assert_eq!(thresholds[..10], [0.22, 2.34, 4.29, 5.36, 6.68, 8.08, 9.31, 10.82, 11.17, 12.56]);
    assert_eq!(thresholds[10..], [-0.51, 1.71, 3.69, 4.73, 5.94, 7.49, 8.77, 10.23, 10.72, 12.04]);
}

#[test]
fn spectral_efficiencies_agree_with_an_independent_table_to_its_last_digit() {
    for (waveform, published) in Waveform::ALL.iter().zip(OPENSAND) {
        let symbols = waveform.length().symbols() + OPENSAND_GUARD_SYMBOLS;
        let efficiency = waveform.payload().bits() as f64 / f64::from(symbols);
        assert!((efficiency - published).abs() <= 0.005 + 1e-9, "id {}: {efficiency}", waveform.id());
    }
}

#[test]
fn a_burst_is_payload_and_redundancy_and_something_for_synchronisation() {
    for waveform in Waveform::ALL {
        let (numerator, denominator) = waveform.code_rate();
        let coded_bits = waveform.payload().bits() as f64 * f64::from(denominator) / f64::from(numerator);
        let symbols = coded_bits / f64::from(waveform.modulation().bits_per_symbol());
        let share = symbols / f64::from(waveform.length().symbols());
        // Preamble, pilots and postamble take 1 to 15 %: symbols x bits x rate is not the payload.
        assert!((0.85..0.99).contains(&share), "id {}: {share}", waveform.id());
    }
}

#[test]
fn ids_run_from_3_to_22_and_more_efficient_waveforms_need_more() {
    assert!(Waveform::ALL.iter().map(|waveform| waveform.id()).eq(3..=22));
    assert_eq!(Waveform::by_id(2), None);
    assert_eq!(Waveform::by_id(23), None);
    for length in [BurstLength::Short, BurstLength::Long] {
        let of_length = Waveform::ALL.into_iter().filter(|waveform| waveform.length() == length);
        let ladder: Vec<_> = of_length.map(|w| (w.payload(), w.threshold().get())).collect();
        assert_eq!(ladder.len(), 10);
        assert!(ladder.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
    }
}
