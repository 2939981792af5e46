//! Which congestion controls there are as eBPF programs, and the parameters that each is loaded with.

use bentpipe_units::{Duration, Rate};

use crate::object::{self, Aligned};

/// A congestion control with its parameters, which cannot change once it is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Hybla (`docs/models/hybla.md`).
    Hybla {
        /// The round trip whose growth is copied, to the microsecond.
        rtt0: Duration,
        /// The largest exponent of slow start; at most 24.
        most_exponent: u32,
        /// The largest window in segments.
        most_segments: u32,
    },
    /// PCC Vivace (`docs/models/vivace.md`).
    Vivace {
        /// The first rate.
        start_rate: Rate,
    },
    /// The kernel's CUBIC with SEARCH in HyStart's place (`docs/models/slow_start.md`).
    CubicSearch {
        /// A window of bins, in hundredths of the initial round trip.
        window: u32,
        /// The normalised difference that ends slow start, in hundredths.
        threshold: u32,
        /// Packets that arrive for each that leaves while the queue drains; at least one.
        arrivals: u32,
    },
}

impl Control {
    /// Hybla as in `bentpipe-cc`, which has Linux's values.
    pub const HYBLA: Self =
        Self::Hybla { rtt0: Duration::from_millis(25), most_exponent: 16, most_segments: 65_535 };
    /// Vivace as in `bentpipe-cc`, which has PCC-Kernel's start rate.
    pub const VIVACE: Self = Self::Vivace { start_rate: Rate::from_bps(512 * 1024 * 8) };

    /// SEARCH as in `bentpipe-cc`, which has the draft's values and its authors' drain.
    pub const CUBIC_SEARCH: Self = Self::CubicSearch { window: 350, threshold: 26, arrivals: 3 };

    /// All, with their published parameters.
    pub(crate) const ALL: [Self; 3] = [Self::HYBLA, Self::VIVACE, Self::CUBIC_SEARCH];

    /// The name in the kernel, where names are host-wide: hence the prefix.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hybla { .. } => "bp_hybla",
            Self::Vivace { .. } => "bp_vivace",
            Self::CubicSearch { .. } => "bp_cubic_search",
        }
    }

    /// The control with its published parameters that has this name in the kernel.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|control| control.name() == name)
    }

    pub(crate) fn object(&self) -> Option<&'static [u8]> {
        let object: Option<&'static Aligned<[u8]>> = match self {
            Self::Hybla { .. } => object::HYBLA,
            Self::Vivace { .. } => object::VIVACE,
            Self::CubicSearch { .. } => object::CUBIC_SEARCH,
        };
        object.map(|aligned| &aligned.0)
    }

    /// The parameters as the program's structure has them: `struct hybla_values` and its like.
    pub(crate) fn values(&self) -> Vec<u8> {
        match *self {
            Self::Hybla { rtt0, most_exponent, most_segments } => {
                let rtt0_us = u32::try_from(rtt0.as_nanos() / 1_000).unwrap_or(u32::MAX);
                [rtt0_us, most_exponent, most_segments].into_iter().flat_map(u32::to_ne_bytes).collect()
            }
            Self::CubicSearch { window, threshold, arrivals } => {
                [window, threshold, arrivals].into_iter().flat_map(u32::to_ne_bytes).collect()
            }
            Self::Vivace { start_rate } => start_rate.as_bps().to_ne_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use bentpipe_cc::Algorithm;
    use bentpipe_cc::slow_start::SlowStartChoice;

    use super::*;

    #[test]
    fn the_kernel_knows_them_by_the_names_that_runs_ask_for() {
        let ways = [None, Some(SlowStartChoice::Search)];
        let loaded = ways
            .into_iter()
            .flat_map(|way| Algorithm::ALL.into_iter().filter_map(move |cc| cc.kernel_name_with(way)))
            .collect::<std::collections::BTreeSet<_>>();
        let loaded: Vec<_> = loaded.into_iter().filter(|name| name.starts_with("bp_")).collect();
        let mut names = Control::ALL.map(|control| control.name());
        names.sort_unstable();
        assert_eq!(loaded, names);
    }
}
