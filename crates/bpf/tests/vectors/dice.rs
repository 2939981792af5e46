//! Numbers for test vectors that are the same on every machine.

use rand_core::Rng;
use rand_pcg::Pcg64Dxsm;

/// Random numbers of one sequence.
pub struct Dice(Pcg64Dxsm);

impl Dice {
    pub fn new(sequence: u64) -> Self {
        Self(Pcg64Dxsm::new(u128::from(sequence), 0))
    }

    /// From `least` to `most`, both included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.0.next_u64() % (most - least + 1)
    }

    /// As [`between`](Self::between), each order of magnitude as likely as the next.
    pub fn magnitude(&mut self, least: u64, most: u64) -> u64 {
        let bits = self.between(u64::from(least.max(1).ilog2()), u64::from(most.ilog2()));
        self.between(1 << bits, (2 << bits) - 1).clamp(least, most)
    }

    /// True `part` times in `whole`.
    pub fn chance(&mut self, part: u64, whole: u64) -> bool {
        self.between(1, whole) <= part
    }
}
