//! Cookies of Fast Open (RFC 7413 section 4.1.2) as Linux makes them: scripts know the key, and thereby the cookie.

use std::hash::Hasher;
use std::net::IpAddr;

use siphasher::sip::SipHasher24;

use crate::expression::{Definitions, Expression};

/// Words of a key as `tcp_fastopen_key` has them: one that scripts set at their start, and none at all.
const KEYS: [(&str, [u32; 4]); 2] =
    [("TFO_COOKIE", [0xa1a1_a1a1, 0xb2b2_b2b2, 0xc3c3_c3c3, 0xd4d4_d4d4]), ("TFO_COOKIE_ZERO", [0; 4])];

/// Defines the names that scripts have for the cookies which the endpoint grants its peer.
pub(crate) fn define(defined: &mut Definitions, peer: IpAddr, endpoint: IpAddr) {
    for (name, key) in KEYS {
        let hexadecimal: String =
            cookie(key, peer, endpoint).iter().map(|byte| format!("{byte:02x}")).collect();
        defined.entry(name.to_owned()).or_insert(Expression::Symbol(hexadecimal));
    }
}

/// `__tcp_fastopen_cookie_gen_cipher`: SipHash-2-4 of both addresses.
fn cookie(key: [u32; 4], peer: IpAddr, endpoint: IpAddr) -> [u8; 8] {
    let half = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    let mut hasher = SipHasher24::new_with_keys(half(key[0], key[1]), half(key[2], key[3]));
    for address in [peer, endpoint] {
        match address {
            IpAddr::V4(address) => hasher.write(&address.octets()),
            IpAddr::V6(address) => hasher.write(&address.octets()),
        }
    }
    hasher.finish().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_those_of_linux() {
        // What Linux 6.18 grants 192.0.2.1 with this key (tests/packetdrill/forms/fast_open_of_a_server.pkt).
        let [peer, endpoint] = ["192.0.2.1", "192.168.0.1"].map(|address| address.parse().unwrap());
        let expected = [0x30, 0x21, 0xb9, 0xd8, 0x89, 0x01, 0x7e, 0xeb];
        assert_eq!(cookie(KEYS[0].1, peer, endpoint), expected);
    }
}
