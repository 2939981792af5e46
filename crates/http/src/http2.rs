//! HTTP/2's settings, for the builders of the h2 library.

use bentpipe_run::Http2Spec;
use bentpipe_units::Bytes;
use h2::{client, server};

use crate::limits::{
    ERROR_RESETS, HEADER_LIST_BYTES, REMEMBERED_FOR, REMEMBERED_RESETS, RESET_BEFORE_ACCEPTED,
    SEND_BUFFER_BYTES,
};

/// What both ends set alike; the library has a builder of its own for each.
macro_rules! settings {
    ($builder:expr, $spec:expr, $streams:expr) => {{
        let (mut builder, spec): (_, &Http2Spec) = ($builder, $spec);
        builder
            .initial_window_size(window(spec.stream_window_bytes))
            .initial_connection_window_size(window(spec.connection_window_bytes))
            .max_concurrent_streams($streams)
            .max_header_list_size(HEADER_LIST_BYTES)
            .max_pending_accept_reset_streams(RESET_BEFORE_ACCEPTED)
            .max_local_error_reset_streams(Some(ERROR_RESETS))
            .max_concurrent_reset_streams(REMEMBERED_RESETS)
            .reset_stream_duration(REMEMBERED_FOR)
            .max_send_buffer_size(SEND_BUFFER_BYTES);
        if let Some(size) = spec.header_table_bytes {
            builder.header_table_size(u32::try_from(size.get()).unwrap_or(u32::MAX));
        }
        builder
    }};
}

/// The origin's end of a connection.
pub fn server(spec: &Http2Spec) -> server::Builder {
    settings!(server::Builder::new(), spec, spec.max_concurrent_streams)
}

/// The client's end of a connection on which the origin may promise so many responses, or is not to where there is none.
pub fn client(spec: &Http2Spec, promises: Option<usize>) -> client::Builder {
    // Promised streams are not open yet (RFC 9113 section 5.1.2), but the library counts them as if they were. The
    // origin keeps to the spec's number by itself.
    let most = u32::try_from(promises.unwrap_or(0)).unwrap_or(u32::MAX);
    let mut builder = settings!(client::Builder::new(), spec, spec.max_concurrent_streams.max(most));
    builder.enable_push(promises.is_some());
    builder
}

/// A flow-control window as HTTP/2 can express it: at most 2^31 - 1 (RFC 9113 section 6.9.1).
pub fn window(size: Bytes) -> u32 {
    u32::try_from(size.get()).unwrap_or(u32::MAX).min((1 << 31) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_its_size_up_to_the_largest_that_http2_allows() {
        // RFC 9113 section 6.9.1: "A sender MUST NOT allow a flow-control window to exceed 2^31-1 bytes."
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
