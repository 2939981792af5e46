//! What is in order and waits for the application (`sk_receive_queue`).

use std::collections::VecDeque;

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

    pub const fn memory(&self) -> u64 {
        self.memory
    }

    pub fn push(&mut self, piece: Piece) {
        self.len += piece.payload.len();
        self.memory += piece.memory;
        if let Some(last) = self.pieces.back_mut()
            && last.payload.try_join(&piece.payload)
        {
            last.memory += piece.memory;
        } else {
            self.pieces.push_back(piece);
        }
    }

    /// Takes off up to `most` octets of the first piece.
    pub fn pop(&mut self, most: u64) -> Option<Payload> {
        let first = self.pieces.front_mut()?;
        let (held, taken) = (first.payload.len(), first.payload.len().min(most));
        // Memory is freed with the share that is read; the kernel frees each packet as it is used up.
        let freed = first.memory * taken / held.max(1);
        let payload = first.payload.split_to(taken);
        first.memory -= freed;
        self.memory -= freed;
        self.len -= taken;
        if first.payload.is_empty() {
            self.memory -= first.memory;
            self.pieces.pop_front();
        }
        Some(payload)
    }
}
