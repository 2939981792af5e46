//! What leaves next (`tcp_xmit_retransmit_queue`, `tcp_write_xmit`).

mod nagle;
pub(super) mod pacing;
pub(crate) mod parts;
mod probes;
mod retransmission;
pub(crate) mod tso;
pub(crate) mod window;

use std::ops::Range;

use bentpipe_units::{Bytes, Time};

use crate::Boundary;
use crate::config::Nagle;
use crate::send::buffer::{Allowance, Buffer};
use crate::send::chrono::Limit;
use crate::send::congestion::{RunView, WindowUse};
use crate::send::recovery::scoreboard::{Make, Place};
use crate::send::recovery::timer::Forced;
use crate::send::recovery::{Room, View};
use crate::send::transmit::nagle::{Small, SmallSegment};
use crate::send::transmit::pacing::Pacer;
use crate::send::transmit::parts::{Outgoing, Parts};
use crate::send::transmit::tso::{BufferPosition, DeferView, Deferral, tso_should_defer};
use crate::send::transmit::window::SendWindow;

/// What decides which segment leaves, and when.
#[derive(Clone, Debug)]
pub(crate) struct Transmit {
    /// First position not yet sent (SND.NXT).
    next: u64,
    window: SendWindow,
    pacer: Pacer,
    /// When the pacer lets the next segment out that it held back.
    held_until: Option<Time>,
    tso: GsoPacket,
    /// Lost segments that are retransmitted as one GSO packet.
    retransmitted: GsoPacket,
    small: Small,
}

/// A GSO packet under way: what is left of what the windows allowed when it started.
#[derive(Clone, Copy, Debug, Default)]
struct GsoPacket {
    start: u64,
    /// First position behind it.
    end: u64,
    /// Whether the peer's window cut it from what could have left with it, which keeps the push (`tso_fragment`).
    is_cut: bool,
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
    /// The application, which wants to write more first.
    ByApplication,
    /// Nothing waits.
    Empty,
}

impl Transmit {
    pub fn new(first: u64, nagle: Nagle) -> Self {
        Self {
            next: first,
            window: SendWindow::default(),
            pacer: Pacer::new(),
            held_until: None,
            tso: GsoPacket::default(),
            retransmitted: GsoPacket::default(),
            small: Small::new(first, nagle),
        }
    }

    /// What lies below `position` left with the handshake.
    pub const fn start_at(&mut self, position: u64) {
        self.next = position;
    }

    /// `TCP_NODELAY`.
    pub fn set_nagle(&mut self, nagle: Nagle) {
        self.small.set_nagle(nagle);
    }

    /// `TCP_CORK`.
    pub fn set_cork(&mut self, is_corked: bool) {
        self.small.set_cork(is_corked);
    }

    /// The application has written.
    pub const fn on_written(&mut self, boundary: Boundary) {
        self.small.on_write(matches!(boundary, Boundary::More));
    }

    // ---- getters -------------------------------------------------------------------------------------------

    /// First position not yet sent (SND.NXT).
    pub const fn position(&self) -> u64 {
        self.next
    }

    /// The peer's window.
    pub const fn window(&self) -> &SendWindow {
        &self.window
    }

    pub const fn window_mut(&mut self) -> &mut SendWindow {
        &mut self.window
    }

    /// When pacing lets the next segment out, if that is what held the last one.
    pub const fn paced_until(&self) -> Option<Time> {
        self.held_until
    }

    /// How the windows stand to what was never sent.
    pub fn room(&self, una: u64, buffer: &Buffer, mss: u64) -> Room {
        let waiting = buffer.sequence_end().saturating_sub(self.next);
        let window_end = self.window.end(una);
        Room {
            waits: waiting > 0,
            is_open: window_end > self.next,
            first_fits: self.next + waiting.min(self.window.bound(mss)) <= window_end,
        }
    }

