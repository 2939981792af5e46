//! Cookies of Fast Open (RFC 7413 section 4.1.2) as Linux makes them.

use std::hash::Hasher;
use std::net::IpAddr;

use siphasher::sip::SipHasher24;

use crate::splitmix::mixed;

/// Lengths of a cookie (RFC 7413 section 4.1.1).
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=16;

/// What lets a client send data with its SYN: an even number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cookie {
    bytes: [u8; *LENGTHS.end()],
    length: u8,
}

impl Cookie {
    /// A cookie of such bytes; none where they are too few, too many or odd (`tcp_parse_fastopen_option`).
    pub fn new(bytes: &[u8]) -> Option<Self> {
        if !LENGTHS.contains(&bytes.len()) || bytes.len() % 2 == 1 {
            return None;
        }
        let mut all = [0; *LENGTHS.end()];
        all[..bytes.len()].copy_from_slice(bytes);
        Some(Self { bytes: all, length: bytes.len() as u8 })
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// What a server makes cookies of: the words of a key as `tcp_fastopen_key` has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CookieKey(pub [u32; 4]);

impl CookieKey {
    /// One that a seed draws, as a host does that was given none (`tcp_fastopen_init_key_once`).
    pub const fn drawn(seed: u64) -> Self {
        let [first, second] = [mixed(seed), mixed(!seed)];
        Self([first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32])
    }

    /// The key of 16 bytes (`TCP_FASTOPEN_KEY`); none of another number.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; 16] = bytes.try_into().ok()?;
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[4 * at + byte]));
        Some(Self([0, 1, 2, 3].map(word)))
    }

    /// The cookie of a peer at one of the server's addresses: SipHash-2-4 of both (`__tcp_fastopen_cookie_gen_cipher`).
    pub fn cookie(self, peer: IpAddr, server: IpAddr) -> Cookie {
        let half = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        let Self(key) = self;
        let mut hasher = SipHasher24::new_with_keys(half(key[0], key[1]), half(key[2], key[3]));
        for address in [peer, server] {
            match address {
                IpAddr::V4(address) => hasher.write(&address.octets()),
                IpAddr::V6(address) => hasher.write(&address.octets()),
            }
        }
        Cookie::new(&hasher.finish().to_le_bytes()).expect("eight bytes are a cookie")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_those_of_linux() {
        // What Linux 6.18 grants 192.0.2.1 with this key (tests/packetdrill/forms/fast_open_of_a_server.pkt).
        let [peer, server] = ["192.0.2.1", "192.168.0.1"].map(|address| address.parse().unwrap());
        let key = CookieKey([0xa1a1_a1a1, 0xb2b2_b2b2, 0xc3c3_c3c3, 0xd4d4_d4d4]);
        let expected = [0x30, 0x21, 0xb9, 0xd8, 0x89, 0x01, 0x7e, 0xeb];
        assert_eq!(key.cookie(peer, server).as_bytes(), expected);
    }

    #[test]
    fn a_key_of_bytes_has_the_first_byte_of_each_word_least() {
        // tcp_fastopen_reset_cipher: le32_to_cpu; siphash_key_t of two halves.
        let bytes: Vec<u8> = (0..16).collect();
        let words = [0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c];
        assert_eq!(CookieKey::of_bytes(&bytes), Some(CookieKey(words)));
        assert_eq!(CookieKey::of_bytes(&bytes[1..]), None);
    }

    #[test]
    fn a_cookie_has_an_even_number_of_bytes_from_4_to_16() {
        // RFC 7413 section 4.1.1.
        let lengths: Vec<usize> = (0..20).filter(|length| Cookie::new(&vec![7; *length]).is_some()).collect();
        assert_eq!(lengths, [4, 6, 8, 10, 12, 14, 16]);
    }
}
