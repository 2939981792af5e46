//! Settings of one connection.

use bentpipe_cc::Algorithm;
use bentpipe_cc::bbr::BbrSpec;
use bentpipe_cc::careful_resume::Resume;
use bentpipe_cc::slow_start::SlowStartChoice;
use bentpipe_units::{Bytes, Duration, Rate, Switch};

use crate::cookie::{Cookie, CookieKey};
use crate::segment::{IP_HEADER, TCP_HEADER};
use crate::wheel::TimerWheel;

/// Segments that buffers are laid out for at first, whatever the initial window is set to (`net/tcp.h`).
pub(crate) const TCP_INIT_CWND: u64 = 10;

/// TCP settings, applied through socket options or the namespace's sysctls.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TcpSpec {
    /// Initial window in segments (RFC 6928: 10).
    pub initial_window: u32,
    /// First receive window in segments at most (the route's `initrwnd`; Linux before 4.20: 20). Without it: what half of
    /// the first receive buffer holds.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub initial_receive_window: Option<u32>,
    /// Upper limit of receive-buffer auto-tuning (third value of `tcp_rmem`).
    pub receive_buffer_bytes: Bytes,
    /// Upper limit of send-buffer auto-tuning (third value of `tcp_wmem`).
    pub send_buffer_bytes: Bytes,
    /// Whether the window collapses after an idle RTO (`tcp_slow_start_after_idle`, RFC 2861).
    pub slow_start_after_idle: bool,
    /// TCP Fast Open (RFC 7413) at both ends.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Switch::is_off"))]
    pub fast_open: Switch,
    /// Nagle's algorithm (RFC 9293 section 3.7.4); off as browsers and servers have it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Switch::is_off"))]
    pub nagle: Switch,
    /// Whether senders spread their windows over round trips whatever their congestion control, as behind Linux's `fq`:
    /// at 2 cwnd / SRTT in slow start and 1.2 cwnd / SRTT after it (`tcp_update_pacing_rate`).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Switch::is_off"))]
    pub pacing: Switch,
    /// No sender is faster than this, and all are paced (`SO_MAX_PACING_RATE`).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub max_pacing_rate_bps: Option<Rate>,
    /// Timestamps (RFC 7323 section 3, `tcp_timestamps`); without it: on, as Linux has them. Windows has them off.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub timestamps: Option<Switch>,
    /// Explicit congestion notification (RFC 3168, `tcp_ecn` of 1) at both ends; off as Linux's clients have it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Switch::is_off"))]
    pub ecn: Switch,
    /// Whether each segment is acknowledged at once (the route's `quickack`) rather than by Linux's own rules.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Switch::is_off"))]
    pub quick_ack: Switch,
    /// A page's client that has no connection after this time opens a second one beside it (Chromium: 250 ms).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub connect_retry_ns: Option<Duration>,
    /// How many it opens beside the first, each after that time; the first to come is used and the others are closed when
    /// they come. Without it: one, which is kept for the next request that needs a connection.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub connect_retries: Option<u32>,
    /// A page's client resets a connection that has been idle for this long: of HTTP/1 one that nobody uses, of HTTP/2 and
    /// SPDY one on which nothing comes or goes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub idle_reset_ns: Option<Duration>,
    /// Whether what is left after such a reset of HTTP/2 or SPDY is asked for by HTTP/1.1 over TLS.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Switch::is_off"))]
    pub idle_fallback: Switch,
}

impl TcpSpec {
    /// What senders are paced at, at most; none where only their congestion controls ask for a rate.
    pub fn max_pacing_rate(&self) -> Option<Rate> {
        self.max_pacing_rate_bps.or(self.pacing.is_on().then_some(Rate::MAX))
    }
}

/// Settings of one connection. What a scenario does not decide is as Linux has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Largest IP packet of the interface.
    pub mtu: u32,
    /// Congestion control of this end's sender.
    pub congestion_control: Algorithm,
    /// How its slow start ends, where that is not Linux's way.
    pub slow_start: Option<SlowStartChoice>,
    /// What BBR version 1 has.
    pub bbr: BbrSpec,
    /// What its sender resumes from (RFC 9959), where it does; the clock of its memory is that of the connection.
    pub resume: Option<Resume>,
    /// Initial window in segments (RFC 6928).
    pub initial_window: u32,
    /// First receive window in segments at most, where it is not all that the buffer holds.
    pub initial_receive_window: Option<u32>,
    /// `tcp_rmem`.
    pub receive_buffer: BufferLimits,
    /// `tcp_wmem`.
    pub send_buffer: BufferLimits,
    /// What an idle time does to the window.
    pub after_idle: AfterIdle,
    /// Whether small segments wait for acknowledgements.
    pub nagle: Nagle,
    /// Paced whatever the congestion control, no faster than this (`SO_MAX_PACING_RATE`).
    pub max_pacing_rate: Option<Rate>,
    /// Whether segments carry timestamps, where the peer's do (RFC 7323 section 3).
    pub timestamps: Switch,
    /// What else of TCP's options it has.
    pub extensions: Extensions,
    /// Whether it asks for explicit congestion notification, and agrees to it (RFC 3168).
    pub ecn: Switch,
    /// Which segments are acknowledged at once.
    pub quick_ack: QuickAck,
    /// How often a SYN or a SYN-ACK leaves again.
    pub retries: HandshakeRetries,
    /// How what was lost leaves again.
    pub retransmission: Retransmission,
    /// How a silent peer is probed, where it is.
    pub keep_alive: Option<KeepAlive>,
    /// No timeout is longer (`tcp_rto_max_ms`).
    pub max_rto: Duration,
    /// Stray segments are answered no more often, lest two ends answer each other (`tcp_invalid_ratelimit`).
    pub stray_interval: Duration,
    /// Whether data travels with the SYN.
    pub fast_open: FastOpen,
    /// How segments are put together before they leave.
    pub offload: Offload,
    /// What the receiving interface does to packets before TCP sees them.
    pub coalescing: Coalescing,
    /// The host's timer wheel.
    pub wheel: TimerWheel,
    /// Source of the initial sequence number and of whatever the congestion control randomises.
    pub seed: u64,
}

