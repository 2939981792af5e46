//! The sending half: what is written, what is out, and how fast it may go.

mod ack;
mod buffer;
mod recovery;
mod rtt;
mod transmit;
mod write;

pub(crate) use ack::{Ack, Verdict};
pub(crate) use recovery::sack::Block;
pub(crate) use rtt::{INITIAL_RTO, MAX_RTO};
pub(crate) use transmit::Outgoing;

use bentpipe_cc::rate::RateEstimator;
use bentpipe_cc::slow_start::{Pacing, SlowStartExit};
use bentpipe_cc::usage::UsageTracker;
use bentpipe_cc::{CongestionControl, CwndUnit};
use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::config::Config;
use crate::send::buffer::Buffer;
use crate::send::recovery::rack::Rack;
use crate::send::recovery::rto_tlp::{Forced, Persist, Probe, Timer};
use crate::send::recovery::sack::SackCache;
use crate::send::recovery::scoreboard::Scoreboard;
use crate::send::recovery::{Phase, Recovery};
use crate::send::rtt::{RoundView, Rtt};
use crate::send::transmit::GsoPacket;
use crate::send::transmit::pacing::Pacer;
use crate::send::transmit::window::SendWindow;

/// Position of the first octet of data: the SYN is position 0.
pub(crate) const FIRST: u64 = 1;

/// The sending half of a connection.
///
/// Windows are counted in segments, as Linux does: each counts as a full one. The congestion control sees
/// them as multiples of the MSS.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    config: SenderConfig,
    /// Payload of a full segment without SACK blocks (`mss_cache`).
    mss: u64,
    /// First unacknowledged position (SND.UNA).
    una: u64,
    /// First position not yet sent (SND.NXT).
    next: u64,
    buffer: Buffer,
    fin: Fin,
    window: SendWindow,
    scoreboard: Scoreboard,
    sacks: SackCache,
    /// Duplicates that the peer reported.
    dsacks: u64,
    rtt: Rtt,
    rack: Rack,
    recovery: Recovery,
    probe: Probe,
    persist: Persist,
    timer: Option<Timer>,
    forced: Option<Forced>,
    /// Since when nothing has been acknowledged although it was retransmitted.
    unanswered_since: Option<Time>,
    /// Degree of reordering in segments (`tp->reordering`).
    reordering: u64,
    cc: Option<Box<dyn CongestionControl>>,
    rate: RateEstimator,
    latest_rate: Option<Rate>,
    usage: UsageTracker,
    pacer: Pacer,
    /// When the pacer lets the next segment out that it held back.
    held_until: Option<Time>,
    tso: GsoPacket,
    /// End of the last segment sent that was not full (Minshall).
    minshall_end: u64,
    /// When data left last (`lsndtime`).
    last_data_at: Time,
    idle: IdleUse,
}

#[derive(Clone, Debug)]
struct SenderConfig {
    congestion_control: bentpipe_cc::Algorithm,
    slow_start_exit: SlowStartExit,
    initial_window: u64,
    after_idle: crate::config::AfterIdle,
    nagle: crate::config::Nagle,
    seed: u64,
}

/// Our direction's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fin {
    /// More may be written.
    Open,
    /// The FIN follows the last octet, at this position.
    At(u64),
}

/// How much of the window is used while the application sets the pace (`snd_cwnd_used`, `snd_cwnd_stamp`).
#[derive(Clone, Copy, Debug)]
struct IdleUse {
    used: u64,
    since: Time,
}

/// How the handshake went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handshake {
    /// RTT of the SYN or SYN-ACK; `None` when it is ambiguous.
    pub rtt: Option<Duration>,
    /// Segments of the first window.
    pub window: InitialWindow,
    /// Payload of a full segment.
    pub mss: u64,
}

/// Segments of the first window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InitialWindow {
    /// As configured.
    Configured,
    /// One, because the SYN or SYN-ACK was lost more than once (RFC 6928 section 2).
    One,
}

impl Sender {
    pub fn new(config: &Config, now: Time) -> Self {
        Self {
            config: SenderConfig {
                congestion_control: config.congestion_control,
                slow_start_exit: SlowStartExit::of(config.slow_start, Pacing::Unpaced),
                initial_window: u64::from(config.initial_window.max(1)),
                after_idle: config.after_idle,
                nagle: config.nagle,
                seed: config.seed,
            },
            mss: u64::from(config.mss()),
            una: FIRST,
            next: FIRST,
            buffer: Buffer::new(FIRST, config.send_buffer),
            fin: Fin::Open,
            window: SendWindow::default(),
            scoreboard: Scoreboard::default(),
            sacks: SackCache::default(),
            dsacks: 0,
            rtt: Rtt::new(),
            rack: Rack::new(),
            recovery: Recovery::new(),
            probe: Probe::None,
            persist: Persist::default(),
            timer: None,
            forced: None,
            unanswered_since: None,
            reordering: recovery::recovery_state::INITIAL_REORDERING,
            cc: None,
            rate: RateEstimator::new(now),
            latest_rate: None,
            usage: UsageTracker::new(),
            pacer: Pacer::new(),
            held_until: None,
            tso: GsoPacket::default(),
            minshall_end: FIRST,
            last_data_at: now,
            idle: IdleUse { used: 0, since: now },
        }
    }

