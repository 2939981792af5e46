//! The Internet checksum (RFC 1071), of full packets at gigabits: four bytes at a time.

/// Ones' complement sum of 16-bit words, the last one padded with zero.
///
/// Words are added in the host's byte order, which comes to the same with the bytes of the sum swapped, and several at a
/// time (RFC 1071 section 2).
pub fn sum(bytes: &[u8]) -> u16 {
    let mut words = bytes.chunks_exact(4);
    let whole: u64 =
        words.by_ref().map(|word| u64::from(u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))).sum();
    let mut last = [0; 4];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    u16::from_be(folded(whole + u64::from(u32::from_ne_bytes(last))))
}

/// The sum of two sums.
pub fn add(one: u16, other: u16) -> u16 {
    folded(u64::from(one) + u64::from(other))
}

/// The sum of the pseudo header of a segment of `length` bytes over IPv4, whose `header` has addresses and protocol (RFC 9293
/// section 3.1).
pub fn pseudo_header(header: &[u8], length: u16) -> u16 {
    add(sum(&header[12..20]), add(u16::from(header[9]), length))
}

fn folded(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_of_the_rfc_sums_up_as_there() {
        // RFC 1071 section 3: ddf2, checksum 220d.
        assert_eq!(sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), 0xddf2);
    }

    #[test]
    fn a_pseudo_header_has_addresses_protocol_and_length() {
        let mut header = [0; 20];
        header[9] = 6;
        header[12..20].copy_from_slice(&[198, 18, 0, 1, 198, 18, 0, 2]);
        // c612 + 0001 + c612 + 0002 + 0006 + 05c8, and its carry.
        assert_eq!(pseudo_header(&header, 1480), 0x91f6);
    }

    proptest! {
        #[test]
        fn the_sum_is_that_of_words_one_by_one(bytes in prop::collection::vec(any::<u8>(), 0..3_000)) {
            let words = bytes.chunks(2).map(|word| u16::from_be_bytes([word[0], *word.get(1).unwrap_or(&0)]));
            prop_assert_eq!(sum(&bytes), words.fold(0, add));
        }
    }
}
