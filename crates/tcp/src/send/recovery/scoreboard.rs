//! The segments that are out, in order of sequence, and what is known of each (RFC 6675 section 2, RFC 8985
//! section 5.1).

mod buffers;
mod cutting;

use std::collections::{BTreeSet, VecDeque};

use bentpipe_cc::rate::PacketState;
use bentpipe_units::Time;

/// One segment that is not yet acknowledged cumulatively.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub start: u64,
    /// End excluded; a FIN counts one.
    pub end: u64,
    pub make: Make,
    /// When it left last.
    pub sent_at: Time,
    /// State of the delivery-rate estimator when it left last.
    pub rate: PacketState,
    pub state: SegmentState,
    /// Whether its last transmission was a retransmission that is still deemed in flight (`TCPCB_SACKED_RETRANS`).
    pub retransmission_in_flight: bool,
    pub history: History,
    /// Number of its last transmission among all.
    pub transmission: u64,
    /// Number of the burst that it left in last.
    pub burst: u64,
}

/// What a segment was made with, for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Make {
    /// Whether it ends what the application wrote.
    pub is_push: bool,
    /// Whether a record ends with it, so that nothing is joined to it (`TCP_SKB_CB(skb)->eor`).
    pub ends_record: bool,
    pub place: Place,
}

/// A segment's place in the buffer (skb) that it left in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A buffer of its own (`tcp_skb_pcount` of 1).
    Alone,
    /// The first of a GSO packet.
    First,
    /// Behind the first.
    Later,
}

#[cfg(test)]
impl Make {
    pub const ALONE: Self = Self { is_push: false, ends_record: false, place: Place::Alone };
}

impl Sent {
    /// Whether that transmission of it tells nothing any more.
    const fn is_stale(&self, transmission: u64) -> bool {
        self.transmission != transmission || matches!(self.state, SegmentState::Sacked)
    }

    /// Lost and not yet retransmitted.
    const fn is_waiting(&self) -> bool {
        matches!(self.state, SegmentState::Lost) && !self.retransmission_in_flight
    }
}

/// What is known of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentState {
    Unknown,
    Sacked,
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum History {
    SentOnce,
    Retransmitted,
}

/// All segments that are out. Each has an id; ids are consecutive in order of sequence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    segments: VecDeque<Sent>,
    first: u64,
    /// Transmissions in order of time; an entry is stale once its segment is delivered, lost or retransmitted.
    order: VecDeque<(u64, u64)>,
    transmissions: u64,
    /// Bursts that have ended. All that one call sends has one time (`tcp_mstamp_refresh`); of two calls no two have in
    /// real time.
    bursts: u64,
    /// Lost and not yet retransmitted.
    waiting: BTreeSet<u64>,
    sacked: u64,
    /// Segments of which duplicate acknowledgements have told, where none is acknowledged selectively.
    duplicates: u64,
    lost: u64,
    retransmitted: u64,
    /// End of the highest segment selectively acknowledged.
    sacked_end: u64,
    total_lost: u64,
    total_retransmitted: u64,
}

impl Scoreboard {
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// `packets_out`.
    pub fn len(&self) -> u64 {
        self.segments.len() as u64
    }

    /// `sacked_out`.
    pub const fn sacked(&self) -> u64 {
        self.sacked + self.duplicates
    }

    /// Those of them that duplicate acknowledgements told of.
    pub const fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// So many segments have arrived as duplicate acknowledgements tell.
    pub const fn set_duplicates(&mut self, duplicates: u64) {
        self.duplicates = duplicates;
    }

    /// `lost_out`.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// `retrans_out`.
    pub const fn retransmitted(&self) -> u64 {
        self.retransmitted
    }

    /// Segments that are deemed in the network (`tcp_packets_in_flight`; RFC 6675: pipe).
    pub fn in_flight(&self) -> u64 {
        self.len() - self.sacked() - self.lost + self.retransmitted
    }

    /// Segments ever deemed lost.
    pub const fn total_lost(&self) -> u64 {
        self.total_lost
    }

    /// Retransmissions ever sent.
    pub const fn total_retransmitted(&self) -> u64 {
        self.total_retransmitted
    }

