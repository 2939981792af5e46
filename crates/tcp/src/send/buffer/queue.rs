//! The kernel's buffers of what was written: one for each GSO packet that is out (`tcp_rtx_queue`), larger ones for
//! what waits (`sk_write_queue`).

use std::collections::VecDeque;
use std::ops::Range;

/// Where buffers end, in positions.
#[derive(Clone, Debug)]
pub(super) struct SendQueue {
    /// Those with something that has not left.
    waiting: VecDeque<u64>,
    /// Those that left, one for each GSO packet.
    out: VecDeque<u64>,
    /// What was written when the last buffer was to be sent soon (`pushed_seq`).
    pushed: u64,
    /// Ends of buffers that carry a push.
    marks: VecDeque<u64>,
    /// Ends of buffers to which nothing is added (`TCP_SKB_CB(skb)->eor`).
    records: VecDeque<u64>,
    foreseen: Foreseen,
}

/// What leaves while the application writes, before it hears that it has to wait.
#[derive(Clone, Debug)]
pub(super) struct Foreseen {
    /// It ends here.
    pub end: u64,
    /// Where it takes all that was written by then: nothing that is written later leaves with it (`tcp_grow_skb`).
    pub write_ends: Vec<u64>,
    /// The part that `tcp_push_one` sends, which waits for no larger GSO packet.
    pub push_one: Range<u64>,
}

/// How the waiting buffers will look when what may leave has left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preview {
    /// First position that will not have left.
    pub next: u64,
    /// Waiting buffers that will be empty by then.
    emptied: usize,
    /// Bursts that will have left.
    bursts: u64,
}

impl Preview {
    pub const fn new(next: u64) -> Self {
        Self { next, emptied: 0, bursts: 0 }
    }
}

impl SendQueue {
    pub const fn new(first: u64) -> Self {
        let foreseen = Foreseen { end: first, write_ends: Vec::new(), push_one: first..first };
        Self {
            waiting: VecDeque::new(),
            out: VecDeque::new(),
            pushed: first,
            marks: VecDeque::new(),
            records: VecDeque::new(),
            foreseen,
        }
    }

    /// Buffers that exist once `preview` has come true.
    pub fn buffers(&self, preview: &Preview) -> u64 {
        (self.waiting.len() + self.out.len() - preview.emptied) as u64 + preview.bursts
    }

    /// Where the first waiting buffer ends.
    pub fn first_end(&self) -> Option<u64> {
        self.waiting.front().copied()
    }

    /// The same once `preview` has come true.
    pub fn next_end(&self, preview: &Preview) -> Option<u64> {
        self.waiting.get(preview.emptied).copied()
    }

    /// Whether one buffer at most waits: what leaves next is also what is written to.
    pub fn is_single(&self, preview: &Preview) -> bool {
        self.waiting.len() - preview.emptied <= 1
    }

    /// What the last buffer still takes when buffers hold `size`; nothing when it will have left altogether, or ends a
    /// record.
    pub fn tail_room(&self, size: u64, preview: &Preview) -> u64 {
        let Some(end) = self.waiting.back().filter(|end| **end > preview.next) else { return 0 };
        if self.records.back() == Some(end) {
            return 0;
        }
        let before = self.waiting.len().checked_sub(2).map_or(0, |index| self.waiting[index]);
        size.saturating_sub(end - before.max(preview.next))
    }

    /// A new buffer starts where all before ends.
    pub fn start(&mut self, position: u64) {
        self.waiting.push_back(position);
    }

    /// The last buffer takes more.
    pub fn extend(&mut self, bytes: u64) {
        if let Some(end) = self.waiting.back_mut() {
            *end += bytes;
        }
    }

    /// Once `preview` has come true the first buffer that waits takes from the next one what it lacks up to `end`, and its
    /// push with it; nothing is added to a record (`tcp_grow_skb`).
    pub fn grow_first(&mut self, preview: &Preview, end: u64) {
        let first = preview.emptied;
        let Some((&own_end, &next_end)) = self.waiting.get(first).zip(self.waiting.get(first + 1)) else {
            return;
        };
        let new_end = end.min(next_end);
        if new_end <= own_end || self.is_record_end(own_end) {
            return;
        }
        if new_end == next_end {
            self.waiting.remove(first);
        } else {
            self.waiting[first] = new_end;
        }
        if let Ok(place) = self.marks.binary_search(&own_end) {
            self.marks.remove(place);
            self.mark(new_end);
        }
    }

    /// What was written since something was last pushed, as of `end`.
    pub const fn unpushed(&self, end: u64) -> u64 {
        end - self.pushed
    }

    /// `tcp_mark_push`.
    pub fn push(&mut self, end: u64) {
        self.pushed = end;
        if self.marks.back() != Some(&end) {
            self.marks.push_back(end);
        }
    }

    /// The last buffer, which ends at `end`, takes more up to `new_end`: the push that it may carry stays with it, but not
    /// that of the write before (`tcp_sendmsg_locked`).
    pub fn move_mark(&mut self, end: u64, new_end: u64, is_another_write: bool) {
        if self.marks.back() != Some(&end) {
            return;
        }
        self.marks.pop_back();
        if !is_another_write {
            self.marks.push_back(new_end);
        }
    }

    /// Whether what ends at `end` carries a push.
    pub fn is_marked(&self, end: u64) -> bool {
        self.marks.binary_search(&end).is_ok()
    }

    /// Something up to `end` carries a push of its own.
    pub fn push_at(&mut self, end: u64) {
        self.pushed = self.pushed.max(end);
        self.mark(end);
    }

