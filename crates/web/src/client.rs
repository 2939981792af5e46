//! What a client knows before it starts.

use std::net::IpAddr;
use std::sync::Arc;

use bentpipe_http::quic::{self, EventLogs};
use bentpipe_http::tls::{ClientTls, Memory, Secrets};
use bentpipe_run::RunSpec;

use crate::Ports;
use crate::page::Sites;

/// What a client knows before it starts, whatever its workload.
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
    /// How it secures its connections.
    pub(crate) fn tls(&self) -> ClientTls<'_> {
        ClientTls {
            spec: &self.spec,
            authority_der: &self.authority_der,
            secrets: self.secrets.as_ref(),
            memory: &self.memory,
        }
    }

    /// As QUIC needs to know it.
    pub(crate) fn quic(&self) -> quic::Client<'_> {
        quic::Client { tls: self.tls(), local: self.local, qlog: self.qlog.as_ref() }
    }

    /// The TLS secrets so far, as lines.
    pub(crate) fn secret_lines(&self) -> Vec<String> {
        self.secrets.as_ref().map(|secrets| secrets.lines()).unwrap_or_default()
    }
}
