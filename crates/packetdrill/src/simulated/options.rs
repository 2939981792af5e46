//! Options of sockets: what is set, what it does to a connection, and what is read of it (`tcp_setsockopt`, `sk_setsockopt`).

use bentpipe_tcp::{CookieKey, Nagle};
use bentpipe_units::{Bytes, Duration, Rate};

use super::error_queue::TX_RECORDED;
use super::socket::Kind;
use super::sockets::{Attempt, done, error};
use super::{Simulated, host};
use crate::call::{OptionValue, SocketOption};
use crate::outcome::{Missing, Outcome, Output};
use crate::symbols::{TCP_INQ, option_name};

/// `SOCK_MIN_SNDBUF`, `SOCK_MIN_RCVBUF`: `TCP_SKB_MIN_TRUESIZE` twice and once.
const LEAST_SEND_BUFFER: i64 = 4_608;
const LEAST_RECEIVE_BUFFER: i64 = 2_304;
/// `net.core.wmem_max` and `rmem_max` of Linux 6.17.
const LARGEST_BUFFER: i64 = 4 << 20;
/// `TCP_MIN_MSS`, `MAX_TCP_WINDOW`.
const SEGMENT_SIZES: std::ops::RangeInclusive<i64> = 88..=32_767;
/// Up to `MAX_TCP_KEEPIDLE` and `MAX_TCP_KEEPINTVL`.
const KEEP_ALIVE_SECONDS: std::ops::RangeInclusive<i64> = 1..=32_767;
/// Up to `MAX_TCP_SYNCNT` and `MAX_TCP_KEEPCNT`.
const COUNTS: std::ops::RangeInclusive<i64> = 1..=127;
const NANOS_PER_SECOND: u64 = 1_000_000_000;
/// Linux 6.1: bytes are counted from the next that is written.
const SOF_TIMESTAMPING_OPT_ID_TCP: u32 = 1 << 16;
/// What `SO_TIMESTAMPING` may ask for here: without hardware, its times are none.
const TIMESTAMPING: u32 = TX_RECORDED
    | libc::SOF_TIMESTAMPING_RX_HARDWARE
    | libc::SOF_TIMESTAMPING_SOFTWARE
    | libc::SOF_TIMESTAMPING_RAW_HARDWARE
    | libc::SOF_TIMESTAMPING_OPT_ID
    | libc::SOF_TIMESTAMPING_OPT_CMSG
    | libc::SOF_TIMESTAMPING_OPT_TSONLY
    | SOF_TIMESTAMPING_OPT_ID_TCP;
/// `TCP_RTO_MAX`, and what counts them has a byte.
const LONGEST_WAIT_S: i64 = 120;
const MOST_WAITS: u32 = 255;
/// In a second.
const MICROS: i64 = 1_000_000;
/// `TCP_MSS_DEFAULT`, of a socket without a connection.
const DEFAULT_SEGMENT_SIZE: i64 = 536;

