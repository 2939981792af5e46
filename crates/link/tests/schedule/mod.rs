//! Paths that change over time.

mod epochs;
mod invariants;
mod opportunities;
mod table;
