//! The tables of EN 302 307-1.

use bentpipe_link::dvbs2::{FecFrameSpec, Modcod, PilotsSpec, PlFrame};

use super::carrier::plframe;

/// Table 13: spectral efficiency and ideal Es/N0 in dB, normal FECFRAMEs without pilots.
const TABLE_13: [(&str, f64, f64); 28] = [
    ("QPSK 1/4", 0.490243, -2.35),
    ("QPSK 1/3", 0.656448, -1.24),
    ("QPSK 2/5", 0.789412, -0.30),
    ("QPSK 1/2", 0.988858, 1.00),
    ("QPSK 3/5", 1.188304, 2.23),
    ("QPSK 2/3", 1.322253, 3.10),
    ("QPSK 3/4", 1.487473, 4.03),
    ("QPSK 4/5", 1.587196, 4.68),
    ("QPSK 5/6", 1.654663, 5.18),
    ("QPSK 8/9", 1.766451, 6.20),
    ("QPSK 9/10", 1.788612, 6.42),
    ("8PSK 3/5", 1.779991, 5.50),
    ("8PSK 2/3", 1.980636, 6.62),
    ("8PSK 3/4", 2.228124, 7.91),
    ("8PSK 5/6", 2.478562, 9.35),
    ("8PSK 8/9", 2.646012, 10.69),
    ("8PSK 9/10", 2.679207, 10.98),
    ("16APSK 2/3", 2.637201, 8.97),
    ("16APSK 3/4", 2.966728, 10.21),
    ("16APSK 4/5", 3.165623, 11.03),
    ("16APSK 5/6", 3.300184, 11.61),
    ("16APSK 8/9", 3.523143, 12.89),
    ("16APSK 9/10", 3.567342, 13.13),
    ("32APSK 3/4", 3.703295, 12.73),
    ("32APSK 4/5", 3.951571, 13.64),
    ("32APSK 5/6", 4.119540, 14.28),
    ("32APSK 8/9", 4.397854, 15.69),
    ("32APSK 9/10", 4.453027, 16.05),
];

/// Tables 5a and 5b: code rate, then N_bch and errors corrected on normal FECFRAMEs, then N_bch on short ones.
const TABLES_5: [(&str, u32, u32, Option<u32>); 11] = [
    ("1/4", 16_200, 12, Some(3_240)),
    ("1/3", 21_600, 12, Some(5_400)),
    ("2/5", 25_920, 12, Some(6_480)),
    ("1/2", 32_400, 12, Some(7_200)),
    ("3/5", 38_880, 12, Some(9_720)),
    ("2/3", 43_200, 10, Some(10_800)),
    ("3/4", 48_600, 12, Some(11_880)),
    ("4/5", 51_840, 12, Some(12_600)),
    ("5/6", 54_000, 10, Some(13_320)),
    ("8/9", 57_600, 8, Some(14_400)),
    ("9/10", 58_320, 8, None),
];

#[test]
fn spectral_efficiencies_and_thresholds_are_those_of_table_13() {
    let names: Vec<String> = Modcod::all().map(|modcod| modcod.to_string()).collect();
    assert_eq!(names, TABLE_13.map(|(name, ..)| name), "and in the order of Table 12");
    for (name, efficiency, es_n0) in TABLE_13 {
        let frame = plframe(name, FecFrameSpec::Normal, PilotsSpec::Off);
        assert!((frame.spectral_efficiency() - efficiency).abs() < 5e-7, "{name}");
        assert_eq!(frame.threshold().get(), es_n0, "{name}");
    }
}

#[test]
fn the_parity_of_each_bbframe_is_that_of_its_bch_code() {
    // A code that corrects t errors over GF(2^m) has m t parity bits: m is 16 on normal FECFRAMEs, 14 on short ones,
    // where t is always 12.
    for modcod in Modcod::all() {
        let rate = modcod.code_rate();
        let name = rate.to_string();
        let (_, normal, t, short) = TABLES_5.into_iter().find(|(row, ..)| *row == name).unwrap();
        assert_eq!(rate.bbframe_bits(FecFrameSpec::Normal), Some(normal - 16 * t), "{name} normal");
        assert_eq!(rate.bbframe_bits(FecFrameSpec::Short), short.map(|n| n - 14 * 12), "{name} short");
    }
}

#[test]
fn a_data_field_is_a_whole_number_of_bytes() {
    for (modcod, fecframe, bytes) in [
        // (16 008 - 80) / 8, (58 192 - 80) / 8, (3 072 - 80) / 8.
        ("QPSK 1/4", FecFrameSpec::Normal, 1_991),
        ("32APSK 9/10", FecFrameSpec::Normal, 7_264),
        ("QPSK 1/4", FecFrameSpec::Short, 374),
    ] {
        assert_eq!(plframe(modcod, fecframe, PilotsSpec::Off).data_field().get(), bytes);
    }
    for modcod in Modcod::all() {
        for fecframe in [FecFrameSpec::Normal, FecFrameSpec::Short] {
            assert_eq!(modcod.code_rate().bbframe_bits(fecframe).unwrap_or(0) % 8, 0);
        }
    }
}

#[test]
fn plframes_have_the_symbols_of_table_11_with_header_and_pilots() {
    // 90 (S + 1) + 36 floor((S - 1) / 16) for S slots of Table 11.
    for (modulation, normal, with_pilots, short, short_with_pilots) in [
        ("QPSK 1/4", 32_490, 33_282, 8_190, 8_370),
        ("8PSK 3/5", 21_690, 22_194, 5_490, 5_598),
        ("16APSK 2/3", 16_290, 16_686, 4_140, 4_212),
        ("32APSK 3/4", 13_050, 13_338, 3_330, 3_402),
    ] {
        let symbols = |fecframe, pilots| plframe(modulation, fecframe, pilots).symbols();
        assert_eq!(symbols(FecFrameSpec::Normal, PilotsSpec::Off), normal);
        assert_eq!(symbols(FecFrameSpec::Normal, PilotsSpec::On), with_pilots);
        assert_eq!(symbols(FecFrameSpec::Short, PilotsSpec::Off), short);
        assert_eq!(symbols(FecFrameSpec::Short, PilotsSpec::On), short_with_pilots);
    }
}

#[test]
fn short_frames_have_no_rate_of_nine_tenths() {
    let missing =
        Modcod::all().filter(|modcod| PlFrame::new(*modcod, FecFrameSpec::Short, PilotsSpec::Off).is_none());
    let names: Vec<String> = missing.map(|modcod| modcod.to_string()).collect();
    assert_eq!(names, ["QPSK 9/10", "8PSK 9/10", "16APSK 9/10", "32APSK 9/10"]);
}

#[test]
fn modcods_are_found_by_number_and_by_name() {
    assert_eq!(Modcod::new(0), None, "a dummy PLFRAME");
    assert_eq!(Modcod::new(29), None);
    assert_eq!(Modcod::named("8PSK 1/2"), None);
    for modcod in Modcod::all() {
        assert_eq!(Modcod::new(modcod.number()), Some(modcod));
        assert_eq!(Modcod::named(&modcod.to_string()), Some(modcod));
    }
}
