//! HTTP/1, SPDY, and what HTTP/2 and HTTP/3 need beside their libraries; TLS and QUIC below them.
//!
//! Codecs read no clock and open no socket; what connects does so over [`bentpipe_net::Net`].

pub mod account;
#[doc(hidden)]
pub mod fuzzing;
pub mod http1;
pub mod http2;
pub mod limits;
pub mod masque;
pub mod priority;
pub mod quic;
pub mod spdy;
pub mod tls;
