//! An origin and a loader on a network in memory, and whoever means them harm.

mod allocated;
pub mod frames;

use std::sync::Arc;

use bentpipe_http::tls::{Identity, Memory};
use bentpipe_net::testing::{ADDRESS, MemoryNet};
use bentpipe_run::{Http, ObjectSpec, PageLoadSpec, PageSpec, RunSpec, Workload};
use bentpipe_units::{Bytes, Duration};
use bentpipe_web::origin::{self, Origin};
use bentpipe_web::page::Sites;
use bentpipe_web::{Client, HOST, Ports};

pub use allocated::peak_of;

const SPEC: &str = include_str!("../../../run/tests/data/spec.json");

/// A load of a page of one object, and a certificate for it.
pub fn page_load(http: Http) -> (RunSpec, Identity) {
    let mut spec: RunSpec = serde_json::from_str(SPEC).unwrap();
    let object = ObjectSpec::new("/object.jpg", Bytes::new(100_000));
    let page = PageSpec::new("page", [object]);
    spec.workload = Workload::PageLoad(PageLoadSpec::new(http, 6, page));
    spec.validity.timeout_ns = Duration::from_secs(20);
    (spec, Identity::from_seed(&[HOST], 1).unwrap())
}

pub fn start_origin(net: &MemoryNet, spec: &RunSpec, identity: &Identity) -> Origin<MemoryNet> {
    start_origin_of(net, spec, identity, Arc::new(Sites::default()))
}

/// With pages from `sites`.
pub fn start_origin_of(
    net: &MemoryNet,
    spec: &RunSpec,
    identity: &Identity,
    sites: Arc<Sites>,
) -> Origin<MemoryNet> {
    let config = origin::Config {
        spec: spec.clone(),
        identity: identity.clone(),
        address: ADDRESS,
        ports: Ports::STANDARD,
        sites,
        qlog: None,
    };
    Origin::start(net, &config).unwrap()
}

pub fn client(spec: &RunSpec, identity: &Identity) -> Client {
    Client {
        spec: spec.clone(),
        authority_der: identity.authority_der.clone(),
        origin: ADDRESS,
        ports: Ports::STANDARD,
        gateway: ADDRESS,
        local: ADDRESS,
        sites: Arc::new(Sites::default()),
        secrets: None,
        qlog: None,
        memory: Memory::default(),
    }
}

pub fn load_of(spec: &RunSpec) -> PageLoadSpec {
    match &spec.workload {
        Workload::PageLoad(load) => load.clone(),
        _ => panic!("a page load"),
    }
}
