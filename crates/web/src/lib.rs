//! The web as Bentpipe measures it: pages, an origin server, a page loader, bulk flows and echoes.
//!
//! Everything here is generic over [`net::Net`], the few things that a program asks of the world:
//! streams, datagrams, a clock and an executor. The emulator implements it with the kernel's sockets,
//! the simulator with virtual ones; this crate never knows which.

pub mod bulk;
pub mod loader;
pub mod net;
pub mod origin;
pub mod page;
pub mod ping;
pub mod quic;
pub mod tls;

mod connection;
mod http2;
mod sampler;

/// Ports of the origin.
pub mod port {
    /// HTTP in clear text.
    pub const HTTP: u16 = 80;
    /// HTTP over TLS (TCP) and HTTP/3 (UDP).
    pub const HTTPS: u16 = 443;
    /// Bulk flows, TCP and QUIC.
    pub const BULK: u16 = 5001;
    /// UDP echo (RFC 862).
    pub const ECHO: u16 = 7;
}

/// The origin's host name, which its certificate carries.
pub const HOST: &str = "origin.bentpipe.test";
