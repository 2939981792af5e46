//! Two-line element sets, and where SGP4 says that their satellites are.
//!
//! The text is that of a file from elsewhere, and the reader is ours: a line is named by its number, and what the
//! standard's columns do not allow is refused. Of the columns those are read that SGP4 uses.

use std::ops::RangeInclusive;

use sgp4::{Constants, MinutesSinceEpoch, WGS72};

use crate::SpecError;
use crate::instant::{Elapsed, Instant, J2000_UNIX_NS};
use crate::vector::Vector;

/// Characters of a line.
const LINE: usize = 69;
/// More than there are objects in any catalogue.
const MOST_SATELLITES: usize = 100_000;
const NS_PER_DAY: i64 = 86_400_000_000_000;
const DAYS_PER_YEAR: f64 = 365.25;
const MINUTES_PER_DAY: f64 = 1_440.0;
/// A satellite is not farther out than this many times its apogee at the epoch: moon and sun may raise it a little.
const BEYOND_APOGEE: f64 = 1.1;
/// Beginnings of titles, lines and fields are quoted, not what follows.
const QUOTED: usize = 24;

/// A satellite by its element set.
#[derive(Clone, Debug)]
pub(crate) struct Satellite {
    epoch_unix_ns: i64,
    constants: Constants,
    /// SGP4's drag is a polynomial: long after the epoch it throws satellites out of their orbits.
    farthest_km: f64,
}

/// What is wrong with a text, and in which of its lines, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TleError {
    pub(crate) line: usize,
    expected: String,
    found: String,
}

/// Reads all element sets of a text. Empty lines, and lines before a set that begin with neither `1 ` nor `2 ` (its
/// satellite's name), are passed over.
///
/// # Errors
/// When a line is not as it should be, or no satellite is there.
pub(crate) fn read(text: &str) -> Result<Vec<Satellite>, TleError> {
    let lines = text.lines().zip(1..).map(|(text, number)| Line { text: text.trim(), number });
    let mut lines = lines.filter(|line| !line.text.is_empty());
    let mut satellites = Vec::new();
    while let Some(first) = lines.next() {
        let is_title =
            ![Part::First, Part::Second].iter().any(|part| first.text.starts_with(part.beginning()));
        let first =
            if is_title { first.following(&mut lines, Part::First)? } else { first.checked(Part::First)? };
        let second = first.following(&mut lines, Part::Second)?;
        satellites.push(satellite(first, second)?);
        if satellites.len() > MOST_SATELLITES {
            return Err(first.error(format!("{MOST_SATELLITES} element sets at most"), "more"));
        }
    }
    if satellites.is_empty() {
        return Err(Line { text: "", number: 1 }.error("an element set of two lines", "none"));
    }
    Ok(satellites)
}

impl Satellite {
    /// The earth-fixed position, if SGP4 has one at this instant. Its frame, TEME, turns to the earth by mean sidereal
    /// time (Vallado et al. 2006, appendix C); polar motion, some metres, is left out.
    pub(crate) fn position(&self, instant: Instant) -> Option<Vector> {
        let teme_km = self.teme_km(instant.since(self.epoch_unix_ns).in_minutes())?;
        (teme_km.length() <= self.farthest_km).then(|| instant.earth_fixed(teme_km * 1e3))
    }

    /// SGP4's own position, some minutes after the epoch.
    fn teme_km(&self, minutes: f64) -> Option<Vector> {
        let prediction = self.constants.propagate_afspc_compatibility_mode(MinutesSinceEpoch(minutes));
        let [x, y, z] = prediction.ok()?.position;
        Some(Vector::new(x, y, z))
    }
}

impl TleError {
    /// The same of the field that has the text.
    pub(crate) fn of_field(self, field: &str) -> SpecError {
        SpecError::new(field, format!("in line {} {}", self.line, self.expected), self.found)
    }
}

