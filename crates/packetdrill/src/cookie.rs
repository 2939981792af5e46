//! Cookies of Fast Open (RFC 7413 section 4.1.2) that scripts have names for: they know the key, and thereby the cookie.

use std::net::IpAddr;

use bentpipe_tcp::CookieKey;

use crate::expression::{Definitions, Expression};

/// Keys as `tcp_fastopen_key` has them: one that scripts set at their start, and none at all.
const KEYS: [(&str, CookieKey); 2] = [
    ("TFO_COOKIE", CookieKey([0xa1a1_a1a1, 0xb2b2_b2b2, 0xc3c3_c3c3, 0xd4d4_d4d4])),
    ("TFO_COOKIE_ZERO", CookieKey([0; 4])),
];

/// Defines the names that scripts have for the cookies which the endpoint grants its peer.
pub(crate) fn define(defined: &mut Definitions, peer: IpAddr, endpoint: IpAddr) {
    for (name, key) in KEYS {
        let cookie = key.cookie(peer, endpoint);
        let hexadecimal: String = cookie.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        defined.entry(name.to_owned()).or_insert(Expression::Symbol(hexadecimal));
    }
}
