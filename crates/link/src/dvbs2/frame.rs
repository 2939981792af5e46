//! Bits and symbols of a PLFRAME, from its data field to its pilots (EN 302 307-1, clauses 5.1.6 and 5.5).

use bentpipe_units::{Bytes, Decibel};

use super::{FecFrameSpec, Modcod};

/// BBHEADER (clause 5.1.6).
const BBHEADER_BITS: u32 = 80;
/// PLHEADER: start of frame and PLS code (clause 5.5.2).
const PLHEADER_SYMBOLS: u32 = 90;
/// Symbols of a slot (clause 5.5).
const SLOT_SYMBOLS: u32 = 90;
/// A pilot block follows every 16 slots, unless the frame ends there (clause 5.5.3).
const SLOTS_PER_PILOT_BLOCK: u32 = 16;
const PILOT_BLOCK_SYMBOLS: u32 = 36;
/// Slots of a dummy PLFRAME (clause 5.5.1), which has no pilots.
const DUMMY_SLOTS: u32 = 36;
/// More Es/N0 for short FECFRAMEs: the upper end of "0,2 dB to 0,3 dB" (clause 6).
const SHORT_DEGRADATION_DB: f64 = 0.3;

/// Symbols of a dummy PLFRAME, which is sent when there is nothing else to send.
pub(super) const DUMMY_SYMBOLS: u64 = (PLHEADER_SYMBOLS + DUMMY_SLOTS * SLOT_SYMBOLS) as u64;

/// Known symbols that help a receiver to keep track of the carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PilotsSpec {
    /// None.
    Off,
    /// 36 after every 16 slots.
    On,
}

/// What a carrier sends when no frame is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum IdleSpec {
    /// Nothing: the next frame starts when it is due.
    Silence,
    /// Dummy frames: the next frame starts when the dummy in progress has ended.
    DummyFrames,
}

/// What fixes the length of a PLFRAME, and what it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlFrame {
    modcod: Modcod,
    fecframe: FecFrameSpec,
    pilots: PilotsSpec,
    bbframe_bits: u32,
}

impl PlFrame {
    /// None for a code rate of 9/10 on short FECFRAMEs, which does not exist.
    pub const fn new(modcod: Modcod, fecframe: FecFrameSpec, pilots: PilotsSpec) -> Option<Self> {
        match modcod.code_rate().bbframe_bits(fecframe) {
            Some(bbframe_bits) => Some(Self { modcod, fecframe, pilots, bbframe_bits }),
            None => None,
        }
    }

    /// The MODCOD.
    pub const fn modcod(self) -> Modcod {
        self.modcod
    }

    /// Length on air, header and pilots included.
    pub const fn symbols(self) -> u32 {
        let payload = self.fecframe.bits() / self.modcod.modulation().bits_per_symbol();
        let slots = payload / SLOT_SYMBOLS;
        let pilots = match self.pilots {
            PilotsSpec::Off => 0,
            PilotsSpec::On => (slots - 1) / SLOTS_PER_PILOT_BLOCK * PILOT_BLOCK_SYMBOLS,
        };
        PLHEADER_SYMBOLS + payload + pilots
    }

    /// The data field of the BBFRAME: room for GSE or TS packets.
    pub const fn data_field(self) -> Bytes {
        Bytes::new(self.data_field_bytes() as u64)
    }

    /// Bits of the data field per symbol on air: the spectral efficiency of Table 13.
    pub fn spectral_efficiency(self) -> f64 {
        f64::from(self.data_field_bits()) / f64::from(self.symbols())
    }

    /// Es/N0 at which reception is quasi-error-free.
    pub fn threshold(self) -> Decibel {
        match self.fecframe {
            FecFrameSpec::Normal => self.modcod.es_n0(),
            FecFrameSpec::Short => Decibel::new(self.modcod.es_n0().get() + SHORT_DEGRADATION_DB),
        }
    }

    /// Every K_bch is a whole number of bytes.
    pub(super) const fn data_field_bytes(self) -> u32 {
        self.data_field_bits() / 8
    }

    const fn data_field_bits(self) -> u32 {
        self.bbframe_bits - BBHEADER_BITS
    }
}