impl Simulated<'_> {
    /// Sets an option.
    pub(super) fn set_option(&mut self, option: SocketOption, value: &OptionValue) -> Attempt {
        let Some(found) = self.sockets.get_mut(&option.socket) else { return error(libc::EBADF) };
        let connection = match found.kind {
            Kind::Connection(id) => self.connections.get_mut(&id).map(|connected| &mut connected.connection),
            _ => None,
        };
        let (level, name) = (option.level as i32, option.name as i32);
        let options = &mut found.options;
        match (level, name, value) {
            // Twice what is asked for, for what the kernel keeps beside the bytes (socket(7)).
            (libc::SOL_SOCKET, libc::SO_SNDBUF, OptionValue::Integer(bytes)) => {
                options.send_buffer = Some(doubled(*bytes, LEAST_SEND_BUFFER));
            }
            (libc::SOL_IP | libc::SOL_IPV6, ..) => return self.set_ip_option(option, value),
            (libc::SOL_SOCKET, libc::SO_RCVBUF, OptionValue::Integer(bytes)) => {
                options.receive_buffer = Some(doubled(*bytes, LEAST_RECEIVE_BUFFER));
            }
            (libc::SOL_SOCKET, libc::SO_LINGER, OptionValue::Linger(on, seconds)) => {
                options.linger = (*on != 0).then_some(*seconds);
            }
            (libc::SOL_SOCKET, libc::SO_RCVTIMEO, OptionValue::Time(seconds, micros)) => {
                options.read_limit = limit(*seconds, *micros);
            }
            (libc::SOL_SOCKET, libc::SO_SNDTIMEO, OptionValue::Time(seconds, micros)) => {
                options.write_limit = limit(*seconds, *micros);
            }
            (libc::SOL_TCP, libc::TCP_NODELAY, OptionValue::Integer(on)) => {
                options.nagle = if *on == 0 { Nagle::On } else { Nagle::Off };
                if let Some(connection) = connection {
                    connection.set_nagle(options.nagle);
                }
            }
            (libc::SOL_TCP, libc::TCP_CORK, OptionValue::Integer(on)) => {
                options.is_corked = *on != 0;
                if let Some(connection) = connection {
                    connection.set_cork(options.is_corked);
                }
            }
            (libc::SOL_TCP, libc::TCP_MAXSEG, OptionValue::Integer(bytes)) if connection.is_none() => {
                if !SEGMENT_SIZES.contains(bytes) {
                    return error(libc::EINVAL);
                }
                options.segment_size = u16::try_from(*bytes).ok();
            }
            (libc::SOL_TCP, libc::TCP_USER_TIMEOUT, OptionValue::Integer(milliseconds)) => {
                let Ok(milliseconds) = u64::try_from(*milliseconds) else { return error(libc::EINVAL) };
                options.user_timeout = (milliseconds > 0).then(|| Duration::from_millis(milliseconds));
            }
            (libc::SOL_TCP, libc::TCP_NOTSENT_LOWAT, OptionValue::Integer(bytes)) => {
                let bytes = *bytes as u32;
                options.max_unsent = (bytes > 0).then(|| Bytes::new(bytes.into()));
            }
            (libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, OptionValue::Integer(bytes_per_second)) => {
                // sk_setsockopt: ~0U asks for no pacing.
                let rate = Some(*bytes_per_second as u32).filter(|rate| *rate != u32::MAX);
                options.max_pacing_rate = rate.map(|bytes| Rate::from_bps(u64::from(bytes) * 8));
            }
            // sk_setsockopt: ~0UL asks for none.
            (libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, OptionValue::Bytes(bytes))
                if bytes.len() == size_of::<u64>() =>
            {
                let rate = bytes.iter().rev().fold(0, |rate, byte| rate << 8 | u64::from(*byte));
                options.max_pacing_rate = (rate != u64::MAX).then(|| Rate::from_bps(rate.saturating_mul(8)));
                options.kept.insert((option.level, option.name), rate as i64);
            }
            (libc::SOL_SOCKET, libc::SO_KEEPALIVE, OptionValue::Integer(on)) => {
                options.probing.is_on = *on != 0;
            }
            (libc::SOL_TCP, libc::TCP_KEEPIDLE | libc::TCP_KEEPINTVL, OptionValue::Integer(seconds)) => {
                if !KEEP_ALIVE_SECONDS.contains(seconds) {
                    return error(libc::EINVAL);
                }
                let time = Some(Duration::from_secs(*seconds as u64));
                match name {
                    libc::TCP_KEEPIDLE => options.probing.idle = time,
                    _ => options.probing.interval = time,
                }
            }
            (libc::SOL_TCP, libc::TCP_KEEPCNT, OptionValue::Integer(probes)) => {
                if !COUNTS.contains(probes) {
                    return error(libc::EINVAL);
                }
                options.probing.probes = u32::try_from(*probes).ok();
            }
            (libc::SOL_TCP, libc::TCP_SYNCNT, OptionValue::Integer(times)) if connection.is_none() => {
                if !COUNTS.contains(times) {
                    return error(libc::EINVAL);
                }
                options.syn_retries = u32::try_from(*times).ok();
            }
            (libc::SOL_TCP, libc::TCP_DEFER_ACCEPT, OptionValue::Integer(seconds)) => {
                options.deferred_waits = waits_of(*seconds);
            }
            (libc::SOL_TCP, libc::TCP_FASTOPEN, OptionValue::Integer(queue)) if connection.is_none() => {
                options.has_fast_open = *queue > 0;
            }
            (libc::SOL_TCP, libc::TCP_FASTOPEN_KEY, OptionValue::Bytes(bytes)) if connection.is_none() => {
                let Some(key) = CookieKey::of_bytes(bytes) else { return error(libc::EINVAL) };
                options.cookie_key = Some(key);
            }
            // No key has another length.
            (libc::SOL_TCP, libc::TCP_FASTOPEN_KEY, OptionValue::Text(_)) => return error(libc::EINVAL),
            (libc::SOL_TCP, libc::TCP_FASTOPEN_CONNECT, OptionValue::Integer(on)) if connection.is_none() => {
                options.defers_connecting = *on != 0;
            }
            (libc::SOL_TCP, libc::TCP_FASTOPEN_NO_COOKIE, OptionValue::Integer(on))
                if connection.is_none() =>
            {
                options.needs_no_cookie = *on != 0;
            }
            (libc::SOL_TCP, libc::TCP_CONGESTION, OptionValue::Text(text)) if connection.is_none() => {
                options.congestion_control = Some(host::algorithm(text)?);
            }
            (libc::SOL_SOCKET, libc::SO_ZEROCOPY, OptionValue::Integer(on)) => {
                if !(0..=1).contains(on) {
                    return error(libc::EINVAL);
                }
                options.allows_no_copy = *on == 1;
            }
            (libc::SOL_SOCKET, libc::SO_TIMESTAMPING, OptionValue::Integer(flags)) => {
                let flags = *flags as u32;
                if flags & !TIMESTAMPING != 0 {
                    return Err(Missing(format!("SO_TIMESTAMPING with {flags:#x}")));
                }
                return self.set_timestamping(option, flags);
            }
            (
                libc::SOL_SOCKET,
                libc::SO_REUSEADDR | libc::SO_REUSEPORT | libc::SO_MARK | libc::SO_PRIORITY,
                OptionValue::Integer(_),
            )
            | (libc::SOL_TCP, TCP_INQ, OptionValue::Integer(_)) => {}
            _ => return Err(Missing(option_name(option.level, option.name))),
        }
        if let OptionValue::Integer(number) = value {
            options.kept.insert((option.level, option.name), *number);
        }
        self.after_option(option)
    }

    /// `sock_set_timestamping`.
    fn set_timestamping(&mut self, option: SocketOption, flags: u32) -> Attempt {
        let before = self.sockets.get(&option.socket).map_or(0, |found| found.options.timestamping);
        if flags & !before & libc::SOF_TIMESTAMPING_OPT_ID != 0 {
            let Ok(connected) = self.connected(option.socket) else { return error(libc::EINVAL) };
            if flags & SOF_TIMESTAMPING_OPT_ID_TCP != 0 {
                connected.errors.count_from_next();
            } else {
                let unacknowledged = connected.connection.unacknowledged();
                connected.errors.count_from(unacknowledged);
            }
        }
        if let Some(found) = self.sockets.get_mut(&option.socket) {
            found.options.timestamping = flags;
            found.options.kept.insert((option.level, option.name), i64::from(flags));
        }
        done(Outcome::of(0))
    }

    /// A connection has what its socket was given, as have those to come of a listening one.
    fn after_option(&mut self, option: SocketOption) -> Attempt {
        let Some(found) = self.sockets.get(&option.socket) else { return error(libc::EBADF) };
        match found.kind {
            Kind::Connection(id) => {
                if let Some(connected) = self.connections.get_mut(&id) {
                    self.host.apply_options(&found.options, &mut connected.connection, self.now);
                }
            }
            Kind::Listening { .. } => {
                let config = self.host.listening(&found.options)?;
                let port = self.settings.bind_port;
                self.endpoint.close_listener(port);
                self.endpoint.listen(port, config).expect("the port is free again");
            }
            _ => {}
        }
        done(Outcome::of(0))
    }

    /// Reads an option.
    pub(super) fn get_option(&mut self, option: SocketOption) -> Attempt {
        let Some(found) = self.sockets.get(&option.socket) else { return error(libc::EBADF) };
        let options = &found.options;
        let kept = options.kept.get(&(option.level, option.name)).copied();
        let integer = |number: i64| done(Outcome { output: Output::Integer(number), ..Outcome::of(0) });
        let bytes = |bytes: Option<Bytes>, otherwise: Bytes| integer(bytes.unwrap_or(otherwise).get() as i64);
        let missing = || Err(Missing(option_name(option.level, option.name)));
        match (option.level as i32, option.name as i32) {
            (libc::SOL_SOCKET, libc::SO_ERROR) => {
                let connected = self.connected(option.socket).ok();
                let error = connected.and_then(|it| it.error.take().or_else(|| it.soft_error.take()));
                integer(error.map_or(0, i64::from))
            }
            (libc::SOL_SOCKET, libc::SO_SNDBUF) if options.send_buffer.is_some() => {
                bytes(options.send_buffer, Bytes::ZERO)
            }
            (libc::SOL_SOCKET, libc::SO_RCVBUF) if options.receive_buffer.is_some() => {
                bytes(options.receive_buffer, Bytes::ZERO)
            }
            (libc::SOL_SOCKET, libc::SO_RCVTIMEO) => time(options.read_limit),
            (libc::SOL_SOCKET, libc::SO_SNDTIMEO) => time(options.write_limit),
            (libc::SOL_TCP, libc::TCP_MAXSEG) => {
                let chosen = options.segment_size.map_or(DEFAULT_SEGMENT_SIZE, i64::from);
                match self.connected(option.socket) {
                    Ok(connected) => integer(connected.connection.info().mss.get() as i64),
                    Err(_) => integer(chosen),
                }
            }
            (libc::SOL_TCP, libc::TCP_KEEPIDLE) => {
                integer(whole_seconds(options.probing.idle.unwrap_or(self.host.keep_alive.idle)))
            }
            (libc::SOL_TCP, libc::TCP_KEEPINTVL) => {
                integer(whole_seconds(options.probing.interval.unwrap_or(self.host.keep_alive.interval)))
            }
            (libc::SOL_TCP, libc::TCP_KEEPCNT) => {
                integer(i64::from(options.probing.probes.unwrap_or(self.host.keep_alive.probes)))
            }
            (libc::SOL_TCP, libc::TCP_SYNCNT) => {
                integer(i64::from(options.syn_retries.unwrap_or(self.host.config.retries.syn)))
            }
            (libc::SOL_TCP, libc::TCP_DEFER_ACCEPT) => integer(seconds_of(options.deferred_waits)),
            (libc::SOL_TCP, libc::TCP_CONGESTION) => {
                let chosen = options.congestion_control.unwrap_or(self.host.config.congestion_control);
                let name = chosen.kernel_name().unwrap_or_default().to_owned();
                done(Outcome { output: Output::Text(name), ..Outcome::of(0) })
            }
            (libc::SOL_TCP, libc::TCP_CORK | libc::TCP_NODELAY | libc::TCP_USER_TIMEOUT) => {
                integer(kept.unwrap_or(0))
            }
            (libc::SOL_TCP, libc::TCP_NOTSENT_LOWAT) => bytes(options.max_unsent, Bytes::ZERO),
            (libc::SOL_SOCKET, libc::SO_KEEPALIVE) => integer(i64::from(options.probing.is_on)),
            _ => kept.map_or_else(missing, integer),
        }
    }
}

