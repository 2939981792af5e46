//! Options of TCP (`do_tcp_setsockopt`).

use std::ops::RangeInclusive;

use bentpipe_tcp::{Connection, CookieKey, Nagle};
use bentpipe_units::{Bytes, Duration};

use super::host;
use super::socket::SocketOptions;
use super::socket_options::Setting;
use crate::call::OptionValue;
use crate::outcome::Missing;
use crate::symbols::TCP_INQ;

/// `TCP_MIN_MSS`, `MAX_TCP_WINDOW`.
const SEGMENT_SIZES: RangeInclusive<i64> = 88..=32_767;
/// Up to `MAX_TCP_KEEPIDLE` and `MAX_TCP_KEEPINTVL`.
const KEEP_ALIVE_SECONDS: RangeInclusive<i64> = 1..=32_767;
/// Up to `MAX_TCP_SYNCNT` and `MAX_TCP_KEEPCNT`.
const COUNTS: RangeInclusive<i64> = 1..=127;
/// `TCP_RTO_MAX`, and what counts them has a byte.
const LONGEST_WAIT_S: i64 = 120;
const MOST_WAITS: u32 = 255;

/// Sets one of `SOL_TCP`; some cannot be set of a socket that has a connection.
pub(super) fn set(
    options: &mut SocketOptions,
    name: i32,
    value: &OptionValue,
    connection: Option<&mut Connection>,
) -> Result<Setting, Missing> {
    let setting = match (connection, value) {
        (Some(connection), OptionValue::Integer(number)) => set_open(options, connection, name, *number),
        (None, _) => set_new(options, name, value)?,
        (Some(_), _) => Setting::Unknown,
    };
    Ok(match (setting, value) {
        (Setting::Unknown, OptionValue::Integer(number)) => set_either(options, name, *number),
        // No key has another length.
        (Setting::Unknown, OptionValue::Text(_)) if name == libc::TCP_FASTOPEN_KEY => Setting::Refused,
        (setting, _) => setting,
    })
}

/// What a connection hears of.
fn set_open(options: &mut SocketOptions, connection: &mut Connection, name: i32, number: i64) -> Setting {
    let setting = set_either(options, name, number);
    match name {
        libc::TCP_NODELAY => connection.set_nagle(options.nagle),
        libc::TCP_CORK => connection.set_cork(options.is_corked),
        _ => {}
    }
    setting
}

/// What counts before a connection is opened alone.
fn set_new(options: &mut SocketOptions, name: i32, value: &OptionValue) -> Result<Setting, Missing> {
    match (name, value) {
        (libc::TCP_MAXSEG, OptionValue::Integer(bytes)) if SEGMENT_SIZES.contains(bytes) => {
            options.segment_size = u16::try_from(*bytes).ok();
        }
        (libc::TCP_SYNCNT, OptionValue::Integer(times)) if COUNTS.contains(times) => {
            options.syn_retries = u32::try_from(*times).ok();
        }
        (libc::TCP_MAXSEG | libc::TCP_SYNCNT, OptionValue::Integer(_)) => return Ok(Setting::Refused),
        (libc::TCP_FASTOPEN, OptionValue::Integer(queue)) => options.has_fast_open = *queue > 0,
        (libc::TCP_FASTOPEN_KEY, OptionValue::Bytes(bytes)) => match CookieKey::of_bytes(bytes) {
            Some(key) => options.cookie_key = Some(key),
            None => return Ok(Setting::Refused),
        },
        (libc::TCP_FASTOPEN_CONNECT, OptionValue::Integer(on)) => options.defers_connecting = *on != 0,
        (libc::TCP_FASTOPEN_NO_COOKIE, OptionValue::Integer(on)) => options.needs_no_cookie = *on != 0,
        (libc::TCP_CONGESTION, OptionValue::Text(text)) => {
            options.congestion_control = Some(host::algorithm(text)?);
        }
        _ => return Ok(Setting::Unknown),
    }
    Ok(Setting::set(value))
}

/// What may be set at any time.
fn set_either(options: &mut SocketOptions, name: i32, number: i64) -> Setting {
    match name {
        libc::TCP_NODELAY => options.nagle = if number == 0 { Nagle::On } else { Nagle::Off },
        libc::TCP_CORK => options.is_corked = number != 0,
        libc::TCP_USER_TIMEOUT => {
            let Ok(milliseconds) = u64::try_from(number) else { return Setting::Refused };
            options.user_timeout = (milliseconds > 0).then(|| Duration::from_millis(milliseconds));
        }
        libc::TCP_NOTSENT_LOWAT => {
            let bytes = number as u32;
            options.max_unsent = (bytes > 0).then(|| Bytes::new(bytes.into()));
        }
        libc::TCP_KEEPIDLE | libc::TCP_KEEPINTVL if !KEEP_ALIVE_SECONDS.contains(&number) => {
            return Setting::Refused;
        }
        libc::TCP_KEEPCNT if !COUNTS.contains(&number) => return Setting::Refused,
        libc::TCP_KEEPIDLE => options.probing.idle = Some(Duration::from_secs(number as u64)),
        libc::TCP_KEEPINTVL => options.probing.interval = Some(Duration::from_secs(number as u64)),
        libc::TCP_KEEPCNT => options.probing.probes = u32::try_from(number).ok(),
        libc::TCP_DEFER_ACCEPT => options.deferred_waits = waits_of(number),
        TCP_INQ => {}
        _ => return Setting::Unknown,
    }
    Setting::Set(Some(number))
}

/// How many waits of a SYN-ACK, each twice as long as the one before, take so many seconds (`secs_to_retrans`).
fn waits_of(seconds: i64) -> u32 {
    (0..=MOST_WAITS).find(|waits| seconds_of(*waits) >= seconds).unwrap_or(MOST_WAITS)
}

/// How long so many of them take (`retrans_to_secs`).
pub(super) fn seconds_of(waits: u32) -> i64 {
    (0..waits).map(|doublings| LONGEST_WAIT_S.min(1 << doublings.min(LONGEST_WAIT_S.ilog2() + 1))).sum()
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
