//! What a file of two-line element sets may hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_orbit::fuzzing::tle(bytes));
