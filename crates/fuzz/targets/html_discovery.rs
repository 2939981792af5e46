//! What a document may hold whose objects are to be found.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bentpipe_web::fuzzing::html_discovery(bytes));
