//! What a client may send an origin that speaks HTTP/1.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_http::fuzzing::http1_request(bytes));
