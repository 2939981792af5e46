use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use bentpipe_run::{ClientReport, Parties, RunSpec, Workload};
use bentpipe_trace::pcapng;
use bentpipe_units::{Duration, Time};
use bentpipe_web::origin::{self, Origin, OriginError};
use bentpipe_web::page::Sites;
use bentpipe_web::tls::{Identity, IdentityError, Secrets};
use bentpipe_web::{Client, HOST, Memory, Ports, bulk, loader, ping};

use crate::capture::Tap;
use crate::net::SimNet;
use crate::stream::Content;
use crate::world::{End, World};

/// The hosts' addresses, the emulator's.
const CLIENT: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);

/// What a simulation needs besides the run's spec.
#[derive(Clone, Debug)]
pub struct Config {
    /// What the QUIC library takes for the instant of time zero; any will do.
    pub epoch: Instant,
    /// Folder for what the spec wants captured; nothing is captured without.
    pub artifacts: Option<PathBuf>,
    /// Where pages come from; runs that share it make each page once.
    pub sites: Arc<Sites>,
}

impl Config {
    /// Captures nothing and shares nothing.
    pub fn new(epoch: Instant) -> Self {
        Self { epoch, artifacts: None, sites: Arc::default() }
    }
}

/// Why a simulation could not be run to its end.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The origin did not start.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The run's certificates could not be made.
    #[error("certificates: {0}")]
    Identity(#[from] IdentityError),
    /// The capture could not be written.
    #[error("capture: {0}")]
    Capture(#[from] io::Error),
    /// No event is left, and the client still waits.
    #[error("the simulation stands still at {0} with the client unfinished")]
    Deadlock(Duration),
}

/// Runs `spec` in virtual time and returns what the parties saw.
///
/// # Errors
/// When the origin cannot start, a capture cannot be written, or nothing more would ever happen.
pub fn simulate(spec: &RunSpec, config: &Config) -> Result<Parties, SimulationError> {
    simulate_with(spec, config, Content::Length)
}

/// As [`simulate`], with a choice of what bulk flows over TCP carry. The packets are the same either way.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_with(spec: &RunSpec, config: &Config, content: Content) -> Result<Parties, SimulationError> {
    let identity = Identity::from_seed(HOST, spec.seed)?;
    let qlog = config.artifacts.clone().filter(|_| spec.capture.qlog);
    let capture = config.artifacts.as_ref().filter(|_| spec.capture.pcapng);
    let capture = capture.map(|folder| Tap::create(folder.join(pcapng::FILE_NAME), CLIENT, SERVER));
    let tap = capture.transpose()?;
    let secrets = Arc::<Secrets>::default();
    let client = Client {
        spec: spec.clone(),
        authority_der: identity.authority_der.clone(),
        origin: IpAddr::V4(SERVER),
        ports: Ports::STANDARD,
        // No host stands between the two.
        gateway: IpAddr::V4(SERVER),
        local: IpAddr::V4(CLIENT),
        sites: Arc::clone(&config.sites),
        secrets: tap.is_some().then(|| Arc::clone(&secrets)),
        qlog: qlog.clone(),
        memory: Memory::default(),
    };
    let world = Rc::new(World::new(spec, CLIENT, SERVER, tap));
    let _ending = Ending(&world);
    let net = |end| SimNet {
        world: Rc::clone(&world),
        end,
        spec: Rc::new(spec.clone()),
        epoch: config.epoch,
        content,
    };
    let origin = Origin::start(
        &net(End::Server),
        &origin::Config {
            spec: spec.clone(),
            identity,
            address: IpAddr::V4(SERVER),
            ports: Ports::STANDARD,
            sites: Arc::clone(&config.sites),
            qlog,
        },
    )?;
    world.settle();
    let client = visit_and_work(&world, &net(End::Client), client);
    if client.is_ok() {
        // Connections are closed over the link, as long as the emulator waits for it.
        run_until(&world, world.now() + loader::closing_time(spec));
    }
    if let Some(tap) = world.take_tap() {
        tap.finish(&secrets.lines())?;
    }
    Ok(Parties { client: client?, origin: origin.report(), link: world.link_report() })
}

/// Ends the tasks of a world with its run: they complete their event logs, and its memory is free again.
struct Ending<'a>(&'a World);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.executor.clear();
    }
}

fn visit_and_work(world: &World, net: &SimNet, client: Client) -> Result<ClientReport, SimulationError> {
    let (host, visitor) = (net.clone(), client.clone());
    let visited = run(world, async move { loader::visit(&host, &visitor).await })?;
    world.mark();
    if let Err(error) = visited {
        let (started, faults) = (world.now(), vec![error.to_string()]);
        return Ok(ClientReport { started, faults, ..ClientReport::default() });
    }
    let host = net.clone();
    run(world, async move { work(&host, client).await })
}

/// Lets the world go on until `task` is done.
fn run<T: 'static>(world: &World, task: impl Future<Output = T> + 'static) -> Result<T, SimulationError> {
    let result = Rc::new(RefCell::new(None));
    let slot = Rc::clone(&result);
    world.executor.spawn(async move {
        *slot.borrow_mut() = Some(task.await);
    });
    world.settle();
    loop {
        if let Some(result) = result.borrow_mut().take() {
            return Ok(result);
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

async fn work(net: &SimNet, client: Client) -> ClientReport {
    let link = &client.spec.link;
    let round_trip = link.forward.delay_ns + link.return_.delay_ns;
    match client.spec.workload.clone() {
        Workload::PageLoad(load) => loader::load(net, client, load).await,
        Workload::Bulk(_) | Workload::Flows(_) => bulk::run(net, client).await,
        Workload::Iperf3(_) => {
            ClientReport { faults: vec![OriginError::Iperf3.to_string()], ..ClientReport::default() }
        }
        Workload::Ping(ping) => {
            let echo = SocketAddr::new(client.origin, client.ports.echo);
            let patience = round_trip * 2 + Duration::from_secs(2);
            ping::run(net, &ping, echo, client.local, client.spec.mark(), patience).await
        }
    }
}