    /// Where the highest selective acknowledgement ends, or `una` without any (`tcp_highest_sack_seq`).
    pub const fn forward_end(&self, una: u64) -> u64 {
        if self.sacked > 0 { self.sacked_end } else { una }
    }

    pub fn front(&self) -> Option<&Sent> {
        self.segments.front()
    }

    pub fn first_id(&self) -> u64 {
        self.first
    }

    pub fn last_id(&self) -> Option<u64> {
        self.len().checked_sub(1).map(|last| self.first + last)
    }

    pub fn get(&self, id: u64) -> Option<&Sent> {
        self.segments.get(usize::try_from(id.checked_sub(self.first)?).ok()?)
    }

    fn get_mut(&mut self, id: u64) -> Option<&mut Sent> {
        self.segments.get_mut(usize::try_from(id.checked_sub(self.first)?).ok()?)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, &Sent)> {
        (self.first..).zip(&self.segments)
    }

    /// Ids of the segments that `start..end` touches.
    pub fn touched_by(&self, start: u64, end: u64) -> std::ops::Range<u64> {
        let from = self.partition_near(start, |sent| sent.end <= start) as u64;
        let to = self.partition_near(end, |sent| sent.start < end) as u64;
        self.first + from..self.first + to.max(from)
    }

    /// The partition point of `is_before`, searched from where `position` would be if all segments were of one size,
    /// as almost all are: a binary search over thousands of segments misses the cache at every step.
    fn partition_near(&self, position: u64, is_before: impl Fn(&Sent) -> bool) -> usize {
        let (Some(first), Some(last)) = (self.segments.front(), self.segments.back()) else { return 0 };
        let len = self.segments.len();
        let (distance, span) = (position.saturating_sub(first.start), (last.end - first.start).max(1));
        let guess = u128::from(distance) * len as u128 / u128::from(span);
        let mut low = usize::try_from(guess).unwrap_or(len).min(len);
        let mut high = low;
        let mut step = 1;
        while low > 0 && !is_before(&self.segments[low - 1]) {
            high = low - 1;
            low = low.saturating_sub(step);
            step *= 2;
        }
        step = 1;
        while high < len && is_before(&self.segments[high]) {
            low = high + 1;
            high = (high + step).min(len);
            step *= 2;
        }
        while low < high {
            let middle = low.midpoint(high);
            if is_before(&self.segments[middle]) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// What leaves from now on does so by another call.
    pub const fn end_burst(&mut self) {
        self.bursts += 1;
    }

    /// A new segment leaves.
    pub fn push(&mut self, start: u64, end: u64, make: Make, now: Time, rate: PacketState) {
        let id = self.first + self.len();
        self.segments.push_back(Sent {
            start,
            end,
            make,
            sent_at: now,
            rate,
            state: SegmentState::Unknown,
            retransmission_in_flight: false,
            history: History::SentOnce,
            transmission: self.transmissions,
            burst: self.bursts,
        });
        self.note_transmission(id);
    }

    /// A segment leaves again (`tcp_retransmit_skb`).
    pub fn retransmit(&mut self, id: u64, now: Time, rate: PacketState) {
        self.repeat(id, now, rate);
        let Some(sent) = self.get_mut(id) else { return };
        if !sent.retransmission_in_flight {
            sent.retransmission_in_flight = true;
            self.retransmitted += 1;
        }
        self.waiting.remove(&id);
    }

    /// A segment leaves again without counting as in flight twice: a probe (`__tcp_retransmit_skb`).
    pub fn repeat(&mut self, id: u64, now: Time, rate: PacketState) {
        let (transmission, burst) = (self.transmissions, self.bursts);
        let Some(sent) = self.get_mut(id) else { return };
        sent.sent_at = now;
        sent.rate = rate;
        sent.history = History::Retransmitted;
        (sent.transmission, sent.burst) = (transmission, burst);
        self.total_retransmitted += 1;
        self.note_transmission(id);
    }

    fn note_transmission(&mut self, id: u64) {
        self.order.push_back((id, self.transmissions));
        self.transmissions += 1;
    }

    /// The segment was delivered although segments before it are missing; returns what it was before.
    pub fn sack(&mut self, id: u64) -> Option<Sent> {
        let before = *self.get(id)?;
        if before.state == SegmentState::Sacked {
            return None;
        }
        self.forget(id, &before);
        let sent = self.get_mut(id)?;
        sent.state = SegmentState::Sacked;
        sent.retransmission_in_flight = false;
        self.sacked += 1;
        self.sacked_end = self.sacked_end.max(before.end);
        Some(before)
    }

    /// The segment, or its retransmission, is deemed lost (`tcp_mark_skb_lost`).
    pub fn mark_lost(&mut self, id: u64) {
        let Some(sent) = self.get_mut(id) else { return };
        if sent.state == SegmentState::Sacked {
            return;
        }
        let newly = sent.state == SegmentState::Unknown;
        let again = sent.retransmission_in_flight;
        sent.state = SegmentState::Lost;
        sent.retransmission_in_flight = false;
        self.lost += u64::from(newly);
        self.retransmitted -= u64::from(again);
        self.total_lost += u64::from(newly || again);
        self.waiting.insert(id);
    }

    /// No segment was lost after all (`tcp_undo_cwnd_reduction`). What RACK had found lost has left the order of
    /// transmissions and is not judged again before it leaves again.
    pub fn unmark_lost(&mut self) {
        for sent in &mut self.segments {
            if sent.state == SegmentState::Lost {
                sent.state = SegmentState::Unknown;
            }
        }
        self.lost = 0;
        self.waiting.clear();
    }

    /// The peer dropped what it had acknowledged selectively (RFC 2018 section 8).
    pub fn forget_sacks(&mut self) {
        for sent in &mut self.segments {
            if sent.state == SegmentState::Sacked {
                sent.state = SegmentState::Unknown;
            }
        }
        self.sacked = 0;
        self.sacked_end = 0;
        // Their entries have gone from the order and may say something again.
        let out = self.iter().filter(|(_, sent)| sent.state != SegmentState::Sacked);
        let mut order: Vec<_> = out.map(|(id, sent)| (id, sent.transmission)).collect();
        order.sort_unstable_by_key(|(_, transmission)| *transmission);
        self.order = order.into();
    }

    /// The lowest segment that is lost and was not retransmitted.
    pub fn next_waiting(&self) -> Option<u64> {
        self.waiting.first().copied()
    }

    /// Takes off the first segment when it ends at or below `position`.
    pub fn pop_acked(&mut self, position: u64) -> Option<Sent> {
        let sent = *self.segments.front().filter(|sent| sent.end <= position)?;
        if sent.state == SegmentState::Sacked {
            self.sacked -= 1;
        } else {
            self.forget(self.first, &sent);
        }
        self.segments.pop_front();
        self.first += 1;
        Some(sent)
    }

    /// The oldest transmissions first, those that still say something; `visit` says when to stop.
    pub fn for_each_by_time(&mut self, mut visit: impl FnMut(u64, &Sent) -> Verdict) {
        // Stale entries go as they are met, so that each is met once.
        let (mut kept, mut seen) = (0, 0);
        while let Some(entry) = self.order.get(seen).copied() {
            let sent = self.get(entry.0).copied().filter(|sent| !sent.is_stale(entry.1));
            // What a timeout took for lost may be judged again, should that turn out wrong.
            let verdict =
                sent.map(|sent| if sent.is_waiting() { Verdict::Waits } else { visit(entry.0, &sent) });
            match verdict {
                None => {}
                Some(Verdict::Lost) => self.mark_lost(entry.0),
                Some(Verdict::Waits) => {
                    self.order[kept] = entry;
                    kept += 1;
                }
                Some(Verdict::Stop) => break,
            }
            seen += 1;
        }
        self.order.drain(kept..seen);
    }

    fn forget(&mut self, id: u64, sent: &Sent) {
        if sent.state == SegmentState::Lost {
            self.lost -= 1;
            self.waiting.remove(&id);
        }
        if sent.retransmission_in_flight {
            self.retransmitted -= 1;
        }
    }
}

/// What is to become of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Lost,
    Waits,
    Stop,
}

#[cfg(test)]
mod tests;
