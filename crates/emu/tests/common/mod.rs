//! An origin and a client on the loopback interface, without any link between them and without privileges.
#![allow(dead_code)] // `descriptors`, a program of its own, uses a part
#![allow(clippy::disallowed_methods)] // the IO boundary of clippy.toml lies in this crate

use std::fmt::Display;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use bentpipe_emu::KernelNet;
use bentpipe_http::tls::{Identity, KeyKind, Memory};
use bentpipe_run::{
    Algorithm, ClientReport, Engine, Http, LinkReport, ObjectSpec, OriginReport, PageLoadSpec, PageSpec,
    Provenance, RunRecord, RunReports, RunSpec, Workload, assemble,
};
use bentpipe_units::{Bytes, Duration};
use bentpipe_web::origin::{Config, Origin};
use bentpipe_web::{Client, Hosts, Ports, bulk, loader};
use socket2::Socket;
use tokio::runtime;
use tokio::task::LocalSet;

/// Like a run's ports, but of those that anybody may bind.
pub const PORTS: Ports = Ports { http: 8080, https: 8443, bulk: 5001, echo: 7007 };

/// An address of 127.0.0.0/8 that no other test uses, in this process or in another one.
pub fn address() -> IpAddr {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let host = NEXT.fetch_add(1, Ordering::Relaxed);
    assert!(host < 255, "a process has 254 addresses");
    let [_, _, high, low] = std::process::id().to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(127, high, low, host as u8))
}

/// Runs a test on one thread with all that it spawns, as a part runs.
pub fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, test)
}

/// The sample spec with a time limit for the loopback interface and another workload.
pub fn spec(cc: Algorithm, workload: Workload) -> RunSpec {
    let sample = include_str!("../../../run/tests/data/spec.json");
    let mut spec: RunSpec = serde_json::from_str(sample).unwrap();
    spec.cc = cc;
    spec.workload = workload;
    spec.validity.timeout_ns = Duration::from_secs(30);
    spec
}

/// `count` objects of `bytes` bytes, `/object-1.jpg` and so on.
pub fn page(count: usize, bytes: u64) -> PageSpec {
    let object = |i| ObjectSpec::new(format!("/object-{i}.jpg"), Bytes::new(bytes));
    PageSpec::new("loopback", (1..=count).map(object))
}

pub fn page_load(http: Http, page: PageSpec) -> Workload {
    Workload::PageLoad(PageLoadSpec::new(http, 6, page))
}

pub const ALL_HTTP: [Http; 4] = [Http::H1, Http::H1s, Http::H2, Http::H3];
pub const ALL_CC: [Algorithm; 2] = [Algorithm::Cubic, Algorithm::Bbr];

/// The congestion controls that this machine lets this user have; says on the terminal which ones it does not.
pub fn available_cc() -> Vec<Algorithm> {
    static AVAILABLE: OnceLock<Vec<Algorithm>> = OnceLock::new();
    AVAILABLE.get_or_init(|| ALL_CC.into_iter().filter(|cc| is_available(*cc)).collect()).clone()
}

fn is_available(cc: Algorithm) -> bool {
    let socket = Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    match socket.set_tcp_congestion(cc.name().as_bytes()) {
        Ok(()) => true,
        Err(error) if [io::ErrorKind::PermissionDenied, io::ErrorKind::NotFound].contains(&error.kind()) => {
            say(format_args!("SKIPPED with {}: {error}", cc.name()));
            false
        }
        Err(error) => panic!("{}: {error}", cc.name()),
    }
}

/// Writes a line that the test harness does not swallow.
pub fn say(line: impl Display) {
    io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// An origin that serves, and what a client needs to reach it.
pub struct Site {
    pub origin: Origin<KernelNet>,
    pub address: IpAddr,
    pub authority_der: Vec<u8>,
}

impl Site {
    pub fn start(spec: &RunSpec) -> Self {
        let identity = Identity::generate(Hosts::of(spec).names(), KeyKind::Ed25519).unwrap();
        let (address, authority_der) = (address(), identity.authority_der.clone());
        let config =
            Config { spec: spec.clone(), identity, address, ports: PORTS, sites: Arc::default(), qlog: None };
        let origin = Origin::start(&net_of(spec), &config).unwrap();
        Self { origin, address, authority_der }
    }

    pub fn client(&self, spec: &RunSpec) -> Client {
        client(spec, self.address, self.authority_der.clone())
    }
}

/// A client of whatever is at `origin`.
pub fn client(spec: &RunSpec, origin: IpAddr, authority_der: Vec<u8>) -> Client {
    let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
    Client {
        spec: spec.clone(),
        authority_der,
        origin,
        ports: PORTS,
        gateway: local,
        local,
        sites: Arc::default(),
        secrets: None,
        qlog: None,
        memory: Memory::default(),
    }
}

pub fn net_of(spec: &RunSpec) -> KernelNet {
    KernelNet::new(spec)
}

/// Loads the spec's page.
pub async fn load(client: Client) -> ClientReport {
    let Workload::PageLoad(load) = client.spec.workload.clone() else { panic!("a page load") };
    loader::load(&net_of(&client.spec), client, load).await
}

/// Runs the spec's flows.
pub async fn transfer(client: Client) -> ClientReport {
    bulk::run(&net_of(&client.spec), client).await
}

/// The record of a run without a link.
pub fn record(spec: &RunSpec, client: ClientReport, origin: OriginReport) -> RunRecord {
    let reports = RunReports { client, origin, link: LinkReport::default() };
    assemble("loopback".to_owned(), Engine::Emulate, spec.clone(), Provenance::default(), reports)
}
