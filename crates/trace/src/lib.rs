//! What other programs read: packet captures ([`pcapng`]) and page loads ([`har`]).
//!
//! The writers take a [`std::io::Write`] and never open a file; they take instants on the run's clock
//! and the wall-clock instant where that clock starts ([`WallClock`]), and never read a clock.
//! QUIC's qlog is written by the QUIC library itself.

pub mod har;
pub mod pcapng;
mod wall_clock;

pub use wall_clock::{ParseWallClockError, WallClock};
