use std::cell::RefCell;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use bentpipe_run::{ClientReport, Parties, RunSpec, Workload};
use bentpipe_units::{Duration, Time};
use bentpipe_web::origin::{self, Origin, OriginError};
use bentpipe_web::tls::Identity;
use bentpipe_web::{Client, Ports, bulk, loader, ping};

use crate::net::SimNet;
use crate::world::{End, World};

/// The hosts' addresses, the emulator's.
const CLIENT: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);

/// What a simulation needs besides the run's spec.
#[derive(Clone, Debug)]
pub struct Config {
    /// The run's keys and certificates.
    pub identity: Identity,
    /// What the QUIC library takes for the instant of time zero; any will do.
    pub epoch: Instant,
    /// Folder for QUIC event logs.
    pub qlog: Option<PathBuf>,
}

/// Why a simulation could not be run to its end.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The origin did not start.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// No event is left, and the client still waits.
    #[error("the simulation stands still at {0} with the client unfinished")]
    Deadlock(Duration),
}

/// Runs `spec` in virtual time and returns what the parties saw.
///
/// # Errors
/// When the origin cannot start, or nothing more would ever happen.
pub fn simulate(spec: &RunSpec, config: &Config) -> Result<Parties, SimulationError> {
    let world = Rc::new(World::new(spec, CLIENT, SERVER));
    let net =
        |end| SimNet { world: Rc::clone(&world), end, spec: Rc::new(spec.clone()), epoch: config.epoch };
    let origin = Origin::start(
        &net(End::Server),
        &origin::Config {
            spec: spec.clone(),
            identity: config.identity.clone(),
            address: IpAddr::V4(SERVER),
            ports: Ports::STANDARD,
            qlog: config.qlog.clone(),
        },
    )?;
    world.settle();
    world.mark();
    let client = run_client(&world, &net(End::Client), spec, config)?;
    // Connections are closed over the link, as long as the emulator waits for it.
    run_until(&world, world.now() + linger(spec));
    Ok(Parties { client, origin: origin.report(), link: world.link_report() })
}

fn run_client(
    world: &World,
    net: &SimNet,
    spec: &RunSpec,
    config: &Config,
) -> Result<ClientReport, SimulationError> {
    let report = Rc::new(RefCell::new(None));
    let (slot, host) = (Rc::clone(&report), net.clone());
    let (spec, config) = (spec.clone(), config.clone());
    world.executor.spawn(async move {
        *slot.borrow_mut() = Some(work(&host, spec, config).await);
    });
    world.settle();
    loop {
        if let Some(report) = report.borrow_mut().take() {
            return Ok(report);
        }
        if !world.step() {
            return Err(SimulationError::Deadlock(world.now().since(Time::ZERO)));
        }
    }
}

fn run_until(world: &World, until: Time) {
    world.timers.wake_at(until);
    while world.now() < until && world.step() {}
}

async fn work(net: &SimNet, spec: RunSpec, config: Config) -> ClientReport {
    let workload = spec.workload.clone();
    let round_trip = spec.link.forward.delay_ns + spec.link.return_.delay_ns;
    let client = Client {
        spec,
        authority_der: config.identity.authority_der,
        origin: IpAddr::V4(SERVER),
        ports: Ports::STANDARD,
        local: IpAddr::V4(CLIENT),
        secrets: None,
        qlog: config.qlog,
    };
    match workload {
        Workload::PageLoad(load) => loader::load(net, client, load).await,
        Workload::Bulk(bulk) => bulk::run(net, client, bulk).await,
        Workload::Ping(ping) => {
            let echo = SocketAddr::new(client.origin, client.ports.echo);
            ping::run(net, &ping, echo, client.local, round_trip * 2 + Duration::from_secs(2)).await
        }
    }
}

/// A round trip and a half, and a little, for both ends to close.
fn linger(spec: &RunSpec) -> Duration {
    let round_trip = spec.link.forward.delay_ns + spec.link.return_.delay_ns;
    round_trip * 3 / 2 + Duration::from_millis(100)
}
