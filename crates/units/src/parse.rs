//! How quantities are read and printed: a number and a unit, in decimal arithmetic without rounding.

use std::fmt;

/// A quantity that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a {quantity} such as \"{example}\", found \"{found}\"")]
pub struct ParseError {
    quantity: &'static str,
    example: &'static str,
    found: String,
}

impl ParseError {
    pub(crate) fn new(quantity: &'static str, example: &'static str, found: &str) -> Self {
        Self { quantity, example, found: found.to_owned() }
    }
}

/// Reads a fraction of one: `0.01`, `1e-6` or `1 %`.
///
/// # Errors
/// When the text is not a number from 0 to 1 (0 to 100 with the percent sign).
pub fn parse_fraction(text: &str) -> Result<f64, ParseError> {
    let error = || ParseError::new("fraction", "1 %", text);
    let (number, divisor) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim_end(), 100.0),
        None => (text.trim(), 1.0),
    };
    let value = number.parse::<f64>().map_err(|_| error())? / divisor;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(error()) }
}

/// The notation of an integer quantity: its units as multiples of a base unit.
pub(crate) struct Quantity {
    pub name: &'static str,
    pub example: &'static str,
    /// Units it is printed in, from the base unit up: powers of ten.
    pub printed: &'static [(&'static str, u64)],
    /// Units it is read in besides.
    pub read: &'static [(&'static str, u64)],
}

/// Reads `number unit`, exactly: `0.1 ms` is 100 000 ns and not one nanosecond less.
pub(crate) fn parse_scaled(text: &str, quantity: &Quantity) -> Result<u64, ParseError> {
    let error = || ParseError::new(quantity.name, quantity.example, text);
    let (number, unit) = split_number(text.trim());
    let mut units = quantity.printed.iter().chain(quantity.read);
    let (_, scale) = units.find(|(name, _)| *name == unit).ok_or_else(error)?;
    scale_decimal(number, *scale).ok_or_else(error)
}

/// Prints the value in the largest unit of which it holds at least one.
pub(crate) fn print_scaled(f: &mut fmt::Formatter<'_>, value: u64, quantity: &Quantity) -> fmt::Result {
    let fits = |(_, scale): &&(&str, u64)| value >= *scale;
    let (unit, scale) = quantity.printed.iter().rfind(fits).unwrap_or(&quantity.printed[0]);
    let (whole, rest) = (value / scale, value % scale);
    if rest == 0 {
        return write!(f, "{whole} {unit}");
    }
    let digits = scale.ilog10() as usize;
    let fraction = format!("{rest:0digits$}");
    write!(f, "{whole}.{} {unit}", fraction.trim_end_matches('0'))
}

/// Splits `10 Mbit/s` or `10Mbit/s` into its number and its unit.
pub(crate) fn split_number(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let exponent = matches!(bytes[end], b'e' | b'E')
            && bytes.get(end + 1).is_some_and(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-'));
        match bytes[end] {
            b'0'..=b'9' | b'.' => end += 1,
            _ if exponent => end += 2,
            _ => break,
        }
    }
    (&text[..end], text[end..].trim_start())
}

/// `number * scale` when that is a whole number that fits, by decimal arithmetic.
fn scale_decimal(number: &str, scale: u64) -> Option<u64> {
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let digits: u128 = format!("0{whole}{fraction}").parse().ok()?;
    let power = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let scaled = digits.checked_mul(u128::from(scale))?;
    let ten = 10u128.checked_pow(power.unsigned_abs());
    let value = match (power >= 0, ten) {
        _ if scaled == 0 => 0,
        (true, Some(ten)) => scaled.checked_mul(ten)?,
        (false, Some(ten)) if scaled % ten == 0 => scaled / ten,
        _ => return None,
    };
    u64::try_from(value).ok()
}
