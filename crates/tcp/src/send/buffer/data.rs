//! What was written and is not yet acknowledged.

use std::collections::VecDeque;

use bytes::BytesMut;

use crate::payload::Payload;

/// The bytes from the first unacknowledged to the last written, by position.
#[derive(Clone, Debug)]
pub(super) struct WrittenData {
    pieces: VecDeque<Piece>,
    start: u64,
    end: u64,
}

#[derive(Clone, Debug)]
struct Piece {
    start: u64,
    payload: Payload,
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.payload.len()
    }
}

impl WrittenData {
    pub const fn new(start: u64) -> Self {
        Self { pieces: VecDeque::new(), start, end: start }
    }

    pub const fn end(&self) -> u64 {
        self.end
    }

    pub const fn len(&self) -> u64 {
        self.end - self.start
    }

    pub fn push(&mut self, payload: Payload) {
        if payload.is_empty() {
            return;
        }
        let start = self.end;
        self.end += payload.len();
        let joined = self.pieces.back_mut().is_some_and(|last| last.payload.try_join(&payload));
        if !joined {
            self.pieces.push_back(Piece { start, payload });
        }
    }

    /// Everything below `position` is acknowledged.
    pub fn release(&mut self, position: u64) {
        self.start = position.clamp(self.start, self.end);
        while self.pieces.front().is_some_and(|first| first.end() <= self.start) {
            self.pieces.pop_front();
        }
    }

    /// The bytes of one segment. Where they span several writes of real bytes they are gathered: the one copy.
    pub fn slice(&self, from: u64, to: u64) -> Payload {
        if from >= to {
            return Payload::EMPTY;
        }
        let first = self.pieces.partition_point(|piece| piece.end() <= from);
        let piece = &self.pieces[first];
        if to <= piece.end() {
            return piece.payload.slice(from - piece.start, to - piece.start);
        }
        let mut gathered = BytesMut::with_capacity((to - from) as usize);
        for piece in self.pieces.range(first..).take_while(|piece| piece.start < to) {
            let (start, end) = (from.max(piece.start), to.min(piece.end()));
            piece.payload.slice(start - piece.start, end - piece.start).append_to(&mut gathered);
        }
        Payload::Bytes(gathered.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_across_three_writes_has_their_bytes() {
        let mut data = WrittenData::new(1);
        for text in ["abc", "de", "fghi"] {
            data.push(Payload::Bytes(text.into()));
        }
        data.release(2);
        assert_eq!(data.slice(3, 8), Payload::Bytes("cdefg".into()));
        assert_eq!(data.len(), 8);
    }

    #[test]
    fn lengths_join_and_stay_lengths() {
        let mut data = WrittenData::new(1);
        data.push(Payload::Length(1000));
        data.push(Payload::Length(1000));
        assert_eq!(data.slice(900, 1100), Payload::Length(200));
        assert_eq!(data.pieces.len(), 1);
    }

    #[test]
    fn a_length_beside_real_bytes_reads_as_zeros() {
        let mut data = WrittenData::new(1);
        data.push(Payload::Bytes("ab".into()));
        data.push(Payload::Length(10));
        assert_eq!(data.slice(1, 5), Payload::Bytes(b"ab\0\0".as_slice().into()));
    }
}
