//! What segments, writes and reads carry.

use bytes::{Bytes, BytesMut};

/// Bytes that somebody reads, or only their number.
///
/// Cloning and slicing copy nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Real bytes, shared with whoever wrote them.
    Bytes(Bytes),
    /// So many bytes that nobody looks at: bulk flows. Where they share a segment with real bytes they are zero.
    Length(u64),
}

/// What an application says of the end of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// It is to leave soon.
    Push,
    /// More follows, with which it may leave (`MSG_MORE`).
    More,
    /// A record ends, to whose last segment nothing is added (`MSG_EOR`).
    Record,
}

impl Payload {
    /// No bytes.
    pub const EMPTY: Self = Self::Length(0);

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Length(length) => *length,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes from `from` up to `to`.
    ///
    /// # Panics
    /// When the range is not inside the payload.
    #[must_use]
    pub fn slice(&self, from: u64, to: u64) -> Self {
        assert!(from <= to && to <= self.len(), "a slice inside the payload");
        match self {
            Self::Bytes(bytes) => Self::Bytes(bytes.slice(from as usize..to as usize)),
            Self::Length(_) => Self::Length(to - from),
        }
    }

    /// Takes the first `length` bytes off.
    ///
    /// # Panics
    /// When there are fewer.
    pub fn split_to(&mut self, length: u64) -> Self {
        let first = self.slice(0, length);
        *self = self.slice(length, self.len());
        first
    }

    /// Appends what follows, where that copies nothing.
    pub(crate) fn try_join(&mut self, next: &Self) -> bool {
        match (self, next) {
            (Self::Length(length), Self::Length(more)) => {
                *length += more;
                true
            }
            _ => false,
        }
    }

    /// Writes the bytes behind `buffer`.
    pub(crate) fn append_to(&self, buffer: &mut BytesMut) {
        match self {
            Self::Bytes(bytes) => buffer.extend_from_slice(bytes),
            Self::Length(length) => buffer.resize(buffer.len() + *length as usize, 0),
        }
    }
}

impl From<Bytes> for Payload {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(bytes)
    }
}