/// Memory of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferLimits {
    /// At the start (second value of `tcp_rmem` or `tcp_wmem`).
    pub initial: Bytes,
    /// Where auto-tuning ends (the third).
    pub max: Bytes,
    /// Whether the application has set it for good (`SO_RCVBUF`): no window beyond it need be expressible.
    pub is_fixed: bool,
    /// Whether it is tuned by what is read of it (`tcp_moderate_rcvbuf`).
    pub is_moderated: bool,
}

impl BufferLimits {
    /// A buffer that is tuned.
    pub fn tuned(initial: Bytes, max: Bytes) -> Self {
        Self { initial: initial.min(max), max, is_fixed: false, is_moderated: true }
    }

    /// A buffer that the application has set.
    pub const fn fixed(memory: Bytes) -> Self {
        Self { initial: memory, max: memory, is_fixed: true, is_moderated: false }
    }
}

/// What an idle time longer than the retransmission timeout does (`tcp_slow_start_after_idle`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterIdle {
    /// The window decays towards the initial one (RFC 2861).
    Restart,
    /// Nothing.
    Keep,
}

/// Nagle's algorithm (RFC 9293 section 3.7.4) with Minshall's rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nagle {
    /// `TCP_NODELAY`, as browsers and servers set it.
    Off,
    /// A small segment waits while another is unacknowledged.
    On,
}

/// Which segments are acknowledged at once (the route's `quickack`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickAck {
    /// The first ones of a connection and those after a disturbance, as Linux sees fit.
    Adaptive,
    /// Every one.
    Always,
}

/// Options of TCP that an end offers, and agrees to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extensions {
    /// Selective acknowledgements (RFC 2018, `tcp_sack`).
    pub sack: Switch,
    /// Reports by them of what came twice (RFC 2883, `tcp_dsack`).
    pub duplicate_sacks: Switch,
    /// The window's scale (RFC 7323 section 2, `tcp_window_scaling`).
    pub window_scaling: Switch,
}

impl Extensions {
    /// As Linux has it (`tcp_sk_init`).
    pub const LINUX: Self =
        Self { sack: Switch::On, duplicate_sacks: Switch::On, window_scaling: Switch::On };
}

/// How what was lost leaves again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retransmission {
    /// Whether a tail is probed that may be lost (RFC 8985 section 7, `tcp_early_retrans`).
    pub tail_loss_probes: Switch,
    /// Whether new data test whether a timeout was needed (RFC 5682, `tcp_frto`).
    pub f_rto: Switch,
    /// Segments by which packets may overtake each other before that counts as remarkable (`tcp_reordering`).
    pub reordering: u64,
    /// Retransmissions of the same, or probes of a closed window without any answer, before the peer counts as gone
    /// (RFC 9293 section 3.8.3: R2, `tcp_retries2`).
    pub retries: u32,
}

impl Retransmission {
    /// As Linux has it (`tcp_sk_init`): 924.6 s with timeouts up to 120 s.
    pub const LINUX: Self =
        Self { tail_loss_probes: Switch::On, f_rto: Switch::On, reordering: 3, retries: 15 };
}

/// How often what opens a connection leaves again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandshakeRetries {
    /// SYNs whose wait doubles (`tcp_syn_retries`).
    pub syn: u32,
    /// SYNs before those, each a second after the one before (`tcp_syn_linear_timeouts`, Linux 6.5).
    pub syn_linear: u32,
    /// `tcp_synack_retries`.
    pub syn_ack: u32,
    /// Of a SYN-ACK whose connection is open already (RFC 7413, `tcp_fastopen_synack_timer`).
    pub syn_ack_fast_open: u32,
    /// Waits of a SYN-ACK during which an acknowledgement without data opens nothing (`TCP_DEFER_ACCEPT`).
    pub deferred: u32,
}

