//! The length of coded blocks (EN 302 307-1, clause 5.3).

/// Size of the coded blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum FecFrameSpec {
    /// 64 800 bits.
    Normal,
    /// 16 200 bits.
    Short,
}

impl FecFrameSpec {
    /// Bits of the coded block.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Normal => 64_800,
            Self::Short => 16_200,
        }
    }
}
