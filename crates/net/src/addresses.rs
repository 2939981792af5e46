//! Where the hosts of a run are.

use std::net::Ipv4Addr;

/// The addresses of the hosts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The client's.
    pub client: Ipv4Addr,
    /// The origin's; those of a page's further hosts follow from it.
    pub server: Ipv4Addr,
    /// That of the host between client and link, where there is one.
    pub terminal: Ipv4Addr,
    /// That of the host between link and origin, where there is one.
    pub gateway: Ipv4Addr,
}

impl Addresses {
    /// Those of both engines, in a range that is set aside for benchmarks (RFC 2544, RFC 6890).
    pub const STANDARD: Self = Self {
        client: Ipv4Addr::new(198, 18, 0, 1),
        server: Ipv4Addr::new(198, 18, 0, 2),
        terminal: Ipv4Addr::new(198, 18, 0, 3),
        gateway: Ipv4Addr::new(198, 18, 0, 4),
    };
}
