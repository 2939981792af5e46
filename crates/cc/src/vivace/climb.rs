//! From a gradient to a step: confidence amplifier and dynamic change boundary (NSDI'18 section 5).

const MILLION: u64 = 1_000_000;
/// A difference of utilities beyond this asks for more than any boundary allows; it bounds products.
const MAX_DIFFERENCE: u64 = 1 << 40;
/// omega_0 and delta, in thousandths of the rate.
const BOUNDARY: u64 = 50;
const WIDENING: u64 = 100;
/// Gradients of one sign up to which the amplifier is their number.
const LINEAR: u64 = 3;

/// Where utility grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

/// The memory of the climb.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Climb {
    direction: Option<Direction>,
    /// tau: gradients in a row that pointed this way.
    steps: u64,
    /// k: how often the boundary has been widened.
    widenings: u64,
}

/// Two rates in bit/s and what they were worth in millionths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub low: u64,
    pub high: u64,
    pub low_utility: i64,
    pub high_utility: i64,
}

impl Climb {
    /// The rate that follows `rate` after a pair of intervals around it.
    pub fn next_rate(&mut self, rate: u64, pair: Pair) -> u64 {
        let direction = match pair.high_utility.cmp(&pair.low_utility) {
            std::cmp::Ordering::Greater => Direction::Up,
            std::cmp::Ordering::Less => Direction::Down,
            std::cmp::Ordering::Equal => {
                *self = Self::default();
                return rate;
            }
        };
        if self.direction != Some(direction) {
            *self = Self { direction: Some(direction), steps: 0, widenings: 0 };
        }
        self.steps += 1;
        let step = self.bounded(rate, gradient_step(pair).saturating_mul(amplifier(self.steps)));
        match direction {
            Direction::Up => rate + step,
            Direction::Down => rate.saturating_sub(step),
        }
    }

    /// At most omega(k) r, which widens each time that it binds and otherwise becomes as narrow as the step allows.
    fn bounded(&mut self, rate: u64, step: u64) -> u64 {
        let bound = boundary(rate, self.widenings);
        if step > bound {
            self.widenings += 1;
            return bound;
        }
        while self.widenings > 0 && step <= boundary(rate, self.widenings - 1) {
            self.widenings -= 1;
        }
        step
    }
}

/// theta |gamma| in bit/s, theta = 1 Mbit/s.
fn gradient_step(pair: Pair) -> u64 {
    let difference = pair.high_utility.abs_diff(pair.low_utility).min(MAX_DIFFERENCE);
    difference * MILLION / (pair.high - pair.low).max(1)
}

/// m(tau).
const fn amplifier(steps: u64) -> u64 {
    if steps <= LINEAR { steps } else { 2 * steps - LINEAR }
}

/// omega(k) r.
const fn boundary(rate: u64, widenings: u64) -> u64 {
    rate * (BOUNDARY + WIDENING * widenings) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u64 = 100_000_000;

    fn pair(gamma_millionths: i64) -> Pair {
        // 10 Mbit/s apart: the difference in utility is ten times the gradient.
        Pair { low: 95_000_000, high: 105_000_000, low_utility: 0, high_utility: 10 * gamma_millionths }
    }

    #[test]
    fn steps_grow_by_the_amplifier() {
        // A gradient of 0.2 per Mbit/s moves by 0.2, 0.4, 0.6, 1.0, 1.4 Mbit/s: m = 1, 2, 3, 5, 7.
        let mut climb = Climb::default();
        let steps = [(); 5].map(|()| climb.next_rate(RATE, pair(200_000)) - RATE);
        assert_eq!(steps, [200_000, 400_000, 600_000, 1_000_000, 1_400_000]);
    }

    #[test]
    fn a_steep_gradient_is_bounded_and_the_bound_widens() {
        let mut climb = Climb::default();
        let steps = [(); 3].map(|()| RATE - climb.next_rate(RATE, pair(-45_000_000)));
        assert_eq!(steps, [5_000_000, 15_000_000, 25_000_000]);
    }

    #[test]
    fn the_bound_narrows_to_what_a_smaller_step_needs() {
        let mut climb = Climb::default();
        for _ in 0..3 {
            climb.next_rate(RATE, pair(-45_000_000));
        }
        // m(4) = 5: 10 Mbit/s need the second boundary (15 %), so a steep step may be 15 % after it.
        assert_eq!(RATE - climb.next_rate(RATE, pair(-2_000_000)), 10_000_000);
        assert_eq!(RATE - climb.next_rate(RATE, pair(-45_000_000)), 15_000_000);
    }

    #[test]
    fn a_turn_starts_with_small_steps() {
        let mut climb = Climb::default();
        for _ in 0..5 {
            climb.next_rate(RATE, pair(-45_000_000));
        }
        assert_eq!(climb.next_rate(RATE, pair(200_000)) - RATE, 200_000);
        assert_eq!(RATE - climb.next_rate(RATE, pair(-45_000_000)), 5_000_000);
    }

    #[test]
    fn a_level_utility_moves_nothing_and_forgets() {
        let mut climb = Climb::default();
        for _ in 0..3 {
            climb.next_rate(RATE, pair(200_000));
        }
        assert_eq!(climb.next_rate(RATE, pair(0)), RATE);
        assert_eq!(climb.next_rate(RATE, pair(200_000)) - RATE, 200_000);
    }

    #[test]
    fn utilities_differ_by_2_to_the_40th_at_most() {
        // So that a million times the difference is less than 2^60.
        let pair = Pair { low: 0, high: 1 << 32, low_utility: i64::MIN / 2, high_utility: i64::MAX / 2 };
        assert_eq!(gradient_step(pair), (1_000_000_u64 << 40) >> 32);
    }
}
