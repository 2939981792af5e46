//! Page loads by every protocol over the kernel's own sockets.

use crate::common::{ALL_HTTP, Site, available_cc, load, page, page_load, record, run, spec};
use bentpipe_run::{Http, ObjectKind, ObjectTiming, PageSpec, RunRecord, RunSpec, Status, Transport};

fn loaded(spec: &RunSpec) -> RunRecord {
    run(async {
        let site = Site::start(spec);
        let report = load(site.client(spec)).await;
        record(spec, report, site.origin.report())
    })
}

/// The objects of each connection in order of their requests.
fn by_connection(record: &RunRecord) -> Vec<Vec<&ObjectTiming>> {
    let mut connections = vec![Vec::new(); record.client_connections.len()];
    for object in &record.objects {
        connections[object.connection].push(object);
    }
    for objects in &mut connections {
        objects.sort_by(|a, b| a.request_s.total_cmp(&b.request_s));
    }
    connections
}

/// Numbers of the objects (`/object-7.jpg` is 7) in order of their requests.
fn requested(record: &RunRecord) -> Vec<usize> {
    let mut objects: Vec<_> = record.objects.iter().filter(|object| !object.url.ends_with('/')).collect();
    objects.sort_by(|a, b| a.request_s.total_cmp(&b.request_s));
    let number = |url: &str| url.rsplit_once('-')?.1.strip_suffix(".jpg")?.parse().ok();
    objects.into_iter().map(|object| number(&object.url).expect("an object of the page")).collect()
}

/// Half of the objects on the page's own host and half on another, and the last named by a script.
fn two_hosts() -> PageSpec {
    let mut page = page(10, 10_000);
    for object in page.objects.iter_mut().step_by(2) {
        object.host = Some("cdn.example".to_owned());
    }
    page.objects[0].kind = ObjectKind::Script;
    page.objects[9].after = Some(0);
    page
}

#[test]
fn every_protocol_loads_from_several_hosts_what_documents_and_scripts_name() {
    for http in Http::ALL {
        let spec = spec(available_cc()[0], page_load(http, two_hosts()));
        let record = loaded(&spec);
        assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{http:?}");
        let of_other = record.objects.iter().filter(|object| object.url.contains("//cdn.example/"));
        assert_eq!((record.objects.len(), of_other.count()), (11, 5), "{http:?}");
    }
}

#[test]
fn every_protocol_loads_and_verifies_every_object_with_every_congestion_control() {
    for cc in available_cc() {
        for http in ALL_HTTP {
            let spec = spec(cc, page_load(http, page(12, 30_000)));
            let record = loaded(&spec);
            assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{http:?} {cc:?}");
            assert_eq!(record.objects.len(), 13, "{http:?} {cc:?}");
            assert!(record.objects.iter().all(|object| object.status == 200));
            assert!(record.objects.iter().skip(1).all(|object| object.bytes == 30_000));
        }
    }
}

#[test]
fn protocol_transport_and_congestion_control_are_read_back_at_both_ends() {
    for cc in available_cc() {
        for http in ALL_HTTP {
            let record = loaded(&spec(cc, page_load(http, page(2, 5_000))));
            let transport = if http.transport() == Transport::Tcp { "tcp" } else { "quic" };
            assert_eq!(record.client_connections.len(), record.origin_connections.len());
            for connection in record.client_connections.iter().chain(&record.origin_connections) {
                assert_eq!(connection.protocol, http.alpn(), "{http:?} {cc:?}");
                assert_eq!(connection.transport, transport);
                assert_eq!(connection.congestion_control, cc.name());
                assert!(connection.srtt.is_some() && connection.initial_cwnd_bytes.is_some());
            }
            let ports = |connections: &[bentpipe_run::ConnectionReport]| {
                let mut ports: Vec<u16> =
                    connections.iter().map(|connection| connection.client_port).collect();
                ports.sort_unstable();
                ports
            };
            assert_eq!(ports(&record.client_connections), ports(&record.origin_connections));
        }
    }
}

#[test]
fn handshakes_are_timed_in_their_order_and_tls_only_where_it_is_a_step_of_its_own() {
    for cc in available_cc() {
        for http in ALL_HTTP {
            let record = loaded(&spec(cc, page_load(http, page(1, 5_000))));
            let first = &record.client_connections[0];
            let connected = first.connected.expect("a connection");
            assert!(first.started < connected);
            assert_eq!(first.secured.is_some(), [Http::H1s, Http::H2].contains(&http), "{http:?}");
            assert!(first.secured.is_none_or(|secured| secured > connected));
            let ready_s = first.secured.unwrap_or(connected).as_nanos() as f64 / 1e9;
            assert!(record.objects[0].request_s >= ready_s);
        }
    }
}

