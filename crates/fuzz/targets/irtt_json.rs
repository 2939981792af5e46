//! What a file that irtt writes may hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_recording::fuzzing::irtt_json(bytes));
