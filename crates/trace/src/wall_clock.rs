//! Instants of civil time as captures and HAR files have them (RFC 3339).

use std::fmt;
use std::ops::Add;
use std::str::FromStr;

use bentpipe_units::Duration;

/// An instant of civil time: nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Reads and prints as RFC 3339, so `parse(x.to_string()) == x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WallClock(u64);

/// An instant that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an instant such as \"2026-03-01T12:00:00.25Z\", found \"{0}\"")]
pub struct ParseWallClockError(String);

const NANOS_PER_SEC: u64 = 1_000_000_000;
const SECS_PER_DAY: u64 = 86_400;

impl WallClock {
    /// The instant `ns` nanoseconds after 1970-01-01T00:00:00Z.
    pub const fn from_unix_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub const fn as_unix_nanos(self) -> u64 {
        self.0
    }
}

impl Add<Duration> for WallClock {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0 + span.as_nanos())
    }
}

impl fmt::Display for WallClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (secs, nanos) = (self.0 / NANOS_PER_SEC, self.0 % NANOS_PER_SEC);
        let (year, month, day) = civil_from_days(secs / SECS_PER_DAY);
        let second_of_day = secs % SECS_PER_DAY;
        let (hour, minute, second) = (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanos:09}Z")
    }
}

impl FromStr for WallClock {
    type Err = ParseWallClockError;
    fn from_str(text: &str) -> Result<Self, ParseWallClockError> {
        parse(text).map(Self).ok_or_else(|| ParseWallClockError(text.to_owned()))
    }
}

/// RFC 3339 section 5.6 `date-time`; leap seconds and instants before 1970 are refused.
fn parse(text: &str) -> Option<u64> {
    let (date, rest) = text.split_once(['T', 't'])?;
    let zone = rest.find(['Z', 'z', '+', '-'])?;
    let (time, offset) = rest.split_at(zone);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_from_civil(year, month, day)?;
    let local = i128::from(days * SECS_PER_DAY + hour * 3600 + minute * 60 + second);
    let secs = local - i128::from(offset_seconds(offset)?);
    let nanos = secs * i128::from(NANOS_PER_SEC) + i128::from(nanoseconds(fraction)?);
    u64::try_from(nanos).ok()
}

/// Seconds east of Greenwich: `Z`, `+02:00`.
fn offset_seconds(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first()? {
        b'Z' | b'z' if text.len() == 1 => return Some(0),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let [hours, minutes] = numbers(&text[1..], ':', [2, 2])?;
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3600 + minutes * 60) as i64)
}

/// The digits after the decimal point, cut off after the ninth.
fn nanoseconds(fraction: &str) -> Option<u64> {
    if fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    format!("{fraction:0<9}")[..9].parse().ok()
}

/// Numbers with exactly so many digits each.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u64; N]> {
    let mut parts = text.split(separator);
    let mut values = [0; N];
    for (value, digits) in values.iter_mut().zip(digits) {
        let part = parts.next()?;
        if part.len() != digits || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        *value = part.parse().ok()?;
    }
    parts.next().is_none().then_some(values)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, when there is such a date from then on.
///
/// Years are counted from 1 March, so that the leap day is the last; 400 of them are 146 097 days
/// (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`).
fn days_from_civil(year: u64, month: u64, day: u64) -> Option<u64> {
    if year < 1970 || !(1..=12).contains(&month) || day < 1 {
        return None;
    }
    let y = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (y / 400, y % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    (civil_from_days(days) == (year, month, day)).then_some(days)
}

/// The inverse of [`days_from_civil`] (same source, `civil_from_days`).
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}
