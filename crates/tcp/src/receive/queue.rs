//! What is in order and waits for the application (`sk_receive_queue`).

use std::collections::VecDeque;

use bytes::BytesMut;

use super::reassembly::Piece;
use crate::payload::Payload;

/// Pieces in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReceiveQueue {
    pieces: VecDeque<Piece>,
    memory: u64,
    len: u64,
}

impl ReceiveQueue {
    pub const fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub const fn memory(&self) -> u64 {
        self.memory
    }

    pub fn push(&mut self, piece: Piece) {
        self.len += piece.payload.len();
        self.memory += piece.memory;
        self.pieces.push_back(piece);
    }

    /// Takes off up to `most` bytes, as one `recvmsg` does; `copied` hears of the bytes of each piece. Where they span
    /// several pieces they are gathered.
    pub fn pop(&mut self, most: u64, mut copied: impl FnMut(u64)) -> Option<Payload> {
        let mut first = self.pop_piece(most, &mut copied)?;
        while first.len() < most {
            let Some(next) = self.pop_piece(most - first.len(), &mut copied) else { return Some(first) };
            if !first.try_join(&next) {
                return Some(self.gather(&first, &next, most, copied));
            }
        }
        Some(first)
    }

    /// Copies two pieces, and what follows them, together.
    fn gather(
        &mut self,
        first: &Payload,
        second: &Payload,
        most: u64,
        mut copied: impl FnMut(u64),
    ) -> Payload {
        let held = first.len() + second.len();
        let mut gathered = BytesMut::with_capacity(most.min(held + self.len) as usize);
        first.append_to(&mut gathered);
        second.append_to(&mut gathered);
        while (gathered.len() as u64) < most
            && let Some(next) = self.pop_piece(most - gathered.len() as u64, &mut copied)
        {
            next.append_to(&mut gathered);
        }
        Payload::Bytes(gathered.freeze())
    }

    /// Takes off up to `most` bytes of the first piece.
    fn pop_piece(&mut self, most: u64, copied: &mut impl FnMut(u64)) -> Option<Payload> {
        let first = self.pieces.front_mut()?;
        let (held, taken) = (first.payload.len(), first.payload.len().min(most));
        // Memory is freed with the share that is read; the kernel frees each packet as it is used up.
        let freed = first.memory * taken / held.max(1);
        let payload = first.payload.split_to(taken);
        first.memory -= freed;
        self.memory -= freed;
        self.len -= taken;
        if first.payload.is_empty() {
            self.pieces.pop_front();
        }
        copied(taken);
        Some(payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(pieces: impl IntoIterator<Item = Payload>) -> ReceiveQueue {
        let mut queue = ReceiveQueue::default();
        for payload in pieces {
            queue.push(Piece { memory: 2 * payload.len(), payload });
        }
        queue
    }

    #[test]
    fn a_read_takes_bytes_of_several_pieces_as_many_as_fit() {
        let text = |text: &'static str| Payload::Bytes(text.into());
        let mut queue = queue(["abc", "de", "fghi"].map(text));
        assert_eq!(queue.pop(7, |_| {}), Some(text("abcdefg")));
        assert_eq!((queue.len(), queue.memory()), (2, 4));
        assert_eq!(queue.pop(7, |_| {}), Some(text("hi")));
        assert_eq!((queue.len(), queue.memory()), (0, 0));
        assert_eq!(queue.pop(7, |_| {}), None);
    }

    #[test]
    fn bytes_and_their_numbers_are_read_in_the_same_portions() {
        let sizes = [1448, 1448, 100, 1448];
        let mut lengths = queue(sizes.map(Payload::Length));
        let mut bytes = queue(sizes.map(|size| Payload::Bytes(vec![7; size as usize].into())));
        for most in [1000, 1448, 700, 5000] {
            let portions =
                [&mut lengths, &mut bytes].map(|queue| queue.pop(most, |_| {}).map(|read| read.len()));
            assert_eq!(portions[0], portions[1]);
        }
        assert!(lengths.pop(1, |_| {}).is_none() && bytes.pop(1, |_| {}).is_none());
    }

    #[test]
    fn bytes_of_which_only_the_number_is_known_are_zeros_behind_real_ones() {
        let mut queue = queue([Payload::Bytes("ab".into()), Payload::Length(3)]);
        assert_eq!(queue.pop(10, |_| {}), Some(Payload::Bytes(b"ab\0\0\0".as_slice().into())));
        assert_eq!((queue.len(), queue.memory()), (0, 0));
    }

    #[test]
    fn each_piece_that_is_copied_is_told_of_alone() {
        // tcp_recvmsg_locked: tcp_rcv_space_adjust after each packet.
        let mut queue = queue([Payload::Length(100), Payload::Length(50), Payload::Length(70)]);
        let mut told = Vec::new();
        queue.pop(160, |taken| told.push(taken));
        assert_eq!(told, [100, 50, 10]);
    }
}
