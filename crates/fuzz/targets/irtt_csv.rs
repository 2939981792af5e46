//! What processed round trips of irtt may hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_recording::fuzzing::irtt_csv(bytes));
