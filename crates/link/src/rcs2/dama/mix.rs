//! What one class of a terminal may have: any mix of the capacity categories of EN 301 545-2.

use super::SlotRate;
use crate::SlotRateSpec;

/// Capacity of a class, in any mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct MixSpec {
    /// Constant rate assignment (CRA).
    pub cra: SlotRateSpec,
    /// Rate-based dynamic capacity (RBDC).
    pub rbdc: Option<RbdcSpec>,
    /// Volume-based dynamic capacity (VBDC or AVBDC).
    pub volume: Option<VolumeSpec>,
    /// Free capacity assignment (FCA).
    pub free: FreeSpec,
}

/// Rate-based dynamic capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RbdcSpec {
    /// Most that is given on top of the constant rate.
    pub max: SlotRateSpec,
    /// Superframes for which a request counts when no other replaces it.
    pub timeout_superframes: u32,
}

/// Volume-based dynamic capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct VolumeSpec {
    /// What a request does to those before it.
    pub kind: VolumeKindSpec,
    /// Most slots of one superframe.
    pub max_slots: u32,
}

/// What a request for volume does to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum VolumeKindSpec {
    /// It adds to them.
    Vbdc,
    /// It replaces them.
    Avbdc,
}

/// Whether a class shares what nobody asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum FreeSpec {
    /// It does not.
    None,
    /// It does.
    Fca,
}

/// What one class of a terminal may have, in any mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Constant rate assignment: given in each superframe, never asked for.
    pub cra: SlotRate,
    /// Rate-based dynamic capacity, on top of the constant rate.
    pub rbdc: Option<RateCapacity>,
    /// Volume-based dynamic capacity.
    pub volume: Option<VolumeSpec>,
    /// Whether it shares what nobody asked for (free capacity assignment).
    pub free: bool,
}

/// Rate-based dynamic capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateCapacity {
    /// Most that is given, whatever is asked.
    pub max: SlotRate,
    /// Superframes for which a request counts when no other replaces it.
    pub timeout: u32,
}

impl Mix {
    /// A constant rate and nothing else.
    pub const fn constant(cra: SlotRate) -> Self {
        Self { cra, rbdc: None, volume: None, free: false }
    }

    /// Most slots that it is ever given in a superframe, of which there are `columns` for one terminal.
    pub fn most_slots(&self, columns: u32) -> SlotRate {
        let all = SlotRate::slots(columns);
        if self.free {
            return all;
        }
        let volume = self.volume.map_or(0, |volume| volume.max_slots);
        self.most().plus(SlotRate::slots(volume)).min(all)
    }

    /// Whether each of the classes of one terminal is given something sooner or later: when it asks, or since slots
    /// that come unasked serve all classes.
    pub(super) fn serve_all(classes: &[Self]) -> bool {
        let comes_unasked = |mix: &Self| !mix.cra.is_zero() || mix.free;
        classes.iter().any(comes_unasked) || classes.iter().all(Self::asks)
    }

    /// Whether it is given what it asks for.
    pub(super) fn asks(&self) -> bool {
        self.rbdc.is_some_and(|rbdc| !rbdc.max.is_zero())
            || self.volume.is_some_and(|volume| volume.max_slots > 0)
    }

    /// Most slots that are ever due in a superframe for rates.
    pub(super) fn most(&self) -> SlotRate {
        self.rbdc.map_or(self.cra, |rbdc| self.cra.plus(rbdc.max))
    }
}
