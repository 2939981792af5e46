//! What either end of SPDY may send the other.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_http::fuzzing::spdy(bytes));
