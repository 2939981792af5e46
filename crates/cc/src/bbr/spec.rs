//! What a scenario may choose of version 1.

use bentpipe_units::Switch;

/// Settings of BBR version 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct BbrSpec {
    /// Whether the window has room for what is acknowledged at once beyond what the bandwidth explains
    /// (`bbr_update_ack_aggregation`, Linux since 5.1).
    pub extra_acked: Switch,
}

impl BbrSpec {
    /// As today's Linux has it.
    pub const LINUX: Self = Self { extra_acked: Switch::On };
}
