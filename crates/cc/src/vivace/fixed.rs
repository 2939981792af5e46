//! Logarithm and power in fixed point: whole numbers with 24 binary places, the same on every machine.

/// Binary places.
pub(super) const PLACES: u32 = 24;
/// 0.1 log2(10^6), truncated.
const MICRO: u64 = 33_439_623;
/// 2^(2^-n) in 2^-30, n from 1 to 24.
const ROOTS: [u64; PLACES as usize] = [
    1_518_500_250,
    1_276_901_417,
    1_170_923_762,
    1_121_280_436,
    1_097_253_708,
    1_085_434_106,
    1_079_572_136,
    1_076_653_033,
    1_075_196_443,
    1_074_468_888,
    1_074_105_294,
    1_073_923_544,
    1_073_832_680,
    1_073_787_251,
    1_073_764_537,
    1_073_753_181,
    1_073_747_502,
    1_073_744_663,
    1_073_743_244,
    1_073_742_534,
    1_073_742_179,
    1_073_742_001,
    1_073_741_913,
    1_073_741_868,
];

/// log2 of a positive number: the square of a number in [1, 2) reaches 2 exactly when its next binary place is 1.
pub(super) const fn log2(x: u64) -> u64 {
    let exponent = 63 - x.leading_zeros();
    let mut mantissa = if exponent > 31 { x >> (exponent - 31) } else { x << (31 - exponent) };
    let mut log = exponent as u64;
    let mut place = 0;
    while place < PLACES {
        mantissa = (mantissa * mantissa) >> 31;
        log <<= 1;
        if mantissa >= 1 << 32 {
            mantissa >>= 1;
            log += 1;
        }
        place += 1;
    }
    log
}

/// 2 to a power below 2^34, rounded down.
pub(super) const fn exp2(power: u64) -> u64 {
    let exponent = (power >> PLACES) as u32;
    let mut root = 1 << 30;
    let mut place = 0;
    while place < PLACES {
        if power & (1 << (PLACES - 1 - place)) != 0 {
            root = (root * ROOTS[place as usize]) >> 30;
        }
        place += 1;
    }
    if exponent > 30 { root << (exponent - 30) } else { root >> (30 - exponent) }
}

/// (x / 10^6)^0.9 in millionths.
pub(super) const fn power_of_millionths(x: u64) -> u64 {
    if x == 0 { 0 } else { exp2(log2(x) * 9 / 10 + MICRO) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_is_exact_to_a_millionth() {
        // Forty decimal places by Python's decimal module, truncated.
        let expected = [
            (1_000_u64, 1_995_u64),
            (4_194_304_u64, 3_634_075_u64),
            (10_000_000_u64, 7_943_282_u64),
            (144_000_000_u64, 87_604_465_u64),
            (999_999_999_u64, 501_187_233_u64),
            (60_000_000_000_u64, 19_968_071_603_u64),
        ];
        for (x, expected) in expected {
            let error = power_of_millionths(x).abs_diff(expected);
            assert!(error <= 1 + expected / 1_000_000, "{x}: off by {error} of {expected}");
        }
    }

    #[test]
    fn the_power_never_falls() {
        let mut last = 0;
        for x in (0..2_000_000_u64).map(|n| n * 997) {
            let power = power_of_millionths(x);
            assert!(power >= last, "{x}");
            last = power;
        }
    }
}