    const fn view<'a>(&self, parts: &Parts<'a>) -> View<'a> {
        View { now: parts.now, next: self.next, rtt: parts.rtt }
    }

    const fn window_end(&self, parts: &Parts<'_>) -> u64 {
        self.window.end(parts.recovery.una())
    }

    // ---- the next segment ----------------------------------------------------------------------------------

    /// The next segment. `reserved` bytes of each segment are taken by options.
    pub fn next(&mut self, parts: &mut Parts<'_>, reserved: u64) -> Option<Outgoing> {
        self.held_until = None;
        let mss = self.window.bound(parts.cc.mss()).saturating_sub(reserved).max(1);
        match parts.recovery.take_forced() {
            Some(Forced::Head) => {
                let first = parts.recovery.scoreboard().first_id();
                parts.recovery.fit(first, mss);
                parts.recovery.part_behind(first);
                let head = self.retransmit(parts, first, mss)?;
                self.pace(parts, head.end - head.start, mss);
                return Some(head);
            }
            Some(Forced::Probe) => return self.probe(parts, mss),
            Some(Forced::WindowProbe) => return Some(self.window_probe(parts, mss)),
            None => {}
        }
        if let Some(again) = self.next_retransmission(parts, mss) {
            return Some(again);
        }
        let new_first = parts.recovery.wants_new_first();
        let fresh = self.next_new(parts, mss);
        if new_first && fresh.is_none() && parts.recovery.on_nothing_new(self.next) {
            return self.next_retransmission(parts, mss);
        }
        fresh
    }

    /// Any segment leaves, an acknowledgement too.
    pub fn on_any_segment(&mut self, now: Time) {
        self.pacer.on_segment(now);
    }

    fn is_held_by_pacer(&mut self, parts: &Parts<'_>) -> bool {
        let until = self.pacer.blocked_until(parts.now).filter(|_| parts.pacing_rate().is_some());
        self.held_until = until;
        until.is_some()
    }

    fn pace(&mut self, parts: &Parts<'_>, bytes: u64, mss: u64) {
        let segments = bytes.div_ceil(mss);
        self.pacer.on_gso_sent(parts.now, Bytes::new(bytes), segments, parts.pacing_rate());
    }

    // ---- new -------------------------------------------------------------------------------------------------

    fn next_new(&mut self, parts: &mut Parts<'_>, mss: u64) -> Option<Outgoing> {
        if self.next >= self.tso.end {
            match self.start_tso(parts, mss) {
                Ok(end) => {
                    self.tso.start = self.next;
                    self.tso.end = end;
                    parts.buffer.on_gso_sent(end);
                    self.pace(parts, end - self.next, mss);
                }
                Err(blocked) => {
                    self.on_blocked(parts, blocked);
                    return None;
                }
            }
        }
        let end = self.tso.end.min(self.next + mss);
        // The FIN travels with the last bytes.
        let takes_fin = parts.buffer.fin() == Some(end);
        let place = match self.tso.end - self.tso.start {
            length if length <= mss => Place::Alone,
            _ if self.next == self.tso.start => Place::First,
            _ => Place::Later,
        };
        let fresh = self.send_new(parts, end + u64::from(takes_fin), place, mss);
        if self.next < self.tso.end {
            return Some(fresh);
        }
        if !parts.buffer.was_foreseen(self.next) {
            parts.check_space(self.next);
        }
        // Each GSO packet of several segments ends in a push (`__tcp_transmit_skb`).
        let is_push = fresh.is_push || place != Place::Alone;
        Some(Outgoing { is_push, ..fresh })
    }

    /// How far the next GSO packet reaches.
    fn start_tso(&mut self, parts: &mut Parts<'_>, mss: u64) -> Result<u64, Blocked> {
        let (queued_end, reach) = (parts.queued_end(self.next), parts.reach(self.next));
        if reach <= self.next {
            return Err(Blocked::Empty);
        }
        if self.is_held_by_pacer(parts) {
            return Err(Blocked::ByChoice);
        }
        let (cwnd, in_flight) = (parts.cwnd(), parts.recovery.in_flight());
        let quota = cwnd.saturating_sub(in_flight).min(half_of(cwnd));
        if quota == 0 {
            return Err(Blocked::ByWindow);
        }
        let segments = parts.tso_segments(mss);
        let limit = self.next + segments.min(quota) * mss;
        parts.buffer.grow_first(self.next, limit.min(reach));
        // It is filled up from the next one alone.
        let reach = parts.buffer.first_waiting_end().map_or(reach, |end| end.min(reach));
        let waiting = reach - self.next;
        // The FIN takes a number of the window (tcp_snd_wnd_test), and none of a segment.
        let fin = u64::from(waiting <= mss && parts.buffer.fin() == Some(reach));
        if self.next + waiting.min(mss) + fin > self.window_end(parts) {
            return Err(Blocked::ByPeer);
        }
        let (una, is_last) = (parts.recovery.una(), reach == queued_end);
        let segment = SmallSegment { una, is_last, is_fin: parts.buffer.fin().is_some() };
        if waiting <= mss {
            if waiting < mss && self.small.must_wait(segment) {
                let is_held = self.small.is_held();
                return Err(if is_held { Blocked::ByApplication } else { Blocked::ByChoice });
            }
        } else if !parts.recovery.is_repairing() && !parts.buffer.is_pushed_alone(self.next) {
            match tso_should_defer(self.defer_view(parts, mss, segments)) {
                Deferral::SendNow => {}
                Deferral::ForWindow => return Err(Blocked::ByWindow),
                Deferral::ForPeer => return Err(Blocked::ByPeer),
                Deferral::ForOther => return Err(Blocked::ByChoice),
            }
        }
        let end = reach.min(limit).min(self.window_end(parts));
        self.tso.is_cut = end < limit && end < reach;
        let partial = (end - self.next) % mss;
        // tcp_mss_split_point asks Nagle's rule of what is not last, too, where the window cuts it.
        let rest = SmallSegment { is_last: is_last || limit > self.window_end(parts), ..segment };
        if partial > 0 && end - self.next > mss && self.small.must_wait(rest) {
            return Ok(end - partial);
        }
        Ok(end)
    }

    fn defer_view(&self, parts: &Parts<'_>, mss: u64, segments: u64) -> DeferView {
        let (cwnd, in_flight) = (parts.cwnd(), parts.recovery.in_flight());
        let (queued_end, end) = (parts.queued_end(self.next), parts.reach(self.next));
        let buffer_end = parts.buffer.first_waiting_end().map_or(end, |first| first.min(end));
        let position = match parts.buffer.fin() {
            _ if buffer_end < queued_end.min(parts.buffer.end()) => BufferPosition::Inner,
            None => BufferPosition::Tail,
            Some(_) => BufferPosition::Final,
        };
        DeferView {
            now: parts.now,
            last_departure: self.pacer.stamp(),
            send_window: self.window_end(parts) - self.next,
            congestion_window: cwnd.saturating_sub(in_flight) * mss,
            whole_congestion_window: cwnd * mss,
            whole_send_window: self.window.size,
            gso_size: segments * mss,
            buffer: buffer_end - self.next,
            position,
            oldest_departure: parts.recovery.scoreboard().front().map(|sent| sent.sent_at),
            srtt: parts.srtt(),
            window_divisor: parts.offload.window_divisor,
        }
    }

    /// What lies below `end` leaves.
    fn send_new(&mut self, parts: &mut Parts<'_>, end: u64, place: Place, mss: u64) -> Outgoing {
        let start = self.next;
        let payload = end.min(parts.buffer.end()).saturating_sub(start);
        let state = parts.on_departure();
        parts.chrono.start(parts.now, Limit::Busy);
        self.next = end;
        if payload < mss {
            self.small.on_sent(end);
        }
        self.tso.sent = true;
        let fresh = parts.outgoing(start, end);
        // The push of a buffer is that of its last segment.
        let is_push = fresh.is_push && end >= self.tso.end && !self.tso.is_cut;
        let fresh = Outgoing { is_push, ..fresh };
        let make = Make { is_push: fresh.is_push, ends_record: parts.buffer.is_record_end(end), place };
        parts.recovery.on_new_sent(start, end, make, state, self.view(parts));
        fresh
    }

    /// What left with the SYN, from `start` to `end` of `all`, counts as a segment that was sent; returns its end.
    pub fn count_as_sent(&self, parts: &mut Parts<'_>, start: u64, end: u64, all: Range<u64>) -> u64 {
        let state = parts.on_departure();
        let place = match start {
            _ if (start..end) == all => Place::Alone,
            start if start == all.start => Place::First,
            _ => Place::Later,
        };
        let make = Make { is_push: end == all.end, ends_record: false, place };
        parts.recovery.on_new_sent(start, end, make, state, self.view(parts));
        end
    }

    /// The end of a run of segments: whether the window was what stopped it (`tcp_cwnd_validate`).
    fn on_blocked(&mut self, parts: &mut Parts<'_>, blocked: Blocked) {
        parts.buffer.forget_write_ends();
        self.small.on_run_ended();
        let cwnd = parts.cwnd();
        let full = parts.recovery.in_flight() >= cwnd;
        let is_cwnd_limited = blocked == Blocked::ByWindow || (full && self.tso.sent);
        match blocked {
            Blocked::ByPeer => parts.chrono.start(parts.now, Limit::PeerWindow),
            _ => parts.chrono.stop(parts.now, Limit::PeerWindow),
        }
        if is_cwnd_limited || self.tso.sent {
            let use_of_window = parts.cc.validate_window(RunView {
                now: parts.now,
                next: self.next,
                cwnd,
                packets_out: parts.recovery.scoreboard().len(),
                is_cwnd_limited,
                rto: parts.rtt.rto(),
                may_shrink: parts.recovery.is_open() && !parts.buffer.has_waiting_writer(),
            });
            // What left while the application wrote left before it was told to wait.
            let is_starved = self.next >= parts.end()
                && parts.buffer.is_blocked()
                && !parts.buffer.was_foreseen(self.next);
            if use_of_window == WindowUse::Partial && is_starved && parts.buffer.fin().is_none() {
                parts.chrono.start(parts.now, Limit::SendBuffer);
            }
        }
        self.tso.sent = false;
        if matches!(blocked, Blocked::ByPeer | Blocked::ByApplication) {
            parts.recovery.on_nothing_out(self.view(parts));
        }
    }

    // ---- what is written -------------------------------------------------------------------------------------

    /// What may leave while the application writes.
    pub fn allowance(&mut self, parts: &Parts<'_>) -> Allowance {
        let window_end = self.window_end(parts);
        if self.is_held_by_pacer(parts) {
            return Allowance { quota: 0, tso_segments: 0, window_end };
        }
        let cwnd = parts.cwnd();
        let tso_segments = parts.tso_segments(self.window.bound(parts.cc.mss())).min(half_of(cwnd));
        let quota = cwnd.saturating_sub(parts.recovery.in_flight());
        let is_paced = parts.pacing_rate().is_some();
        let quota = if is_paced { quota.min(self.pacer.at_once(tso_segments)) } else { quota };
        Allowance { quota, tso_segments, window_end }
    }
}

/// Segments of a GSO packet at most (`tcp_cwnd_test`).
fn half_of(cwnd: u64) -> u64 {
    (cwnd / 2).max(1)
}
