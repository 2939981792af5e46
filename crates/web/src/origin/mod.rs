//! The origin server: every protocol of the run behind one address, and the names of a run that asks for them.

mod config;
mod echo;
mod error;
mod h1;
mod h2;
mod h3;
mod header;
mod host;
mod preface;
mod quic;
mod respond;
mod schedule;
mod served;
mod spdy;
mod tcp;

use std::rc::Rc;

use bentpipe_net::Net;
use bentpipe_run::{OriginReport, Workload};

use crate::{bulk, dns, sampler};

use served::Served;

pub use config::Config;
pub use error::OriginError;
pub(crate) use host::Host;
pub(crate) use quic::{AcceptedQuic, accept as accept_quic};
pub(crate) use tcp::{AcceptedTcp, accept as accept_tcp};

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
                    let served = Served::new(&site, number, load.response_header_bytes);
                    tcp::serve_clear(&host, &served)?;
                    tcp::serve_tls(&host, &served)?;
                    h3::serve(&host, &served)?;
                }
                dns::start_beyond(net, &config.spec, &config.identity, config.address)?;
            }
            Workload::Bulk(_) | Workload::Flows(_) => bulk::serve(&host)?,
            Workload::Iperf3(_) => return Err(OriginError::Iperf3),
            Workload::Ping(_) => echo::serve(net, host.at(config.ports.echo), config.spec.mark())?,
        }
        Ok(Self(host))
    }

    /// What the origin saw so far.
    pub fn report(&self) -> OriginReport {
        let (connections, sender) = self.0.connections.finish();
        OriginReport { connections, sender, transfers: self.0.transfers.take(), faults: self.0.faults.take() }
    }
}
