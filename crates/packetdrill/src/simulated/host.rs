//! The settings of a host that scripts change: sysctls and attributes of its route.

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{
    AfterIdle, BufferLimits, Config, Connection, Cookie, CookieKey, FastOpen, HandshakeRetries, IP_HEADER,
    KeepAlive, QuickAck, TCP_HEADER, TcpSpec,
};
use bentpipe_units::{Bytes, Duration, Rate, Switch, Time};

use super::socket::SocketOptions;
use crate::commands::Effect;
use crate::outcome::Missing;
use crate::settings::IpVersion;

/// RFC 8200 section 3.
const IP_V6_HEADER: u32 = 40;

/// `tcp_rmem[2]`, `tcp_wmem[2]` of a host with enough memory (`tcp_init`).
const MOST_RECEIVE_BUFFER: Bytes = Bytes::new(6 * 1024 * 1024);
const MOST_SEND_BUFFER: Bytes = Bytes::new(4 * 1024 * 1024);
/// `ip_rt_min_pmtu`: the least that Linux takes for a path.
const LEAST_MTU: u32 = 552;
/// `TFO_SERVER_ENABLE`.
const FAST_OPEN_OF_SERVERS: u32 = 0x2;
/// `TFO_SERVER_WO_SOCKOPT1`: servers have it without `TCP_FASTOPEN`.
const FAST_OPEN_OF_ALL_SERVERS: u32 = 0x400;
/// `TFO_CLIENT_ENABLE`, `TFO_CLIENT_NO_COOKIE`.
const FAST_OPEN_OF_CLIENTS: u32 = 0x1;
const FAST_OPEN_WITHOUT_OWN_COOKIE: u32 = 0x4;
/// `TFO_SERVER_COOKIE_NOT_REQD`.
const FAST_OPEN_WITHOUT_COOKIE: u32 = 0x200;
/// `tcp_fastopen` and `tcp_ecn` as Linux has them: clients have Fast Open, servers answer those that ask for ECN.
const FAST_OPEN: u32 = FAST_OPEN_OF_CLIENTS;
const ECN: u32 = 2;
/// As `tcp_rto_max_ms` takes them.
const RTO_MAX_MS: std::ops::RangeInclusive<u64> = 1_000..=120_000;
/// `MAX_TCP_SYNCNT`.
const MOST_RETRIES: u32 = 127;
/// `tcp_notsent_lowat` as Linux has it.
const NO_LIMIT: Bytes = Bytes::new(u32::MAX as u64);
/// RFC 6928.
const INITIAL_WINDOW: u32 = 10;

/// What sockets that are made from now on have.
#[derive(Clone, Debug)]
pub(super) struct HostSettings {
    pub config: Config,
    /// `tcp_notsent_lowat`.
    pub max_unsent: Bytes,
    /// The times of sockets that ask for keep-alive.
    pub keep_alive: KeepAlive,
    /// Bits of `tcp_fastopen`.
    fast_open: u32,
    cookie_key: CookieKey,
    /// `tcp_ecn`: 0 for none, 1 for all, 2 for servers that are asked.
    ecn: u32,
    ip_version: IpVersion,
    peer: Peer,
}

/// What is remembered of the peer (`struct tcp_fastopen_metrics`).
#[derive(Clone, Copy, Debug, Default)]
struct Peer {
    mss: Option<u16>,
    cookie: Option<Cookie>,
}

/// Sysctls of Linux that the endpoint has as one of these values, or that change nothing a script of segments sees.
const FIXED: [(&str, &[&str]); 11] = [
    ("tcp_fack", &[]),
    ("tcp_recovery", &["1"]),
    ("tcp_pacing_ss_ratio", &["200"]),
    ("tcp_pacing_ca_ratio", &["120"]),
    ("tcp_syncookies", &["0", "1"]),
    ("tcp_no_metrics_save", &[]),
    ("tcp_tw_reuse", &[]),
    ("tcp_limit_output_bytes", &[]),
    ("tcp_autocorking", &[]),
    ("tcp_max_reordering", &["300"]),
    ("ip_no_pmtu_disc", &[]),
];

/// The same of other settings, by their paths.
const FIXED_ELSEWHERE: [(&str, &[&str]); 2] =
    [("net.mptcp.enabled", &["0", "1"]), (".sys.module.tcp_cubic.parameters.hystart_detect", &["3"])];

