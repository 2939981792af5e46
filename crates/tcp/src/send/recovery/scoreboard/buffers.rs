//! Segments that are retransmitted in one buffer (skb), as Linux keeps them.

use super::{History, Place, Scoreboard, SegmentState, Sent};

impl Sent {
    /// Whether it may become one with its neighbour (`tcp_can_collapse`).
    const fn may_collapse(&self) -> bool {
        matches!(self.make.place, Place::Alone) && !matches!(self.state, SegmentState::Sacked)
    }
}

impl Scoreboard {
    /// Where the lost segments end that are retransmitted with the first of them as one GSO packet, at most so many
    /// (`tcp_xmit_retransmit_queue`): those of its buffer (skb) that wait, too.
    pub fn waiting_run_end(&self, id: u64, most: u64) -> u64 {
        let joins = |sent: &Sent| sent.make.place == Place::Later && sent.is_waiting();
        let last = (id + 1..id + most).take_while(|next| self.get(*next).is_some_and(joins)).last();
        self.get(last.unwrap_or(id)).map_or(0, |sent| sent.end)
    }

    /// Before a small segment is retransmitted it takes in those behind it, as long as they come to no more than `space` bytes
    /// with it (`tcp_retrans_try_collapse`). Data ends at `data_end`, where a FIN may follow.
    pub fn collapse(&mut self, id: u64, space: u64, data_end: u64) {
        let length = |sent: &Sent| sent.end.min(data_end) - sent.start;
        let small = self.get(id).filter(|sent| sent.may_collapse() && length(sent) < space);
        let Some(mut taken) = small.map(length) else { return };
        while self.get(id).is_some_and(|sent| !sent.make.ends_record) {
            let Some(next) = self.get(id + 1).copied().filter(Sent::may_collapse) else { return };
            taken += length(&next);
            if taken > space {
                return;
            }
            self.take_in(id, &next);
        }
    }

    /// The segment behind becomes one with a segment (`tcp_collapse_retrans`).
    fn take_in(&mut self, id: u64, next: &Sent) {
        self.forget(id + 1, next);
        let Some(sent) = self.get_mut(id) else { return };
        sent.end = next.end;
        sent.make.is_push |= next.make.is_push;
        sent.make.ends_record = next.make.ends_record;
        if next.history == History::Retransmitted {
            sent.history = History::Retransmitted;
        }
        let at = usize::try_from(id + 1 - self.first).expect("a place in memory");
        self.segments.remove(at);
        // Ids are consecutive: those behind move up.
        let moved = |other: u64| other - u64::from(other > id);
        // tcp_adjust_pcount
        self.duplicates = self.duplicates.saturating_sub(1);
        self.order.retain(|(other, _)| *other != id + 1);
        self.order.iter_mut().for_each(|(other, _)| *other = moved(*other));
        self.waiting = self.waiting.iter().map(|other| moved(*other)).collect();
    }
}