/// The satellite of two lines.
fn satellite(first: Line<'_>, second: Line<'_>) -> Result<Satellite, TleError> {
    if first.columns(3, 7) != second.columns(3, 7) {
        let expected = format!("the catalogue number of line {}, {:?}", first.number, first.columns(3, 7));
        return Err(second.error(expected, format!("{:?}", second.columns(3, 7))));
    }
    let epoch_unix_ns = epoch(first)?;
    let drag_term = first.exponential("drag term", 54, 61)?;
    // SGP4's constants and the way it reckons days are those that element sets are made with (Hoots and Roehrich 1980;
    // Vallado et al. 2006): WGS 72.
    let degrees = |name, from, to, most: f64| second.number(name, from, to, 0.0..=most).map(f64::to_radians);
    let orbit = sgp4::Orbit::from_kozai_elements(
        &WGS72,
        degrees("inclination", 9, 16, 180.0)?,
        degrees("right ascension", 18, 25, 360.0)?,
        second.assumed_point("eccentricity", 27, 33)?,
        degrees("argument of perigee", 35, 42, 360.0)?,
        degrees("mean anomaly", 44, 51, 360.0)?,
        // The moon has 0.04 turns a day; at 18 an orbit lies within the earth.
        second.number("mean motion", 53, 63, 0.03..=18.0)? * std::f64::consts::TAU / MINUTES_PER_DAY,
    );
    let years = Elapsed::between(J2000_UNIX_NS, epoch_unix_ns).in_days() / DAYS_PER_YEAR;
    let refused =
        |reason: &dyn std::fmt::Display| second.error("elements that SGP4 takes", reason.to_string());
    let orbit = orbit.map_err(|reason| refused(&reason))?;
    let farthest_km = BEYOND_APOGEE * apogee_km(&orbit);
    let constants = Constants::new(WGS72, sgp4::afspc_epoch_to_sidereal_time, years, drag_term, orbit)
        .map_err(|reason| refused(&reason))?;
    Ok(Satellite { epoch_unix_ns, constants, farthest_km })
}

/// The greatest distance from the middle of the earth at the epoch: a (1 + e), where a^3 n^2 = mu.
fn apogee_km(orbit: &sgp4::Orbit) -> f64 {
    let revolution = WGS72.ke / orbit.mean_motion;
    WGS72.ae * libm::cbrt(revolution * revolution) * (1.0 + orbit.eccentricity)
}

/// Year and day of the year, which counts from 1: Unix time in nanoseconds, exact, for a day has 8 decimals.
fn epoch(line: Line<'_>) -> Result<i64, TleError> {
    let year: i64 = line.digits("year", 19, 20)?;
    // Two digits: from the first satellite's year on.
    let year = if year < 57 { 2000 + year } else { 1900 + year };
    let day: i64 = line.digits("day of the year", 21, 23)?;
    let longest = if year % 4 == 0 { 366 } else { 365 };
    if !(1..=longest).contains(&day) || line.columns(24, 24) != "." {
        let expected =
            format!("a day of the year {year} from 1 to {longest} with 8 decimals in columns 21 to 32");
        return Err(line.quoting(expected, 21, 32));
    }
    let hundred_millionths: i64 = line.digits("day's fraction", 25, 32)?;
    // Every fourth year has a leap day from 1957 to 2056.
    let leap_days = (year - 1969).div_euclid(4);
    let days = 365 * (year - 1970) + leap_days + day - 1;
    Ok(days * NS_PER_DAY + hundred_millionths * (NS_PER_DAY / 100_000_000))
}

/// A line of an element set.
#[derive(Clone, Copy)]
enum Part {
    First,
    Second,
}

impl Part {
    const fn beginning(self) -> &'static str {
        match self {
            Self::First => "1 ",
            Self::Second => "2 ",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::First => "the first line of an element set",
            Self::Second => "the second line of an element set",
        }
    }
}

/// A line of the text.
#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    number: usize,
}

