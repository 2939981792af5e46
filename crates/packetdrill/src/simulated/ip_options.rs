//! Options of sockets that the headers of IP show, or that make no difference here (`do_ip_setsockopt`,
//! `do_ipv6_setsockopt`).

use std::ops::RangeInclusive;

use super::Simulated;
use super::segments::UNCHOSEN;
use super::sockets::{Attempt, done, error};
use crate::call::{OptionValue, SocketOption};
use crate::outcome::{Missing, Outcome};
use crate::settings::IpVersion;
use crate::symbols::option_name;

/// `INET_ECN_MASK`: TCP itself decides on these bits of the type of service.
const ECN_MASK: u8 = 3;
/// What asks for the default.
const DEFAULT: i64 = -1;
/// Those of `IP_TTL`; `IPV6_UNICAST_HOPS` has 0, too.
const TIMES_TO_LIVE: RangeInclusive<i64> = 1..=255;
const BYTES: RangeInclusive<i64> = 0..=255;

impl Simulated<'_> {
    /// Sets an option of the level of IP or IPv6.
    pub(super) fn set_ip_option(&mut self, option: SocketOption, value: &OptionValue) -> Attempt {
        let missing = || Err(Missing(option_name(option.level, option.name)));
        let number = match value {
            OptionValue::Integer(number) => *number,
            // What is shorter than a number of 32 bits is a byte.
            OptionValue::Bytes(bytes) if !bytes.is_empty() => i64::from(bytes[0]),
            _ => return missing(),
        };
        let Some(found) = self.sockets.get_mut(&option.socket) else { return error(libc::EBADF) };
        let ip = &mut found.options.ip;
        match (self.settings.ip_version, option.level as i32, option.name as i32) {
            (IpVersion::V4, libc::SOL_IP, libc::IP_TOS) => ip.traffic_class = number as u8 & !ECN_MASK,
            (IpVersion::V6, libc::SOL_IPV6, libc::IPV6_TCLASS) => match byte(number, BYTES, 0) {
                Some(class) => ip.traffic_class = class & !ECN_MASK,
                None => return error(libc::EINVAL),
            },
            (IpVersion::V4, libc::SOL_IP, libc::IP_TTL) => {
                match byte(number, TIMES_TO_LIVE, UNCHOSEN.hop_limit) {
                    Some(hops) => ip.hop_limit = hops,
                    None => return error(libc::EINVAL),
                }
            }
            (IpVersion::V6, libc::SOL_IPV6, libc::IPV6_UNICAST_HOPS) => {
                match byte(number, BYTES, UNCHOSEN.hop_limit) {
                    Some(hops) => ip.hop_limit = hops,
                    None => return error(libc::EINVAL),
                }
            }
            // No packet is too large here, and every address is the host's own.
            (IpVersion::V4, libc::SOL_IP, libc::IP_MTU_DISCOVER | libc::IP_FREEBIND)
            | (IpVersion::V6, libc::SOL_IPV6, libc::IPV6_MTU_DISCOVER | libc::IPV6_V6ONLY) => {}
            _ => return missing(),
        }
        let shown = match option.name as i32 {
            libc::IP_TOS => i64::from(ip.traffic_class),
            libc::IP_TTL => i64::from(ip.hop_limit),
            _ => number,
        };
        found.options.kept.insert((option.level, option.name), shown);
        let ip = found.options.ip;
        if let Ok(connected) = self.connected(option.socket) {
            connected.ip = ip;
        }
        done(Outcome::of(0))
    }
}

/// A number within bounds, or the default where that is asked for.
fn byte(number: i64, bounds: RangeInclusive<i64>, default: u8) -> Option<u8> {
    match number {
        DEFAULT => Some(default),
        number if bounds.contains(&number) => u8::try_from(number).ok(),
        _ => None,
    }
}
