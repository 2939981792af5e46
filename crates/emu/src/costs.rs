//! How fast this machine is, in the terms of a run's `host`.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use bentpipe_http::tls::cost::{self, CostError};
use bentpipe_http::tls::{Identity, IdentityError, KeyKind, Memory};
use bentpipe_net::{Core, Processor};
use bentpipe_run::{HostSpec, HostsSpec, Reason, RunSpec};
use bentpipe_units::Duration;
use bentpipe_web::origin::{self, Origin, OriginError};
use bentpipe_web::page::Sites;
use bentpipe_web::{Client, HOST, Ports, workload};

use crate::clock;
use crate::net::KernelNet;
use crate::parts::block_on;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Handshakes of which the median counts: the first ones find nothing in the caches.
const HANDSHAKES: usize = 101;

/// What could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum CostsError {
    /// No key or certificate.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// TLS in memory.
    #[error(transparent)]
    Tls(#[from] CostError),
    /// Sockets of the loopback interface.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The other end of the flow.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The flow.
    #[error(transparent)]
    Flow(#[from] Reason),
}

/// Measures, by the time of this thread: handshakes and records of TLS in memory, and the datagrams of the QUIC flow that
/// `spec` asks for over the loopback interface, system calls included, of which both ends have half.
///
/// # Errors
/// When a socket cannot be had, or the flow does not come to its end.
pub fn costs(spec: &RunSpec) -> Result<HostsSpec, CostsError> {
    let identity = Identity::generate(&[HOST], KeyKind::Ed25519)?;
    let rounds = (0..HANDSHAKES)
        .map(|_| cost::measure(&identity, HOST, clock::of_this_thread))
        .collect::<Result<Vec<_>, _>>()?;
    let median = |of: fn(&cost::Cost) -> Duration| {
        let mut times: Vec<_> = rounds.iter().map(of).collect();
        times.sort_unstable();
        times[times.len() / 2]
    };
    let (tls_record_ns, quic_packet_ns) = (median(|cost| cost.record), datagram(spec, identity)?);
    let host = |tls_handshake_ns| HostSpec { tls_handshake_ns, tls_record_ns, quic_packet_ns };
    Ok(HostsSpec {
        client: host(median(|cost| cost.client_handshake)),
        server: host(median(|cost| cost.server_handshake)),
        wakeup_latency: None,
        packet_spacing_ns: None,
    })
}

/// What a datagram takes, sent or received.
fn datagram(spec: &RunSpec, identity: Identity) -> Result<Duration, CostsError> {
    let counter = Arc::<Counter>::default();
    let costs = HostSpec {
        tls_handshake_ns: Duration::ZERO,
        tls_record_ns: Duration::ZERO,
        quic_packet_ns: Counter::ONE,
    };
    let net = KernelNet::new(spec).on(Processor::new(costs, Arc::<Counter>::clone(&counter)));
    let (ports, sites) = (Ports::STANDARD, Arc::<Sites>::default());
    let client = Client {
        spec: spec.clone(),
        authority_der: identity.authority_der.clone(),
        origin: HERE,
        ports,
        gateway: HERE,
        local: HERE,
        sites: Arc::clone(&sites),
        secrets: None,
        qlog: None,
        memory: Memory::default(),
    };
    let config = origin::Config { spec: spec.clone(), identity, address: HERE, ports, sites, qlog: None };
    let taken = block_on(async {
        let _origin = Origin::start(&net, &config)?;
        let begin = clock::of_this_thread();
        let report = workload::run(&net, client).await;
        let taken = clock::of_this_thread().saturating_sub(begin);
        match report.faults.into_iter().chain(report.doubts).next() {
            None => Ok(taken),
            Some(reason) => Err(CostsError::from(reason)),
        }
    })??;
    Ok(taken / counter.0.load(Ordering::Relaxed).max(1))
}

/// A core that takes no time and counts what it is given.
#[derive(Debug, Default)]
struct Counter(AtomicU64);

impl Counter {
    /// What each datagram counts for.
    const ONE: Duration = Duration::from_nanos(1);
}

impl Core for Counter {
    fn poll_idle(&self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn work(&self, span: Duration) {
        self.0.fetch_add(span.as_nanos(), Ordering::Relaxed);
    }
}
