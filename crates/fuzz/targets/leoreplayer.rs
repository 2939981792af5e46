//! What the two files of LeoReplayer may hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_recording::fuzzing::leoreplayer(bytes));