impl<'a> Line<'a> {
    /// The line after this one, which is to be a part of an element set.
    fn following(self, lines: &mut impl Iterator<Item = Self>, wanted: Part) -> Result<Self, TleError> {
        let after_the_end = Line { text: "", number: self.number + 1 };
        lines.next().ok_or_else(|| after_the_end.error(wanted.name(), "the end"))?.checked(wanted)
    }

    /// This line, if it can be a part of an element set.
    fn checked(self, wanted: Part) -> Result<Self, TleError> {
        if !self.text.is_ascii() || self.text.len() != LINE {
            let length = self.text.chars().count();
            let expected = format!("{}, {LINE} characters of ASCII", wanted.name());
            return Err(self.error(expected, format!("{length} that begin {}", quoted(self.text))));
        }
        if self.columns(1, 2) != wanted.beginning() {
            let expected = format!("{}, which begins {:?}", wanted.name(), wanted.beginning());
            return Err(self.error(expected, quoted(self.text)));
        }
        let sum = self.columns(1, LINE - 1).bytes().map(|byte| match byte {
            b'0'..=b'9' => u32::from(byte - b'0'),
            b'-' => 1,
            _ => 0,
        });
        let checksum = (sum.sum::<u32>() % 10).to_string();
        if self.columns(LINE, LINE) == checksum {
            Ok(self)
        } else {
            Err(self.quoting(format!("the checksum {checksum} in column {LINE}"), LINE, LINE))
        }
    }

    /// The columns of a line that is ASCII and long enough; counted from 1, both inclusive.
    fn columns(self, from: usize, to: usize) -> &'a str {
        &self.text[from - 1..to]
    }

    /// Digits, with blanks before them.
    fn digits(self, name: &str, from: usize, to: usize) -> Result<i64, TleError> {
        let digits = self.columns(from, to).trim_start();
        let value = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
        value.ok_or_else(|| self.quoting(format!("the {name}, digits in columns {from} to {to}"), from, to))
    }

    /// A decimal number within bounds, with blanks before it.
    fn number(
        self,
        name: &str,
        from: usize,
        to: usize,
        bounds: RangeInclusive<f64>,
    ) -> Result<f64, TleError> {
        let text = self.columns(from, to).trim_start();
        // What a number may be elsewhere, such as `inf` or `1e9`, it is not here.
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let value = is_decimal.then(|| text.parse().ok()).flatten();
        value.filter(|value| bounds.contains(value)).ok_or_else(|| {
            let (least, most) = bounds.into_inner();
            self.quoting(format!("the {name}, {least} to {most} in columns {from} to {to}"), from, to)
        })
    }

    /// Decimals after a point that is not written.
    fn assumed_point(self, name: &str, from: usize, to: usize) -> Result<f64, TleError> {
        let digits = self.columns(from, to);
        let value =
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("0.{digits}").parse().ok());
        value
            .flatten()
            .ok_or_else(|| self.quoting(format!("the {name}, decimals in columns {from} to {to}"), from, to))
    }

    /// A sign or a blank, five decimals after a point that is not written, and a power of ten: ` 28098-4`.
    fn exponential(self, name: &str, from: usize, to: usize) -> Result<f64, TleError> {
        let text = self.columns(from, to);
        let is_sign = |text: &str| matches!(text, "-" | "+" | " ");
        let (sign, decimals, power) = (&text[..1], &text[1..6], &text[6..]);
        let are_digits = format!("{decimals}{}", &power[1..]).bytes().all(|byte| byte.is_ascii_digit());
        let value = (is_sign(sign) && is_sign(&power[..1]) && are_digits)
            .then(|| format!("{sign}0.{decimals}e{power}").replace(' ', "").parse().ok());
        value.flatten().ok_or_else(|| {
            self.quoting(format!("the {name} in columns {from} to {to}, such as \" 28098-4\""), from, to)
        })
    }

    /// That something else should stand in these columns.
    fn quoting(self, expected: impl Into<String>, from: usize, to: usize) -> TleError {
        self.error(expected, quoted(self.columns(from, to)))
    }

    fn error(self, expected: impl Into<String>, found: impl Into<String>) -> TleError {
        TleError { line: self.number, expected: expected.into(), found: found.into() }
    }
}

