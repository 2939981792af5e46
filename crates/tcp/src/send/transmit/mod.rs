//! What leaves next (`tcp_xmit_retransmit_queue`, `tcp_write_xmit`).

pub(in crate::send) mod pacing;
pub(in crate::send) mod tso;
pub(in crate::send) mod window;

use bentpipe_cc::SentSample;
use bentpipe_units::{Bytes, Rate, Time};

use crate::config::Nagle;
use crate::segment::timestamp;
use crate::send::recovery::rto_tlp::{Forced, Probe};
use crate::send::recovery::{Frto, Phase, Rexmit};
use crate::send::transmit::pacing::{WindowRateView, window_rate};
use crate::send::transmit::tso::{
    BufferPosition, DeferView, Deferral, max_segments, tso_autosize, tso_should_defer,
};
use crate::send::{Fin, Sender};

/// A segment that is to leave, in positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outgoing {
    pub start: u64,
    /// End excluded; a FIN counts one.
    pub end: u64,
    /// Whether it carries our FIN.
    pub is_fin: bool,
    /// Whether it ends what the application wrote.
    pub is_push: bool,
}

/// A GSO packet under way: what is left of what the windows allowed when it began.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::send) struct GsoPacket {
    start: u64,
    /// First position behind it.
    end: u64,
    /// Whether anything left since the window's use was last noted.
    sent: bool,
}

/// Why nothing new leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocked {
    /// The congestion window.
    ByWindow,
    /// The peer's window.
    ByPeer,
    /// The pacer, Nagle's rule, or the hope for a larger GSO packet.
    ByChoice,
    /// Nothing waits.
    Empty,
}

impl Sender {
    /// The next segment. `reserved` octets of each segment are taken by options.
    pub fn poll(&mut self, now: Time, reserved: u64) -> Option<Outgoing> {
        self.cc.as_ref()?;
        self.held_until = None;
        let mss = self.mss.saturating_sub(reserved).max(1);
        match self.forced.take() {
            Some(Forced::Head) => return self.retransmit(now, self.scoreboard.first_id()),
            Some(Forced::Probe) => return self.probe(now, mss),
            Some(Forced::WindowProbe) => return Some(self.window_probe(now, mss)),
            None => {}
        }
        if let Some(again) = self.poll_retransmission(now) {
            return Some(again);
        }
        if self.recovery.rexmit == Rexmit::NewFirst {
            let fresh = self.poll_new(now, mss);
            if fresh.is_none() && self.next <= self.recovery.recovery_point {
                // RFC 5682 step 2b is not possible: ordinary recovery.
                self.recovery.phase = Phase::Timeout(Frto::Settled);
                self.recovery.rexmit = Rexmit::Lost;
                return self.poll_retransmission(now);
            }
            return fresh;
        }
        self.poll_new(now, mss)
    }

    /// When pacing lets the next segment out, if that is what held the last poll.
    pub const fn paced_until(&self) -> Option<Time> {
        self.held_until
    }

    /// Any segment leaves, an acknowledgement too.
    pub fn on_any_segment(&mut self, now: Time) {
        self.pacer.on_segment(now);
    }

    pub(in crate::send) fn is_paced(&self) -> bool {
        self.pacing_rate().is_some()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.cc.as_ref().and_then(|cc| cc.state().pacing_rate)
    }

    pub(in crate::send) fn is_held_by_pacer(&mut self, now: Time) -> bool {
        let until = self.pacer.blocked_until(now).filter(|_| self.is_paced());
        self.held_until = until;
        until.is_some()
    }

    // ---- again -----------------------------------------------------------------------------------------------

    fn poll_retransmission(&mut self, now: Time) -> Option<Outgoing> {
        if self.recovery.rexmit != Rexmit::Lost || !self.recovery.is_repairing() {
            return None;
        }
        let id = self.scoreboard.next_waiting()?;
        if self.scoreboard.in_flight() >= self.cwnd() || self.is_held_by_pacer(now) {
            return None;
        }
        self.retransmit(now, id)
    }

    fn retransmit(&mut self, now: Time, id: u64) -> Option<Outgoing> {
        let sent = *self.scoreboard.get(id)?;
        // A window that was taken back (RFC 9293 section 3.8.6) lets only the first segment out.
        if sent.start >= self.window_end() && sent.start != self.una {
            return None;
        }
        let state = self.on_departure(now);
        self.scoreboard.retransmit(id, now, state);
        self.recovery.undo.on_retransmission(timestamp(now));
        if let Phase::Fast(prr) = &mut self.recovery.phase {
            prr.on_sent();
        }
        self.pace(now, sent.end - sent.start, self.mss);
        if id == self.scoreboard.first_id() {
            self.on_head_retransmitted(now);
        }
        Some(self.outgoing(Range { start: sent.start, end: sent.end }))
    }

