//! The key exchange of today's browsers over the kernel's own sockets.

use crate::common::{Site, load, page, page_load, record, run, spec};
use bentpipe_run::{Algorithm, Http, KeyExchange, Status};

#[test]
fn both_ends_agree_on_keys_as_the_run_asks_for_over_tcp_and_within_quic() {
    for http in [Http::H1s, Http::H2, Http::H3] {
        for wanted in [KeyExchange::X25519, KeyExchange::X25519Mlkem768] {
            let mut spec = spec(Algorithm::Cubic, page_load(http, page(12, 30_000)));
            spec.key_exchange = Some(wanted);
            let record = run(async {
                let site = Site::start(&spec);
                let report = load(site.client(&spec)).await;
                record(&spec, report, site.origin.report())
            });
            let case = format!("{http:?} {wanted:?}");
            assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{case}");
            assert_eq!(record.objects.len(), 13, "{case}");
            for connection in record.client_connections.iter().chain(&record.origin_connections) {
                assert_eq!(connection.key_exchange.as_deref(), Some(wanted.name()), "{case}");
            }
        }
    }
}
