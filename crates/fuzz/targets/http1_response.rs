//! What an origin may send a client that speaks HTTP/1.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_http::fuzzing::http1_response(bytes));