    /// What little the window lets out, or no octet of an old position (`tcp_write_wakeup`).
    fn window_probe(&mut self, now: Time, mss: u64) -> Outgoing {
        let end = self.end().min(self.window_end()).min(self.next + mss);
        if self.next < end {
            self.buffer.on_gso_sent(end);
            return self.send_new(now, Range { start: self.next, end });
        }
        let start = self.una - 1;
        Outgoing { start, end: start, is_fin: false, is_push: false }
    }

    /// RFC 8985 section 7.3: new data tells more than a repetition.
    fn probe(&mut self, now: Time, mss: u64) -> Option<Outgoing> {
        let end = self.end().min(self.next + mss);
        if self.next < end && end <= self.window_end() {
            self.pace(now, end - self.next, mss);
            self.buffer.on_gso_sent(end);
            let fresh = self.send_new(now, Range { start: self.next, end });
            self.on_probe_sent(now, Probe::New(self.next));
            return Some(fresh);
        }
        let last = self.scoreboard.last_id()?;
        let sent = *self.scoreboard.get(last)?;
        if sent.start >= self.window_end() && sent.start != self.una {
            return None;
        }
        let state = self.on_departure(now);
        self.scoreboard.repeat(last, now, state);
        self.pace(now, sent.end - sent.start, mss);
        self.on_probe_sent(now, Probe::Again(self.next));
        Some(self.outgoing(Range { start: sent.start, end: sent.end }))
    }

    // ---- new -------------------------------------------------------------------------------------------------

    fn poll_new(&mut self, now: Time, mss: u64) -> Option<Outgoing> {
        if self.next >= self.tso.end {
            match self.start_tso(now, mss) {
                Ok(end) => {
                    self.tso.start = self.next;
                    self.tso.end = end;
                    self.buffer.on_gso_sent(end);
                    self.pace(now, end - self.next, mss);
                }
                Err(blocked) => {
                    self.on_blocked(now, blocked);
                    return None;
                }
            }
        }
        let end = self.tso.end.min(self.next + mss);
        // The FIN travels with the last octets.
        let end =
            if end + 1 == self.end() && self.tso.end + 1 >= self.end() { self.with_fin(end) } else { end };
        let fresh = self.send_new(now, Range { start: self.next, end });
        if self.next < self.tso.end {
            return Some(fresh);
        }
        if !self.buffer.was_foreseen(self.next) {
            self.check_space();
        }
        // Each GSO packet of several segments ends in a push (`__tcp_transmit_skb`).
        let is_push = fresh.is_push || self.tso.end - self.tso.start > mss;
        Some(Outgoing { is_push, ..fresh })
    }

    fn with_fin(&self, end: u64) -> u64 {
        if self.fin == Fin::At(end) { end + 1 } else { end }
    }

    /// How far the next GSO packet reaches.
    fn start_tso(&mut self, now: Time, mss: u64) -> Result<u64, Blocked> {
        let waiting = self.end().saturating_sub(self.next);
        if waiting == 0 {
            return Err(Blocked::Empty);
        }
        if self.is_held_by_pacer(now) {
            return Err(Blocked::ByChoice);
        }
        let (cwnd, in_flight) = (self.cwnd(), self.scoreboard.in_flight());
        // tcp_cwnd_test: at most half a window in one GSO packet.
        let quota = cwnd.saturating_sub(in_flight).min((cwnd / 2).max(1));
        if quota == 0 {
            return Err(Blocked::ByWindow);
        }
        if self.next + waiting.min(mss) > self.window_end() {
            return Err(Blocked::ByPeer);
        }
        let segments = self.tso_segments(mss);
        if waiting <= mss {
            if self.must_wait_for_ack(waiting, mss) {
                return Err(Blocked::ByChoice);
            }
        } else if !matches!(self.recovery.phase, Phase::Fast(_) | Phase::Timeout(_)) {
            match tso_should_defer(self.defer_view(now, mss, segments)) {
                Deferral::SendNow => {}
                Deferral::ForWindow => return Err(Blocked::ByWindow),
                Deferral::ForOther => return Err(Blocked::ByChoice),
            }
        }
        let limit = self.next + segments.min(quota) * mss;
        let end = self.end().min(limit).min(self.window_end());
        let partial = (end - self.next) % mss;
        if partial > 0 && end - self.next > mss && self.must_wait_for_ack(partial, mss) {
            return Ok(end - partial);
        }
        Ok(end)
    }

