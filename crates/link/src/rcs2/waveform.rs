//! The linear-modulation waveforms of EN 301 545-2, Annex A, Table A-1: symbols, bits and threshold of each.

use bentpipe_units::{Bytes, Decibel};

/// A linear-modulation waveform of EN 301 545-2, Annex A, Table A-1: one of ids 3 to 22.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waveform {
    id: u8,
    modulation: Modulation,
    code_rate: (u8, u8),
    payload_bytes: u16,
    length: BurstLength,
    threshold_db: f64,
}

/// How many symbols a burst has, from the first of its preamble to the last of its postamble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstLength {
    /// 536 symbols: ids 3 to 12.
    Short,
    /// 1616 symbols: ids 13 to 22.
    Long,
}

/// What one symbol says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// Two bits.
    Qpsk,
    /// Three bits.
    Psk8,
    /// Four bits.
    Qam16,
}

impl BurstLength {
    /// Symbols of the burst, guard time not included.
    pub const fn symbols(self) -> u32 {
        match self {
            Self::Short => 536,
            Self::Long => 1616,
        }
    }
}

impl Modulation {
    /// Coded bits of one symbol.
    pub const fn bits_per_symbol(self) -> u32 {
        match self {
            Self::Qpsk => 2,
            Self::Psk8 => 3,
            Self::Qam16 => 4,
        }
    }
}

impl Waveform {
    /// All of them, in the order of their ids, which within a length is the order of efficiency.
    pub const ALL: [Self; 20] = {
        use BurstLength::{Long, Short};
        use Modulation::{Psk8, Qam16, Qpsk};
        // Payload: the information block of the turbo code. Threshold: Es/N0 at a burst error rate of 1e-5.
        [
            row(3, Qpsk, (1, 3), 38, Short, 0.22),
            row(4, Qpsk, (1, 2), 59, Short, 2.34),
            row(5, Qpsk, (2, 3), 85, Short, 4.29),
            row(6, Qpsk, (3, 4), 96, Short, 5.36),
            row(7, Qpsk, (5, 6), 108, Short, 6.68),
            row(8, Psk8, (2, 3), 115, Short, 8.08),
            row(9, Psk8, (3, 4), 130, Short, 9.31),
            row(10, Psk8, (5, 6), 144, Short, 10.82),
            row(11, Qam16, (3, 4), 175, Short, 11.17),
            row(12, Qam16, (5, 6), 194, Short, 12.56),
            row(13, Qpsk, (1, 3), 123, Long, -0.51),
            row(14, Qpsk, (1, 2), 188, Long, 1.71),
            row(15, Qpsk, (2, 3), 264, Long, 3.69),
            row(16, Qpsk, (3, 4), 298, Long, 4.73),
            row(17, Qpsk, (5, 6), 333, Long, 5.94),
            row(18, Psk8, (2, 3), 355, Long, 7.49),
            row(19, Psk8, (3, 4), 400, Long, 8.77),
            row(20, Psk8, (5, 6), 444, Long, 10.23),
            row(21, Qam16, (3, 4), 539, Long, 10.72),
            row(22, Qam16, (5, 6), 599, Long, 12.04),
        ]
    };

    /// The waveform with this id.
    pub fn by_id(id: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|waveform| waveform.id == id)
    }

    /// Number in Table A-1.
    pub const fn id(self) -> u8 {
        self.id
    }

    /// Modulation of the payload.
    pub const fn modulation(self) -> Modulation {
        self.modulation
    }

    /// Code rate as a fraction.
    pub const fn code_rate(self) -> (u8, u8) {
        self.code_rate
    }

    /// Length of the burst.
    pub const fn length(self) -> BurstLength {
        self.length
    }

    /// What one burst carries for the layer above.
    pub const fn payload(self) -> Bytes {
        Bytes::new(self.payload_bytes as u64)
    }

    /// Es/N0 at which one burst in 100 000 is lost.
    pub const fn threshold(self) -> Decibel {
        Decibel::new(self.threshold_db)
    }
}

const fn row(
    id: u8,
    modulation: Modulation,
    code_rate: (u8, u8),
    payload_bytes: u16,
    length: BurstLength,
    threshold_db: f64,
) -> Waveform {
    Waveform { id, modulation, code_rate, payload_bytes, length, threshold_db }
}
