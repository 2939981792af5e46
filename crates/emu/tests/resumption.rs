//! Tickets, early data and visits over the kernel's own sockets.

use crate::common::{Site, load, net_of, page, page_load, record, run, spec};
use bentpipe_run::{
    Algorithm, Handshake, Http, PageLoadSpec, Resumption, RunRecord, RunSpec, Status, TlsSpec, TlsVersion,
    Visit, Workload,
};
use bentpipe_units::Duration;
use bentpipe_web::loader;

const SETTINGS: [(TlsVersion, Resumption, Handshake); 5] = [
    (TlsVersion::V1_2, Resumption::None, Handshake::Full),
    (TlsVersion::V1_2, Resumption::Ticket, Handshake::Resumed),
    (TlsVersion::V1_3, Resumption::None, Handshake::Full),
    (TlsVersion::V1_3, Resumption::Ticket, Handshake::Resumed),
    (TlsVersion::V1_3, Resumption::EarlyData, Handshake::EarlyDataAccepted),
];

fn repeat_visit(http: Http, tls: TlsSpec) -> RunSpec {
    let mut spec = spec(Algorithm::Cubic, page_load(http, page(12, 30_000)));
    if let Workload::PageLoad(load) = &mut spec.workload {
        *load = PageLoadSpec { visit: Some(Visit::Repeat), ..load.clone() };
    }
    spec.tls = Some(tls);
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.delay_ns = Duration::ZERO;
    }
    spec
}

fn visited_and_loaded(spec: &RunSpec) -> RunRecord {
    run(async {
        let site = Site::start(spec);
        let client = site.client(spec);
        loader::visit(&net_of(spec), &client).await.unwrap();
        let report = load(client).await;
        record(spec, report, site.origin.report())
    })
}

#[test]
fn a_client_that_was_here_before_loads_the_page_with_the_shortest_handshake_that_is_allowed() {
    for http in [Http::H1s, Http::H2, Http::H3] {
        for (version, resumption, expected) in SETTINGS {
            let record = visited_and_loaded(&repeat_visit(http, TlsSpec { version, resumption }));
            let case = format!("{http:?} {version:?} {resumption:?}");
            assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{case}");
            assert_eq!(record.objects.len(), 13, "{case}");
            assert_eq!(record.origin_connections.len(), record.client_connections.len(), "{case}");
            for connection in record.client_connections.iter().chain(&record.origin_connections) {
                assert_eq!(connection.handshake, Some(expected), "{case}");
                assert!(connection.connected.is_some(), "{case}");
                assert_eq!(connection.secured.is_some(), http != Http::H3, "{case}");
            }
        }
    }
}
