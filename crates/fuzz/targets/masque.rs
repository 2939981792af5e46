//! What a client may send a proxy for UDP.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_http::fuzzing::masque(bytes));