    /// Nagle's rule in Minshall's variant (`tcp_nagle_check`).
    fn must_wait_for_ack(&self, size: u64, mss: u64) -> bool {
        self.config.nagle == Nagle::On && self.fin == Fin::Open && size < mss && self.minshall_end > self.una
    }

    /// Segments of the next GSO packet.
    pub(in crate::send) fn tso_segments(&self, mss: u64) -> u64 {
        tso_autosize(self.tso_rate(), self.rtt.min(), mss, self.is_paced()).min(max_segments(mss))
    }

    fn tso_rate(&self) -> Rate {
        self.pacing_rate().unwrap_or_else(|| {
            window_rate(WindowRateView {
                cwnd: self.cwnd(),
                ssthresh: self.ssthresh(),
                packets_out: self.scoreboard.len(),
                mss: self.mss,
                srtt: self.srtt_or_zero(),
            })
        })
    }

    fn defer_view(&self, now: Time, mss: u64, segments: u64) -> DeferView {
        let (cwnd, in_flight) = (self.cwnd(), self.scoreboard.in_flight());
        let end = self.end();
        // A buffer smaller than a GSO packet is filled up from the next (`tcp_grow_skb`).
        let filled = self.next + segments.min(cwnd.saturating_sub(in_flight)) * mss;
        let buffer_end = self.buffer.first_waiting_end().map_or(end, |first| first.max(filled).min(end));
        let position = match self.fin {
            _ if buffer_end < self.buffer.end() => BufferPosition::Inner,
            Fin::Open => BufferPosition::Tail,
            Fin::At(_) => BufferPosition::Final,
        };
        DeferView {
            now,
            last_departure: self.pacer.stamp(),
            send_window: self.window_end() - self.next,
            congestion_window: cwnd.saturating_sub(in_flight) * mss,
            whole_congestion_window: cwnd * mss,
            whole_send_window: self.window.size,
            gso_size: segments * mss,
            buffer: buffer_end - self.next,
            position,
            oldest_departure: self.scoreboard.front().map(|sent| sent.sent_at),
            srtt: self.srtt_or_zero(),
        }
    }

    fn send_new(&mut self, now: Time, range: Range) -> Outgoing {
        let was_empty = self.scoreboard.is_empty();
        let payload = range.end.min(self.buffer.end()).saturating_sub(range.start);
        let state = self.on_departure(now);
        self.scoreboard.push(range.start, range.end, now, state);
        self.next = range.end;
        if payload < self.mss {
            self.minshall_end = range.end;
        }
        if let Phase::Fast(prr) = &mut self.recovery.phase {
            prr.on_sent();
        }
        if self.recovery.rexmit == Rexmit::NewFirst {
            self.recovery.rexmit = Rexmit::None;
        }
        self.tso.sent = true;
        self.on_new_data_timer(now, was_empty);
        self.outgoing(range)
    }

    fn pace(&mut self, now: Time, octets: u64, mss: u64) {
        let rate = self.pacing_rate();
        self.pacer.on_gso_sent(now, Bytes::new(octets), octets.div_ceil(mss), rate);
    }

    fn on_departure(&mut self, now: Time) -> bentpipe_cc::rate::PacketState {
        let in_flight = self.bytes(self.scoreboard.in_flight());
        if let Some(cc) = &mut self.cc {
            let bytes = Bytes::new(self.mss);
            let demand = self.rate.demand();
            cc.on_sent(&SentSample { now, bytes, prior_in_flight: in_flight, demand });
        }
        self.last_data_at = now;
        self.rate.on_sent(now, self.bytes(self.scoreboard.len()))
    }

    /// The end of a run of segments: whether the window was what stopped it (`tcp_cwnd_validate`).
    fn on_blocked(&mut self, now: Time, blocked: Blocked) {
        let full = self.scoreboard.in_flight() >= self.cwnd();
        let limited = blocked == Blocked::ByWindow || (full && self.tso.sent);
        if limited || self.tso.sent {
            self.usage.on_transmit(self.next, self.bytes(self.scoreboard.len()), limited);
            self.validate_window(now);
        }
        self.tso.sent = false;
        if blocked == Blocked::ByPeer {
            self.on_blocked_by_window(now);
        }
    }

    /// Whether the first waiting segment fits into the peer's window.
    pub(in crate::send) fn first_fits(&self) -> bool {
        let waiting = self.end().saturating_sub(self.next);
        self.next + waiting.min(self.mss) <= self.window_end()
    }

    fn outgoing(&self, range: Range) -> Outgoing {
        let is_fin = self.fin == Fin::At(range.end - 1);
        let is_push = range.end >= self.buffer.end();
        Outgoing { start: range.start, end: range.end, is_fin, is_push }
    }
}

/// Positions, end excluded.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u64,
    end: u64,
}
