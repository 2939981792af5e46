//! Bulk flows: streams of bytes, down or up, for so many bytes or so long; one, or several at once.
//!
//! The client asks with an `Order`, sixteen bytes at the head of its stream; then one side sends a
//! known pattern and the other one verifies it. Each flow has a port of the origin to itself.

mod client;
mod flow;
mod order;
mod origin;
mod pattern;
mod transfer;

pub use client::run;
pub(crate) use origin::serve;