/// None for no limit (`sock_set_timeout`).
fn limit(seconds: i64, micros: i64) -> Option<Duration> {
    let limit = Duration::from_micros((seconds.max(0) * MICROS + micros.max(0)) as u64);
    (limit > Duration::ZERO).then_some(limit)
}

fn time(limit: Option<Duration>) -> Attempt {
    let micros = (limit.map_or(0, Duration::as_nanos) / 1_000) as i64;
    done(Outcome { output: Output::Time(micros / MICROS, micros % MICROS), ..Outcome::of(0) })
}

/// How many waits of a SYN-ACK, each twice as long as the one before, take so many seconds (`secs_to_retrans`).
fn waits_of(seconds: i64) -> u32 {
    (0..=MOST_WAITS).find(|waits| seconds_of(*waits) >= seconds).unwrap_or(MOST_WAITS)
}

/// How long so many of them take (`retrans_to_secs`).
fn seconds_of(waits: u32) -> i64 {
    (0..waits).map(|doublings| LONGEST_WAIT_S.min(1 << doublings.min(LONGEST_WAIT_S.ilog2() + 1))).sum()
}

const fn whole_seconds(time: Duration) -> i64 {
    (time.as_nanos() / NANOS_PER_SECOND) as i64
}

fn doubled(bytes: i64, least: i64) -> Bytes {
    // One below 0 is larger than all as the kernel reads it (`min_t(u32, ...)`).
    let asked = if bytes < 0 { LARGEST_BUFFER } else { bytes.min(LARGEST_BUFFER) };
    Bytes::new((2 * asked).max(least) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_waiting_are_whole_waits_each_twice_as_long_as_the_one_before() {
        // secs_to_retrans and retrans_to_secs of net/ipv4/tcp.c: 1, 1 + 2, 1 + 2 + 4 s and so on, no wait above 120 s.
        for (asked, waits, told) in
            [(0, 0, 0), (1, 1, 1), (2, 2, 3), (3, 2, 3), (4, 3, 7), (128, 8, 247), (1 << 40, 255, 29_887)]
        {
            assert_eq!((waits_of(asked), seconds_of(waits)), (waits, told), "{asked}");
        }
    }
}
