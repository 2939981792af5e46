//! The other parts of the sender, as `Transmit` borrows them.

use bentpipe_cc::rate::PacketState;
use bentpipe_units::{Duration, Rate, Time};

use crate::config::Offload;
use crate::send::buffer::Buffer;
use crate::send::chrono::{Chronograph, Limit};
use crate::send::congestion::Congestion;
use crate::send::recovery::Recovery;
use crate::send::recovery::scoreboard::Sent;
use crate::send::rtt::Rtt;
use crate::send::transmit::pacing::PacingRate;
use crate::send::transmit::tso::{max_segments, min_segments_of_pacer, tso_autosize};

/// The other parts of the sender: what a segment is made of, and what hears that it left.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub now: Time,
    pub buffer: &'a mut Buffer,
    pub recovery: &'a mut Recovery,
    pub cc: &'a mut Congestion,
    pub rtt: &'a Rtt,
    pub chrono: &'a mut Chronograph,
    pub offload: Offload,
    pub pacing: PacingRate,
}

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

impl Parts<'_> {
    pub fn cwnd(&self) -> u64 {
        self.recovery.cwnd(self.cc)
    }

    /// First position that is not ours to send.
    pub fn end(&self) -> u64 {
        self.buffer.sequence_end()
    }

    /// The same when what leaves from `next` on leaves: a write sends before it has taken everything.
    pub fn queued_end(&self, next: u64) -> u64 {
        self.buffer.write_end(next).map_or(self.end(), |end| end.min(self.end()))
    }

    /// The end of what may leave as one from `next` on: nothing beyond the end of a record (`tcp_skb_can_collapse_to`).
    pub fn reach(&self, next: u64) -> u64 {
        let queued_end = self.queued_end(next);
        self.buffer.record_end(next).map_or(queued_end, |end| end.min(queued_end))
    }

    pub fn srtt(&self) -> Duration {
        self.rtt.srtt().unwrap_or(Duration::ZERO)
    }

    /// The rate at which it leaves, where the sender is paced.
    pub fn pacing_rate(&self) -> Option<Rate> {
        self.pacing.paced(self.cc.pacing_rate())
    }

    /// Segments of the next GSO packet.
    pub fn tso_segments(&self, mss: u64) -> u64 {
        let own = self.cc.pacing_rate();
        let rate = self.pacing.of(own);
        // An algorithm with a rate of its own says how many at least, else the host does (tcp_tso_autosize).
        let least = if own.is_some() { min_segments_of_pacer(rate) } else { self.offload.min_segments };
        tso_autosize(rate, self.rtt.min(), mss, least).min(max_segments(mss))
    }

    /// A segment is about to leave.
    pub fn on_departure(&mut self) -> PacketState {
        let scoreboard = self.recovery.scoreboard();
        self.cc.on_sent(self.now, scoreboard.in_flight(), scoreboard.len())
    }

    pub fn outgoing(&self, start: u64, end: u64) -> Outgoing {
        let is_fin = self.buffer.fin() == Some(end - 1);
        let is_push = self.buffer.is_marked(end.min(self.buffer.end()));
        Outgoing { start, end, is_fin, is_push }
    }

    /// A segment that has left before.
    pub fn outgoing_retransmitted(&self, sent: &Sent) -> Outgoing {
        Outgoing { is_push: sent.make.is_push, ..self.outgoing(sent.start, sent.end) }
    }

    /// The application writes, and the buffer takes something (`tcp_slow_start_after_idle_check`,
    /// `tcp_rate_check_app_limited`).
    pub fn on_write_starts(&mut self, next: u64) {
        if self.recovery.scoreboard().is_empty() {
            self.cc.restart_after_idle(self.now, self.cwnd(), self.rtt.rto());
        }
        let scoreboard = self.recovery.scoreboard();
        let (waiting, in_flight) = (self.buffer.end().saturating_sub(next), scoreboard.in_flight());
        // A write finds the window open and nothing waiting.
        if waiting < self.cc.mss()
            && in_flight < self.cwnd()
            && scoreboard.lost() <= scoreboard.retransmitted()
        {
            self.cc.on_app_limited(in_flight);
        }
    }

    /// After each GSO packet and each acknowledgement (`tcp_check_space`): a writer that was told to wait gets a larger
    /// buffer unless the congestion window is full, and may go on when a third of the buffer is free.
    pub fn check_space(&mut self, next: u64) {
        if !self.buffer.is_blocked() {
            return;
        }
        if self.recovery.in_flight() < self.cwnd() {
            self.expand_buffer();
        }
        self.buffer.relieve(next);
        if !self.buffer.is_blocked() {
            self.chrono.stop(self.now, Limit::SendBuffer);
        }
    }

    /// `tcp_sndbuf_expand`.
    pub fn expand_buffer(&mut self) {
        self.buffer.expand(self.cc.send_buffer(self.cwnd(), self.recovery.reordering()));
    }
}
