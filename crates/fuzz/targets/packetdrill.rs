//! What a script of packetdrill may be.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_packetdrill::fuzzing::script(bytes));
