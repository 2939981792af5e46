//! The origin server: every protocol of the run behind one address.

mod h1;
mod h2;
mod h3;
mod host;
mod preface;
mod quic;
mod respond;
mod schedule;
mod served;
mod spdy;
mod tcp;

use std::io;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

use bentpipe_http::quic::{EventLogs, QuicError};
use bentpipe_http::tls::Identity;
use bentpipe_net::{Net, Stream};
use bentpipe_run::{OriginReport, RunSpec, Workload};

use crate::page::{PageError, Sites};
use crate::{Ports, bulk, ping, sampler};

use served::Served;

pub(crate) use host::Host;
pub(crate) use quic::{AcceptedQuic, accept as accept_quic};
pub(crate) use tcp::{AcceptedTcp, accept as accept_tcp};

pub(crate) type Probe<N> = <<N as Net>::Stream as Stream>::Probe;

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
    /// The page.
    #[error(transparent)]
    Page(#[from] PageError),
    /// iperf3 speaks to itself alone.
    #[error("iperf3 brings its own client and server, which run on the emulate engine")]
    Iperf3,
}

/// A running origin.
pub struct Origin<N: Net>(Rc<Host<N>>);

impl<N: Net> Origin<N> {
    /// Starts serving what the run's workload asks for.
    ///
    /// # Errors
    /// When a port is taken, the congestion control is not to be had, or the certificate is unusable.
    pub fn start(net: &N, config: &Config) -> Result<Self, OriginError> {
        let host = Rc::new(Host::new(net, config));
        sampler::spawn(net, &host.connections);
        match &config.spec.workload {
            Workload::PageLoad(load) => {
                let site = config.sites.of(&load.page)?;
                for number in 0..site.hosts().names().len() {
                    let served = Served::new(&site, number);
                    tcp::serve_clear(&host, &served)?;
                    tcp::serve_tls(&host, &served)?;
                    h3::serve(&host, &served)?;
                }
            }
            Workload::Bulk(_) | Workload::Flows(_) => bulk::serve(&host)?,
            Workload::Iperf3(_) => return Err(OriginError::Iperf3),
            Workload::Ping(_) => ping::serve(net, host.at(config.ports.echo), config.spec.mark())?,
        }
        Ok(Self(host))
    }

    /// What the origin saw so far.
    pub fn report(&self) -> OriginReport {
        let (connections, sender) = self.0.connections.finish();
        OriginReport { connections, sender, transfers: self.0.transfers.take(), faults: self.0.faults.take() }
    }
}
