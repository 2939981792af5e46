//! Segments that leave.

use bentpipe_units::Time;

use super::{Connection, Reset};
use crate::event::Event;
use crate::options::{Options, SackBlocks, SackPermitted, Timestamps};
use crate::payload::Payload;
use crate::receive::Report;
use crate::segment::{Flags, NOT_ECT, Segment};
use crate::send::Outgoing;
use crate::sequence::SeqNumber;

impl Connection {
    /// The next segment to send now; call until `None`.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if let Some(report) = self.pending.reports.pop_front() {
            return Some(report);
        }
        if let Some(reset) = self.pending.reset.take() {
            return Some(match reset {
                Reset::Answer(segment) => *segment,
                Reset::Own => self.own_reset(now),
            });
        }
        if self.pending.syn {
            return Some(self.syn_segment(now));
        }
        if self.state.may_send() {
            let blocks = self.receive.sack_blocks().min(self.most_sack_blocks());
            let reserved = if blocks == 0 { 0 } else { 4 + 8 * blocks as u64 };
            let next = self.send.next();
            if let Some(outgoing) = self.send.poll(now, reserved) {
                let mut segment = self.data_segment(now, &outgoing);
                if self.send.take_reduced() {
                    self.ecn.on_reduction();
                }
                if outgoing.start >= next {
                    self.ecn.mark_new_data(&mut segment);
                }
                return Some(segment);
            }
        }
        if std::mem::take(&mut self.pending.keep_alive) {
            // Below what is acknowledged, so that it is answered (`tcp_xmit_probe_skb`).
            return Some(self.plain_segment(now, self.send.next().saturating_sub(1)));
        }
        if std::mem::take(&mut self.pending.acknowledgement) {
            return Some(self.plain_segment(now, self.acceptable()));
        }
        if std::mem::take(&mut self.pending.writable) {
            self.send.check_space(now);
        }
        // A writer that waits is woken when what waited before has left.
        if self.send.take_writable() {
            self.tell(Event::Writable);
        }
        None
    }

    fn data_segment(&mut self, now: Time, outgoing: &Outgoing) -> Segment {
        let mut segment = self.plain_segment(now, outgoing.start);
        segment.payload = self.send.data(outgoing);
        // What is retransmitted is as long as it was when it had no SACK blocks beside it; they can wait.
        let room = self.send.mss().saturating_sub(segment.payload.len());
        if u64::from(segment.options.sack.wire_len()) > room {
            segment.options.sack = SackBlocks::default();
        }
        if outgoing.is_fin {
            segment.flags = segment.flags.with(Flags::FIN);
        }
        if outgoing.is_push && !segment.payload.is_empty() {
            segment.flags = segment.flags.with(Flags::PSH);
        }
        if !segment.payload.is_empty() {
            self.receive.on_data_sent(now);
        }
        segment
    }

    /// An acknowledgement, to which data may be added.
    fn plain_segment(&mut self, now: Time, position: u64) -> Segment {
        self.pending.acknowledgement = false;
        let report = self.receive.report();
        self.acknowledgement(now, position, report)
    }

    /// An acknowledgement of what is in order, with such a report.
    pub(super) fn acknowledgement(&mut self, now: Time, position: u64, report: Report) -> Segment {
        self.send.on_any_segment(now);
        let mut sack = SackBlocks::default();
        for block in report.blocks.into_iter().take(self.most_sack_blocks()) {
            sack.push(self.theirs.number(block.start), self.theirs.number(block.end));
        }
        let timestamps =
            self.peer.timestamp.map(|echo| Timestamps { value: self.wheel.timestamp(now), echo });
        Segment {
            flags: Flags::ACK.with(self.ecn.of_acknowledgement()),
            seq: self.ours.number(position),
            ack: self.theirs.number(self.receive.next()),
            window: report.window,
            options: Options { syn: None, timestamps, sack },
            ..self.blank()
        }
    }

    /// Where a segment without data stands: behind all that left, unless the peer has shrunk its window by more than its scale
    /// is exact to (`tcp_acceptable_seq`).
    pub(super) fn acceptable(&self) -> u64 {
        let (next, window_end) = (self.send.next(), self.send.window_end());
        let unit = self.peer.shift.map_or(0, |_| 1 << self.receive.window().offered_shift());
        let is_shrunk = next > window_end && next - window_end >= unit;
        if is_shrunk && self.is_open() { window_end } else { next }
    }

    /// None for a peer that did not welcome them (RFC 2018 section 2).
    fn most_sack_blocks(&self) -> usize {
        match self.peer.sack {
            Some(SackPermitted::Yes) => SackBlocks::most(self.peer.timestamp.is_some()),
            _ => 0,
        }
    }

    pub(super) fn blank(&self) -> Segment {
        Segment {
            source: self.local,
            destination: self.remote,
            flags: Flags::NONE,
            seq: SeqNumber(0),
            ack: SeqNumber(0),
            window: 0,
            options: Options::default(),
            ecn: NOT_ECT,
            gso_size: None,
            payload: Payload::EMPTY,
        }
    }

    /// A segment that has no place here is answered with a reset, unless it is one.
    pub(super) fn answer_with_reset(&mut self, segment: &Segment) {
        self.pending.reset = segment.reset_for().map(|reset| Reset::Answer(Box::new(reset)));
    }

    fn own_reset(&mut self, now: Time) -> Segment {
        let last = self.plain_segment(now, self.acceptable());
        Segment { flags: Flags::RST.with(Flags::ACK), ..last }
    }
}
