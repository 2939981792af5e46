//! Segments that arrive (RFC 9293 section 3.10.7; `tcp_rcv_established`, `tcp_rcv_state_process`).

use bentpipe_units::Time;

use super::{Connection, LINGER, Reader};
use crate::ecn::Mark;
use crate::event::{Closed, Event};
use crate::options::{MAX_SACK_BLOCKS, SackPermitted};
use crate::receive::{Arrival, Decision};
use crate::segment::{Flags, Segment, timestamp_before};
use crate::send::{Ack, Block, Verdict};
use crate::state::State;

impl Connection {
    /// A segment for this connection arrives.
    pub fn handle_segment(&mut self, now: Time, segment: &Segment) {
        match self.state {
            State::Closed => {}
            State::SynSent => self.on_segment_in_syn_sent(now, segment),
            State::TimeWait => self.on_segment_in_time_wait(now, segment),
            _ => self.on_segment(now, segment),
        }
    }

    fn on_segment(&mut self, now: Time, segment: &Segment) {
        let Some(start) = self.theirs.position(segment.seq, self.receive.next()) else { return };
        let opens = segment.flags.contains(Flags::SYN) && !segment.flags.contains(Flags::ACK);
        if self.state == State::SynReceived && start == 0 && opens {
            self.on_repeated_syn(now);
            return;
        }
        if !self.is_acceptable(now, segment, start) {
            return;
        }
        if !segment.flags.contains(Flags::ACK) {
            return;
        }
        let completes = self.state == State::SynReceived;
        let by_fast_open = completes && self.send.cc().is_some();
        if completes && !self.on_first_ack(now, segment, start) {
            return;
        }
        match self.process_ack(now, segment, start) {
            Verdict::Accepted => {}
            // RFC 9293 section 3.10.7.4, fifth check, and RFC 5961 section 5.2: answered and dropped.
            Verdict::Unsent | Verdict::TooOld => return self.challenge(now),
        }
        if by_fast_open {
            self.after_first_ack_by_fast_open(now, segment);
        }
        self.after_ack(now);
        if self.state == State::Closed {
            return;
        }
        if let Some(timestamps) = segment.options.timestamps {
            self.receive.on_echo(now, timestamps.echo, segment.sequence_len());
        }
        self.process_payload(now, segment, start);
    }

    /// The first four checks of RFC 9293 section 3.10.7.4 and RFC 7323 section 5.3 (`tcp_validate_incoming`).
    fn is_acceptable(&mut self, now: Time, segment: &Segment, start: u64) -> bool {
        let end = start + segment.sequence_len();
        let reset = segment.flags.contains(Flags::RST);
        let old = match (self.peer.timestamp, segment.options.timestamps) {
            (Some(recent), Some(timestamps)) => timestamp_before(timestamps.value, recent),
            _ => false,
        };
        let data_end = end - u64::from(segment.flags.contains(Flags::FIN));
        let is_before = end < self.receive.announced_at();
        let is_beyond = !is_before && !self.receive.allows(start, data_end);
        if (old && !reset) || is_before || is_beyond {
            if !reset {
                self.beyond_window += u64::from(is_beyond && !old);
                self.answer_stray(now, segment, start, end);
            }
            return false;
        }
        if reset {
            // RFC 5961 section 3.2: only the exact number resets; another one is answered.
            if start == self.receive.next() {
                let is_opening = self.state == State::SynReceived && !self.is_open();
                let reason = if is_opening { Closed::Refused } else { Closed::Reset };
                self.vanish(reason);
            } else {
                self.challenge(now);
            }
            return false;
        }
        if segment.flags.contains(Flags::SYN) && self.state != State::SynReceived {
            // RFC 5961 section 4.2.
            self.challenge(now);
            return false;
        }
        true
    }

    fn answer_stray(&mut self, now: Time, segment: &Segment, start: u64, end: u64) {
        // Data and FINs make no loops of acknowledgements (`tcp_oow_rate_limited`).
        let may_loop = segment.sequence_len() == 0 || segment.flags.contains(Flags::SYN);
        if may_loop && !self.may_answer_stray(now) {
            return;
        }
        if end > start {
            self.receive.on_outside(start, end);
        }
        self.pending.acknowledgement = true;
    }

    /// `tcp_send_challenge_ack`.
    fn challenge(&mut self, now: Time) {
        if self.may_answer_stray(now) {
            self.pending.acknowledgement = true;
        }
    }

    /// Whether a stray segment is answered now (`__tcp_oow_rate_limited`).
    pub(super) fn may_answer_stray(&mut self, now: Time) -> bool {
        let is_due = self.out_of_window_at.is_none_or(|at| now.since(at) >= self.stray_interval);
        if is_due {
            self.out_of_window_at = Some(now);
        }
        is_due
    }

