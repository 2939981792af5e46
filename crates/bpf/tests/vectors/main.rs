//! The arithmetic of the eBPF programs against that of `bentpipe-cc`, acknowledgement by acknowledgement: both are
//! whole numbers, so both must agree exactly. Needs a C compiler, no privileges.

mod dice;
mod hybla;
mod search;
mod twin;
mod vivace;

/// Random sequences for each algorithm.
const SEQUENCES: u64 = 10_000;
