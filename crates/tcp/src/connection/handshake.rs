//! Opening: SYN, SYN-ACK, options, Fast Open (RFC 9293 section 3.5, RFC 7413).

use bentpipe_units::{Duration, Time};

use super::Connection;
use crate::config::{FastOpen, HandshakeRetries, TCP_RTO_MAX};
use crate::event::{Closed, Event};
use crate::options::{FastOpenOption, Options, SackPermitted, SynOptions, Timestamps};
use crate::payload::Payload;
use crate::receive::Scaling;
use crate::segment::{Flags, Segment};
use crate::send::{
    FIRST, Handshake as Opened, INITIAL_RTO, InitialWindow, at_most_until, doubled, model_timeout,
};
use crate::sequence::SequenceSpace;
use crate::state::State;

/// `MAX_TCP_OPTION_SPACE`: what a SYN with data leaves to its options, whatever they take (`tcp_send_syn_data`).
const SYN_OPTION_SPACE: u64 = 40;

impl Connection {
    /// A listening port got a SYN.
    pub(super) fn on_first_syn(&mut self, now: Time, syn: &Segment) {
        self.learn_syn(syn);
        self.ecn.on_syn(syn);
        self.send.initialize_window(0, u64::from(syn.window));
        let option = syn.options.syn.and_then(|options| options.fast_open);
        match self.fast_open {
            FastOpen::Server(key) => {
                let grant = key.cookie((*self.remote.ip()).into(), (*self.local.ip()).into());
                match option {
                    Some(option) if option.cookie == Some(grant) => self.open_by_syn(now, syn),
                    Some(FastOpenOption { form, .. }) => {
                        self.handshake.grant = Some(FastOpenOption { form, cookie: Some(grant) });
                    }
                    None => {}
                }
            }
            FastOpen::ServerWithoutCookies if option.is_some() || syn.sequence_len() > 1 => {
                self.open_by_syn(now, syn);
            }
            _ => {}
        }
    }

    /// RFC 7413 section 4.2.2: the data of a SYN is taken, and may be answered at once (`tcp_fastopen_create_child`).
    fn open_by_syn(&mut self, now: Time, syn: &Segment) {
        self.establish(now, None);
        self.handshake.syn_data_taken = !syn.payload.is_empty();
        self.tell(Event::Connected);
        self.on_syn_payload(now, syn);
    }

    fn learn_syn(&mut self, syn: &Segment) {
        self.theirs = SequenceSpace::new(syn.seq);
        self.peer.learn(syn, self.timestamps, self.extensions);
        let scaling = if self.peer.shift.is_some() { Scaling::On } else { Scaling::Off };
        self.receive.on_syn(scaling);
    }

    /// Data may flow.
    fn establish(&mut self, now: Time, echo: Option<u32>) {
        let mss = self.peer.effective_mss(self.announced_mss);
        let first_timestamp = self.handshake.sent_at.map(|at| self.wheel.timestamp(at));
        // RFC 5682 in spirit: the echo of the first SYN shows that the repetitions were not needed.
        let spurious = echo.is_some() && echo == first_timestamp;
        // tcp_init_transfer: total_retrans > 1 && undo_marker.
        let is_cut = self.handshake.retransmissions > 1 && self.handshake.timeouts > 0 && !spurious;
        let window = if is_cut { InitialWindow::One } else { InitialWindow::Configured };
        let sack_permitted = self.peer.sack.unwrap_or(SackPermitted::No);
        self.send.establish(now, Opened { rtt: self.round_trip(now, echo), window, mss, sack_permitted });
        let announced = self.peer.announced_payload(self.announced_mss);
        self.receive.establish(now, announced, self.send.mss(), sack_permitted);
        self.keep_alive.on_heard(now);
        self.restart_keep_alive(now);
    }

    /// From our SYN or SYN-ACK to its acknowledgement, which arrives now.
    fn round_trip(&self, now: Time, echo: Option<u32>) -> Option<Duration> {
        let at = self.handshake.sent_at?;
        if self.handshake.retransmissions == 0 {
            return Some(now.since(at));
        }
        // Karn: only the echo tells which of the SYNs was answered.
        echo.map(|echo| u64::from(self.wheel.timestamp(now).wrapping_sub(echo).max(1)))
            .map(Duration::from_millis)
            .filter(|rtt| *rtt <= now.since(at) + Duration::from_millis(1))
    }

    /// Whether the SYN waits for the first write, to carry it (`TCP_FASTOPEN_CONNECT`).
    pub fn awaits_first_write(&self) -> bool {
        let unsent = self.state == State::SynSent && self.handshake.sent_at.is_none();
        unsent && matches!(self.fast_open, FastOpen::Client { .. })
    }

    /// Whether the SYN asked for a cookie, showed one, or may have carried data without (`syn_fastopen`, `syn_data`).
    pub const fn used_fast_open(&self) -> bool {
        matches!(self.fast_open, FastOpen::Request | FastOpen::Client { .. })
    }

