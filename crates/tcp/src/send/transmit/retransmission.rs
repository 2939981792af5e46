//! Which lost segment is retransmitted next, and with which others.

use crate::send::transmit::parts::{Outgoing, Parts};
use crate::send::transmit::{GsoPacket, Transmit};

impl Transmit {
    /// The next lost segment, where one may leave (`tcp_xmit_retransmit_queue`). What left as one GSO packet is
    /// retransmitted as one, as far as it is lost.
    pub(super) fn next_retransmission(&mut self, parts: &mut Parts<'_>, mss: u64) -> Option<Outgoing> {
        let id = parts.recovery.next_lost()?;
        let start = parts.recovery.scoreboard().get(id)?.start;
        let goes_on = self.retransmitted.start < start && start < self.retransmitted.end;
        if !goes_on {
            let quota = parts.cwnd().saturating_sub(parts.recovery.in_flight());
            if quota == 0 || self.is_held_by_pacer(parts) {
                return None;
            }
            parts.recovery.fit(id, mss);
            let most = quota.min(parts.tso_segments(mss));
            let end = parts.recovery.scoreboard().waiting_run_end(id, most);
            self.retransmitted = GsoPacket { start, end, ..GsoPacket::default() };
        }
        let packet = std::mem::take(&mut self.retransmitted);
        let outgoing = self.retransmit(parts, id, mss)?;
        if !goes_on {
            self.pace(parts, packet.end.max(outgoing.end) - start, mss);
        }
        let is_last = outgoing.end >= packet.end;
        if !is_last {
            self.retransmitted = packet;
        }
        // Each GSO packet of several segments ends in a push (`__tcp_transmit_skb`).
        Some(Outgoing { is_push: outgoing.is_push || (goes_on && is_last), ..outgoing })
    }

    /// A window that was taken back (RFC 9293 section 3.8.6) lets only the first segment out.
    pub(super) const fn may_repeat(&self, parts: &Parts<'_>, start: u64) -> bool {
        start < self.window_end(parts) || start == parts.recovery.una()
    }

    /// Retransmits a segment, with small ones behind it (`__tcp_retransmit_skb`).
    pub(super) fn retransmit(&mut self, parts: &mut Parts<'_>, id: u64, mss: u64) -> Option<Outgoing> {
        let start = parts.recovery.scoreboard().get(id)?.start;
        if !self.may_repeat(parts, start) {
            return None;
        }
        parts.recovery.fit(id, mss);
        let space = self.window_end(parts).saturating_sub(start).min(mss);
        parts.recovery.collapse(id, space, parts.buffer.end());
        let sent = *parts.recovery.scoreboard().get(id)?;
        let state = parts.on_departure();
        parts.recovery.on_retransmitted(id, state, self.view(parts));
        Some(parts.outgoing_retransmitted(&sent))
    }
}
