//! What a trace of Mahimahi may hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_recording::fuzzing::mahimahi(bytes));
