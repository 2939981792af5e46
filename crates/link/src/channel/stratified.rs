//! Stratified sampling: strata drawn without replacement, so that a long run has each as often as it should.

use crate::random::Stream;

/// Draws each stratum once before it draws any again, in an order of its own every time.
pub(crate) struct StratifiedSampler {
    strata: Vec<u32>,
    drawn: usize,
}

impl StratifiedSampler {
    /// Strata 0 to `size` - 1, at least one.
    pub(crate) fn new(size: u32) -> Self {
        assert!(size > 0, "there are strata");
        Self { strata: (0..size).collect(), drawn: 0 }
    }

    /// The next stratum, by one draw from `stream`: one step of the shuffle of Fisher and Yates (Knuth, The Art of
    /// Computer Programming, algorithm 3.4.2 P).
    pub(crate) fn draw(&mut self, stream: &mut Stream) -> u32 {
        self.drawn %= self.strata.len();
        let left = self.strata.len() - self.drawn;
        let chosen = self.drawn + (stream.uniform() * left as f64) as usize;
        self.strata.swap(self.drawn, chosen);
        self.drawn += 1;
        self.strata[self.drawn - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;

    fn draw(sampler: &mut StratifiedSampler, stream: &mut Stream, times: usize) -> Vec<u32> {
        (0..times).map(|_| sampler.draw(stream)).collect()
    }

    #[test]
    fn each_stratum_comes_once_in_a_round_and_rounds_differ() {
        let (mut sampler, mut stream) =
            (StratifiedSampler::new(100), Stream::new(1, Direction::Forward, "test"));
        let rounds = [(); 2].map(|()| draw(&mut sampler, &mut stream, 100));
        assert_ne!(rounds[0], rounds[1]);
        for mut strata in rounds {
            strata.sort_unstable();
            assert_eq!(strata, (0..100).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn every_order_is_as_likely_as_every_other() {
        let (mut sampler, mut stream) =
            (StratifiedSampler::new(3), Stream::new(2, Direction::Forward, "test"));
        let mut seen = std::collections::BTreeMap::new();
        let rounds = 60_000;
        for _ in 0..rounds {
            *seen.entry(draw(&mut sampler, &mut stream, 3)).or_insert(0) += 1;
        }
        // Binomial with p = 1/6: five standard deviations are 456.
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|times: &i32| (times - rounds / 6).abs() < 456), "{seen:?}");
    }
}