fn quoted(text: &str) -> String {
    format!("{:?}", text.chars().take(QUOTED).collect::<String>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Minutes after the epoch, and the position in km.
    type State = (f64, [f64; 3]);

    /// Element sets of SGP4-VER.TLE with positions in km some minutes after the epoch, from the results of the reference
    /// program (tcppver.out; Vallado, Crawford, Hujsak, Kelso 2006).
    const SGP4_VER: [(&str, [State; 2]); 7] = [
        // Near the earth: the report's own example.
        (
            "1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753\n\
             2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667",
            [
                (0.0, [7_022.465_292_66, -1_400.082_967_55, 0.039_951_55]),
                (4_320.0, [-9_060.473_735_69, 4_658.709_525_02, 813.686_731_53]),
            ],
        ),
        // Normal drag.
        (
            "1 06251U 62025E   06176.82412014  .00008885  00000-0  12808-3 0  3985\n\
             2 06251  58.0579  54.0425 0030035 139.1568 221.1854 15.56387291  6774",
            [
                (1_440.0, [-2_777.146_823_35, -5_663.160_317_08, -2_462.548_891_23]),
                (2_880.0, [1_159.278_028_97, 5_056.601_754_95, 4_353.494_185_79]),
            ],
        ),
        // Nearly circular, sun-synchronous.
        (
            "1 28057U 03049A   06177.78615833  .00000060  00000-0  35940-4 0  1836\n\
             2 28057  98.4283 247.6961 0000884  88.1964 271.9322 14.35478080140550",
            [
                (1_440.0, [688.160_565_94, 4_124.876_189_64, 5_794.559_944_49]),
                (2_880.0, [1_788.423_345_80, 1_990.505_309_57, -6_640.593_377_25]),
            ],
        ),
        // Twelve hours, resonant, eccentric: Molniya.
        (
            "1 08195U 75081A   06176.33215444  .00000099  00000-0  11873-3 0   813\n\
             2 08195  64.1586 279.0717 6877146 264.7651  20.2257  2.00491383225656",
            [
                (1_440.0, [2_890.806_382_68, -15_446.439_523_00, 948.770_101_76]),
                (2_880.0, [3_417.209_315_87, -16_038.795_106_65, 1_894.749_340_58]),
            ],
        ),
        // Inclined by less than 0.2 rad: Lyddane's choice.
        (
            "1 23599U 95029B   06171.76535463  .00085586  12891-6  12956-2 0  2905\n\
             2 23599   6.9327   0.2849 5782022 274.4436  25.2425  4.47796565123555",
            [
                (360.0, [11_376.239_416_78, 12_858.971_213_66, 1_563.406_601_72]),
                (720.0, [7_141.247_425_26, 20_538.971_151_58, 2_501.180_599_66]),
            ],
        ),
        // Geostationary.
        (
            "1 28626U 05008A   06176.46683397 -.00000205  00000-0  10000-3 0  2190\n\
             2 28626   0.0019 286.9433 0000335  13.7918  55.6504  1.00270176  4891",
            [
                (720.0, [-42_103.201_381_32, 2_291.062_288_93, -0.132_749_64]),
                (1_440.0, [42_119.962_634_99, -1_925.775_672_63, -0.198_274_33]),
            ],
        ),
        // Before its epoch.
        (
            "1 09998U 74033F   05148.79417928 -.00000112  00000-0  00000+0 0  4480\n\
             2 09998   9.4958 313.1750 0270971 327.5225  30.8097  1.16186785 45878",
            [
                (0.0, [25_532.989_472_67, -27_244.263_279_53, -1.115_724_21]),
                (-1_080.0, [37_732.454_386_00, 288.188_210_54, 4_643.875_874_95]),
            ],
        ),
    ];
    /// The report's results have 8 decimals; over years the crate says 2e-7 km.
    const TOLERANCE_KM: f64 = 4e-8;

    fn refusal(text: &str) -> (usize, String) {
        let error = read(text).expect_err("a text that is refused");
        (error.line, error.of_field("text").to_string())
    }

    /// The element set of the report's example with other columns in one of its lines, and its checksum mended.
    fn with_columns(line: usize, from: usize, columns: &str) -> String {
        let mut lines: Vec<String> = SGP4_VER[0].0.lines().map(str::to_owned).collect();
        lines[line - 1].replace_range(from - 1..from - 1 + columns.len(), columns);
        let digits =
            lines[line - 1][..LINE - 1].chars().map(|c| c.to_digit(10).unwrap_or(u32::from(c == '-')));
        let checksum = digits.sum::<u32>() % 10;
        lines[line - 1].replace_range(LINE - 1.., &checksum.to_string());
        lines.join("\n")
    }

    #[test]
    fn positions_are_those_of_the_reference_program() {
        for (text, states) in SGP4_VER {
            let satellites = read(text).unwrap();
            for (minutes, [x, y, z]) in states {
                let off = satellites[0].teme_km(minutes).unwrap() - Vector::new(x, y, z);
                assert!(
                    [off.x, off.y, off.z].iter().all(|off| off.abs() < TOLERANCE_KM),
                    "{minutes} min of\n{text}: {off:?}"
                );
            }
        }
    }

    #[test]
    fn positions_are_the_same_to_the_last_bit_on_any_machine() {
        // Of this implementation: docs/decisions.md.
        let of = |set: usize| read(SGP4_VER[set].0).unwrap()[0].teme_km(1e6).unwrap();
        let bits = |set: usize| [of(set).x, of(set).y, of(set).z].map(f64::to_bits);
        assert_eq!(bits(0), [0xc0ba_0467_710b_a9db, 0xc0a3_32c1_c21d_fb05, 0xc05c_a318_37bc_b77a]);
        assert_eq!(bits(3), [0xc0d2_376a_50e3_c38c, 0xc0c7_e25f_6a9a_8424, 0x40c1_3fb7_11e9_3694]);
    }

    #[test]
    fn an_orbit_that_has_decayed_has_no_position() {
        // SGP4-VER: satellite 33333, negative semi-latus rectum 25 minutes after its epoch.
        let text = "1 33333U 05037B   05333.02012661  .25992681  00000-0  24476-3 0  1532\n\
                    2 33333  96.4736 157.9986 9950000 244.0492 110.6523  4.00004038 10700";
        let satellite = &read(text).unwrap()[0];
        assert!(satellite.teme_km(15.0).is_some());
        assert_eq!(satellite.teme_km(25.0), None);
    }

    #[test]
    fn a_satellite_that_drag_would_throw_out_of_its_orbit_has_no_position() {
        // SGP4-VER: satellite 29238 has an apogee of 6862 km; SGP4 has it at 10 049 km 400 days before its epoch.
        let text = "1 29238U 06022G   06177.28732010  .00766286  10823-4  13334-2 0   101\n\
                    2 29238  51.5595 213.7903 0202579  95.2503 267.9010 15.73823839  1061";
        let satellite = &read(text).unwrap()[0];
        let on_day = |day: i64| satellite.position(Instant::new(satellite.epoch_unix_ns + day * NS_PER_DAY));
        assert!([-20, 0, 20].iter().all(|day| on_day(*day).is_some()));
        assert!(satellite.teme_km(-400.0 * MINUTES_PER_DAY).unwrap().length() > 10_000.0);
        assert_eq!(on_day(-400), None);
    }

    #[test]
    fn an_epoch_is_exact_to_the_hundred_millionth_of_a_day() {
        // 2000 day 179 is June 27th (a leap year); 0.78495062 of it 18:50:19.733568. By `date` of GNU.
        let at = |text: &str| read(text).unwrap()[0].epoch_unix_ns;
        assert_eq!(at(SGP4_VER[0].0), 962_131_819_733_568_000);
        assert_eq!(at(&with_columns(1, 19, "70001.00000001")), 864_000);
        assert_eq!(at(&with_columns(1, 19, "57001.00000000")), -410_227_200_000_000_000);
        assert_eq!(at(&with_columns(1, 19, "56366.50000000")), 2_745_489_600_000_000_000);
    }

    #[test]
    fn names_empty_lines_and_ends_of_lines_of_other_systems_are_passed_over() {
        let sets = SGP4_VER.map(|(text, _)| text);
        let text = format!("\n0 VANGUARD 1\r\n{}\r\n\r\n  \n{}  \n", sets[0].replace('\n', "\r\n"), sets[1]);
        assert_eq!(read(&text).unwrap().len(), 2);
    }

    #[test]
    fn a_refusal_names_line_columns_and_what_stands_there() {
        let set = SGP4_VER[0].0;
        let (first, second) = set.split_once('\n').unwrap();
        for (text, line, message) in [
            (String::new(), 1, "text: expected in line 1 an element set of two lines, found none"),
            (
                "VANGUARD 1".into(),
                2,
                "text: expected in line 2 the first line of an element set, found the end",
            ),
            (first.into(), 2, "text: expected in line 2 the second line of an element set, found the end"),
            (
                format!("{first}\n{first}"),
                2,
                "text: expected in line 2 the second line of an element set, which begins \"2 \", found \"1 00005U 58002B   00179.\"",
            ),
            (
                format!("{set}\n{}", &second[..68]),
                3,
                "text: expected in line 3 the first line of an element set, 69 characters of ASCII, \
                 found 68 that begin \"2 00005  34.2682 348.724\"",
            ),
            (
                set.replace("4753", "4754"),
                1,
                "text: expected in line 1 the checksum 3 in column 69, found \"4\"",
            ),
            (
                with_columns(2, 3, "00006"),
                2,
                "text: expected in line 2 the catalogue number of line 1, \"00005\", found \"00006\"",
            ),
            (
                with_columns(2, 9, "     nan"),
                2,
                "text: expected in line 2 the inclination, 0 to 180 in columns 9 to 16, found \"     nan\"",
            ),
            (
                with_columns(2, 53, "25.00000000"),
                2,
                "text: expected in line 2 the mean motion, 0.03 to 18 in columns 53 to 63, found \"25.00000000\"",
            ),
            (
                with_columns(2, 27, " 859667"),
                2,
                "text: expected in line 2 the eccentricity, decimals in columns 27 to 33, found \" 859667\"",
            ),
            (
                with_columns(1, 54, " 2809.-4"),
                1,
                "text: expected in line 1 the drag term in columns 54 to 61, such as \" 28098-4\", found \" 2809.-4\"",
            ),
            (
                with_columns(1, 21, "367"),
                1,
                "text: expected in line 1 a day of the year 2000 from 1 to 366 with 8 decimals in columns 21 to 32, \
                 found \"367.78495062\"",
            ),
        ] {
            assert_eq!(refusal(&text), (line, message.to_owned()));
        }
    }

    #[test]
    fn what_is_no_ascii_is_refused_before_its_columns_are_cut() {
        let text = SGP4_VER[0].0.replacen("58002B ", "58002\u{e9}", 1);
        assert_eq!(refusal(&text).0, 1);
        let text = SGP4_VER[0].0.replacen("58002B  ", "58002\u{1f6f0}", 1);
        assert_eq!(refusal(&text).0, 1);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            crate::fuzzing::tle(&bytes);
        }

        #[test]
        fn any_columns_are_read_or_refused(line in 1..=2usize, from in 1..=60usize, columns in "[ -~]{1,8}") {
            crate::fuzzing::tle(with_columns(line, from, &columns).as_bytes());
        }

        #[test]
        fn any_numbers_are_read_or_refused(line in 1..=2usize, from in 8..=60usize, columns in "[0-9 .+-]{1,8}") {
            crate::fuzzing::tle(with_columns(line, from, &columns).as_bytes());
        }
    }
}
