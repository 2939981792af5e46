//! The TCP endpoint by its public interface: all files in one program, since each program is linked by itself.

mod acks;
mod any;
mod application;
mod closing;
mod common;
mod ecn;
mod flow;
mod handshake;
mod interception;
mod linux;
mod loss;
mod pacing;
mod patience;
mod receiving;
mod recovery;
mod segments;
mod wire;
