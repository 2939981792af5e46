//! Random streams: one per component, each derived from the run's seed and the component's name.

use crate::Direction;
use rand_core::Rng;
use rand_pcg::Pcg64Dxsm;

/// Of what the components of one direction draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed {
    /// The run's.
    pub(crate) run: u64,
    pub(crate) direction: Direction,
}

impl Seed {
    pub(crate) fn stream(self, component: &str) -> Stream {
        Stream::new(self.run, self.direction, component)
    }

    /// The stream of the nth of something in this direction.
    pub(crate) fn numbered_stream(self, component: &str, number: u64) -> Stream {
        Stream::named(&["link.", self.direction.name(), ".", component], &[self.run, number])
    }

    /// The stream of the nth of something that both directions share.
    pub(crate) fn shared_stream(self, component: &str, number: u64) -> Stream {
        Stream::named(&["link.", component], &[self.run, number])
    }
}

/// The random stream of one component of one direction.
pub(crate) struct Stream(Pcg64Dxsm);

impl Stream {
    /// The stream named `link.{direction}.{component}` under `seed`.
    pub(crate) fn new(seed: u64, direction: Direction, component: &str) -> Self {
        Self::named(&["link.", direction.name(), ".", component], &[seed])
    }

    fn named(name: &[&str], numbers: &[u64]) -> Self {
        let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
        let bytes = name.iter().flat_map(|part| part.bytes()).chain(numbers);
        let mut words = SplitMix64(fnv1a(bytes));
        let state = words.next_u128();
        let stream = words.next_u128();
        Self(Pcg64Dxsm::new(state, stream))
    }

    /// Uniform on [0, 1): the 53 bits that an f64 can hold.
    pub(crate) fn uniform(&mut self) -> f64 {
        const ULP: f64 = 1.0 / (1u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 * ULP
    }

    /// Standard normal (Box and Muller 1958), always from two uniforms, so that draws stay aligned.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }
}

/// Fowler, Noll, Vo: the 64-bit FNV-1a hash.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// Steele, Lea, Flood 2014: spreads one word over the generator's state.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn next_u128(&mut self) -> u128 {
        u128::from(self.next_u64()) << 64 | u128::from(self.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv1a_gives_the_published_values() {
        // Test vectors of draft-eastlake-fnv, appendix C.
        assert_eq!(fnv1a("".bytes()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a".bytes()), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar".bytes()), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn splitmix64_gives_the_published_values() {
        // First outputs for state 1234567 of the reference implementation (splitmix64.c, Vigna 2015).
        let mut words = SplitMix64(1_234_567);
        assert_eq!(words.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(words.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn each_seed_direction_and_component_has_a_stream_of_its_own() {
        let first = |seed, direction, component| Stream::new(seed, direction, component).uniform();
        let base = first(1, Direction::Forward, "loss");
        assert_eq!(base, first(1, Direction::Forward, "loss"));
        assert_ne!(base, first(2, Direction::Forward, "loss"));
        assert_ne!(base, first(1, Direction::Return, "loss"));
        assert_ne!(base, first(1, Direction::Forward, "propagation"));
    }

    #[test]
    fn normal_draws_have_mean_zero_and_variance_one() {
        let mut stream = Stream::new(7, Direction::Forward, "test");
        let n = 200_000;
        let draws: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let variance = draws.iter().map(|z| z * z).sum::<f64>() / f64::from(n);
        // Standard errors: 1/sqrt(n) of the mean, sqrt(2/n) of the second moment; five of them each.
        assert!(mean.abs() < 5.0 / f64::from(n).sqrt(), "mean {mean}");
        assert!((variance - 1.0).abs() < 5.0 * (2.0 / f64::from(n)).sqrt(), "variance {variance}");
    }
}