impl HostSettings {
    /// Linux's own on an interface.
    ///
    /// # Errors
    /// For one whose packets are too small.
    pub fn new(mtu: u32, ip_version: IpVersion) -> Result<Self, Missing> {
        let mtu = possible(mtu, ip_version)?;
        let spec = TcpSpec {
            initial_window: INITIAL_WINDOW,
            initial_receive_window: None,
            receive_buffer_bytes: MOST_RECEIVE_BUFFER,
            send_buffer_bytes: MOST_SEND_BUFFER,
            slow_start_after_idle: true,
            fast_open: Switch::Off,
            // A new socket has it on.
            nagle: Switch::On,
            pacing: Switch::Off,
            max_pacing_rate_bps: None,
            timestamps: None,
            ecn: Switch::Off,
            quick_ack: Switch::Off,
            connect_retry_ns: None,
            connect_retries: None,
            idle_reset_ns: None,
            idle_fallback: Switch::Off,
        };
        let config = Config { mtu, ..Config::new(&spec, Algorithm::Cubic, 1) };
        let cookie_key = CookieKey::drawn(config.seed);
        Ok(Self {
            config,
            max_unsent: NO_LIMIT,
            keep_alive: KeepAlive::LINUX,
            fast_open: FAST_OPEN,
            cookie_key,
            ecn: ECN,
            ip_version,
            peer: Peer::default(),
        })
    }

    /// Does what a command does.
    pub fn apply(&mut self, effect: &Effect) -> Result<(), Missing> {
        match effect {
            Effect::Sysctl { path, value } => match path.strip_prefix("net.ipv4.") {
                Some(name) => self.set_sysctl(name, value),
                None if has_value(&FIXED_ELSEWHERE, path, value) => Ok(()),
                None => Err(Missing(format!("{path}={value}"))),
            },
            Effect::Route { attribute, value } => self.set_route(attribute, value),
            Effect::ForgetPeers => {
                self.peer = Peer::default();
                Ok(())
            }
            Effect::Pacing(pacing) => {
                self.config.max_pacing_rate = (*pacing == Switch::On).then_some(Rate::MAX);
                Ok(())
            }
            Effect::Sleep(_) | Effect::Counters { .. } => Ok(()),
            Effect::Other(what) => Err(Missing(what.clone())),
        }
    }

    /// Sets a sysctl below `net.ipv4`.
    fn set_sysctl(&mut self, name: &str, value: &str) -> Result<(), Missing> {
        let missing = || Missing(format!("{name}={value}"));
        let config = &mut self.config;
        match name {
            "tcp_rmem" => {
                let is_moderated = config.receive_buffer.is_moderated;
                config.receive_buffer = BufferLimits { is_moderated, ..limits(value).ok_or_else(missing)? };
            }
            "tcp_wmem" => config.send_buffer = limits(value).ok_or_else(missing)?,
            "tcp_timestamps" => {
                config.timestamps = switch(is_on(value).ok_or_else(missing)?);
            }
            "tcp_sack" => config.extensions.sack = switch(is_on(value).ok_or_else(missing)?),
            "tcp_dsack" => config.extensions.duplicate_sacks = switch(is_on(value).ok_or_else(missing)?),
            "tcp_window_scaling" => {
                config.extensions.window_scaling = switch(is_on(value).ok_or_else(missing)?);
            }
            // tcp_schedule_loss_probe
            "tcp_early_retrans" => {
                let mode: Option<u8> = value.parse().ok().filter(|mode| *mode <= 4);
                config.retransmission.tail_loss_probes = switch(mode.ok_or_else(missing)? >= 3);
            }
            "tcp_moderate_rcvbuf" => {
                config.receive_buffer.is_moderated = is_on(value).ok_or_else(missing)?;
            }
            "tcp_reordering" => {
                let segments: u32 = value.parse().map_err(|_| missing())?;
                config.retransmission.reordering = segments.into();
            }
            "tcp_frto" => {
                let mode: u8 = value.parse().map_err(|_| missing())?;
                config.retransmission.f_rto = switch(mode != 0);
            }
            "tcp_retries2" => config.retransmission.retries = retries(value).ok_or_else(missing)?,
            "tcp_slow_start_after_idle" => {
                let restarts = is_on(value).ok_or_else(missing)?;
                config.after_idle = if restarts { AfterIdle::Restart } else { AfterIdle::Keep };
            }
            "tcp_fastopen" => self.fast_open = bits(value).ok_or_else(missing)?,
            "tcp_invalid_ratelimit" => {
                config.stray_interval = Duration::from_millis(value.parse().map_err(|_| missing())?);
            }
            "tcp_rto_max_ms" => {
                let milliseconds =
                    value.parse().ok().filter(|ms| RTO_MAX_MS.contains(ms)).ok_or_else(missing)?;
                config.max_rto = Duration::from_millis(milliseconds);
            }
            "tcp_syn_retries" => {
                config.retries.syn = retries(value).filter(|times| *times > 0).ok_or_else(missing)?;
            }
            "tcp_syn_linear_timeouts" => config.retries.syn_linear = retries(value).ok_or_else(missing)?,
            "tcp_synack_retries" => {
                let times = retries(value).ok_or_else(missing)?;
                (config.retries.syn_ack, config.retries.syn_ack_fast_open) = (times, times + 1);
            }
            "tcp_keepalive_time" => self.keep_alive.idle = seconds(value).ok_or_else(missing)?,
            "tcp_keepalive_intvl" => self.keep_alive.interval = seconds(value).ok_or_else(missing)?,
            "tcp_keepalive_probes" => {
                self.keep_alive.probes = value.parse::<u8>().map_err(|_| missing())?.into();
            }
            "tcp_notsent_lowat" => {
                let bytes: u32 = value.parse().map_err(|_| missing())?;
                self.max_unsent = Bytes::new(bytes.into());
            }
            "tcp_fastopen_key" => self.cookie_key = cookie_key(value).ok_or_else(missing)?,
            "tcp_ecn" => {
                self.ecn = value.parse().ok().filter(|ecn| (0..=2).contains(ecn)).ok_or_else(missing)?;
            }
            "tcp_congestion_control" => config.congestion_control = algorithm(value)?,
            "tcp_tso_win_divisor" => config.offload.window_divisor = value.parse().map_err(|_| missing())?,
            "tcp_min_tso_segs" => config.offload.min_segments = value.parse().map_err(|_| missing())?,
            _ if has_value(&FIXED, name, value) => {}
            _ => return Err(missing()),
        }
        Ok(())
    }

