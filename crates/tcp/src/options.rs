//! TCP options as Linux lays them out, with their length on the wire.

use crate::cookie::Cookie;
use crate::sequence::SeqNumber;

/// Most SACK blocks that fit into 40 bytes of options (RFC 2018 section 3).
pub const MAX_SACK_BLOCKS: usize = 4;
/// Beside timestamps.
const MAX_SACK_BLOCKS_BESIDE_TIMESTAMPS: usize = 3;

/// Kind, length, two values of 4 bytes and two of padding (RFC 7323 section 3.2).
pub(crate) const TIMESTAMPS_LEN: u32 = 12;
const MSS_LEN: u32 = 4;
/// With one byte of padding.
const WINDOW_SCALE_LEN: u32 = 4;
/// Beside timestamps SACK-permitted takes the place of their padding.
const SACK_PERMITTED_ALONE_LEN: u32 = 4;
const SACK_BASE_LEN: u32 = 4;
const SACK_BLOCK_LEN: u32 = 8;

/// The options of one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What only a SYN carries.
    pub syn: Option<SynOptions>,
    /// RFC 7323.
    pub timestamps: Option<Timestamps>,
    /// RFC 2018, RFC 2883.
    pub sack: SackBlocks,
}

/// The options of a SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynOptions {
    /// Largest payload and options that the sender of the SYN takes (RFC 6691).
    pub mss: u16,
    /// Shift of the window field, when scaling is offered (RFC 7323 section 2).
    pub window_scale: Option<u8>,
    /// Whether selective acknowledgements are welcome.
    pub sack: SackPermitted,
    /// RFC 7413.
    pub fast_open: Option<FastOpenOption>,
}

/// Whether selective acknowledgements are welcome (RFC 2018 section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackPermitted {
    /// They are.
    Yes,
    /// They are not.
    No,
}

/// The Fast Open option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastOpenOption {
    /// How it is written.
    pub form: FastOpenForm,
    /// The cookie granted or shown; none where the client asks for one.
    pub cookie: Option<Cookie>,
}

/// How the Fast Open option is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastOpenForm {
    /// By its own kind (RFC 7413 section 4.1.1).
    Assigned,
    /// As an experiment, as it was before that (RFC 6994).
    Experimental,
}

impl FastOpenOption {
    /// The option by its own kind.
    pub const fn assigned(cookie: Option<Cookie>) -> Self {
        Self { form: FastOpenForm::Assigned, cookie }
    }

    /// Length on the wire without padding: kind and length, where it is an experiment its number, and the cookie.
    pub(crate) fn len(self) -> u32 {
        let head = match self.form {
            FastOpenForm::Assigned => 2,
            FastOpenForm::Experimental => 4,
        };
        head + self.cookie.map_or(0, |cookie| cookie.as_bytes().len() as u32)
    }
}

/// RFC 7323 section 3, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval.
    pub value: u32,
    /// TSecr.
    pub echo: u32,
}

/// Up to [`MAX_SACK_BLOCKS`] ranges of sequence numbers, end excluded; the first may report a duplicate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(SeqNumber, SeqNumber); MAX_SACK_BLOCKS],
    len: u8,
}

impl SackBlocks {
    /// How many fit into a segment (`tcp_established_options`).
    pub(crate) const fn most(beside_timestamps: bool) -> usize {
        if beside_timestamps { MAX_SACK_BLOCKS_BESIDE_TIMESTAMPS } else { MAX_SACK_BLOCKS }
    }

    /// Appends a block, where there is room.
    pub fn push(&mut self, start: SeqNumber, end: SeqNumber) {
        if let Some(slot) = self.blocks.get_mut(usize::from(self.len)) {
            *slot = (start, end);
            self.len += 1;
        }
    }

    /// The blocks in their order on the wire.
    pub fn as_slice(&self) -> &[(SeqNumber, SeqNumber)] {
        &self.blocks[..usize::from(self.len)]
    }

    /// Length on the wire.
    pub(crate) fn wire_len(self) -> u32 {
        match self.len {
            0 => 0,
            n => SACK_BASE_LEN + SACK_BLOCK_LEN * u32::from(n),
        }
    }
}

impl Options {
    /// Length on the wire, a multiple of four (`tcp_syn_options`, `tcp_established_options`).
    pub fn wire_len(&self) -> u32 {
        let timestamps = self.timestamps.map_or(0, |_| TIMESTAMPS_LEN);
        let syn = self.syn.map_or(0, |syn| syn.wire_len(self.timestamps.is_some()));
        timestamps + syn + self.sack.wire_len()
    }
}

impl SynOptions {
    fn wire_len(&self, beside_timestamps: bool) -> u32 {
        let sack = match self.sack {
            SackPermitted::Yes if !beside_timestamps => SACK_PERMITTED_ALONE_LEN,
            _ => 0,
        };
        let fast_open = self.fast_open.map_or(0, |option| option.len().next_multiple_of(4));
        MSS_LEN + self.window_scale.map_or(0, |_| WINDOW_SCALE_LEN) + sack + fast_open
    }
}
