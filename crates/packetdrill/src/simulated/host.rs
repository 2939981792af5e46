//! The settings of a host that scripts change: sysctls and attributes of its route.

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{AfterIdle, BufferLimits, Config, Flags, Nagle, QuickAck, Segment, TcpSpec};
use bentpipe_units::{Bytes, Switch};

use crate::commands::Effect;
use crate::outcome::Missing;

/// `tcp_rmem[2]`, `tcp_wmem[2]` of a host with enough memory (`tcp_init`).
const MOST_RECEIVE_BUFFER: Bytes = Bytes::new(6 * 1024 * 1024);
const MOST_SEND_BUFFER: Bytes = Bytes::new(4 * 1024 * 1024);
/// `ip_rt_min_pmtu`: the least that Linux takes for a path.
const LEAST_MTU: u32 = 552;
/// `TFO_SERVER_ENABLE` with `TFO_SERVER_WO_SOCKOPT1`: servers have Fast Open without `TCP_FASTOPEN`.
const FAST_OPEN_OF_ALL_SERVERS: u32 = 0x402;
/// `TFO_SERVER_COOKIE_NOT_REQD`.
const FAST_OPEN_WITHOUT_COOKIE: u32 = 0x200;
/// RFC 6928.
const INITIAL_WINDOW: u32 = 10;

/// What sockets that are made from now on have.
#[derive(Clone, Debug)]
pub(super) struct HostSettings {
    pub config: Config,
    /// Bits of `tcp_fastopen`.
    fast_open: u32,
}

/// Sysctls of Linux that the endpoint has as one of these values, or that change nothing a script of segments sees.
const FIXED: [(&str, &[&str]); 25] = [
    ("tcp_sack", &["1"]),
    ("tcp_dsack", &["1"]),
    ("tcp_fack", &[]),
    ("tcp_frto", &["1", "2"]),
    ("tcp_reordering", &["3"]),
    ("tcp_early_retrans", &["3", "4"]),
    ("tcp_recovery", &["1"]),
    ("tcp_ecn", &["0", "2"]),
    ("tcp_pacing_ss_ratio", &["200"]),
    ("tcp_pacing_ca_ratio", &["120"]),
    ("tcp_notsent_lowat", &["4294967295", "-1"]),
    ("tcp_fastopen_key", &[]),
    ("tcp_syncookies", &["0", "1"]),
    ("tcp_syn_retries", &["5", "6"]),
    ("tcp_synack_retries", &["5"]),
    ("tcp_no_metrics_save", &[]),
    ("tcp_tw_reuse", &[]),
    ("tcp_window_scaling", &["1"]),
    ("tcp_moderate_rcvbuf", &["1"]),
    ("tcp_invalid_ratelimit", &["500"]),
    ("tcp_limit_output_bytes", &[]),
    ("tcp_autocorking", &[]),
    ("tcp_retries2", &["15"]),
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
    pub fn new(mtu: u32) -> Result<Self, Missing> {
        let mtu = possible(mtu)?;
        let spec = TcpSpec {
            initial_window: INITIAL_WINDOW,
            initial_receive_window: None,
            receive_buffer_bytes: MOST_RECEIVE_BUFFER,
            send_buffer_bytes: MOST_SEND_BUFFER,
            slow_start_after_idle: true,
            fast_open: Switch::Off,
            // A new socket has it on.
            nagle: Switch::On,
            timestamps: None,
            ecn: Switch::Off,
            quick_ack: Switch::Off,
            connect_retry_ns: None,
            connect_retries: None,
            idle_reset_ns: None,
            idle_fallback: Switch::Off,
        };
        Ok(Self { config: Config { mtu, ..Config::new(&spec, Algorithm::Cubic, 1) }, fast_open: 0 })
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
            Effect::Sleep(_) => Ok(()),
            Effect::Other(what) => Err(Missing(what.clone())),
        }
    }

    /// Sets a sysctl below `net.ipv4`.
    fn set_sysctl(&mut self, name: &str, value: &str) -> Result<(), Missing> {
        let missing = || Missing(format!("{name}={value}"));
        let config = &mut self.config;
        match name {
            "tcp_rmem" => config.receive_buffer = limits(value).ok_or_else(missing)?,
            "tcp_wmem" => config.send_buffer = limits(value).ok_or_else(missing)?,
            "tcp_timestamps" => {
                config.timestamps = if is_on(value).ok_or_else(missing)? { Switch::On } else { Switch::Off };
            }
            "tcp_slow_start_after_idle" => {
                let restarts = is_on(value).ok_or_else(missing)?;
                config.after_idle = if restarts { AfterIdle::Restart } else { AfterIdle::Keep };
            }
            "tcp_fastopen" => self.fast_open = bits(value).ok_or_else(missing)?,
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
            "mtu" => self.config.mtu = possible(number?)?,
            "quickack" => {
                self.config.quick_ack = if number? == 0 { QuickAck::Adaptive } else { QuickAck::Always };
            }
            "dev" | "via" | "src" | "proto" | "scope" | "table" | "metric" => {}
            _ => return Err(missing()),
        }
        Ok(())
    }

    /// Whether Linux has Fast Open for this SYN at a socket without the option, which the endpoint does not
    /// (`tcp_try_fastopen`).
    pub fn has_fast_open_for(&self, segment: &Segment) -> bool {
        let has = |bits: u32| self.fast_open & bits == bits;
        let asks = segment.options.syn.is_some_and(|syn| syn.fast_open.is_some());
        let brings_data = segment.flags.contains(Flags::SYN) && !segment.payload.is_empty();
        has(FAST_OPEN_OF_ALL_SERVERS) && (asks || brings_data && has(FAST_OPEN_WITHOUT_COOKIE))
    }

    /// Settings of a connection whose socket has options of its own.
    pub fn config_of(&self, congestion_control: Option<Algorithm>, nagle: Nagle) -> Config {
        let congestion_control = congestion_control.unwrap_or(self.config.congestion_control);
        Config { congestion_control, nagle, ..self.config.clone() }
    }
}

/// Whether a setting is known to have this value, or one that does not matter.
fn has_value(known: &[(&str, &[&str])], name: &str, value: &str) -> bool {
    let found = known.iter().find(|(known, _)| *known == name);
    found.is_some_and(|(_, values)| values.is_empty() || values.contains(&value))
}

fn possible(mtu: u32) -> Result<u32, Missing> {
    if mtu >= LEAST_MTU { Ok(mtu) } else { Err(Missing(format!("an MTU of {mtu} bytes"))) }
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
    Some(BufferLimits { initial: Bytes::new(*initial), max: Bytes::new(*max) })
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
