//! What other programs read: packet captures ([`pcapng`]) and page loads ([`har`]).
//!
//! The writers take a [`std::io::Write`]; only [`CaptureFile`] and [`pcapng::add_secrets`], which changes a finished
//! capture, open files. They take instants on the run's clock and the wall-clock instant where that clock starts
//! ([`WallClock`]), and never read a clock. Hosts that exchange values instead of bytes make packets of them
//! with [`ipv4`], and [`checksum`] is that of IP, TCP and UDP. QUIC's qlog is written where the connections are (`bentpipe_http::quic::EventLogs`).

mod capture_file;
pub mod checksum;
mod fresh_file;
pub mod har;
pub mod ipv4;
pub mod pcapng;
mod wall_clock;

pub use capture_file::CaptureFile;
pub use wall_clock::{ParseWallClockError, WallClock};
