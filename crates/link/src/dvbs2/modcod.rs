//! The 28 MODCODs with the Es/N0 that each needs (EN 302 307-1, Tables 12 and 13).

use std::fmt;

use bentpipe_units::Decibel;

use super::FecFrameSpec;

/// A modulation with a code rate: one of the 28 combinations of EN 302 307-1, Table 12.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Modcod(u8);

/// A constellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// Two bits a symbol.
    Qpsk,
    /// Three bits a symbol.
    Psk8,
    /// Four bits a symbol.
    Apsk16,
    /// Five bits a symbol.
    Apsk32,
}

/// The nominal rate of the LDPC code; that of a short FECFRAME is somewhat lower for some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "a name is its fraction")]
pub enum CodeRate {
    R1_4,
    R1_3,
    R2_5,
    R1_2,
    R3_5,
    R2_3,
    R3_4,
    R4_5,
    R5_6,
    R8_9,
    R9_10,
}

/// Numbers 1 to 28 of Table 12, with the ideal Es/N0 in dB of Table 13: quasi-error-free, that is a packet error ratio
/// of 1e-7, over AWGN with normal FECFRAMEs, 50 decoder iterations and perfect synchronization.
const TABLE: [(Modulation, CodeRate, f64); 28] = {
    use CodeRate::*;
    use Modulation::*;
    [
        (Qpsk, R1_4, -2.35),
        (Qpsk, R1_3, -1.24),
        (Qpsk, R2_5, -0.30),
        (Qpsk, R1_2, 1.00),
        (Qpsk, R3_5, 2.23),
        (Qpsk, R2_3, 3.10),
        (Qpsk, R3_4, 4.03),
        (Qpsk, R4_5, 4.68),
        (Qpsk, R5_6, 5.18),
        (Qpsk, R8_9, 6.20),
        (Qpsk, R9_10, 6.42),
        (Psk8, R3_5, 5.50),
        (Psk8, R2_3, 6.62),
        (Psk8, R3_4, 7.91),
        (Psk8, R5_6, 9.35),
        (Psk8, R8_9, 10.69),
        (Psk8, R9_10, 10.98),
        (Apsk16, R2_3, 8.97),
        (Apsk16, R3_4, 10.21),
        (Apsk16, R4_5, 11.03),
        (Apsk16, R5_6, 11.61),
        (Apsk16, R8_9, 12.89),
        (Apsk16, R9_10, 13.13),
        (Apsk32, R3_4, 12.73),
        (Apsk32, R4_5, 13.64),
        (Apsk32, R5_6, 14.28),
        (Apsk32, R8_9, 15.69),
        (Apsk32, R9_10, 16.05),
    ]
};

impl Modcod {
    /// The MODCOD of a number from 1 to 28.
    pub const fn new(number: u8) -> Option<Self> {
        if 1 <= number && number <= 28 { Some(Self(number)) } else { None }
    }

    /// The MODCOD of a name such as `8PSK 3/4`.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|modcod| modcod.to_string() == name)
    }

    /// All of them, in the order of their numbers; that is not quite the order of their efficiencies.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=28).map(Self)
    }

    /// The number that the PLHEADER carries; 0 would be a dummy PLFRAME.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The constellation.
    pub const fn modulation(self) -> Modulation {
        self.entry().0
    }

    /// The code rate.
    pub const fn code_rate(self) -> CodeRate {
        self.entry().1
    }

    /// Ideal Es/N0 of Table 13.
    pub const fn es_n0(self) -> Decibel {
        Decibel::new(self.entry().2)
    }

    const fn entry(self) -> &'static (Modulation, CodeRate, f64) {
        &TABLE[self.0 as usize - 1]
    }
}

impl Modulation {
    /// eta_MOD: bits that a symbol carries.
    pub const fn bits_per_symbol(self) -> u32 {
        match self {
            Self::Qpsk => 2,
            Self::Psk8 => 3,
            Self::Apsk16 => 4,
            Self::Apsk32 => 5,
        }
    }
}

impl CodeRate {
    /// K_bch: bits of a BBFRAME, by Tables 5a and 5b. None where the standard has no such code.
    pub const fn bbframe_bits(self, fecframe: FecFrameSpec) -> Option<u32> {
        let (normal, short) = match self {
            Self::R1_4 => (16_008, Some(3_072)),
            Self::R1_3 => (21_408, Some(5_232)),
            Self::R2_5 => (25_728, Some(6_312)),
            Self::R1_2 => (32_208, Some(7_032)),
            Self::R3_5 => (38_688, Some(9_552)),
            Self::R2_3 => (43_040, Some(10_632)),
            Self::R3_4 => (48_408, Some(11_712)),
            Self::R4_5 => (51_648, Some(12_432)),
            Self::R5_6 => (53_840, Some(13_152)),
            Self::R8_9 => (57_472, Some(14_232)),
            Self::R9_10 => (58_192, None),
        };
        match fecframe {
            FecFrameSpec::Normal => Some(normal),
            FecFrameSpec::Short => short,
        }
    }
}

impl fmt::Display for Modcod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.modulation(), self.code_rate())
    }
}

impl fmt::Debug for Modcod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Modulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Qpsk => "QPSK",
            Self::Psk8 => "8PSK",
            Self::Apsk16 => "16APSK",
            Self::Apsk32 => "32APSK",
        })
    }
}

impl fmt::Display for CodeRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::R1_4 => "1/4",
            Self::R1_3 => "1/3",
            Self::R2_5 => "2/5",
            Self::R1_2 => "1/2",
            Self::R3_5 => "3/5",
            Self::R2_3 => "2/3",
            Self::R3_4 => "3/4",
            Self::R4_5 => "4/5",
            Self::R5_6 => "5/6",
            Self::R8_9 => "8/9",
            Self::R9_10 => "9/10",
        })
    }
}
