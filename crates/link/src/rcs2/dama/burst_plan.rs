//! Where in the superframe a terminal's slots are: the cells of the burst time plan (TBTP2 of EN 301 545-2).

/// Where in the superframe the slots of one terminal are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PlacementSpec {
    /// One after the other.
    Contiguous,
    /// Spread over the superframe about evenly.
    Spread,
}
/// Which columns of the superframe a terminal gets, of all carriers (the TBTP2's second half).
///
/// A terminal sends on one carrier at a time. Terminals are laid one after the other over the cells of the carriers,
/// each carrier filled before the next: one that goes over the edge starts the next carrier, at columns that it has
/// not used, as long as it has no more slots than a carrier (the wrap-around rule of McNaughton 1959).
#[derive(Clone, Debug)]
pub(super) struct BurstPlan {
    columns: u32,
    stride: u32,
}

impl BurstPlan {
    pub(super) fn new(columns: u32, placement: PlacementSpec) -> Self {
        let stride = match placement {
            PlacementSpec::Contiguous => 1,
            PlacementSpec::Spread => spreading_stride(columns),
        };
        Self { columns, stride }
    }

    /// The columns of a terminal with `slots` cells after the first `before`, in the order of time.
    pub(super) fn place(&self, before: u64, slots: u32, columns: &mut Vec<u32>) {
        let cells = before..before + u64::from(slots);
        columns.clear();
        // Exchanging whole columns keeps those of one terminal apart.
        columns.extend(cells.map(|cell| (cell * u64::from(self.stride) % u64::from(self.columns)) as u32));
        columns.sort_unstable();
    }
}

/// The longest wait for the next of `slots` of a terminal that is alone, from the start of one slot to that of the next,
/// in columns; without slots there is none.
pub(crate) fn longest_gap(columns: u32, placement: PlacementSpec, slots: u32) -> Option<u32> {
    let mut placed = Vec::new();
    BurstPlan::new(columns, placement).place(0, slots, &mut placed);
    let around = columns + *placed.first()?;
    placed.push(around);
    placed.windows(2).map(|pair| pair[1] - pair[0]).max()
}

/// The first number from columns/phi up that has no divisor in common with them: its multiples fall into the largest
/// gaps (the three-distance theorem), whatever number of them is taken.
fn spreading_stride(columns: u32) -> u32 {
    const INVERSE_GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
    let nearest = (f64::from(columns) * INVERSE_GOLDEN_RATIO).round() as u32;
    (nearest.max(1)..=columns).find(|&stride| coprime(stride, columns)).unwrap_or(1)
}

fn coprime(mut a: u32, mut b: u32) -> bool {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn placed(plan: &BurstPlan, before: u64, slots: u32) -> Vec<u32> {
        let mut columns = Vec::new();
        plan.place(before, slots, &mut columns);
        columns
    }

    #[test]
    fn the_stride_of_a_fibonacci_number_is_the_one_before() {
        // The quotients of neighbours approach phi, and neighbours have no divisor in common.
        for pair in [8, 13, 21, 34, 55, 89, 144].windows(2) {
            assert_eq!(spreading_stride(pair[1]), pair[0]);
        }
    }

    #[test]
    fn half_of_the_slots_spread_leave_no_gap_longer_than_three_slots() {
        let columns = placed(&BurstPlan::new(228, PlacementSpec::Spread), 0, 114);
        assert!(columns.windows(2).all(|pair| pair[1] - pair[0] <= 3), "{columns:?}");
    }

    proptest! {
        #[test]
        fn a_terminal_never_sends_two_bursts_at_once(
            columns in 1..500u32, spread: bool, before in 0..5_000u64, share in 0.0..=1.0f64,
        ) {
            let placement = if spread { PlacementSpec::Spread } else { PlacementSpec::Contiguous };
            let slots = (f64::from(columns) * share) as u32;
            let mut own = placed(&BurstPlan::new(columns, placement), before, slots);
            own.dedup();
            prop_assert_eq!(own.len(), slots as usize);
            prop_assert!(own.iter().all(|column| *column < columns));
        }

        #[test]
        fn no_cell_is_given_twice(
            columns in 1..100u32, carriers in 1..4u32, spread: bool, shares in prop::collection::vec(0..100u32, 1..20),
        ) {
            let placement = if spread { PlacementSpec::Spread } else { PlacementSpec::Contiguous };
            let plan = BurstPlan::new(columns, placement);
            let mut users = vec![0; columns as usize];
            let (mut before, cells) = (0, u64::from(columns * carriers));
            for share in shares {
                let slots = u64::from(share.min(columns)).min(cells - before);
                for column in placed(&plan, before, slots as u32) {
                    users[column as usize] += 1;
                }
                before += slots;
            }
            prop_assert!(users.iter().all(|users| *users <= carriers));
        }
    }
}
