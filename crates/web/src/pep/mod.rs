//! Performance-enhancing proxies (RFC 3135): hosts on either side of the satellite that take part in connections.
//!
//! [`relay`] carries the octets of two streams to each other. `split` does so for connections whose ends know nothing
//! of it, `proxy` for a client that asks for them.

mod proxy;
mod relay;
mod split;
mod tunnel;

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use bentpipe_http::tls::Identity;
use bentpipe_net::Middlebox;
use bentpipe_run::{Algorithm, PepPlace, PepSpec, RunSpec, Transport, Workload};
use bentpipe_units::{Bytes, Duration};
use serde::{Deserialize, Serialize};

use crate::Ports;

pub use relay::{Way, relay};
pub(crate) use tunnel::Tunnel;

/// The port of the HTTP proxy, as that of many.
const PROXY_PORT: u16 = 3128;

/// Rest after a connection that could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

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
    /// The origin's address.
    pub origin: IpAddr,
    /// The origin's ports.
    pub ports: Ports,
    /// The run's keys and certificates: an HTTP proxy shows that of the page's own host.
    pub identity: Identity,
}

/// Why a proxy could not start.
#[derive(Debug, thiserror::Error)]
pub enum PepError {
    /// A listening socket.
    #[error("proxy socket: {0}")]
    Socket(#[from] io::Error),
    /// The certificate.
    #[error("proxy certificate: {0}")]
    Tls(#[from] rustls::Error),
}

/// What a proxy has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PepReport {
    /// Connections taken part in.
    pub connections: u64,
    /// Of those, how many ended by a reset: an end failed, let go before the other's last word, or was not to be reached.
    pub errors: u64,
    /// Octets carried from clients to servers.
    pub up_bytes: Bytes,
    /// Octets carried from servers to clients.
    pub down_bytes: Bytes,
}

/// A host on the path at work. On some it has nothing to do but to forward packets, which is not its business.
#[derive(Debug)]
pub struct Pep(Counters);

impl Pep {
    /// Starts what the run's specification has on this side.
    ///
    /// # Errors
    /// When the host may not intercept, a port is taken, the congestion control is not to be had, or the certificate is
    /// unusable.
    pub fn start<N: Middlebox>(net: &N, config: &Config) -> Result<Self, PepError> {
        let counters = Counters::default();
        match &config.spec.pep {
            Some(PepSpec::Split(spec)) if stands_at(spec.place, config.side) => {
                split::start(net, config, spec, &counters)?;
            }
            Some(PepSpec::Proxy(spec)) if config.side == Side::Gateway => {
                proxy::start(net, config, spec, &counters)?;
            }
            // Nothing that goes through a tunnel looks like TCP.
            Some(PepSpec::Split(_) | PepSpec::Proxy(_) | PepSpec::Tunnel(_)) | None => {}
        }
        Ok(Self(counters))
    }

    /// What it has done so far.
    pub fn report(&self) -> PepReport {
        self.0.0.borrow().clone()
    }
}

/// Where the proxy of a gateway listens.
pub(crate) fn proxy_at(gateway: IpAddr) -> SocketAddr {
    SocketAddr::new(gateway, PROXY_PORT)
}

/// The counters of one host, shared by its connections.
#[derive(Clone, Debug, Default)]
struct Counters(Rc<RefCell<PepReport>>);

impl Counters {
    fn opened(&self) {
        self.0.borrow_mut().connections += 1;
    }

    fn failed(&self) {
        self.0.borrow_mut().errors += 1;
    }

    fn carried(&self, way: Way, octets: usize) {
        let report = &mut *self.0.borrow_mut();
        let total = match way {
            Way::Up => &mut report.up_bytes,
            Way::Down => &mut report.down_bytes,
        };
        *total = Bytes::new(total.get() + octets as u64);
    }
}

fn stands_at(place: PepPlace, side: Side) -> bool {
    match place {
        PepPlace::Terminal => side == Side::Terminal,
        PepPlace::Gateway => side == Side::Gateway,
        PepPlace::Both => true,
    }
}

/// The congestion control of a proxy's senders towards the hosts: that of the run's TCP connections, of several the
/// first one's; where there are none, the one that every kernel has.
fn control_towards_hosts(spec: &RunSpec) -> Algorithm {
    let of_tcp = |transport, cc| (transport == Transport::Tcp).then_some(cc);
    let found = match &spec.workload {
        Workload::PageLoad(load) => of_tcp(load.http.transport(), spec.cc),
        Workload::Bulk(_) | Workload::Flows(_) | Workload::Iperf3(_) | Workload::Ping(_) => {
            spec.flows().and_then(|flows| flows.flows.iter().find_map(|flow| of_tcp(flow.transport, flow.cc)))
        }
    };
    found.unwrap_or(Algorithm::Reno)
}

/// A buffer's size as memory has it.
fn buffer_octets(size: Bytes) -> usize {
    usize::try_from(size.get()).unwrap_or(usize::MAX)
}
