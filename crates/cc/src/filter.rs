//! The maximum of a value over the last rounds.

use std::collections::VecDeque;

/// Holds the candidates for the maximum: each later and smaller than the one before.
#[derive(Clone, Debug)]
pub(crate) struct MaxFilter<T> {
    rounds: u64,
    candidates: VecDeque<(u64, T)>,
}

impl<T: Copy + Default + PartialOrd> MaxFilter<T> {
    /// Remembers a value for `rounds` rounds after its own.
    pub fn new(rounds: u64) -> Self {
        Self { rounds, candidates: VecDeque::new() }
    }

    pub fn update(&mut self, round: u64, value: T) {
        while self.candidates.back().is_some_and(|(_, last)| *last <= value) {
            self.candidates.pop_back();
        }
        self.candidates.push_back((round, value));
        while self.candidates.front().is_some_and(|(first, _)| round - first > self.rounds) {
            self.candidates.pop_front();
        }
    }

    /// The maximum, or the zero of the type before the first value.
    pub fn max(&self) -> T {
        self.candidates.front().map(|(_, value)| *value).unwrap_or_default()
    }
}
