//! The maximum of a value over the last rounds (K. Nichols' algorithm; `minmax_running_max`).

/// Three values: the largest, and the largest after each. For a while after the largest has expired it may be below the
/// maximum.
#[derive(Clone, Debug)]
pub(crate) struct MaxFilter<T> {
    rounds: u64,
    best: [(u64, T); 3],
}

impl<T: Copy + Default + PartialOrd> MaxFilter<T> {
    /// Remembers a value for `rounds` rounds after its own.
    pub fn new(rounds: u64) -> Self {
        Self { rounds, best: [(0, T::default()); 3] }
    }

    pub fn update(&mut self, round: u64, value: T) {
        let new = (round, value);
        let [first, second, third] = &mut self.best;
        if value >= first.1 || round - third.0 > self.rounds {
            self.best = [new; 3];
            return;
        }
        if value >= second.1 {
            (*second, *third) = (new, new);
        } else if value >= third.1 {
            *third = new;
        }
        self.expire(new);
    }

    /// What has expired makes room, and later parts of the window get values of their own (`minmax_subwin_update`).
    fn expire(&mut self, new: (u64, T)) {
        let [first, second, third] = self.best;
        let age = new.0 - first.0;
        if age > self.rounds {
            self.best = [second, third, new];
            if new.0 - second.0 > self.rounds {
                self.best = [third, new, new];
            }
        } else if second.0 == first.0 && age > self.rounds / 4 {
            self.best = [first, new, new];
        } else if third.0 == second.0 && age > self.rounds / 2 {
            self.best = [first, second, new];
        }
    }

    /// The largest value, or the zero of the type before the first.
    pub fn max(&self) -> T {
        self.best[0].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_came_soon_after_a_larger_one_is_forgotten() {
        // By hand after lib/win_minmax.c, over ten rounds. 90 comes too early for a second place, which 40 takes after a
        // quarter of the window; 30 is third after half of it; 50 takes the place of both, and the first when 100 expires.
        let mut filter = MaxFilter::new(10);
        let mut seen = Vec::new();
        for (round, value) in [(0, 100), (1, 90), (3, 40), (6, 30), (7, 50), (10, 20), (11, 20)] {
            filter.update(round, value);
            seen.push(filter.max());
        }
        assert_eq!(seen[5..], [100, 50]);
    }

    #[test]
    fn nothing_is_kept_for_longer_than_the_window() {
        let mut filter = MaxFilter::new(10);
        filter.update(0, 100);
        filter.update(20, 1);
        assert_eq!(filter.max(), 1);
    }
}
