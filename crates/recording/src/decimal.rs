//! Decimal numbers as nanoseconds, and back, by integer arithmetic.

use bentpipe_units::Duration;

/// A second in nanoseconds.
pub(crate) const SECOND: u64 = 1_000_000_000;
/// A millisecond in nanoseconds.
pub(crate) const MILLISECOND: u64 = 1_000_000;

/// A decimal number of seconds or milliseconds as nanoseconds; what is finer is cut off. None if it is not one.
pub(crate) fn nanoseconds(text: &str, unit: u64) -> Option<i128> {
    let (sign, unsigned) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let places = unit.ilog10() as usize;
    let kept = &fraction[..fraction.len().min(places)];
    let fraction: u64 = format!("{kept:0<places$}").parse().ok()?;
    Some(sign * (i128::from(whole) * i128::from(unit) + i128::from(fraction)))
}

/// Decimal seconds, all of them.
pub(crate) fn seconds(span: Duration) -> String {
    let (whole, fraction) = (span.as_nanos() / SECOND, span.as_nanos() % SECOND);
    if fraction == 0 {
        return whole.to_string();
    }
    let digits = format!("{fraction:09}");
    format!("{whole}.{}", digits.trim_end_matches('0'))
}