    /// The handshake is complete: data may leave.
    pub fn establish(&mut self, now: Time, handshake: Handshake) {
        self.mss = handshake.mss;
        if let Some(rtt) = handshake.rtt {
            self.rtt.on_min_sample(now, rtt);
            self.rtt.on_sample(rtt, RoundView { una: self.una, next: self.next });
        }
        let segments = match handshake.window {
            InitialWindow::Configured => self.config.initial_window,
            InitialWindow::One => 1,
        };
        self.rate = RateEstimator::new(now);
        self.idle.since = now;
        self.cc = Some(bentpipe_cc::build(
            self.config.congestion_control,
            bentpipe_cc::Config {
                now,
                mss: Bytes::new(self.mss),
                initial_window: self.bytes(segments),
                handshake_rtt: self.rtt.min(),
                seed: self.config.seed,
                slow_start_exit: self.config.slow_start_exit,
                cwnd_unit: CwndUnit::Segments,
            },
        ));
        self.expand_buffer();
    }

    // ---- getters -------------------------------------------------------------------------------------------

    pub const fn next(&self) -> u64 {
        self.next
    }

    pub const fn rto(&self) -> Duration {
        self.rtt.rto()
    }

    pub fn srtt(&self) -> Option<Duration> {
        self.rtt.srtt()
    }

    pub fn min_rtt(&self) -> Option<Duration> {
        self.rtt.min()
    }

    pub const fn latest_rate(&self) -> Option<Rate> {
        self.latest_rate
    }

    pub const fn mss(&self) -> u64 {
        self.mss
    }

    /// Sent and neither acknowledged nor known to be lost.
    pub fn in_flight(&self) -> Bytes {
        self.bytes(self.scoreboard.in_flight())
    }

    pub fn retransmitted_segments(&self) -> u64 {
        self.scoreboard.total_retransmitted()
    }

    pub fn cc(&self) -> Option<&dyn CongestionControl> {
        self.cc.as_deref()
    }

    /// Octets not yet acknowledged, sent or not.
    pub const fn unacknowledged(&self) -> u64 {
        self.buffer.len()
    }

    /// Whether our FIN is acknowledged.
    pub fn is_finished(&self) -> bool {
        matches!(self.fin, Fin::At(fin) if self.una > fin)
    }

    /// Whether this direction was shut down.
    pub fn is_shut_down(&self) -> bool {
        matches!(self.fin, Fin::At(_))
    }

    pub fn data(&self, outgoing: &Outgoing) -> crate::Payload {
        self.buffer.slice(outgoing.start, outgoing.end.min(self.buffer.end()))
    }

    /// The octets that a SYN may carry (RFC 7413).
    pub fn syn_data(&self, most: u64) -> crate::Payload {
        self.buffer.slice(FIRST, self.buffer.end().min(FIRST + most))
    }

    /// The window in segments: that of the algorithm, or that of the reduction under way.
    pub fn cwnd(&self) -> u64 {
        match self.recovery.phase {
            Phase::Fast(prr) if self.reduces_itself() => prr.cwnd(),
            _ => self.cc.as_ref().map_or(0, |cc| (cc.cwnd().get() / self.mss).max(1)),
        }
    }

    fn reduces_itself(&self) -> bool {
        self.cc.as_ref().is_some_and(|cc| cc.state().recovery_window == bentpipe_cc::RecoveryWindow::Endpoint)
    }

    fn bytes(&self, segments: u64) -> Bytes {
        Bytes::new(segments * self.mss)
    }

    /// First position that no longer counts as ours to send: behind the FIN, or behind what is written.
    fn end(&self) -> u64 {
        match self.fin {
            Fin::Open => self.buffer.end(),
            Fin::At(fin) => fin + 1,
        }
    }

    // ---- commands ------------------------------------------------------------------------------------------

    /// The octets below `position` travelled with the SYN and were accepted (RFC 7413 section 4.2.1).
    pub fn on_syn_data_acked(&mut self, position: u64) {
        let position = position.min(self.buffer.end());
        self.una = position;
        self.next = position;
        self.buffer.on_gso_sent(position);
        self.buffer.release(position);
    }

    /// The FIN follows what was written.
    pub fn shutdown(&mut self) {
        if self.fin == Fin::Open {
            self.fin = Fin::At(self.buffer.end());
        }
    }
}
