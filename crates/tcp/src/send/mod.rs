//! The sending half: what is written, what is out, and how fast it may go.

mod ack;
mod buffer;
mod chrono;
mod congestion;
mod getters;
mod handshake;
mod recovery;
mod rtt;
mod transmit;

pub(crate) use ack::{Ack, Verdict};
pub(crate) use handshake::{Handshake, InitialWindow};
pub(crate) use recovery::sack::Block;
pub(crate) use recovery::timer::at_most_until;
pub(crate) use rtt::{INITIAL_RTO, doubled, model_timeout};
pub(crate) use transmit::parts::Outgoing;

use bentpipe_cc::slow_start::{Pacing, SlowStartExit};
use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::config::{Config, Nagle, Offload};
use crate::send::buffer::{Allowance, Buffer, SizeView};
use crate::send::chrono::{Chronograph, Limit};
use crate::send::congestion::{Congestion, CongestionConfig, Delivered};
use crate::send::recovery::outcome::AckOutcome;
use crate::send::recovery::prr::Progress;
use crate::send::recovery::rto_tlp::{Exhausted, TimeoutParts};
use crate::send::recovery::{Recovery, View};
use crate::send::rtt::{RoundView, Rtt, RttReading};
use crate::send::transmit::Transmit;
use crate::send::transmit::pacing::{PacingRate, WindowRateView};
use crate::send::transmit::parts::Parts;
use crate::{Boundary, Payload};

/// Position of the first byte of data: the SYN is position 0.
pub(crate) const FIRST: u64 = 1;

/// The sending half of a connection: its parts, and the order in which an acknowledgement passes through them.
///
/// Windows are counted in segments, as Linux does: each counts as a full one. The congestion control sees
/// them as multiples of the MSS.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    config: CongestionConfig,
    /// Payload of a full segment without SACK blocks, whatever the window.
    mss: u64,
    /// What is written.
    buffer: Buffer,
    /// What is out.
    recovery: Recovery,
    /// What leaves next.
    transmit: Transmit,
    rtt: Rtt,
    offload: Offload,
    pacing: PacingRate,
    chrono: Chronograph,
    /// None before the handshake is complete.
    cc: Option<Congestion>,
}

impl Sender {
    pub fn new(config: &Config, now: Time) -> Self {
        Self {
            config: CongestionConfig {
                algorithm: config.congestion_control,
                slow_start_exit: SlowStartExit::of(config.slow_start, pacing_of(config)),
                bbr: config.bbr,
                resume: config.resume.clone(),
                initial_window: u64::from(config.initial_window.max(1)),
                after_idle: config.after_idle,
                seed: config.seed,
                opened_at: now,
            },
            mss: u64::from(config.mss()),
            buffer: Buffer::new(FIRST, config.send_buffer),
            recovery: Recovery::new(FIRST, config.wheel, config.retransmission),
            transmit: Transmit::new(FIRST, config.nagle),
            rtt: Rtt::new(config.max_rto),
            offload: config.offload,
            pacing: PacingRate::new(config.max_pacing_rate),
            chrono: Chronograph::new(now),
            cc: None,
        }
    }

    // ---- an acknowledgement --------------------------------------------------------------------------------

    /// Takes in an acknowledgement (`tcp_ack`).
    pub fn on_ack(&mut self, ack: &Ack<'_>) -> Verdict {
        let (now, next) = (ack.now, self.transmit.position());
        if ack.position > next {
            return Verdict::Unsent;
        }
        let Some(cc) = &mut self.cc else { return Verdict::Accepted };
        let una = self.recovery.una();
        if ack.position < una {
            // MAX.SND.WND, but no more than was ever acknowledged (tcp_ack).
            let oldest = self.transmit.window().max.min(una - FIRST);
            if una - ack.position > oldest {
                return Verdict::TooOld;
            }
            let room = self.transmit.room(una, &self.buffer, self.mss);
            self.recovery.on_old_ack(ack, room, View { now, next, rtt: &self.rtt }, cc);
            return Verdict::Accepted;
        }
        // tcp_ack_update_window
        let window_changed = self.transmit.window_mut().update(ack.seq, ack.window, ack.position > una);
        // What waited for the window finds it used anew after an idle time (tcp_slow_start_after_idle_check).
        if window_changed && self.recovery.scoreboard().is_empty() && self.buffer.sequence_end() > next {
            cc.restart_after_idle(now, self.recovery.cwnd(cc), self.rtt.rto());
        }
        // tcp_sacktag_write_queue, tcp_clean_rtx_queue
        let outcome = self.recovery.on_ack(ack, window_changed, View { now, next, rtt: &self.rtt }, cc);
        if outcome.una_advanced {
            self.buffer.release(ack.position);
            if self.recovery.scoreboard().is_empty() && self.buffer.sequence_end() <= next {
                self.chrono.rest(now);
            }
        }
        // tcp_ack_update_rtt
        let reading = outcome.rtt();
        self.rtt.on_ack(now, reading, RoundView { una: self.recovery.una(), next });
        // tcp_process_tlp_ack, tcp_fastretrans_alert, tcp_set_xmit_timer
        let room = self.transmit.room(self.recovery.una(), &self.buffer, self.mss);
        self.recovery.alert(&outcome, room, View { now, next, rtt: &self.rtt }, cc);
        self.recovery.finish_cwr(now, cc);
        if ack.echoes_mark {
            self.recovery.on_mark_echoed(View { now, next, rtt: &self.rtt }, cc);
        }
        // Nothing was out, so that it says nothing of the path (no_queue).
        if !outcome.before.was_empty {
            self.control_window(&outcome, reading);
        }
        Verdict::Accepted
    }

