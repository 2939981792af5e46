//! What asks the peer for an answer: probes of a window and of a tail.

use crate::send::recovery::scoreboard::Place;
use crate::send::recovery::timer::Probe;
use crate::send::transmit::Transmit;
use crate::send::transmit::parts::{Outgoing, Parts};

impl Transmit {
    /// What little the window lets out, or no byte of an old position (`tcp_write_wakeup`).
    pub(super) fn window_probe(&mut self, parts: &mut Parts<'_>, mss: u64) -> Outgoing {
        let end = parts.reach(self.next).min(self.window_end(parts)).min(self.next + mss);
        if self.next < end {
            parts.buffer.push_at(end);
            parts.buffer.on_gso_sent(end);
            let fresh = self.send_new(parts, end, Place::Alone, mss);
            parts.recovery.on_window_probed(self.view(parts));
            return fresh;
        }
        let start = parts.recovery.una() - 1;
        Outgoing { start, end: start, is_fin: false, is_push: false }
    }

    /// RFC 8985 section 7.3: new data tells more than a repetition.
    pub(super) fn probe(&mut self, parts: &mut Parts<'_>, mss: u64) -> Option<Outgoing> {
        let end = parts.reach(self.next).min(self.next + mss);
        if self.next < end && end <= self.window_end(parts) {
            self.pace(parts, end - self.next, mss);
            parts.buffer.on_gso_sent(end);
            let fresh = self.send_new(parts, end, Place::Alone, mss);
            parts.recovery.on_probe_sent(Probe::New(self.next), self.view(parts));
            return Some(fresh);
        }
        let last = parts.recovery.fit_last(mss)?;
        let sent = *parts.recovery.scoreboard().get(last)?;
        if !self.may_repeat(parts, sent.start) {
            return None;
        }
        let state = parts.on_departure();
        self.pace(parts, sent.end - sent.start, mss);
        parts.recovery.on_probe_repeated(last, state, self.view(parts));
        Some(parts.outgoing_retransmitted(&sent))
    }
}
