//! Virtual time: the `net` of simulated hosts, and runs that take no longer than their events.
//!
//! One thread runs everything: the tasks of the same origin, loader and clients that the emulator runs
//! (`executor`), hosts with TCP endpoints and UDP sockets (`host`), and the same link between them (`simulation`).
//! Hosts do no IO: they return what they want to send and when to be called, and know nothing of each other.
//! The clock moves from event to event in integer nanoseconds. Nothing here reads a real clock: QUIC's
//! library counts in [`std::time::Instant`], so whoever calls hands one in as the instant of time zero.

mod capture;
mod clock;
mod error;
mod executor;
mod host;
mod intercept;
mod net;
mod network;
mod packet;
mod processor;
mod quic;
mod run;
mod shared;
mod simulation;
mod slab;
mod stream;
mod tick;
mod topology;
mod wakefulness;

pub use error::SimulationError;
pub use intercept::SimInterceptor;
pub use net::{SimDatagrams, SimNet};
pub use network::Network;
pub use run::{Config, simulate, simulate_with};
pub use stream::{Content, SimListener, SimProbe, SimStream};
