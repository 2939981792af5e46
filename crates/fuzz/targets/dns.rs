//! What a resolver may send its client, and a client its resolver.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_web::fuzzing::dns(bytes));
