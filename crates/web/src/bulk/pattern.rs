//! The bytes that flows carry.

use std::ops::Range;

use bytes::Bytes;

/// Period of the pattern: prime, so that no chunk or packet size divides it.
const PERIOD: usize = 251;
/// Bytes that one slice of the pattern can cover.
pub(super) const CHUNK: usize = 64 * 1024;

/// The payload of bulk flows: byte number i is i mod 251.
#[derive(Debug)]
pub(super) struct Pattern(Bytes);

impl Pattern {
    pub(super) fn new() -> Self {
        Self((0..CHUNK + PERIOD).map(|i| (i % PERIOD) as u8).collect())
    }

    /// At most `length` bytes of payload from `offset` on, of which nothing is copied.
    pub(super) fn at(&self, offset: u64, length: u64) -> Bytes {
        self.0.slice(place(offset, length))
    }

    /// Whether `payload` is what stands at `offset`.
    pub(super) fn matches(&self, offset: u64, payload: &[u8]) -> bool {
        let mut at = offset;
        payload.chunks(CHUNK).all(|chunk| {
            let same = &self.0[place(at, chunk.len() as u64)] == chunk;
            at += chunk.len() as u64;
            same
        })
    }
}

/// Where at most `length` bytes of payload from `offset` on stand.
fn place(offset: u64, length: u64) -> Range<usize> {
    let phase = (offset % PERIOD as u64) as usize;
    let length = usize::try_from(length).unwrap_or(CHUNK).min(CHUNK);
    phase..phase + length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_is_missing_or_doubled_is_noticed_anywhere() {
        let pattern = Pattern::new();
        let offset = 10 * PERIOD as u64 + 7;
        assert!(pattern.matches(offset, &pattern.at(offset, 1000)));
        assert!(!pattern.matches(offset + 1, &pattern.at(offset, 1000)));
        assert!(!pattern.matches(offset - 1, &pattern.at(offset, 1000)));
    }
}
