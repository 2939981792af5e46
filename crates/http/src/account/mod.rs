//! Which layer the bytes of a connection belong to, counted at the client.
//!
//! Streams are counted where HTTP hands bytes over and where TLS does; header blocks are found by following the
//! protocol's frames. Nothing is changed, kept or delayed on the way.

mod counted;
mod frames;
mod meter;
mod quic_stream;

pub use counted::{Counted, Plain, Transport};
pub use frames::{Http2, Spdy, Unframed};
pub use meter::Meter;

pub(crate) use quic_stream::QuicStream;