    /// `tcp_cong_control`: what the acknowledgement means for the window.
    fn control_window(&mut self, outcome: &AckOutcome, reading: RttReading) {
        let Some(cc) = &mut self.cc else { return };
        let (delivered, in_flight) = (outcome.newly_delivered, self.recovery.in_flight());
        let newly_lost = self.recovery.scoreboard().total_lost() - outcome.before.lost;
        cc.on_ack(Delivered {
            now: outcome.now,
            delivered,
            lost: newly_lost,
            prior_in_flight: outcome.before.in_flight,
            in_flight,
            rtt: reading.newest,
            is_maybe_delayed: reading.is_maybe_delayed,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min(),
            // With cumulative progress only, unless reordering makes that rare.
            may_raise_cwnd: outcome.data_acked || self.recovery.has_remarkable_reordering(),
            is_disordered: self.recovery.is_disordered(),
        });
        let (ssthresh, una_advanced) = (cc.target(), outcome.una_advanced);
        self.recovery.reduce(Progress { delivered, newly_lost, in_flight, ssthresh, una_advanced });
        self.update_pacing_rate();
    }

    /// `tcp_update_pacing_rate`.
    fn update_pacing_rate(&mut self) {
        let Some(cc) = &self.cc else { return };
        self.pacing.update(WindowRateView {
            cwnd: self.recovery.cwnd(cc),
            ssthresh: cc.ssthresh(),
            packets_out: self.recovery.scoreboard().len(),
            mss: cc.mss(),
            srtt: self.rtt.srtt().unwrap_or(Duration::ZERO),
        });
    }

    /// Whether the window was reduced since the last call.
    pub fn take_reduced(&mut self) -> bool {
        self.cc.as_mut().is_some_and(Congestion::take_reduced)
    }

    // ---- what leaves ---------------------------------------------------------------------------------------

    /// The next segment. `reserved` bytes of each segment are taken by options.
    pub fn poll(&mut self, now: Time, reserved: u64) -> Option<Outgoing> {
        let (transmit, mut parts) = self.parts(now)?;
        let next = transmit.next(&mut parts, reserved);
        if next.is_none() {
            self.recovery.end_burst();
        }
        next
    }

    pub fn data(&self, outgoing: &Outgoing) -> Payload {
        self.buffer.slice(outgoing.start, outgoing.end.min(self.buffer.end()))
    }

    /// The bytes that a SYN may carry (RFC 7413).
    pub fn syn_data(&self, most: u64) -> Payload {
        self.buffer.slice(FIRST, self.buffer.end().min(FIRST + most))
    }

    /// Any segment leaves, an acknowledgement too.
    pub fn on_any_segment(&mut self, now: Time) {
        self.transmit.on_any_segment(now);
    }

    /// What leaves, and what it touches; nothing before the handshake is complete.
    fn parts(&mut self, now: Time) -> Option<(&mut Transmit, Parts<'_>)> {
        let Self { buffer, recovery, transmit, rtt, offload, pacing, chrono, cc, .. } = self;
        let (cc, offload, pacing) = (cc.as_mut()?, *offload, *pacing);
        Some((transmit, Parts { now, buffer, recovery, cc, rtt, chrono, offload, pacing }))
    }

