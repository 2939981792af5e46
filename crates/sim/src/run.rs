//! One run, from its spec to its reports.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use bentpipe_http::quic::EventLogs;
use bentpipe_http::tls::{Identity, Memory, Secrets};
use bentpipe_net::{Addresses, Net, Protection};
use bentpipe_run::{ClientReport, RunReports, RunSpec};
use bentpipe_trace::pcapng;
use bentpipe_units::Duration;
use bentpipe_web::origin::{self, Origin};
use bentpipe_web::page::Sites;
use bentpipe_web::pep::Pep;
use bentpipe_web::{Client, Hosts, Ports, dns, loader, workload};

use crate::capture::Tap;
use crate::error::SimulationError;
use crate::network::Network;
use crate::stream::Content;

/// What a simulation needs besides the run's spec.
#[derive(Clone, Debug)]
pub struct Config {
    /// What the QUIC library takes for the instant of time zero; any will do.
    pub epoch: Instant,
    /// Folder for what the spec wants captured; nothing is captured without.
    pub artifacts: Option<PathBuf>,
    /// Where pages come from; runs that share it make each page once.
    pub sites: Arc<Sites>,
    /// How packets of QUIC are protected. When it is not said, by the cipher where a capture shows them, that they can
    /// be decrypted; elsewhere as the [`Content`] wants.
    pub protection: Option<Protection>,
}

impl Config {
    /// Captures nothing and shares nothing.
    pub fn new(epoch: Instant) -> Self {
        Self { epoch, artifacts: None, sites: Arc::default(), protection: None }
    }
}

/// Runs `spec` in virtual time and returns what the parties saw.
///
/// # Errors
/// When the origin cannot start, a capture or an event log cannot be written, or nothing more would ever happen.
pub fn simulate(spec: &RunSpec, config: &Config) -> Result<RunReports, SimulationError> {
    simulate_with(spec, config, Content::Length)
}

/// As [`simulate`], with a choice of what bulk flows carry. The packets are the same either way.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_with(
    spec: &RunSpec,
    config: &Config,
    content: Content,
) -> Result<RunReports, SimulationError> {
    let identity = Identity::from_seed(Hosts::certified(spec).names(), spec.seed)?;
    let logs = || config.artifacts.clone().filter(|_| spec.capture.qlog).map(EventLogs::new);
    let [client_logs, origin_logs] = [logs(), logs()];
    let capture = config.artifacts.as_ref().filter(|_| spec.capture.pcapng);
    let tap = capture.map(|folder| Tap::create(folder.join(pcapng::FILE_NAME))).transpose()?;
    let secrets = Arc::<Secrets>::default();
    let captured_secrets = tap.is_some().then(|| Arc::clone(&secrets));
    let protection = match tap {
        Some(_) => Protection::Cipher,
        None => content.protection(),
    };
    let protection = config.protection.unwrap_or(protection);
    let network = Network::with_tap(spec, config.epoch, content, protection, tap);
    let client = Client {
        spec: network.spec().clone(),
        authority_der: identity.authority_der.clone(),
        origin: IpAddr::V4(Addresses::STANDARD.server),
        ports: Ports::STANDARD,
        gateway: IpAddr::V4(Addresses::STANDARD.gateway),
        local: IpAddr::V4(Addresses::STANDARD.client),
        sites: Arc::clone(&config.sites),
        secrets: captured_secrets,
        qlog: client_logs.clone(),
        memory: Memory::default(),
    };
    let peps = network.start_pep(&identity)?;
    dns::start_at_terminal(&network.client(), network.spec(), &identity, client.local, client.origin)?;
    let origin = Origin::start(
        &network.server(),
        &origin::Config {
            spec: network.spec().clone(),
            identity,
            address: IpAddr::V4(Addresses::STANDARD.server),
            ports: Ports::STANDARD,
            sites: Arc::clone(&config.sites),
            qlog: origin_logs.clone(),
        },
    )?;
    for mut pep in peps.into_iter().filter(Pep::is_opening) {
        let (host, limit) = (network.client(), spec.validity.timeout_ns);
        network.run(async move { pep.ready(&host, limit).await })??;
    }
    let client = visit_and_work(&network, client);
    if client.is_ok() {
        // Connections are closed over the link, as long as the emulator waits for it.
        network.run_for(loader::closing_time(spec));
    }
    if let Some(tap) = network.take_tap() {
        tap.finish(&secrets.lines())?;
    }
    let reports = RunReports { client: client?, origin: origin.report(), link: network.link_report() };
    drop((origin, network));
    // The connections have gone.
    [client_logs, origin_logs].into_iter().flatten().try_for_each(|logs| logs.finish())?;
    Ok(reports)
}

fn visit_and_work(network: &Network, client: Client) -> Result<ClientReport, SimulationError> {
    let (host, visitor) = (network.client(), client.clone());
    let visited = network.run(async move { loader::visit(&host, &visitor).await })?;
    let host = network.client();
    let rest = visited.as_ref().map_or(Duration::ZERO, |begin| begin.since(host.now()));
    if rest > Duration::ZERO {
        network.run_for(rest);
    }
    network.mark();
    if let Err(reason) = visited {
        let (started, faults) = (host.now(), vec![reason]);
        return Ok(ClientReport { started, faults, ..ClientReport::default() });
    }
    network.run(async move { workload::run(&host, client).await })
}