    fn process_ack(&mut self, now: Time, segment: &Segment, start: u64) -> Verdict {
        let Some(position) = self.ours.position(segment.ack, self.send.next()) else {
            return Verdict::Unsent;
        };
        let mut blocks = [Block::default(); MAX_SACK_BLOCKS];
        let mut known = 0;
        if self.peer.sack == Some(SackPermitted::Yes) {
            for (from, to) in segment.options.sack.as_slice() {
                let range = (self.ours.position(*from, position), self.ours.position(*to, position));
                if let (Some(from), Some(to)) = range {
                    blocks[known] = Block { start: from, end: to };
                    known += 1;
                }
            }
        }
        let is_old = position < self.send.una();
        let verdict = self.send.on_ack(&Ack {
            now,
            seq: start,
            position,
            window: self.peer.scale(segment.window),
            sack: &blocks[..known],
            echo: segment.options.timestamps.map(|timestamps| timestamps.echo).filter(|echo| *echo != 0),
            carries_data: !segment.payload.is_empty(),
            echoes_mark: self.ecn.is_echo(segment),
        });
        if verdict == Verdict::Accepted {
            if !is_old {
                self.keep_alive.on_heard(now);
            }
            self.pending.writable = true;
            self.note_timestamp(segment, start);
        }
        verdict
    }

    /// RFC 7323 section 4.3: the timestamp of the earliest segment not acknowledged is echoed.
    fn note_timestamp(&mut self, segment: &Segment, start: u64) {
        if let (Some(recent), Some(timestamps)) = (&mut self.peer.timestamp, segment.options.timestamps)
            && start <= self.receive.announced_at()
            && !timestamp_before(timestamps.value, *recent)
        {
            *recent = timestamps.value;
        }
    }

    /// What the acknowledgement of our FIN brings.
    fn after_ack(&mut self, now: Time) {
        if !self.send.is_finished() {
            return;
        }
        match self.state {
            State::FinWait1 => {
                self.state = State::FinWait2;
                if self.reader == Reader::Gone {
                    self.lingers_until = Some(now + LINGER);
                }
            }
            State::Closing => self.enter_time_wait(now),
            State::LastAck => self.vanish(Closed::Finished),
            _ => {}
        }
    }

    fn process_payload(&mut self, now: Time, segment: &Segment, start: u64) {
        let start = if segment.flags.contains(Flags::SYN) { start + 1 } else { start };
        let data_end = start + segment.payload.len();
        let nobody_reads = match self.reader {
            // After its FIN the peer sends no more, and what begins behind it is not looked at.
            Reader::Present => {
                Some(Closed::Reset).filter(|_| self.receive.is_finished() && start < self.receive.next())
            }
            Reader::ShutDown => Some(Closed::Reset).filter(|_| !self.state.may_write()),
            Reader::Gone => Some(Closed::Aborted),
        };
        // An acknowledgement behind a FIN that was lost brings nothing that is new.
        let is_new = segment.sequence_len() > 0 && data_end > self.receive.next();
        if let Some(reason) = nobody_reads.filter(|_| is_new) {
            // RFC 1122 section 4.2.2.13: the reset takes the number that the segment acknowledges
            // (`tcp_rcv_state_process`, `tcp_v4_send_reset`).
            self.answer_with_reset(segment);
            self.vanish(reason);
            return;
        }
        if self.state.may_receive() {
            self.on_payload(now, start, segment);
        } else if segment.sequence_len() > 0 && start < self.receive.next() {
            // A FIN or data that was taken already.
            self.receive.on_outside(start, data_end + u64::from(segment.flags.contains(Flags::FIN)));
            self.pending.acknowledgement = true;
        }
    }

    /// Data and FIN at position `start`.
    pub(super) fn on_payload(&mut self, now: Time, start: u64, segment: &Segment) {
        let finished = self.receive.is_finished();
        match self.ecn.on_data(segment) {
            Mark::First => self.receive.on_mark(),
            Mark::Answered => self.receive.on_answered_mark(),
            Mark::None => {}
        }
        let view = self.sender_view();
        if self.receive.on_data(now, start, segment, view) == Arrival::InOrder {
            self.tell(Event::Readable);
        }
        if let Some(report) = self.receive.take_early_report() {
            let report = self.acknowledgement(now, self.acceptable(), report);
            self.pending.reports.push_back(report);
        }
        if self.receive.is_finished() && !finished {
            self.on_fin(now);
        }
        if self.receive.decide(now, self.sender_view()) == Decision::Send {
            self.pending.acknowledgement = true;
        }
    }

    /// Data and FIN of a SYN, which the answer acknowledges.
    pub(super) fn on_syn_payload(&mut self, now: Time, syn: &Segment) {
        self.receive.on_syn_data(syn);
        if !syn.payload.is_empty() {
            self.tell(Event::Readable);
        }
        if self.receive.is_finished() {
            self.on_fin(now);
        }
    }

    /// The peer has finished (`tcp_fin`).
    fn on_fin(&mut self, now: Time) {
        match self.state {
            State::Established => self.state = State::CloseWait,
            State::FinWait1 => {
                self.state = State::Closing;
                self.pending.acknowledgement = true;
            }
            State::FinWait2 => {
                self.pending.acknowledgement = true;
                self.enter_time_wait(now);
            }
            _ => {}
        }
    }

    fn enter_time_wait(&mut self, now: Time) {
        self.state = State::TimeWait;
        self.send.stop();
        self.lingers_until = Some(now + LINGER);
        self.end(Closed::Finished);
    }

    /// RFC 9293 section 3.10.7.4, TIME-WAIT: a repeated FIN is acknowledged again.
    fn on_segment_in_time_wait(&mut self, now: Time, segment: &Segment) {
        if segment.flags.contains(Flags::RST) {
            self.vanish(Closed::Finished);
        } else if segment.sequence_len() > 0 {
            self.pending.acknowledgement = true;
            self.lingers_until = Some(now + LINGER);
        }
    }
}
