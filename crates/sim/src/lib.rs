//! Virtual time: the `net` of simulated hosts, and runs that take no longer than their events.
//!
//! One thread runs everything: the tasks of the same origin, loader and clients that the emulator runs
//! (`executor`), two hosts with TCP endpoints and UDP sockets (`host`), and the same link between them.
//! The clock moves from event to event in integer nanoseconds. Nothing here reads a real clock: QUIC's
//! library counts in [`std::time::Instant`], so whoever calls hands one in as the instant of time zero.

mod capture;
mod executor;
mod host;
mod intercept;
mod middle;
mod net;
mod network;
mod packet;
mod parcels;
mod quic;
mod run;
mod stream;
mod timers;
mod udp;
mod world;

pub use intercept::SimInterceptor;
pub use net::{SimDatagrams, SimNet};
pub use network::Network;
pub use run::{Config, SimulationError, simulate, simulate_with};
pub use stream::{Content, SimListener, SimProbe, SimStream};
