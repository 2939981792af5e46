//! Packets in a transport stream: byte counts of the standards, and what holds for all packets.

#[path = "../common/transport_stream.rs"]
mod transport_stream;

mod bursts;
mod byte_counts;
mod receiver;
mod saturation;
