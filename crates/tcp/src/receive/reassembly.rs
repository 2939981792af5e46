//! What came out of order and waits for what is before it (`tcp_data_queue_ofo`).

use std::collections::BTreeMap;

use crate::payload::Payload;

/// Bytes with the kernel memory that they take.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub payload: Payload,
    /// `skb->truesize`.
    pub memory: u64,
}

impl Piece {
    /// Cuts off all but `from..to`; the memory stays, since the kernel keeps the buffer.
    fn trim(&mut self, from: u64, to: u64) {
        self.payload = self.payload.slice(from, to);
    }
}

/// Neighbouring pieces as one (`tcp_ooo_try_coalesce`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub start: u64,
    pub end: u64,
}

/// Pieces by the position where they start; none overlaps another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reassembly {
    pieces: BTreeMap<u64, Piece>,
    memory: u64,
}

impl Reassembly {
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Memory of all pieces.
    pub const fn memory(&self) -> u64 {
        self.memory
    }

    /// Where the last piece ends.
    pub fn end(&self) -> Option<u64> {
        self.pieces.last_key_value().map(|(start, piece)| start + piece.payload.len())
    }

    /// The parts of `start..end` that are there already, in order; what touches is one part.
    pub fn held(&self, start: u64, end: u64) -> Vec<Held> {
        let first = self.pieces.range(..=start).next_back().map_or(start, |(before, _)| *before);
        let mut parts: Vec<Held> = Vec::new();
        for (at, piece) in self.pieces.range(first..end) {
            let held = Held { start: *at, end: at + piece.payload.len() };
            match parts.last_mut() {
                Some(last) if last.end == held.start => last.end = held.end,
                _ if held.end > start => parts.push(held),
                _ => {}
            }
        }
        parts
    }

    /// Adds what arrived at `start`. Bytes that are there already are not taken again.
    pub fn insert(&mut self, start: u64, mut piece: Piece) {
        let mut start = start;
        let end = start + piece.payload.len();
        if let Some((before, held)) = self.pieces.range(..=start).next_back() {
            let held_end = before + held.payload.len();
            if held_end >= end {
                return;
            }
            if held_end > start {
                piece.trim(held_end - start, end - start);
                start = held_end;
            }
        }
        while let Some((after, held)) = self.pieces.range(start..end).next() {
            let (after, held_end) = (*after, after + held.payload.len());
            if held_end > end {
                piece.trim(0, after - start);
                break;
            }
            if let Some(covered) = self.pieces.remove(&after) {
                self.memory -= covered.memory;
            }
        }
        if piece.payload.is_empty() {
            return;
        }
        self.memory += piece.memory;
        self.pieces.insert(start, piece);
    }

    /// Takes off the piece that continues at `next`, without what lies before.
    pub fn pop(&mut self, next: u64) -> Option<Piece> {
        while let Some(entry) = self.pieces.first_entry().filter(|entry| *entry.key() <= next) {
            let (start, mut piece) = entry.remove_entry();
            self.memory -= piece.memory;
            let length = piece.payload.len();
            if start + length > next {
                piece.trim(next - start, length);
                return Some(piece);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &'static str) -> Piece {
        Piece { payload: Payload::Bytes(text.into()), memory: 100 }
    }

    fn drain(reassembly: &mut Reassembly, mut next: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(piece) = reassembly.pop(next) {
            next += piece.payload.len();
            let Payload::Bytes(data) = piece.payload else { panic!("real bytes went in") };
            bytes.extend_from_slice(&data);
        }
        bytes
    }

    #[test]
    fn overlapping_pieces_in_any_order_give_the_stream_once() {
        let pieces = [(3, "defg"), (1, "bcd"), (8, "i"), (5, "fgh"), (2, "c"), (0, "a"), (0, "abcdefghi")];
        for rotation in 0..pieces.len() {
            let mut reassembly = Reassembly::default();
            for (start, bytes) in pieces.iter().cycle().skip(rotation).take(pieces.len()) {
                reassembly.insert(*start, text(bytes));
            }
            assert_eq!(drain(&mut reassembly, 0), b"abcdefghi");
            assert_eq!(reassembly.memory(), 0);
        }
    }

    #[test]
    fn what_is_there_already_is_told_with_neighbours_as_one() {
        let mut reassembly = Reassembly::default();
        for (start, bytes) in [(10, "ab"), (12, "cd"), (20, "ef")] {
            reassembly.insert(start, text(bytes));
        }
        let held = |start, end| {
            reassembly.held(start, end).iter().map(|held| (held.start, held.end)).collect::<Vec<_>>()
        };
        assert_eq!(held(11, 21), [(10, 14), (20, 22)]);
        assert_eq!(held(14, 20), []);
    }

    #[test]
    fn lengths_take_the_memory_of_the_bytes_that_they_stand_for() {
        // Neighbours that were one piece would outlive the segment that covers one of them.
        let held = |of: fn(u64) -> Payload| {
            let mut reassembly = Reassembly::default();
            for (start, length, memory) in [(200, 100, 2304), (300, 100, 768), (150, 200, 4096)] {
                reassembly.insert(start, Piece { payload: of(length), memory });
            }
            (reassembly.memory(), reassembly.end())
        };
        let bytes = |length: u64| Payload::Bytes(vec![7; length as usize].into());
        assert_eq!(held(Payload::Length), held(bytes));
        assert_eq!(held(bytes), (768 + 4096, Some(400)));
    }

    #[test]
    fn a_piece_is_cut_where_it_overlaps_the_next_and_where_the_one_before_overlaps_it() {
        let mut reassembly = Reassembly::default();
        reassembly.insert(20, text("klmno"));
        reassembly.insert(10, text("abcdefghijKL"));
        reassembly.insert(23, text("NOpqr"));
        reassembly.insert(21, text("LM"));
        assert_eq!((reassembly.memory(), reassembly.end()), (300, Some(28)));
        assert!(reassembly.pop(9).is_none());
        assert_eq!(drain(&mut reassembly, 12), b"cdefghijklmnopqr");
        assert!(reassembly.is_empty() && reassembly.memory() == 0);
    }
}