    /// How many bytes the SYN carries at most (`tcp_send_syn_data`).
    pub fn syn_data_room(&self) -> u64 {
        let FastOpen::Client { mss, .. } = self.fast_open else { return 0 };
        let mss = mss.map_or(self.announced_mss, |mss| mss.min(self.announced_mss));
        u64::from(mss).saturating_sub(SYN_OPTION_SPACE)
    }

    // ---- the client ------------------------------------------------------------------------------------------

    /// A segment in SYN-SENT (RFC 9293 section 3.10.7.3).
    pub(super) fn on_segment_in_syn_sent(&mut self, now: Time, segment: &Segment) {
        let acks = segment.flags.contains(Flags::ACK);
        let position = self.ours.position(segment.ack, FIRST);
        let sent = FIRST + self.handshake.syn_payload;
        if acks && !position.is_some_and(|position| (FIRST..=sent).contains(&position)) {
            self.answer_with_reset(segment);
            return;
        }
        if segment.flags.contains(Flags::RST) {
            if acks {
                self.vanish(Closed::Refused);
            }
            return;
        }
        if !segment.flags.contains(Flags::SYN) {
            return;
        }
        self.learn_syn(segment);
        self.send.initialize_window(0, u64::from(segment.window));
        if !acks {
            // Both ends opened at once (figure 8): our SYN goes out again with an acknowledgement.
            self.state = State::SynReceived;
            self.pending.syn = true;
            return;
        }
        self.ecn.on_syn_ack(segment);
        // One that was not asked for is not kept (tcp_rcv_fastopen_synack).
        let asked = matches!(self.fast_open, FastOpen::Request | FastOpen::Client { cookie: Some(_), .. });
        let option = segment.options.syn.and_then(|options| options.fast_open).filter(|_| asked);
        self.handshake.granted = option.and_then(|option| option.cookie);
        self.open(now, segment.options.timestamps.map(|timestamps| timestamps.echo));
        if let Some(position) = position {
            self.handshake.syn_data_taken = position > FIRST && position == sent;
            self.send.on_syn_data_answered(now, position, sent);
        }
        self.on_payload(now, FIRST, segment);
        if self.handshake.expects_write {
            self.receive.expect_write(now);
        } else {
            self.pending.acknowledgement = true;
        }
    }

    fn open(&mut self, now: Time, echo: Option<u32>) {
        if self.send.cc().is_none() {
            self.establish(now, echo);
            self.tell(Event::Connected);
        }
        self.handshake.timer = None;
        self.pending.syn = false;
        self.state = State::Established;
        if self.send.is_shut_down() {
            self.state = State::FinWait1;
        }
    }

    // ---- the server ------------------------------------------------------------------------------------------

    /// The client did not hear our answer: it hears it again, and for as long as after the first (`tcp_check_req`).
    pub(super) fn on_repeated_syn(&mut self, now: Time) {
        if !self.may_answer_stray(now) {
            return;
        }
        self.handshake.retransmissions += 1;
        self.pending.syn = true;
        // With Fast Open the timer is the new socket's own.
        if self.send.cc().is_none() {
            self.restart_handshake_timer(now, 0);
        }
    }

    /// The peer's first acknowledgement (RFC 9293 section 3.10.7.4, fifth check). Whether it completes the handshake.
    pub(super) fn on_first_ack(&mut self, now: Time, segment: &Segment, seq: u64) -> bool {
        let ack = self.ours.position(segment.ack, self.send.next());
        let sent = self.send.next();
        if !ack.is_some_and(|ack| (FIRST..=sent).contains(&ack)) {
            self.answer_with_reset(segment);
            return false;
        }
        if segment.sequence_len() == 0 && !self.is_open() && self.handshake.timeouts < self.retries.deferred {
            self.handshake.is_deferred = true;
            return false;
        }
        let finished = self.receive.is_finished();
        self.send.initialize_window(seq, self.peer.scale(segment.window));
        self.open(now, segment.options.timestamps.map(|timestamps| timestamps.echo));
        if finished {
            self.state = if self.send.is_shut_down() { State::Closing } else { State::CloseWait };
        }
        true
    }

    /// The acknowledgement that has completed a handshake by Fast Open was taken in (`tcp_synack_rtt_meas`,
    /// `tcp_rcv_synrecv_state_fastopen`).
    pub(super) fn after_first_ack_by_fast_open(&mut self, now: Time, segment: &Segment) {
        let echo = segment.options.timestamps.map(|timestamps| timestamps.echo);
        self.send.on_fast_open_acked(now, self.round_trip(now, echo));
    }

    // ---- output ----------------------------------------------------------------------------------------------

