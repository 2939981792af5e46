//! The origin server: every protocol of the run behind one address.

mod h1;
mod h2;
mod h3;
mod respond;
mod tcp;

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;

use bentpipe_run::{OriginReport, RunSpec, TransferReport, Workload};

use crate::connection::Connections;
use crate::net::{Net, Stream};
use crate::page::Site;
use crate::quic::QuicError;
use crate::tls::Identity;
use crate::{Ports, bulk, ping, sampler};

pub(crate) use h3::{AcceptedQuic, accept_loop as accept_quic};
pub(crate) use tcp::{Accepted as AcceptedTcp, accept_loop as accept_tcp};

pub(crate) type Probe<N> = <<N as Net>::Stream as Stream>::Probe;

/// What an origin needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    /// The run.
    pub spec: RunSpec,
    /// Its keys and certificates.
    pub identity: Identity,
    /// The address it listens on.
    pub address: IpAddr,
    /// The ports it listens on.
    pub ports: Ports,
    /// Folder for QUIC event logs.
    pub qlog: Option<PathBuf>,
}

/// Why an origin could not start.
#[derive(Debug, thiserror::Error)]
pub enum OriginError {
    /// A TCP or UDP socket.
    #[error("origin socket: {0}")]
    Socket(#[from] io::Error),
    /// The certificate.
    #[error("origin certificate: {0}")]
    Tls(#[from] rustls::Error),
    /// QUIC.
    #[error(transparent)]
    Quic(#[from] QuicError),
}

/// A running origin.
pub struct Origin<N: Net> {
    connections: Connections<Probe<N>>,
    log: Rc<Log>,
}

/// What the origin's tasks write down besides connections.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) faults: RefCell<Vec<String>>,
    pub(crate) transfer: RefCell<Option<TransferReport>>,
}

impl Log {
    /// Keeps the error of a task that failed.
    pub(crate) fn note(&self, result: io::Result<()>) {
        if let Err(error) = result {
            self.faults.borrow_mut().push(format!("origin: {error}"));
        }
    }
}

impl<N: Net> Origin<N> {
    /// Starts serving what the run's workload asks for.
    ///
    /// # Errors
    /// When a port is taken, the congestion control is not to be had, or the certificate is unusable.
    pub fn start(net: &N, config: &Config) -> Result<Self, OriginError> {
        let origin = Self { connections: Connections::new(), log: Rc::default() };
        sampler::spawn(net, &origin.connections);
        let at = |port| SocketAddr::new(config.address, port);
        let ports = config.ports;
        match &config.spec.workload {
            Workload::PageLoad(load) => {
                let site = Rc::new(Site::of(&load.page));
                tcp::serve_clear(net, at(ports.http), &site, &origin.connections, config)?;
                tcp::serve_tls(net, at(ports.https), &site, &origin.connections, config)?;
                h3::serve(net, at(ports.https), &site, &origin.connections, config)?;
            }
            Workload::Bulk(_) => {
                bulk::serve_tcp(net, at(ports.bulk), &origin.connections, &origin.log, config)?;
                bulk::serve_quic(net, at(ports.bulk), &origin.connections, &origin.log, config)?;
            }
            Workload::Ping(_) => ping::serve(net, at(ports.echo))?,
        }
        Ok(origin)
    }

    /// What the origin saw so far.
    pub fn report(&self) -> OriginReport {
        let (connections, sender) = self.connections.finish();
        OriginReport {
            connections,
            sender,
            transfer: self.log.transfer.take(),
            faults: self.log.faults.take(),
        }
    }
}