#[test]
fn http2_and_http3_use_one_connection_for_everything() {
    for cc in available_cc() {
        for http in [Http::H2, Http::H3] {
            let record = loaded(&spec(cc, page_load(http, page(30, 5_000))));
            assert_eq!(record.client_connections.len(), 1, "{http:?}");
        }
    }
}

#[test]
fn http1_uses_all_its_connections_and_no_more() {
    for cc in available_cc() {
        for http in [Http::H1, Http::H1s] {
            let record = loaded(&spec(cc, page_load(http, page(30, 5_000))));
            assert_eq!(record.client_connections.len(), 6, "{http:?}");
            assert!(by_connection(&record).iter().all(|objects| !objects.is_empty()), "{http:?}");
        }
    }
}

#[test]
fn http1_asks_for_the_next_object_of_a_connection_when_the_last_one_is_complete() {
    for cc in available_cc() {
        for http in [Http::H1, Http::H1s] {
            let record = loaded(&spec(cc, page_load(http, page(40, 20_000))));
            for objects in by_connection(&record) {
                for pair in objects.windows(2) {
                    assert!(pair[1].request_s >= pair[0].last_byte_s, "{http:?}: {pair:?}");
                }
            }
        }
    }
}

#[test]
fn http2_and_http3_ask_for_objects_while_others_are_on_their_way() {
    // The control of the test above: these protocols multiplex.
    for cc in available_cc() {
        for http in [Http::H2, Http::H3] {
            let record = loaded(&spec(cc, page_load(http, page(40, 20_000))));
            let objects = &by_connection(&record)[0];
            assert!(objects.windows(2).any(|pair| pair[1].request_s < pair[0].last_byte_s), "{http:?}");
        }
    }
}

#[test]
fn objects_are_requested_in_document_order() {
    for cc in available_cc() {
        for http in [Http::H2, Http::H3] {
            // Below the limit of 100 concurrent streams, so that none waits for another.
            let requested = requested(&loaded(&spec(cc, page_load(http, page(60, 3_000)))));
            assert_eq!(requested, (1..=60).collect::<Vec<_>>(), "{http:?}");
        }
    }
}

#[test]
fn http1_gives_its_turns_in_document_order() {
    for cc in available_cc() {
        for http in [Http::H1, Http::H1s] {
            // Six turns are out at a time, so that at most five objects are overtaken by any other.
            let requested = requested(&loaded(&spec(cc, page_load(http, page(40, 3_000)))));
            for (rank, number) in requested.iter().enumerate() {
                assert!(*number <= rank + 6, "{http:?}: object {number} was request {rank}: {requested:?}");
            }
        }
    }
}

#[test]
fn one_http1_connection_asks_strictly_in_document_order() {
    for cc in available_cc() {
        let mut spec = spec(cc, page_load(Http::H1, page(40, 3_000)));
        let bentpipe_run::Workload::PageLoad(load) = &mut spec.workload else { unreachable!() };
        load.connections = 1;
        let record = loaded(&spec);
        assert_eq!(record.client_connections.len(), 1);
        assert_eq!(requested(&record), (1..=40).collect::<Vec<_>>());
    }
}

#[test]
fn a_page_of_650_objects_loads_over_every_protocol() {
    // caviglione2014 has 642 objects: more than the 100 streams that may be open at once.
    for cc in available_cc().into_iter().take(1) {
        for http in ALL_HTTP {
            let record = loaded(&spec(cc, page_load(http, page(650, 1_000))));
            assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{http:?}");
            assert_eq!(record.objects.len(), 651, "{http:?}");
            // Below the limit of streams every request leaves in its turn.
            for (rank, number) in requested(&record).iter().take(90).enumerate() {
                assert!(*number <= rank + 6, "{http:?}: object {number} was request {rank}");
            }
        }
    }
}

#[test]
fn headers_weigh_the_same_in_every_load() {
    for cc in available_cc().into_iter().take(1) {
        for http in ALL_HTTP {
            let spec = spec(cc, page_load(http, page(3, 5_000)));
            let weights = |record: RunRecord| -> Vec<(u64, u64)> {
                let mut objects = record.objects;
                objects.sort_by(|a, b| a.url.cmp(&b.url));
                objects.iter().map(|o| (o.request_header_bytes, o.response_header_bytes)).collect()
            };
            let first = weights(loaded(&spec));
            assert!(first.iter().all(|(request, response)| *request > 200 && *response > 50), "{first:?}");
            assert_eq!(weights(loaded(&spec)), first, "{http:?}");
        }
    }
}