    /// Sets an attribute of the route to the peer.
    fn set_route(&mut self, attribute: &str, value: &str) -> Result<(), Missing> {
        let missing = || Missing(format!("the route's {attribute} {value}"));
        let number = value.parse().map_err(|_| missing());
        match attribute {
            "initcwnd" => self.config.initial_window = number?,
            "initrwnd" => self.config.initial_receive_window = Some(number?),
            "mtu" => self.config.mtu = possible(number?, self.ip_version)?,
            "quickack" => {
                self.config.quick_ack = if number? == 0 { QuickAck::Adaptive } else { QuickAck::Always };
            }
            "dev" | "via" | "src" | "proto" | "scope" | "table" | "metric" => {}
            _ => return Err(missing()),
        }
        Ok(())
    }

    /// Settings of a connection that a socket opens.
    pub fn connecting(&self, options: &SocketOptions) -> Config {
        Config { ecn: switch(self.ecn == 1), ..self.config_of(options) }
    }

    /// The same of one that asks for Fast Open; none where the host does not allow it.
    pub fn connecting_fast(&self, options: &SocketOptions) -> Option<Config> {
        let has = |bit: u32| self.fast_open & bit != 0;
        let needs_no_cookie = has(FAST_OPEN_WITHOUT_OWN_COOKIE) || options.needs_no_cookie;
        let Peer { mss, cookie } = self.peer;
        let fast_open = match cookie {
            _ if needs_no_cookie => FastOpen::Client { cookie: None, mss },
            None => FastOpen::Request,
            cookie => FastOpen::Client { cookie, mss },
        };
        has(FAST_OPEN_OF_CLIENTS).then(|| Config { fast_open, ..self.connecting(options) })
    }

    /// What a connection with Fast Open has told of the peer (`tcp_fastopen_cache_set`).
    pub fn remember(&mut self, connection: &Connection) {
        self.peer.mss = connection.peer_announced_mss().or(self.peer.mss);
        self.peer.cookie = connection.fast_open_cookie().or(self.peer.cookie);
    }

    /// Settings of connections that a socket accepts.
    ///
    /// # Errors
    /// For cookies of addresses that the endpoint does not have.
    pub fn listening(&self, options: &SocketOptions) -> Result<Config, Missing> {
        let has = |bit: u32| self.fast_open & bit != 0;
        let fast_open = match () {
            () if !has(FAST_OPEN_OF_SERVERS) => FastOpen::Off,
            () if !options.has_fast_open && !has(FAST_OPEN_OF_ALL_SERVERS) => FastOpen::Off,
            () if has(FAST_OPEN_WITHOUT_COOKIE) || options.needs_no_cookie => FastOpen::ServerWithoutCookies,
            () if self.ip_version == IpVersion::V6 => {
                return Err(Missing("Fast Open over IPv6".to_owned()));
            }
            () => FastOpen::Server(options.cookie_key.unwrap_or(self.cookie_key)),
        };
        let config = self.config_of(options);
        let retries = HandshakeRetries { deferred: options.deferred_waits, ..config.retries };
        Ok(Config { ecn: switch(self.ecn != 0), fast_open, retries, ..config })
    }

