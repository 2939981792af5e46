use std::time::Duration;

use bentpipe_units::Bytes;

/// How long the library remembers a stream that was reset: for ever, because it would look at a real clock to
/// forget one. Their number is limited by the library.
pub(crate) const RESET_STREAM_DURATION: Duration = Duration::MAX;

/// A flow-control window as HTTP/2 can express it: at most 2^31 - 1 (RFC 9113 section 6.9.1).
pub(crate) fn window(size: Bytes) -> u32 {
    u32::try_from(size.get()).unwrap_or(u32::MAX).min((1 << 31) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_its_size_up_to_the_largest_that_http2_allows() {
        // RFC 9113 section 6.9.1: "A sender MUST NOT allow a flow-control window to exceed 2^31-1 octets."
        let largest = 2_147_483_647;
        for (size, expected) in [
            (0, 0),
            (65_535, 65_535),
            (u64::from(largest), largest),
            (u64::from(largest) + 1, largest),
            (u64::from(u32::MAX), largest),
            (u64::from(u32::MAX) + 1, largest),
            (u64::MAX, largest),
        ] {
            assert_eq!(window(Bytes::new(size)), expected, "{size}");
        }
    }
}
