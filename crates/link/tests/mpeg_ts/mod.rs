//! Packets in a transport stream: byte counts of the standards, and what holds for all packets.

mod bursts;
mod byte_counts;
mod receiver;
mod saturation;