    /// Gives a connection what it has of its socket's options beside its settings, which it began with.
    pub fn apply_options(&self, options: &SocketOptions, connection: &mut Connection, now: Time) {
        if let Some(send_buffer) = options.send_buffer {
            connection.set_send_buffer(send_buffer);
        }
        if let Some(receive_buffer) = options.receive_buffer {
            connection.set_receive_buffer(receive_buffer);
        }
        connection.set_max_unsent(options.max_unsent.unwrap_or(self.max_unsent));
        connection.set_user_timeout(options.user_timeout);
        if let Some(rate) = options.max_pacing_rate {
            connection.set_max_pacing_rate(rate);
        }
        connection.set_keep_alive(now, options.probing.limits(self.keep_alive));
    }

    fn config_of(&self, options: &SocketOptions) -> Config {
        let config = self.config.clone();
        let mtu = options.segment_size.map(|size| u32::from(size) + IP_HEADER + TCP_HEADER);
        let receive_buffer = options.receive_buffer.map(BufferLimits::fixed);
        let own = options.syn_retries.map(|times| HandshakeRetries {
            syn: times,
            syn_ack: times,
            syn_ack_fast_open: times,
            ..config.retries
        });
        Config {
            congestion_control: options.congestion_control.unwrap_or(config.congestion_control),
            nagle: options.nagle,
            max_pacing_rate: options.max_pacing_rate.or(config.max_pacing_rate),
            keep_alive: options.probing.limits(self.keep_alive),
            retries: own.unwrap_or(config.retries),
            mtu: mtu.map_or(config.mtu, |mtu| mtu.min(config.mtu)),
            receive_buffer: receive_buffer.unwrap_or(config.receive_buffer),
            ..config
        }
    }
}

const fn switch(is_on: bool) -> Switch {
    if is_on { Switch::On } else { Switch::Off }
}

/// Whether a setting is known to have this value, or one that does not matter.
fn has_value(known: &[(&str, &[&str])], name: &str, value: &str) -> bool {
    let found = known.iter().find(|(known, _)| *known == name);
    found.is_some_and(|(_, values)| values.is_empty() || values.contains(&value))
}

/// The MTU as one of IPv4, whose header the endpoint counts.
fn possible(mtu: u32, ip_version: IpVersion) -> Result<u32, Missing> {
    let longer = if ip_version == IpVersion::V6 { IP_V6_HEADER - IP_HEADER } else { 0 };
    let counted = mtu.saturating_sub(longer);
    if counted >= LEAST_MTU { Ok(counted) } else { Err(Missing(format!("an MTU of {mtu} bytes"))) }
}

/// Four words of hexadecimal digits (`proc_tcp_fastopen_key`).
fn cookie_key(value: &str) -> Option<CookieKey> {
    let words: Vec<u32> =
        value.split('-').map(|word| u32::from_str_radix(word, 16).ok()).collect::<Option<_>>()?;
    Some(CookieKey(words.try_into().ok()?))
}

/// The congestion control that Linux knows by this name.
pub(super) fn algorithm(name: &str) -> Result<Algorithm, Missing> {
    let found = Algorithm::ALL.into_iter().find(|algorithm| algorithm.kernel_name() == Some(name));
    found.ok_or_else(|| Missing(format!("the congestion control {name}")))
}

/// "least initial most".
fn limits(value: &str) -> Option<BufferLimits> {
    let numbers: Vec<u64> = value.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [_, initial, max] = numbers.as_slice() else { return None };
    Some(BufferLimits::tuned(Bytes::new(*initial), Bytes::new(*max)))
}

fn seconds(value: &str) -> Option<Duration> {
    value.parse::<u32>().ok().map(|seconds| Duration::from_secs(seconds.into()))
}

fn retries(value: &str) -> Option<u32> {
    value.parse().ok().filter(|times| (0..=MOST_RETRIES).contains(times))
}

fn bits(value: &str) -> Option<u32> {
    match value.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    }
}

fn is_on(value: &str) -> Option<bool> {
    match value {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}
