//! A load that nobody measures, so that the measured one finds its code, tables and memory ready.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use bentpipe_http::tls::{Identity, KeyKind, Memory};
use bentpipe_run::{CaptureSpec, ObjectSpec, PageLoadSpec, PageSpec, RunSpec, Workload};
use bentpipe_units::{Bytes, Duration};
use bentpipe_web::origin::{self, Origin};
use bentpipe_web::page::Sites;
use bentpipe_web::{Client, HOST, Ports, loader};

use super::PartError;
use crate::KernelNet;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Loads a small page over the run's protocol from an origin of our own on the loopback interface, after a visit where the
/// run has one.
///
/// Code is paged in, tables are built and the allocator has its memory before the measured load, and
/// nothing of it crosses the link or leaves a trace in the kernel's metrics of the path.
pub(super) async fn warm_up(spec: &RunSpec) -> Result<(), PartError> {
    let Workload::PageLoad(load) = &spec.workload else { return Ok(()) };
    let objects = (1..=2).map(|i| ObjectSpec::new(format!("/warm-up-{i}.jpg"), Bytes::new(4_000)));
    let page = PageSpec::new("warm-up", objects);
    let load = PageLoadSpec { page, ..load.clone() };
    let mut spec = spec.clone();
    spec.workload = Workload::PageLoad(load.clone());
    spec.capture = CaptureSpec { pcapng: false, qlog: false };
    // There is nobody between us and ourselves.
    spec.pep = None;
    spec.dns = None;
    spec.validity.timeout_ns = Duration::from_secs(10);
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.delay_ns = Duration::ZERO;
    }

    let identity = Identity::generate(&[HOST], KeyKind::Ed25519)
        .map_err(|error| PartError::WarmUp(error.to_string()))?;
    let authority_der = identity.authority_der.clone();
    let (ports, sites, memory) = (Ports::STANDARD, Arc::<Sites>::default(), Memory::default());
    let origin = origin::Config {
        spec: spec.clone(),
        identity,
        address: HERE,
        ports,
        sites: Arc::clone(&sites),
        qlog: None,
    };
    let net = KernelNet::new(&spec);
    let _origin = Origin::start(&net, &origin)?;
    let client = Client {
        spec,
        authority_der,
        origin: HERE,
        ports,
        gateway: HERE,
        local: HERE,
        sites,
        secrets: None,
        qlog: None,
        memory,
    };
    loader::visit(&net, &client).await?;
    let report = loader::load(&net, client, load).await;
    match report.faults.into_iter().chain(report.doubts).next() {
        None => Ok(()),
        Some(reason) => Err(PartError::WarmUp(reason.to_string())),
    }
}
