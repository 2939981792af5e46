//! What all services of one origin share.

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;

use bentpipe_http::quic::Paths;
use bentpipe_net::Net;
use bentpipe_run::{Priorities, Reason, TransferReport, Workload};

use super::config::Config;
use crate::connection::{Connections, ProbeOf};
use crate::hosts::Hosts;

/// What all services of one origin share.
pub(crate) struct Host<N: Net> {
    pub(crate) net: N,
    pub(crate) config: Config,
    pub(crate) connections: Connections<ProbeOf<N>>,
    pub(crate) faults: RefCell<Vec<Reason>>,
    /// The bulk transfers that the origin has received.
    pub(crate) transfers: RefCell<Vec<TransferReport>>,
    /// What its senders over QUIC know of the path to the client.
    pub(crate) paths: Paths,
}

impl<N: Net> Host<N> {
    pub(super) fn new(net: &N, config: &Config) -> Self {
        Self {
            net: net.clone(),
            config: config.clone(),
            connections: Connections::new(),
            faults: RefCell::default(),
            transfers: RefCell::default(),
            paths: Paths::default(),
        }
    }

    /// The address of a page's service for host number `number`.
    pub(super) fn at_host(&self, number: usize, port: u16) -> SocketAddr {
        SocketAddr::new(Hosts::address(self.config.address, number), port)
    }

    /// The address of a service.
    pub(crate) fn at(&self, port: u16) -> SocketAddr {
        SocketAddr::new(self.config.address, port)
    }

    /// What it makes of the priorities of requests.
    pub(super) fn priorities(&self) -> Priorities {
        match &self.config.spec.workload {
            Workload::PageLoad(load) => load.priorities,
            Workload::Bulk(_) | Workload::Flows(_) | Workload::Iperf3(_) | Workload::Ping(_) => {
                Priorities::Off
            }
        }
    }

    /// Keeps the error of a task that failed.
    pub(crate) fn note(&self, result: io::Result<()>) {
        if let Err(error) = result {
            self.faults.borrow_mut().push(Reason::OriginFailed { error: error.to_string() });
        }
    }
}
