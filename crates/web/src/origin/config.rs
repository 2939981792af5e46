//! What an origin needs to know.

use std::net::IpAddr;
use std::sync::Arc;

use bentpipe_http::quic::EventLogs;
use bentpipe_http::tls::Identity;
use bentpipe_run::RunSpec;

use crate::Ports;
use crate::page::Sites;

/// What an origin needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    /// The run.
    pub spec: RunSpec,
    /// Its keys and certificates.
    pub identity: Identity,
    /// The address it listens on; those of a page's further hosts follow from it.
    pub address: IpAddr,
    /// The ports it listens on.
    pub ports: Ports,
    /// Where pages come from.
    pub sites: Arc<Sites>,
    /// Where events of QUIC are logged, when they are.
    pub qlog: Option<EventLogs>,
}
