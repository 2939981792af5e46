//! The order in which requests for volume are served.

/// Which request for volume is served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum VolumeOrderSpec {
    /// The one that waits longest.
    OldestFirst,
    /// The one for most.
    LargestFirst,
}
