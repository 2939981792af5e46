//! Buffers (skbs) of several segments that are cut anew, as Linux counts them.

use std::ops::Range;

use super::{Place, Scoreboard, SegmentState, Sent};

impl Sent {
    const fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Whether both may be in one buffer, of which one thing is known.
    fn is_like(&self, other: &Self) -> bool {
        self.state == other.state
            && self.retransmission_in_flight == other.retransmission_in_flight
            && self.history == other.history
    }
}

impl Scoreboard {
    /// Cuts off what lies below `position`. Where that is in the midst of a buffer of several segments the rest is cut
    /// anew from there on, which may be one segment less (`tcp_tso_acked`). A FIN counts as a byte.
    pub fn trim(&mut self, position: u64) {
        let id = self.touched_by(position, position + 1).start;
        let Some(sent) = self.get(id).copied().filter(|sent| sent.start < position && position < sent.end)
        else {
            return;
        };
        let buffer = self.buffer_from(id);
        let segments = buffer.end - buffer.start;
        let size = self.largest_of(&buffer);
        let end = self.get(buffer.end - 1).map_or(sent.end, |last| last.end);
        let is_whole = sent.state == SegmentState::Sacked || segments == 1;
        if !is_whole && (end - position).div_ceil(size) < segments {
            // The first segment is as good as acknowledged.
            if let Some(first) = self.get_mut(id) {
                first.end = position;
            }
            self.cut(&(id + 1..buffer.end), position, size);
        } else if is_whole {
            if let Some(first) = self.get_mut(id) {
                first.start = position;
            }
        } else {
            self.cut(&buffer, position, size);
        }
    }

    /// Before a segment leaves again, its buffer is cut into segments of `mss` from there on (`__tcp_retransmit_skb`).
    pub fn fit(&mut self, id: u64, mss: u64) {
        let buffer = self.buffer_from(id);
        let Some(first) = self.get(id).copied().filter(|sent| sent.state != SegmentState::Sacked) else {
            return;
        };
        let size = self.largest_of(&buffer);
        let is_alone = buffer.end - buffer.start == 1;
        if (is_alone && size > mss) || (!is_alone && size != mss) {
            self.cut(&buffer, first.start, mss);
        }
    }

    /// The last segment that a probe repeats, of the last buffer cut into segments of `mss` (`tcp_send_loss_probe`).
    pub fn fit_last(&mut self, mss: u64) -> Option<u64> {
        let last = self.last_id()?;
        let first = self.buffer_up_to(last);
        self.fit(first, mss);
        let repeated = last.min(self.last_id()?);
        self.part(repeated);
        self.part(repeated + 1);
        Some(repeated)
    }

    /// A buffer ends before a segment, with which another begins (`tcp_fragment`).
    pub fn part(&mut self, id: u64) {
        let is_later =
            |board: &Self, at: u64| board.get(at).is_some_and(|sent| sent.make.place == Place::Later);
        if !is_later(self, id) {
            return;
        }
        let goes_on = is_later(self, id + 1);
        if let Some(sent) = self.get_mut(id) {
            sent.make.place = if goes_on { Place::First } else { Place::Alone };
        }
        if let Some(before) = id.checked_sub(1).and_then(|before| self.get_mut(before))
            && before.make.place == Place::First
        {
            before.make.place = Place::Alone;
        }
    }

    /// The buffer of a segment, as far as it begins with it.
    fn buffer_from(&self, id: u64) -> Range<u64> {
        let Some(first) = self.get(id) else { return id..id };
        let joins = |sent: &Sent| sent.make.place == Place::Later && sent.is_like(first);
        let end = (id + 1..).find(|next| !self.get(*next).is_some_and(joins));
        id..end.unwrap_or(id + 1)
    }

    /// Where the buffer begins that ends with a segment.
    fn buffer_up_to(&self, id: u64) -> u64 {
        let goes_on = |at: &u64| {
            let pair = self.get(*at).zip(at.checked_sub(1).and_then(|before| self.get(before)));
            pair.is_some_and(|(sent, before)| sent.make.place == Place::Later && sent.is_like(before))
        };
        (self.first..=id).rev().find(|at| !goes_on(at)).unwrap_or(id)
    }

    fn largest_of(&self, buffer: &Range<u64>) -> u64 {
        buffer.clone().filter_map(|id| self.get(id)).map(Sent::len).max().unwrap_or(1).max(1)
    }

    /// Cuts the segments of a buffer anew, each of `size` bytes from `start` on but the last.
    fn cut(&mut self, buffer: &Range<u64>, start: u64, size: u64) {
        let old: Vec<Sent> = buffer.clone().filter_map(|id| self.get(id)).copied().collect();
        let Some(last) = old.last().copied() else { return };
        for (id, sent) in buffer.clone().zip(&old) {
            self.forget(id, sent);
        }
        let count = (last.end - start).div_ceil(size).max(1);
        let new = (0..count).map(|n| {
            let is_last = n + 1 == count;
            let mut sent = old.get(n as usize).copied().unwrap_or(last);
            (sent.start, sent.end) =
                (start + n * size, if is_last { last.end } else { start + (n + 1) * size });
            sent.make.is_push = is_last && last.make.is_push;
            sent.make.ends_record = is_last && last.make.ends_record;
            sent.make.place = match n {
                0 if count == 1 => Place::Alone,
                0 => Place::First,
                _ => Place::Later,
            };
            sent
        });
        let at = (buffer.start - self.first) as usize;
        let behind = self.segments.split_off(at + old.len());
        self.segments.truncate(at);
        self.segments.extend(new);
        self.segments.extend(behind);
        self.renumber(buffer, count, last.transmission);
        for id in buffer.start..buffer.start + count {
            let Some(sent) = self.get(id).copied() else { continue };
            self.lost += u64::from(sent.state == SegmentState::Lost);
            self.retransmitted += u64::from(sent.retransmission_in_flight);
            if sent.is_waiting() {
                self.waiting.insert(id);
            }
        }
        // tcp_adjust_pcount
        self.duplicates = self.duplicates.saturating_sub((old.len() as u64).saturating_sub(count));
    }

    /// Ids are consecutive: instead of the buffer's there are `count`, those behind move. What is new left with the last.
    fn renumber(&mut self, buffer: &Range<u64>, count: u64, last_transmission: u64) {
        let end = buffer.start + count;
        let moved = |id: u64| if id < buffer.end { id } else { id - buffer.end + end };
        let mut order = std::collections::VecDeque::with_capacity(self.order.len());
        for (id, transmission) in self.order.drain(..) {
            if !buffer.contains(&id) || id < end {
                order.push_back((moved(id), transmission));
            }
            if id + 1 == buffer.end && transmission == last_transmission {
                order.extend((buffer.end..end).map(|new| (new, transmission)));
            }
        }
        self.order = order;
        self.waiting = self.waiting.iter().map(|id| moved(*id)).collect();
    }
}

#[cfg(test)]
mod tests;
