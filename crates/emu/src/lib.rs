//! Real time: the `net` of the kernel's sockets, and the link between two TUN devices.
//!
//! The only crate that reads a clock, sleeps, opens a socket or spawns a thread. A run has three
//! processes, its *parts*: [`parts::link`], [`parts::origin`], [`parts::client`], and two more with a proxy on the
//! path: [`parts::terminal`], [`parts::gateway`]. Each is started
//! inside its network namespace with everything privileged already done (devices opened, namespace
//! entered), reads its configuration and orders as lines on standard input, and answers on standard
//! output. A part ends when its standard input does, so nothing survives the orchestrator.

// The IO boundary of clippy.toml lies here.
#![allow(clippy::disallowed_methods)]

mod bare_timer;
mod budget;
mod capture;
mod clock;
mod control;
mod cores;
mod costs;
mod fast_open;
mod files;
mod interception;
mod ip;
mod lateness;
mod marked_quic;
mod marking;
mod net;
mod offload;
mod pacing;
pub mod packetdrill;
pub mod parts;
mod processor;
mod pump;
mod reset;
mod tcp;
mod tcp_info;
mod tun;
mod udp;
mod unused_path;

pub use costs::{CostsError, costs};
pub use files::LocalFiles;
pub use interception::INTERCEPTION_PORT;
pub use net::KernelNet;
pub use offload::{has_receive_steering, has_segmentation_offload};
pub use udp::UDP_BUFFER_BYTES;
