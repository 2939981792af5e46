//! What a file of what ping prints may hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_recording::fuzzing::ping_text(bytes));
