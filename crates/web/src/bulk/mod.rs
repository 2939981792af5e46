//! Bulk flows: one stream of bytes, down or up, for so many bytes or so long.
//!
//! The client asks with an `Order`, sixteen bytes at the head of its stream; then one side sends a
//! known pattern and the other one verifies it.

mod client;
mod order;
mod origin;
mod pattern;
mod transfer;

pub use client::run;
pub(crate) use origin::{serve_quic, serve_tcp};
