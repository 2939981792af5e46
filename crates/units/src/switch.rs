//! Settings that are on or off.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A setting that is in use or is not. One that a spec does not name is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// Not in use.
    #[default]
    Off,
    /// In use.
    On,
}

impl Switch {
    /// Whether it is in use.
    pub const fn is_on(self) -> bool {
        matches!(self, Self::On)
    }

    /// Whether it is not.
    pub const fn is_off(&self) -> bool {
        !self.is_on()
    }
}
