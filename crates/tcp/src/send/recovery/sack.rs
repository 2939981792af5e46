//! What selective acknowledgements say (RFC 2018, RFC 2883; `tcp_sacktag_write_queue`).

use crate::options::MAX_SACK_BLOCKS;
use crate::send::Sender;
use crate::send::ack::AckOutcome;
use crate::send::recovery::scoreboard::History;

/// A range of positions, end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub start: u64,
    pub end: u64,
}

/// The blocks of the last acknowledgement: what they cover is on the scoreboard already (`recv_sack_cache`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SackCache([Option<Block>; MAX_SACK_BLOCKS]);

impl SackCache {
    /// Calls `visit` for each part of `block` that no cached block covers.
    fn for_each_new(&self, block: Block, mut visit: impl FnMut(Block)) {
        let mut known = self.0;
        known.sort_unstable_by_key(|block| block.map_or(u64::MAX, |block| block.start));
        let mut start = block.start;
        for seen in known.into_iter().flatten() {
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

impl Sender {
    /// Takes in the blocks of an acknowledgement of `ack`.
    pub(in crate::send) fn tag_sacks(&mut self, outcome: &mut AckOutcome, ack: u64, blocks: &[Block]) {
        let mut blocks = blocks;
        if let Some((first, rest)) = blocks.split_first()
            && is_dsack(first, rest.first(), ack)
        {
            self.on_dsack(outcome, first);
            blocks = rest;
        }
        let mut cache = SackCache::default();
        let seen = std::mem::take(&mut self.sacks);
        for (slot, block) in cache.0.iter_mut().zip(blocks) {
            // RFC 2018: a block outside of what is out is nonsense.
            if block.start >= block.end || block.end > self.next || block.start < self.una {
                continue;
            }
            *slot = Some(*block);
            seen.for_each_new(*block, |fresh| self.tag(outcome, *block, fresh));
        }
        self.sacks = cache;
    }

    /// The peer dropped what it held, or an undo made the cache unreliable.
    pub(in crate::send) fn forget_sack_cache(&mut self) {
        self.sacks = SackCache::default();
    }

    fn tag(&mut self, outcome: &mut AckOutcome, block: Block, fresh: Block) {
        for id in self.scoreboard.touched_by(fresh.start, fresh.end) {
            let Some(sent) = self.scoreboard.get(id) else { continue };
            if sent.start < block.start || sent.end > block.end {
                continue;
            }
            let forward_end = self.scoreboard.forward_end(self.una);
            let Some(before) = self.scoreboard.sack(id) else { continue };
            outcome.data_sacked = true;
            if before.history == History::SentOnce {
                // A hole below what was acknowledged, filled by an original: reordering.
                if before.start < forward_end {
                    outcome.reordered_from =
                        Some(outcome.reordered_from.map_or(before.start, |r| r.min(before.start)));
                }
                outcome.original_delivered |= before.end <= self.recovery.recovery_point;
                outcome.first_sacked_at.get_or_insert(before.sent_at);
                outcome.last_sacked_at = Some(before.sent_at);
            }
            self.deliver(outcome, &before);
            self.rack.on_delivered(outcome.now, &before, self.rtt.min());
        }
    }

    /// A duplicate arrived at the peer: a retransmission was unnecessary (`tcp_check_dsack`).
    fn on_dsack(&mut self, outcome: &mut AckOutcome, duplicate: &Block) {
        outcome.duplicate_reported = true;
        // Duplicates beyond the number of retransmissions are the network's.
        self.dsacks += 1;
        if self.dsacks > self.scoreboard.total_retransmitted() {
            return;
        }
        if self.probe.is_of(duplicate.end) {
            outcome.probe_was_duplicate = true;
        } else {
            self.rack.on_dsack(self.una, self.next);
        }
        let undo = &mut self.recovery.undo;
        if let (Some(marker), Some(count)) = (undo.marker, undo.retransmissions.as_mut())
            && duplicate.end > marker
        {
            let segments = duplicate.end.saturating_sub(duplicate.start).div_ceil(self.mss).max(1);
            *count = count.saturating_sub(segments);
        }
    }
}

/// RFC 2883 section 4: the first block lies below the acknowledgement or inside the second block.
fn is_dsack(first: &Block, second: Option<&Block>, ack: u64) -> bool {
    let inside = |outer: &Block| first.start >= outer.start && first.end <= outer.end;
    first.start < first.end && (first.start < ack || second.is_some_and(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(cache: [Option<(u64, u64)>; 3], block: (u64, u64)) -> Vec<(u64, u64)> {
        let as_block = |(start, end)| Block { start, end };
        let mut parts = Vec::new();
        SackCache(cache.map(|block| block.map(as_block)))
            .for_each_new(as_block(block), |part| parts.push((part.start, part.end)));
        parts
    }

    #[test]
    fn only_what_no_earlier_block_covers_is_new() {
        assert_eq!(fresh([Some((30, 40)), Some((10, 20)), None], (5, 50)), [(5, 10), (20, 30), (40, 50)]);
        assert_eq!(fresh([Some((10, 20)), None, None], (10, 25)), [(20, 25)]);
        assert_eq!(fresh([Some((10, 20)), None, None], (12, 18)), []);
        assert_eq!(fresh([None; 3], (1, 2)), [(1, 2)]);
    }
}