    /// A record ends with the last buffer, at `end` (`MSG_EOR`).
    pub fn end_record(&mut self, end: u64) {
        if self.records.back() != Some(&end) {
            self.records.push_back(end);
        }
    }

    /// Where the first record ends that goes beyond `next`.
    pub fn record_end(&self, next: u64) -> Option<u64> {
        self.records.get(self.records.partition_point(|end| *end <= next)).copied()
    }

    /// Whether a record ends at `end`.
    pub fn is_record_end(&self, end: u64) -> bool {
        self.records.binary_search(&end).is_ok()
    }

    /// A GSO packet up to `end` will leave: what it does not take from a buffer stays there in a buffer of its own.
    pub fn preview_gso(&self, preview: &mut Preview, end: u64) {
        preview.next = end;
        preview.bursts += 1;
        preview.emptied += self.waiting.range(preview.emptied..).take_while(|held| **held <= end).count();
    }

    /// The application has written; this leaves meanwhile.
    pub fn foresee(&mut self, foreseen: Foreseen) {
        self.foreseen = foreseen;
    }

    /// Whether the GSO packet up to `end` left while the application wrote.
    pub const fn was_foreseen(&self, end: u64) -> bool {
        end <= self.foreseen.end
    }

    /// Where all ended that was written when the GSO packet from `next` on left, if that was while more was written.
    pub fn write_end(&self, next: u64) -> Option<u64> {
        let ends = &self.foreseen.write_ends;
        ends.get(ends.partition_point(|end| *end <= next)).copied()
    }

    /// What has not left by now waits, and more is behind it.
    pub fn forget_write_ends(&mut self) {
        self.foreseen.write_ends.clear();
    }

    /// Whether `tcp_push_one` sends the GSO packet that starts at `start`.
    pub fn is_pushed_alone(&self, start: u64) -> bool {
        self.foreseen.push_one.contains(&start)
    }

    /// A GSO packet up to `end` leaves.
    pub fn on_gso_sent(&mut self, end: u64) {
        self.out.push_back(end);
        while self.waiting.front().is_some_and(|held| *held <= end) {
            self.waiting.pop_front();
        }
    }

    /// Everything below `position` is acknowledged.
    pub fn release(&mut self, position: u64) {
        while self.out.front().is_some_and(|end| *end <= position) {
            self.out.pop_front();
        }
        for ends in [&mut self.marks, &mut self.records] {
            while ends.front().is_some_and(|end| *end <= position) {
                ends.pop_front();
            }
        }
    }

    fn mark(&mut self, end: u64) {
        if let Err(place) = self.marks.binary_search(&end) {
            self.marks.insert(place, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many buffers of 100 bytes, none of which has left.
    fn of_buffers(count: u64) -> SendQueue {
        let mut queue = SendQueue::new(1);
        for number in 0..count {
            queue.start(1 + 100 * number);
            queue.extend(100);
        }
        queue
    }

    #[test]
    fn a_gso_packet_splits_the_buffer_from_which_it_is_taken() {
        let mut queue = SendQueue::new(1);
        queue.start(1);
        queue.extend(1000);
        queue.on_gso_sent(201);
        let now = Preview::new(201);
        assert_eq!(queue.buffers(&now), 2);
        assert_eq!(queue.tail_room(1000, &now), 200);
        queue.release(201);
        assert_eq!(queue.buffers(&now), 1);
    }

    #[test]
    fn what_is_foreseen_is_what_happens() {
        let mut queue = of_buffers(3);
        let mut preview = Preview::new(1);
        for end in [61, 121, 181] {
            queue.preview_gso(&mut preview, end);
        }
        let foreseen = (queue.buffers(&preview), queue.tail_room(150, &preview), queue.is_single(&preview));
        for end in [61, 121, 181] {
            queue.on_gso_sent(end);
        }
        let now = Preview::new(181);
        assert_eq!((queue.buffers(&now), queue.tail_room(150, &now), queue.is_single(&now)), foreseen);
    }

    #[test]
    fn the_first_buffer_takes_what_it_lacks_from_the_next_alone() {
        // tcp_grow_skb: skb_shift of at most next_skb->len bytes, then tcp_eat_one_skb.
        let mut queue = of_buffers(3);
        queue.push_at(101);
        let now = Preview::new(1);
        queue.grow_first(&now, 151);
        assert_eq!((queue.first_end(), queue.buffers(&now)), (Some(151), 3));
        assert_eq!([101, 151, 201].map(|end| queue.is_marked(end)), [false, true, false]);
        queue.grow_first(&now, 301);
        assert_eq!((queue.first_end(), queue.buffers(&now)), (Some(201), 2));
        assert_eq!([151, 201].map(|end| queue.is_marked(end)), [false, true]);
    }

    #[test]
    fn nothing_is_added_to_a_record() {
        // tcp_skb_can_collapse_to.
        let mut queue = SendQueue::new(1);
        for start in [1, 101] {
            queue.start(start);
            queue.extend(100);
            queue.end_record(start + 100);
        }
        queue.grow_first(&Preview::new(1), 201);
        assert_eq!(queue.first_end(), Some(101));
    }

    #[test]
    fn the_first_buffer_that_waits_is_the_next_to_leave() {
        // tcp_send_head.
        let mut queue = SendQueue::new(1);
        assert_eq!(queue.first_end(), None);
        for start in [1, 101] {
            queue.start(start);
            queue.extend(100);
        }
        assert_eq!(queue.first_end(), Some(101));
        queue.on_gso_sent(101);
        assert_eq!(queue.first_end(), Some(201));
        queue.on_gso_sent(201);
        assert_eq!(queue.first_end(), None);
    }
}
