//! Page loads through the HTTP proxy over the kernel's own sockets.

use std::net::IpAddr;
use std::sync::Arc;

use crate::common::{PORTS, address, available_cc, client, load, page, page_load, record, run, spec};
use bentpipe_emu::KernelNet;
use bentpipe_http::tls::{Identity, KeyKind};
use bentpipe_net::Net;
use bentpipe_run::{Algorithm, ConnectionReport, Http, OriginReport, PepSpec, ProxySpec, RunSpec, Status};
use bentpipe_units::{Bytes, Duration};
use bentpipe_web::origin::{self, Origin};
use bentpipe_web::pep::{Config, Pep, PepReport, Side};
use bentpipe_web::{Client, HOST};

const OBJECTS: usize = 12;

fn proxied(http: Http, cc: Algorithm, buffer: u64) -> RunSpec {
    let mut spec = spec(cc, page_load(http, page(OBJECTS, 30_000)));
    let relay_buffer_bytes = Bytes::new(buffer);
    // Another one than the origin's, to tell the legs apart.
    let cc = Algorithm::Reno;
    spec.pep = Some(PepSpec::Proxy(ProxySpec { cc, tcp: spec.tcp.clone(), relay_buffer_bytes }));
    spec
}

/// An origin and a proxy, and a client of both.
fn started(spec: &RunSpec) -> (Origin<KernelNet>, Pep, Client) {
    let identity = Identity::generate(&[HOST], KeyKind::Ed25519).unwrap();
    let (at, gateway) = (address(), address());
    let config = origin::Config {
        spec: spec.clone(),
        identity: identity.clone(),
        address: at,
        ports: PORTS,
        sites: Arc::default(),
        qlog: None,
    };
    let origin = Origin::start(&KernelNet::default(), &config).unwrap();
    let pep = proxy(spec, &identity, gateway, at);
    let client = Client { gateway, ..client(spec, at, identity.authority_der) };
    (origin, pep, client)
}

fn proxy(spec: &RunSpec, identity: &Identity, address: IpAddr, origin: IpAddr) -> Pep {
    let (spec, identity) = (spec.clone(), identity.clone());
    let (gateway, side, ports) = (address, Side::Gateway, PORTS);
    let config = Config { spec, side, address, gateway, origin, ports, identity };
    Pep::start(&KernelNet::default(), &config).unwrap()
}

#[test]
fn every_protocol_over_tcp_loads_and_verifies_every_object_through_the_proxy() {
    for http in [Http::H1, Http::H1s, Http::H2] {
        // The second buffer holds less than a record of TLS and a frame of HTTP/2.
        for buffer in [65_536, 100] {
            let spec = proxied(http, available_cc()[0], buffer);
            let (record, done) = run(async {
                let (origin, pep, client) = started(&spec);
                let report = load(client).await;
                // Connections close beside the load.
                KernelNet::default().sleep(Duration::from_millis(200)).await;
                (record(&spec, report, origin.report()), pep.report())
            });
            assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{http:?}");
            assert_eq!(record.objects.len(), OBJECTS + 1);
            let (to_proxy, tunnels) = record.client_connections.split_first().unwrap();
            assert_eq!(to_proxy.protocol, ConnectionReport::TO_PROXY);
            assert_eq!(to_proxy.congestion_control, "reno");
            assert!(tunnels.iter().all(|one| one.transport == ConnectionReport::TUNNEL));
            assert_eq!(tunnels.len(), record.origin_connections.len());
            assert_eq!(done.connections, tunnels.len() as u64);
            // When the client lets go the origin may have a last word of TLS.
            assert!(done.errors == 0 || http.is_tls(), "{http:?}: {done:?}");
            assert!(done.down_bytes.get() > OBJECTS as u64 * 30_000);
        }
    }
}

#[test]
fn a_client_is_told_that_the_origin_cannot_be_reached() {
    let spec = proxied(Http::H1, available_cc()[0], 65_536);
    run(async {
        let identity = Identity::generate(&[HOST], KeyKind::Ed25519).unwrap();
        let (nobody, gateway) = (address(), address());
        let pep = proxy(&spec, &identity, gateway, nobody);
        let report = load(Client { gateway, ..client(&spec, nobody, identity.authority_der) }).await;
        let record = record(&spec, report, OriginReport::default());
        assert_eq!(record.status, Status::Failed);
        assert!(
            record.reasons[0].to_string().ends_with("the proxy answers 502 Bad Gateway"),
            "{}",
            record.reasons[0]
        );
        let done = PepReport { connections: 1, errors: 1, ..PepReport::default() };
        assert_eq!(pep.report(), done);
    });
}
