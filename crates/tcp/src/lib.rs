//! A TCP endpoint with the behaviour of Linux 6, sans-IO: time is an argument, segments are values.
//!
//! It stands in for the kernel's TCP where time is virtual. [`Endpoint`] is a host: it finds the [`Connection`] that
//! a [`Segment`] belongs to, makes connections for listening ports and gives out local ports. A [`Connection`] turns
//! segments, time and the application's reads and writes into segments, timers and events. A segment is a struct
//! that knows its exact length on the wire; only captures ask for its bytes ([`Segment::encode`]). Bulk flows carry
//! the number of their bytes instead of bytes ([`Payload::Length`]).
//!
//! Congestion control is `bentpipe-cc`'s, the same as QUIC's. Beside each rule stands the clause of the RFC, or the
//! function of Linux, that it follows; what is not modelled is listed in docs/models/tcp-endpoint.md.
//!
//! Deliberately absent: clocks, sockets, threads, decoding of headers, AccECN, urgent data, keep-alive.

mod config;
mod connection;
mod cookie;
mod ecn;
mod endpoint;
mod event;
mod info;
mod memory;
mod options;
mod payload;
mod receive;
mod segment;
mod send;
mod sequence;
mod splitmix;
mod state;
mod wheel;
mod wire;

pub use bentpipe_cc::careful_resume::Memory;
pub use config::{
    AfterIdle, BufferLimits, Coalescing, Config, Extensions, FastOpen, HandshakeRetries, KeepAlive, Nagle,
    Offload, QuickAck, Retransmission, TcpSpec,
};
pub use connection::Connection;
pub use cookie::{Cookie, CookieKey};
pub use endpoint::{ConnectionId, Endpoint, PortError, Route};
pub use event::{Closed, Event, Read, StreamError};
pub use info::{Agreement, Info, LossRecovery, TimeSpent};
pub use options::{
    FastOpenForm, FastOpenOption, MAX_SACK_BLOCKS, Options, SackBlocks, SackPermitted, SynOptions, Timestamps,
};
pub use payload::{Boundary, Payload};
pub use segment::{Flags, IP_HEADER, Segment, TCP_HEADER};
pub use sequence::SeqNumber;
pub use state::State;
pub use wheel::TimerWheel;
