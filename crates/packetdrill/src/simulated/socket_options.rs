//! Options of every socket (`sk_setsockopt`).

use bentpipe_units::{Bytes, Duration, Rate};

use super::socket::SocketOptions;
use crate::call::OptionValue;

/// `SOCK_MIN_SNDBUF`, `SOCK_MIN_RCVBUF`: `TCP_SKB_MIN_TRUESIZE` twice and once.
const LEAST_SEND_BUFFER: i64 = 4_608;
const LEAST_RECEIVE_BUFFER: i64 = 2_304;
/// `net.core.wmem_max` and `rmem_max` of Linux 6.17.
const LARGEST_BUFFER: i64 = 4 << 20;
/// In a second.
pub(super) const MICROS: i64 = 1_000_000;

/// What became of an option that was to be set.
pub(super) enum Setting {
    /// It is, and this number is read again, where it is one.
    Set(Option<i64>),
    /// `EINVAL`.
    Refused,
    /// There is none of this name and shape here.
    Unknown,
}

impl Setting {
    /// An option that is set, and read again as it was written.
    pub(super) const fn set(value: &OptionValue) -> Self {
        match value {
            OptionValue::Integer(number) => Self::Set(Some(*number)),
            _ => Self::Set(None),
        }
    }
}

/// Sets one of `SOL_SOCKET`.
pub(super) fn set(options: &mut SocketOptions, name: i32, value: &OptionValue) -> Setting {
    match (name, value) {
        // Twice what is asked for, for what the kernel keeps beside the bytes (socket(7)).
        (libc::SO_SNDBUF, OptionValue::Integer(bytes)) => {
            options.send_buffer = Some(doubled(*bytes, LEAST_SEND_BUFFER));
        }
        (libc::SO_RCVBUF, OptionValue::Integer(bytes)) => {
            options.receive_buffer = Some(doubled(*bytes, LEAST_RECEIVE_BUFFER));
        }
        (libc::SO_LINGER, OptionValue::Linger(on, seconds)) => {
            options.linger = (*on != 0).then_some(*seconds);
        }
        (libc::SO_RCVTIMEO, OptionValue::Time(seconds, micros)) => {
            options.read_limit = limit(*seconds, *micros);
        }
        (libc::SO_SNDTIMEO, OptionValue::Time(seconds, micros)) => {
            options.write_limit = limit(*seconds, *micros);
        }
        (libc::SO_MAX_PACING_RATE, OptionValue::Integer(bytes_per_second)) => {
            // ~0U asks for no pacing.
            let rate = Some(*bytes_per_second as u32).filter(|rate| *rate != u32::MAX);
            options.max_pacing_rate = rate.map(|bytes| Rate::from_bps(u64::from(bytes) * 8));
        }
        // ~0UL asks for none.
        (libc::SO_MAX_PACING_RATE, OptionValue::Bytes(bytes)) if bytes.len() == size_of::<u64>() => {
            let rate = bytes.iter().rev().fold(0, |rate, byte| rate << 8 | u64::from(*byte));
            options.max_pacing_rate = (rate != u64::MAX).then(|| Rate::from_bps(rate.saturating_mul(8)));
            return Setting::Set(Some(rate as i64));
        }
        (libc::SO_KEEPALIVE, OptionValue::Integer(on)) => options.probing.is_on = *on != 0,
        (libc::SO_ZEROCOPY, OptionValue::Integer(on @ 0..=1)) => options.allows_no_copy = *on == 1,
        (libc::SO_ZEROCOPY, OptionValue::Integer(_)) => return Setting::Refused,
        (
            libc::SO_REUSEADDR | libc::SO_REUSEPORT | libc::SO_MARK | libc::SO_PRIORITY,
            OptionValue::Integer(_),
        ) => {}
        _ => return Setting::Unknown,
    }
    Setting::set(value)
}

/// None for no limit (`sock_set_timeout`).
fn limit(seconds: i64, micros: i64) -> Option<Duration> {
    let limit = Duration::from_micros((seconds.max(0) * MICROS + micros.max(0)) as u64);
    (limit > Duration::ZERO).then_some(limit)
}

fn doubled(bytes: i64, least: i64) -> Bytes {
    // One below 0 is larger than all as the kernel reads it (`min_t(u32, ...)`).
    let asked = if bytes < 0 { LARGEST_BUFFER } else { bytes.min(LARGEST_BUFFER) };
    Bytes::new((2 * asked).max(least) as u64)
}
