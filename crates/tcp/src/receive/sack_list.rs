//! The blocks to report, most recent first (RFC 2018 section 4; `tcp_sack_new_ofo_skb`).

use bentpipe_units::Switch;

use crate::send::Block;

/// Blocks remembered, of which fewer fit beside timestamps or a duplicate (`TCP_NUM_SACKS`).
const KEPT: usize = 4;

/// Ranges that came out of order, and a duplicate to report (RFC 2883).
#[derive(Clone, Debug)]
pub(crate) struct SackList {
    blocks: Vec<Block>,
    duplicate: Option<Block>,
    /// Whether it is reported (`tcp_dsack`).
    duplicates: Switch,
}

impl SackList {
    /// One with nothing to report.
    pub const fn new(duplicates: Switch) -> Self {
        Self { blocks: Vec::new(), duplicate: None, duplicates }
    }

    /// Nothing is to be reported any more.
    pub fn clear(&mut self) {
        *self = Self::new(self.duplicates);
    }

    /// `start..end` arrives out of order: the first block that it touches takes it in where it stands. Returns how many
    /// blocks stand before.
    pub fn extend(&mut self, start: u64, end: u64) -> usize {
        let touched = self.blocks.iter().position(|block| block.end >= start && block.start <= end);
        if let Some(block) = touched.map(|index| &mut self.blocks[index]) {
            *block = Block { start: block.start.min(start), end: block.end.max(end) };
        }
        touched.unwrap_or(self.blocks.len())
    }

    /// `start..end` arrived out of order.
    pub fn on_arrival(&mut self, start: u64, end: u64) {
        let mut joined = Block { start, end };
        // What the new block touches joins it, and it comes first.
        self.blocks.retain(|block| {
            let apart = block.end < joined.start || block.start > joined.end;
            if !apart {
                joined = Block { start: block.start.min(joined.start), end: block.end.max(joined.end) };
            }
            apart
        });
        self.blocks.truncate(KEPT - 1);
        self.blocks.insert(0, joined);
    }

    /// Everything below `next` is in order now.
    pub fn on_advance(&mut self, next: u64) {
        self.blocks.retain(|block| block.end > next);
    }

    /// `start..end` arrived twice (`tcp_dsack_set`). What was to be reported is forgotten for it.
    pub fn on_duplicate(&mut self, start: u64, end: u64) {
        self.duplicate = self.duplicates.is_on().then_some(Block { start, end });
    }

    /// `start..end` too arrived twice, and is reported where it continues what is to be reported (`tcp_dsack_extend`).
    pub fn on_more_duplicate(&mut self, start: u64, end: u64) {
        self.duplicate = match self.duplicate {
            Some(known) if start <= known.end && end >= known.start => {
                Some(Block { start: start.min(known.start), end: end.max(known.end) })
            }
            Some(known) => Some(known),
            None => self.duplicates.is_on().then_some(Block { start, end }),
        };
    }

    /// How many blocks an acknowledgement would carry, were there room for all.
    pub fn len(&self) -> usize {
        self.blocks.len() + usize::from(self.duplicate.is_some())
    }

    /// The blocks in their order on the wire. The duplicate is reported once.
    pub fn report(&mut self) -> impl Iterator<Item = Block> {
        self.duplicate.take().into_iter().chain(self.blocks.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(list: &mut SackList) -> Vec<(u64, u64)> {
        list.report().map(|block| (block.start, block.end)).collect()
    }

    #[test]
    fn the_block_that_grew_last_comes_first() {
        let mut list = SackList::new(Switch::On);
        list.on_arrival(10, 20);
        list.on_arrival(30, 40);
        list.on_arrival(20, 25);
        assert_eq!(reported(&mut list), [(10, 25), (30, 40)]);
    }

    #[test]
    fn a_block_that_is_extended_keeps_its_place() {
        // tcp_sack_extend, before the block is rotated to the front.
        let mut list = SackList::new(Switch::On);
        [10, 30, 50].iter().for_each(|start| list.on_arrival(*start, start + 10));
        assert_eq!(
            [list.extend(60, 65), list.extend(25, 30), list.extend(20, 22), list.extend(80, 90)],
            [0, 1, 2, 3]
        );
        assert_eq!(reported(&mut list), [(50, 65), (25, 40), (10, 22)]);
    }

    #[test]
    fn an_arrival_that_closes_a_gap_joins_both_sides() {
        let mut list = SackList::new(Switch::On);
        list.on_arrival(10, 20);
        list.on_arrival(30, 40);
        list.on_arrival(20, 30);
        assert_eq!(reported(&mut list), [(10, 40)]);
    }

    #[test]
    fn a_duplicate_is_reported_first_and_once() {
        let mut list = SackList::new(Switch::On);
        list.on_arrival(30, 40);
        list.on_duplicate(1, 5);
        assert_eq!(reported(&mut list), [(1, 5), (30, 40)]);
        assert_eq!(reported(&mut list), [(30, 40)]);
    }

    #[test]
    fn of_two_duplicates_the_later_is_reported_or_both_as_one() {
        // tcp_dsack_set, tcp_dsack_extend.
        let mut list = SackList::new(Switch::On);
        list.on_duplicate(1, 5);
        list.on_duplicate(10, 15);
        assert_eq!(reported(&mut list), [(10, 15)]);
        list.on_duplicate(1, 5);
        list.on_more_duplicate(5, 9);
        list.on_more_duplicate(12, 15);
        assert_eq!(reported(&mut list), [(1, 9)]);
    }

    #[test]
    fn the_four_latest_blocks_are_remembered() {
        // TCP_NUM_SACKS.
        let mut list = SackList::new(Switch::On);
        (0..6).for_each(|n| list.on_arrival(20 * n, 20 * n + 10));
        assert_eq!(reported(&mut list), [(100, 110), (80, 90), (60, 70), (40, 50)]);
    }

    #[test]
    fn there_are_as_many_blocks_as_are_reported() {
        let mut list = SackList::new(Switch::On);
        list.on_arrival(10, 20);
        list.on_arrival(30, 40);
        assert_eq!(list.len(), 2);
        list.on_duplicate(1, 5);
        assert_eq!(list.len(), 3);
        assert_eq!(reported(&mut list).len(), 3);
        assert_eq!(list.len(), 2);
    }
}
