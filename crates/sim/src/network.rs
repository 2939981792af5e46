//! The hosts of a run, for programs to run on.

use std::cell::RefCell;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::rc::Rc;
use std::time::Instant;

use bentpipe_http::tls::Identity;
use bentpipe_net::{Addresses, Protection};
use bentpipe_run::{LinkReport, PepSpec, RunSpec};
use bentpipe_tcp::Memory;
use bentpipe_units::{Bytes, Duration, Time};
use bentpipe_web::Ports;
use bentpipe_web::pep::{self, Pep, PepError, Side};

use crate::capture::Tap;
use crate::error::SimulationError;
use crate::host::id::HostId;
use crate::net::SimNet;
use crate::shared::{HostHandle, Shared};
use crate::stream::Content;

/// IPv4 and UDP headers (RFC 791, RFC 768).
const UDP_HEADERS: Bytes = Bytes::new(28);

/// The hosts of a run and the link between them in virtual time, for programs to run on.
///
/// The tasks on its hosts end with it.
pub struct Network {
    shared: Rc<Shared>,
    spec: Rc<RunSpec>,
    epoch: Instant,
    content: Content,
    protection: Protection,
}

impl Network {
    /// The network of `spec`, which counts from now on. `epoch` is what the QUIC library takes for the instant of time zero.
    pub fn new(spec: &RunSpec, epoch: Instant, content: Content) -> Self {
        Self::with_tap(spec, epoch, content, content.protection(), None)
    }

    pub(crate) fn with_tap(
        spec: &RunSpec,
        epoch: Instant,
        content: Content,
        protection: Protection,
        tap: Option<Tap>,
    ) -> Self {
        let shared = Rc::new(Shared::new(spec, tap));
        Self { shared, spec: Rc::new(seen_by_hosts(spec)), epoch, content, protection }
    }

    /// The client.
    pub fn client(&self) -> SimNet {
        self.host(HostId::Client)
    }

    /// The server.
    pub fn server(&self) -> SimNet {
        self.host(HostId::Server)
    }

    /// The host between client and link, which is there with a proxy at the terminal.
    pub fn terminal(&self) -> Option<SimNet> {
        self.pep_host(HostId::Terminal)
    }

    /// The host between link and server, which is there with a proxy at the gateway.
    pub fn gateway(&self) -> Option<SimNet> {
        self.pep_host(HostId::Gateway)
    }

    /// Starts what the run has on the path: at most one proxy at the terminal and one at the gateway.
    ///
    /// # Errors
    /// When the certificate is unusable.
    pub fn start_pep(&self, identity: &Identity) -> Result<Vec<Pep>, PepError> {
        let sides = [
            (Side::Terminal, self.terminal(), Addresses::STANDARD.terminal),
            (Side::Gateway, self.gateway(), Addresses::STANDARD.gateway),
        ];
        let start = |(side, host, address): (Side, Option<SimNet>, Ipv4Addr)| {
            let config = pep::Config {
                spec: (*self.spec).clone(),
                side,
                address: IpAddr::V4(address),
                gateway: IpAddr::V4(Addresses::STANDARD.gateway),
                origin: IpAddr::V4(Addresses::STANDARD.server),
                ports: Ports::STANDARD,
                identity: identity.clone(),
            };
            host.map(|host| Pep::start(&host, &config))
        };
        sides.into_iter().filter_map(start).collect()
    }

    /// The run as its hosts see it: a tunnel leaves them smaller packets.
    pub(crate) fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// Ends the capture, if there is one, and hands it over.
    pub(crate) fn take_tap(&self) -> Option<Tap> {
        self.shared.simulation().take_tap()
    }

    /// Starts the link's counting.
    pub fn mark(&self) {
        self.shared.settle();
        self.shared.simulation().mark();
    }

    /// What the link counted.
    pub fn link_report(&self) -> LinkReport {
        self.shared.simulation().link_report()
    }

    /// Runs until `work` is done, which the client begins at once.
    ///
    /// # Errors
    /// When nothing more would ever happen.
    pub fn run<T: 'static>(&self, work: impl Future<Output = T> + 'static) -> Result<T, SimulationError> {
        let result = Rc::new(RefCell::new(None));
        let slot = Rc::clone(&result);
        self.shared.executor.rouse(HostId::Client);
        self.shared.executor.spawn(HostId::Client, async move {
            *slot.borrow_mut() = Some(work.await);
        });
        self.shared.settle();
        loop {
            if let Some(result) = result.borrow_mut().take() {
                return Ok(result);
            }
            if !self.shared.step() {
                return Err(SimulationError::Deadlock(self.shared.clock.now().since(Time::ZERO)));
            }
        }
    }

    /// Lets `span` pass.
    pub fn run_for(&self, span: Duration) {
        self.shared.settle();
        let until = self.shared.clock.now() + span;
        self.shared.clock.wake_at(until);
        while self.shared.clock.now() < until && self.shared.step() {}
    }

    fn pep_host(&self, id: HostId) -> Option<SimNet> {
        self.shared.simulation().topology().has(id).then(|| self.host(id))
    }

    fn host(&self, id: HostId) -> SimNet {
        let host = HostHandle::new(Rc::clone(&self.shared), id);
        let (spec, paths) = (Rc::clone(&self.spec), Memory::default());
        SimNet { host, spec, epoch: self.epoch, content: self.content, protection: self.protection, paths }
    }
}

impl Drop for Network {
    /// Tasks complete their event logs, and the memory of their simulation is free again.
    fn drop(&mut self) {
        self.shared.executor.clear();
    }
}

/// The hosts' MTU is smaller by the header that a tunnel adds, and so are full datagrams of QUIC.
fn seen_by_hosts(spec: &RunSpec) -> RunSpec {
    let mut seen = spec.clone();
    if let Some(PepSpec::Tunnel(_)) = spec.pep {
        seen.link.mtu_bytes = spec.host_mtu();
        let payload = Bytes::new(seen.link.mtu_bytes.get().saturating_sub(UDP_HEADERS.get()));
        seen.quic.udp_payload_bytes = spec.quic.udp_payload_bytes.min(payload);
    }
    seen
}
