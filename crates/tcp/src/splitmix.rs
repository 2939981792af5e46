//! SplitMix64's way to make of numbers that are alike some that are far apart (Steele, Lea, Flood 2014).

/// By which its state grows at each draw.
pub(crate) const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser (`mix64`): every bit moves every other.
pub(crate) const fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs for state 1234567 of the reference implementation (splitmix64.c, Vigna 2015).
    #[test]
    fn a_seed_draws_the_published_numbers() {
        let drawn = [1, 2, 3, 4, 5].map(|n: u64| mixed(GOLDEN_GAMMA.wrapping_mul(n).wrapping_add(1_234_567)));
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(drawn, published);
    }
}