    // ---- timers --------------------------------------------------------------------------------------------

    pub fn timeout(&self) -> Option<Time> {
        self.recovery.timeout()
    }

    /// When pacing lets the next segment out, if that is what held the last poll.
    pub const fn paced_until(&self) -> Option<Time> {
        self.transmit.paced_until()
    }

    pub fn handle_timeout(&mut self, now: Time) -> Result<(), Exhausted> {
        let room = self.transmit.room(self.recovery.una(), &self.buffer, self.mss);
        let next = self.transmit.position();
        if self.paced_until().is_some_and(|at| at <= now) {
            self.recovery.on_pacing_timer();
        }
        let Some(cc) = &mut self.cc else { return Ok(()) };
        self.recovery.handle_timeout(TimeoutParts { now, next, room, rtt: &mut self.rtt, cc })
    }

    /// Nothing more will be sent.
    pub fn stop(&mut self) {
        self.recovery.stop();
    }

    // ---- what the application writes -----------------------------------------------------------------------

    /// Takes as much as fits; returns how much that was.
    pub fn write(&mut self, now: Time, payload: &Payload, boundary: Boundary) -> u64 {
        if payload.is_empty() {
            return 0;
        }
        let (size, is_writable) = (self.size_view(), self.is_writable());
        let allowance = self.parts(now).map_or(Allowance::NOTHING, |(transmit, mut parts)| {
            if is_writable {
                parts.on_write_starts(size.next);
            }
            transmit.allowance(&parts)
        });
        let taken = self.buffer.write(payload, boundary, size, allowance);
        if taken > 0 {
            self.chrono.start(now, Limit::Busy);
            self.transmit.on_written(if taken == payload.len() { boundary } else { Boundary::Push });
        }
        taken
    }

    fn size_view(&self) -> SizeView {
        let next = self.transmit.position();
        SizeView { next, mss: self.mss(), max_window: self.transmit.window().max }
    }

    /// Whether a write would be accepted now.
    pub fn is_writable(&self) -> bool {
        self.buffer.is_writable(self.size_view())
    }

    /// Whether so much room is left that a writer who asks hears of it.
    pub fn has_space(&self) -> bool {
        self.buffer.has_space(self.transmit.position())
    }

    /// Whether so much room is left; one who asks hears of it later if not.
    pub fn poll_space(&mut self) -> bool {
        self.buffer.poll_space(self.transmit.position())
    }

    /// After each acknowledgement (`tcp_check_space`).
    pub fn check_space(&mut self, now: Time) {
        let next = self.transmit.position();
        match self.parts(now) {
            Some((_, mut parts)) => parts.check_space(next),
            None => self.buffer.relieve(next),
        }
    }

    /// Whether a writer that was blocked may go on.
    pub fn take_writable(&mut self) -> bool {
        self.buffer.take_writable()
    }

    /// `SO_SNDBUF`: so much memory, whatever the window.
    pub fn set_buffer(&mut self, memory: Bytes) {
        self.buffer.set_limit(memory);
    }

    /// `TCP_NOTSENT_LOWAT`.
    pub const fn set_max_unsent(&mut self, bytes: Bytes) {
        self.buffer.set_max_unsent(bytes);
    }

    /// `TCP_USER_TIMEOUT`.
    pub const fn set_user_timeout(&mut self, timeout: Option<Duration>) {
        self.recovery.set_user_timeout(timeout);
    }

    /// `TCP_USER_TIMEOUT`, where it is set.
    pub const fn user_timeout(&self) -> Option<Duration> {
        self.recovery.user_timeout()
    }

    /// `SO_MAX_PACING_RATE`: paced from now on.
    pub const fn set_max_pacing_rate(&mut self, rate: Rate) {
        self.pacing.set_max(rate);
    }

    /// `TCP_NODELAY`.
    pub fn set_nagle(&mut self, nagle: Nagle) {
        self.transmit.set_nagle(nagle);
    }

    /// `TCP_CORK`.
    pub fn set_cork(&mut self, is_corked: bool) {
        self.transmit.set_cork(is_corked);
    }

    /// The FIN follows what was written.
    pub fn shutdown(&mut self) {
        self.buffer.shutdown();
    }
}

/// What the end of slow start must know of (`sk_pacing_status`).
const fn pacing_of(config: &Config) -> Pacing {
    match config.max_pacing_rate {
        Some(_) => Pacing::Paced,
        None => Pacing::Unpaced,
    }
}