    /// The SYN or SYN-ACK.
    pub(super) fn syn_segment(&mut self, now: Time) -> Segment {
        self.pending.syn = false;
        let answers = self.state == State::SynReceived;
        let is_first = self.handshake.sent_at.is_none();
        if is_first {
            self.handshake.sent_at = Some(now);
            self.handshake.timer = Some(self.wheel.expiry(now, INITIAL_RTO));
        }
        // What the peer did not offer is not answered (RFC 7323 sections 2.2 and 3.2, RFC 2018 section 2).
        let echo = if answers { self.peer.timestamp } else { self.timestamps.is_on().then_some(0) };
        let shift = self.receive.window().offered_shift();
        let scales = self.extensions.window_scaling.is_on();
        let sack = if self.extensions.sack.is_on() { SackPermitted::Yes } else { SackPermitted::No };
        let options = Options {
            syn: Some(SynOptions {
                mss: self.announced_mss,
                window_scale: if answers { self.peer.shift.is_some() } else { scales }.then_some(shift),
                sack: if answers { self.peer.sack.unwrap_or(SackPermitted::No) } else { sack },
                fast_open: self.fast_open_option(is_first),
            }),
            timestamps: echo.map(|echo| Timestamps { value: self.wheel.timestamp(now), echo }),
            ..Options::default()
        };
        let carries_data = is_first && !answers && matches!(self.fast_open, FastOpen::Client { .. });
        let payload = if carries_data { self.send.syn_data(self.syn_data_room()) } else { Payload::EMPTY };
        if carries_data {
            self.handshake.syn_payload = payload.len();
        }
        let (flags, ack) = if answers {
            (Flags::SYN.with(Flags::ACK).with(self.ecn.of_syn_ack()), self.theirs.number(self.receive.next()))
        } else {
            (Flags::SYN.with(self.ecn.of_syn(is_first)), crate::SeqNumber(0))
        };
        let window = self.receive.announce_in_syn();
        let seq = self.ours.number(0);
        Segment { flags, seq, ack, window, options, payload, ..self.blank() }
    }

    fn fast_open_option(&self, is_first: bool) -> Option<FastOpenOption> {
        match (self.state, self.fast_open) {
            (State::SynSent, FastOpen::Request) if is_first => Some(FastOpenOption::assigned(None)),
            (State::SynSent, FastOpen::Client { cookie: Some(cookie), .. }) if is_first => {
                Some(FastOpenOption::assigned(Some(cookie)))
            }
            (State::SynReceived, _) => self.handshake.grant,
            _ => None,
        }
    }

    /// The SYN or SYN-ACK was not answered (RFC 6298 section 5.7; `tcp_syn_linear_timeouts`).
    pub(super) fn on_handshake_timeout(&mut self, now: Time) {
        let HandshakeRetries { syn, syn_linear, syn_ack, syn_ack_fast_open, deferred } = self.retries;
        let is_client = self.state == State::SynSent;
        let (linear, doubling) = match self.state {
            State::SynSent => (syn_linear, syn),
            _ if self.is_open() => (0, syn_ack_fast_open),
            _ => (0, syn_ack),
        };
        // retransmits_timed_out: however short the waits were, none is repeated after the time in which all had doubled.
        let passed = self.handshake.sent_at.map_or(Duration::ZERO, |first| now.since(first));
        let modelled = || model_timeout(INITIAL_RTO, syn, self.send.rtt().max_rto());
        let is_late = passed >= self.send.user_timeout().unwrap_or_else(modelled);
        let is_over = is_client && self.handshake.timeouts > 0 && is_late;
        let awaits_data = self.handshake.is_deferred && self.handshake.timeouts < deferred;
        if self.handshake.timeouts >= linear + doubling && !awaits_data || is_over {
            self.vanish(Closed::TimedOut);
            return;
        }
        // syn_ack_recalc: the last one that is waited for asks once more.
        let is_silent = self.handshake.is_deferred && self.handshake.timeouts + 1 < deferred;
        self.handshake.timeouts += 1;
        self.restart_handshake_timer(now, linear);
        if !is_silent {
            self.handshake.retransmissions += 1;
            self.pending.syn = true;
        }
    }

    /// The wait doubles with each timeout beyond so many.
    fn restart_handshake_timer(&mut self, now: Time, linear: u32) {
        let doublings = self.handshake.timeouts.saturating_sub(linear);
        // tcp_reqsk_timeout, which does not ask the host.
        let is_request = self.state == State::SynReceived && !self.is_open();
        let most = if is_request { TCP_RTO_MAX } else { self.send.rtt().max_rto() };
        let wait = doubled(INITIAL_RTO, doublings).min(most);
        let timeout = self.send.user_timeout().filter(|_| self.state == State::SynSent);
        let wait = at_most_until(timeout, wait, self.handshake.sent_at, now);
        self.handshake.timer = Some(self.wheel.expiry(now, wait));
    }
}
