use std::net::IpAddr;
use std::sync::Arc;

use bentpipe_run::RunSpec;

use crate::Ports;
use crate::memory::Memory;
use crate::page::Sites;
use crate::quic::EventLogs;
use crate::tls::Secrets;

/// What a client knows before it begins, whatever its workload.
#[derive(Clone, Debug)]
pub struct Client {
    /// The run.
    pub spec: RunSpec,
    /// The certificate authority to trust.
    pub authority_der: Vec<u8>,
    /// The origin's address.
    pub origin: IpAddr,
    /// The origin's ports.
    pub ports: Ports,
    /// The address of the gateway, where the HTTP proxy of a run that has one listens.
    pub gateway: IpAddr,
    /// The client's own address.
    pub local: IpAddr,
    /// Where pages come from.
    pub sites: Arc<Sites>,
    /// Where TLS secrets go, when they are captured.
    pub secrets: Option<Arc<Secrets>>,
    /// Where events of QUIC are logged, when they are.
    pub qlog: Option<EventLogs>,
    /// What it knows of the origin from connections before; at first nothing.
    pub memory: Memory,
}

impl Client {
    /// The TLS secrets so far, as lines.
    pub(crate) fn secret_lines(&self) -> Vec<String> {
        self.secrets.as_ref().map(|secrets| secrets.lines()).unwrap_or_default()
    }
}
