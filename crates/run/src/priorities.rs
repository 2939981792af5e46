//! What requests of multiplexed protocols say of their priorities, and what the origin makes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Priorities of a load's requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Priorities {
    /// Requests state none, and the origin knows none.
    #[default]
    Off,
    /// Requests state none, and the origin gives each the default: urgency 3, not incremental (RFC 9218 section 4).
    Unstated,
    /// Requests state them, and the origin heeds them.
    On,
}

impl Priorities {
    /// Whether the origin knows none.
    pub const fn is_off(&self) -> bool {
        matches!(self, Self::Off)
    }

    /// Whether requests state them.
    pub const fn are_stated(self) -> bool {
        matches!(self, Self::On)
    }
}
