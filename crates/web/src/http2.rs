use bentpipe_units::Bytes;

/// A flow-control window as HTTP/2 can express it: at most 2^31 - 1 (RFC 9113 section 6.9.1).
pub(crate) fn window(size: Bytes) -> u32 {
    u32::try_from(size.get()).unwrap_or(u32::MAX).min((1 << 31) - 1)
}
