//! What a host on the path needs to know.

use std::net::IpAddr;

use bentpipe_http::tls::Identity;
use bentpipe_run::RunSpec;

use crate::Ports;

/// On which side of the satellite a host stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The client's.
    Terminal,
    /// The origin's.
    Gateway,
}

/// What a host on the path needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    /// The run.
    pub spec: RunSpec,
    /// Where the host stands.
    pub side: Side,
    /// Its own address.
    pub address: IpAddr,
    /// The gateway's address.
    pub gateway: IpAddr,
    /// The origin's address.
    pub origin: IpAddr,
    /// The origin's ports.
    pub ports: Ports,
    /// The run's keys and certificates: an HTTP proxy shows that of the page's own host.
    pub identity: Identity,
}
