//! What selective acknowledgements say (RFC 2018, RFC 2883; `tcp_sacktag_write_queue`).

use crate::options::MAX_SACK_BLOCKS;

/// A range of positions, end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub start: u64,
    pub end: u64,
}

/// The blocks of the last acknowledgement, in the order of the stream: what they cover is on the scoreboard already
/// (`recv_sack_cache`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SackCache([Option<Block>; MAX_SACK_BLOCKS]);

impl SackCache {
    /// Those of an acknowledgement.
    pub fn of(blocks: impl Iterator<Item = Block>) -> Self {
        let mut known = Self::default();
        for (slot, block) in known.0.iter_mut().zip(blocks) {
            *slot = Some(block);
        }
        known.0.sort_unstable_by_key(|block| block.map_or(u64::MAX, |block| block.start));
        known
    }

    pub fn blocks(self) -> impl Iterator<Item = Block> {
        self.0.into_iter().flatten()
    }

    /// Calls `visit` for each part of `block` that no cached block covers.
    pub fn for_each_new(&self, block: Block, mut visit: impl FnMut(Block)) {
        let mut start = block.start;
        for seen in self.blocks() {
            if seen.start >= block.end {
                break;
            }
            if seen.start > start {
                visit(Block { start, end: seen.start });
            }
            start = start.max(seen.end);
        }
        if start < block.end {
            visit(Block { start, end: block.end });
        }
    }
}

/// RFC 2883 section 4: the first block lies below the acknowledgement or inside the second block.
pub(crate) fn is_dsack(first: &Block, second: Option<&Block>, ack: u64) -> bool {
    let inside = |outer: &Block| first.start >= outer.start && first.end <= outer.end;
    first.start < first.end && (first.start < ack || second.is_some_and(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(cache: [Option<(u64, u64)>; MAX_SACK_BLOCKS], block: (u64, u64)) -> Vec<(u64, u64)> {
        let as_block = |(start, end)| Block { start, end };
        let mut parts = Vec::new();
        SackCache::of(cache.into_iter().flatten().map(as_block))
            .for_each_new(as_block(block), |part| parts.push((part.start, part.end)));
        parts
    }

    #[test]
    fn only_what_no_earlier_block_covers_is_new() {
        assert_eq!(
            fresh([Some((30, 40)), Some((10, 20)), None, None], (5, 50)),
            [(5, 10), (20, 30), (40, 50)]
        );
        assert_eq!(fresh([Some((10, 20)), None, None, None], (10, 25)), [(20, 25)]);
        assert_eq!(fresh([Some((10, 20)), None, None, None], (12, 18)), []);
        assert_eq!(fresh([None; 4], (1, 2)), [(1, 2)]);
    }
}
