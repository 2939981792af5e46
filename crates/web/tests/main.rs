//! The web over connections in memory: all files in one program, since each program is linked by itself.

mod abuse_h2;
mod abuse_h2_loader;
mod abuse_h3;
mod common;
mod files;
mod h1_origins;
mod names;
mod page;
mod push;
mod quic_relay;
mod relay;