impl HandshakeRetries {
    /// As Linux has it (`tcp_sk_init`).
    pub const LINUX: Self = Self { syn: 6, syn_linear: 4, syn_ack: 5, syn_ack_fast_open: 6, deferred: 0 };
}

/// Probes of a silent peer (RFC 9293 section 3.8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// Silence before the first one (`tcp_keepalive_time`).
    pub idle: Duration,
    /// Between two of them (`tcp_keepalive_intvl`).
    pub interval: Duration,
    /// How many are left unanswered before the connection ends (`tcp_keepalive_probes`).
    pub probes: u32,
}

impl KeepAlive {
    /// As Linux has it where a socket asks for it (`tcp_sk_init`).
    pub const LINUX: Self =
        Self { idle: Duration::from_secs(7200), interval: Duration::from_secs(75), probes: 9 };
}

/// Segmentation offload: how much is worth sending at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offload {
    /// Segments of a GSO packet at least, whatever the rate (`tcp_min_tso_segs`); BBR has its own.
    pub min_segments: u64,
    /// A GSO packet of this part of the window does not wait for a larger one (`tcp_tso_win_divisor`).
    pub window_divisor: u64,
}

impl Offload {
    /// As Linux has it (`tcp_sk_init`).
    pub const LINUX: Self = Self { min_segments: 2, window_divisor: 3 };
}

/// TCP Fast Open (RFC 7413).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastOpen {
    /// Not used.
    Off,
    /// A client without a cookie asks for one.
    Request,
    /// A client sends what was written before the SYN leaves along with it.
    Client {
        /// The cookie that it shows; none where the server needs none (`TFO_CLIENT_NO_COOKIE`).
        cookie: Option<Cookie>,
        /// The segment size that the server announced the last time, which bounds that data (`tfom->mss`).
        mss: Option<u16>,
    },
    /// A server grants and accepts cookies made with this key.
    Server(CookieKey),
    /// A server takes the data of every SYN (`TFO_SERVER_COOKIE_NOT_REQD`).
    ServerWithoutCookies,
}

/// Coalescing of received packets (generic receive offload) ahead of TCP.
///
/// An interface that merges a train of packets shows TCP one large segment, which is acknowledged once: fewer
/// acknowledgements, larger bursts. A TUN device merges nothing, so the emulator's counterpart is [`Off`](Self::Off).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coalescing {
    /// Each packet arrives alone.
    Off,
    /// In-order packets that arrive within this time of the first are acknowledged as one.
    Within(Duration),
}

/// An IP packet on Ethernet.
const ETHERNET_MTU: u32 = 1500;
/// `tcp_rmem[1]`.
const INITIAL_RECEIVE_BUFFER: Bytes = Bytes::new(131_072);
/// `tcp_wmem[1]`.
const INITIAL_SEND_BUFFER: Bytes = Bytes::new(16_384);

/// No timeout is longer where the host has no other limit.
pub(crate) const TCP_RTO_MAX: Duration = Duration::from_secs(120);
/// `tcp_sk_init`.
const STRAY_INTERVAL: Duration = Duration::from_millis(500);

impl Config {
    /// The settings of a scenario; the rest as on the emulator: MTU 1500, Linux's slow start, no coalescing. Fast Open
    /// is left to the host, as client and server differ in it.
    pub fn new(spec: &TcpSpec, congestion_control: Algorithm, seed: u64) -> Self {
        Self {
            mtu: ETHERNET_MTU,
            congestion_control,
            slow_start: None,
            bbr: BbrSpec::LINUX,
            resume: None,
            initial_window: spec.initial_window,
            initial_receive_window: spec.initial_receive_window,
            receive_buffer: BufferLimits::tuned(INITIAL_RECEIVE_BUFFER, spec.receive_buffer_bytes),
            send_buffer: BufferLimits::tuned(INITIAL_SEND_BUFFER, spec.send_buffer_bytes),
            after_idle: if spec.slow_start_after_idle { AfterIdle::Restart } else { AfterIdle::Keep },
            nagle: if spec.nagle.is_on() { Nagle::On } else { Nagle::Off },
            max_pacing_rate: spec.max_pacing_rate(),
            timestamps: spec.timestamps.unwrap_or(Switch::On),
            extensions: Extensions::LINUX,
            ecn: spec.ecn,
            quick_ack: if spec.quick_ack.is_on() { QuickAck::Always } else { QuickAck::Adaptive },
            retries: HandshakeRetries::LINUX,
            retransmission: Retransmission::LINUX,
            keep_alive: None,
            max_rto: TCP_RTO_MAX,
            stray_interval: STRAY_INTERVAL,
            fast_open: FastOpen::Off,
            offload: Offload::LINUX,
            coalescing: Coalescing::Off,
            wheel: TimerWheel::default(),
            seed,
        }
    }

    /// The MSS to announce (RFC 6691): the MTU without the fixed headers.
    pub(crate) fn mss(&self) -> u16 {
        u16::try_from(self.mtu.saturating_sub(IP_HEADER + TCP_HEADER)).unwrap_or(u16::MAX)
    }
}
