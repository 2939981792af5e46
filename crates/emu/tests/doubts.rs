//! Negative controls: what a client must not take for a good load, or for a load at all.
#![allow(clippy::disallowed_methods)] // the IO boundary of clippy.toml lies in this crate

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use crate::common;
use crate::common::{
    ALL_HTTP, PORTS, Site, address, available_cc, client, load, page_load, record, run, spec, transfer,
};
use bentpipe_emu::KernelNet;
use bentpipe_http::tls::{Identity, KeyKind};
use bentpipe_net::Net;
use bentpipe_run::{
    Algorithm, BulkSpec, ClientReport, Direction, Dscp, Http, OriginReport, PageSpec, Reason, RunSpec,
    Status, Transport, Workload,
};
use bentpipe_units::{Bytes, Duration};
use bentpipe_web::page;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

fn cc() -> Algorithm {
    available_cc()[0]
}

fn two_objects() -> PageSpec {
    common::page(2, 5_000)
}

fn authority() -> Vec<u8> {
    Identity::generate(&[bentpipe_web::HOST], KeyKind::Ed25519).unwrap().authority_der
}

/// How an impostor spoils the answer for `/object-2.jpg`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spoiled {
    Nothing,
    OneBit,
    LastByte,
    NotFound,
    BrokenOff,
}

/// A server of HTTP/1.1 that is not ours and serves the page, but for one object.
async fn impostor(at: SocketAddr, page: PageSpec, spoiled: Spoiled) {
    let listener = TcpListener::bind(at).await.unwrap();
    let site = Rc::new(page::Site::of(&page, &page::NoFiles).unwrap());
    tokio::task::spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let site = Rc::clone(&site);
            tokio::task::spawn_local(async move { answer_requests(stream, &site, spoiled).await });
        }
    });
}

async fn answer_requests(mut stream: TcpStream, site: &page::Site, spoiled: Spoiled) -> Option<()> {
    let mut request = Vec::new();
    loop {
        while !request.ends_with(b"\r\n\r\n") {
            request.push(stream.read_u8().await.ok()?);
        }
        let path = String::from_utf8(std::mem::take(&mut request)).ok()?.split(' ').nth(1)?.to_owned();
        let mut body = site.get(&path)?.body.to_vec();
        let (mut status, mut length) = ("200 OK", body.len());
        if path == "/object-2.jpg" {
            match spoiled {
                Spoiled::Nothing => {}
                Spoiled::OneBit => body[4_000] ^= 1,
                Spoiled::LastByte => {
                    body.pop();
                    length = body.len();
                }
                Spoiled::NotFound => status = "404 Not Found",
                Spoiled::BrokenOff => body.truncate(100),
            }
        } else {
            length = body.len();
        }
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.ok()?;
        stream.write_all(&body).await.ok()?;
        if body.len() < length {
            return None;
        }
    }
}

/// The path of the second object.
fn second() -> String {
    "/object-2.jpg".to_owned()
}

fn wrong_length(expected_bytes: u64, found_bytes: u64) -> Reason {
    let [expected_bytes, found_bytes] = [expected_bytes, found_bytes].map(Bytes::new);
    Reason::WrongLength { object: second(), expected_bytes, found_bytes }
}

fn loaded_from_impostor(spoiled: Spoiled) -> (Status, Vec<Reason>) {
    let spec = spec(cc(), page_load(Http::H1, two_objects()));
    let report = run(async {
        let origin = address();
        impostor(SocketAddr::new(origin, PORTS.http), two_objects(), spoiled).await;
        load(client(&spec, origin, authority())).await
    });
    let record = record(&spec, report, OriginReport::default());
    (record.status, record.reasons)
}

#[test]
fn a_foreign_server_of_the_right_bytes_is_as_good_as_ours() {
    // The control of the tests below: nothing else about the impostor is amiss.
    assert_eq!(loaded_from_impostor(Spoiled::Nothing), (Status::Succeeded, Vec::new()));
}

#[test]
fn an_object_with_one_wrong_bit_makes_the_run_invalid_and_is_named() {
    let reasons = vec![Reason::WrongContent { object: second() }];
    assert_eq!(loaded_from_impostor(Spoiled::OneBit), (Status::Invalid, reasons));
}

#[test]
fn an_object_that_is_short_makes_the_run_invalid_and_is_named() {
    let reasons = vec![wrong_length(5_000, 4_999)];
    assert_eq!(loaded_from_impostor(Spoiled::LastByte), (Status::Invalid, reasons));
}

#[test]
fn an_object_that_is_not_found_makes_the_run_invalid_and_is_named() {
    let reasons = vec![Reason::WrongStatus { object: second(), expected_status: 200, found_status: 404 }];
    assert_eq!(loaded_from_impostor(Spoiled::NotFound), (Status::Invalid, reasons));
}

#[test]
fn an_object_that_breaks_off_fails_the_run_and_is_named() {
    let (status, reasons) = loaded_from_impostor(Spoiled::BrokenOff);
    assert_eq!(status, Status::Failed);
    let error = "HTTP/1: connection closed before the end of the message".to_owned();
    assert_eq!(reasons[0], Reason::FetchFailed { object: second(), error });
}

/// What becomes of a load of `asked` from an origin that serves `served`.
fn loaded_from(served: PageSpec, asked: PageSpec, http: Http) -> (Status, Vec<Reason>) {
    let [served, asked] = [served, asked].map(|page| spec(cc(), page_load(http, page)));
    run(async {
        let site = Site::start(&served);
        let report = load(site.client(&asked)).await;
        let record = record(&asked, report, site.origin.report());
        (record.status, record.reasons)
    })
}

#[test]
fn an_origin_that_serves_another_object_is_noticed_over_every_protocol() {
    for http in ALL_HTTP {
        let mut other = two_objects();
        other.objects[1].bytes = Bytes::new(5_001);
        let reasons = vec![wrong_length(5_000, 5_001)];
        assert_eq!(loaded_from(other, two_objects(), http), (Status::Invalid, reasons), "{http:?}");
    }
}

#[test]
fn an_object_that_the_document_does_not_name_is_missed_over_every_protocol() {
    for http in ALL_HTTP {
        let mut fewer = two_objects();
        fewer.objects.pop();
        let (status, reasons) = loaded_from(fewer, two_objects(), http);
        assert_eq!(status, Status::Invalid, "{http:?}");
        assert!(reasons.contains(&Reason::ObjectMissing { object: second() }), "{http:?}: {reasons:?}");
    }
}

#[test]
fn an_object_that_the_document_names_unasked_is_noticed_over_every_protocol() {
    for http in ALL_HTTP {
        let (status, reasons) = loaded_from(common::page(3, 5_000), two_objects(), http);
        assert_eq!(status, Status::Invalid, "{http:?}");
        let unknown = Reason::ObjectUnknown { object: "/object-3.jpg".to_owned() };
        assert!(reasons.contains(&unknown), "{http:?}: {reasons:?}");
    }
}

const PATIENCE: Duration = Duration::from_millis(300);

fn timed_out(loaded_objects: Option<u64>) -> Reason {
    Reason::TimedOut { timeout_ns: PATIENCE, loaded_objects }
}

fn impatient(workload: Workload) -> RunSpec {
    let mut spec = spec(cc(), workload);
    spec.validity.timeout_ns = PATIENCE;
    spec
}

/// Sockets that let connections in and never say a word.
async fn silence(at: IpAddr) -> impl Sized {
    let mut listeners = Vec::new();
    for port in [PORTS.http, PORTS.https, PORTS.bulk] {
        listeners.push(TcpListener::bind((at, port)).await.unwrap());
    }
    let quic = KernelNet::default().datagrams(SocketAddr::new(at, PORTS.https), Dscp::DEFAULT).unwrap();
    let bulk = KernelNet::default().datagrams(SocketAddr::new(at, PORTS.bulk), Dscp::DEFAULT).unwrap();
    (listeners, quic, bulk)
}

#[test]
fn an_origin_that_never_answers_is_a_timeout_over_every_protocol() {
    for http in ALL_HTTP {
        let spec = impatient(page_load(http, two_objects()));
        let report = run(async {
            let origin = address();
            let _silence = silence(origin).await;
            load(client(&spec, origin, authority())).await
        });
        assert_eq!(report.faults, [timed_out(Some(0))], "{http:?}");
    }
}

fn flows() -> [Workload; 4] {
    let kinds = [
        (Transport::Tcp, Direction::Down),
        (Transport::Tcp, Direction::Up),
        (Transport::Quic, Direction::Down),
        (Transport::Quic, Direction::Up),
    ];
    kinds.map(|(transport, direction)| {
        // More than the socket buffers of a silent peer hold.
        let bytes = Some(Bytes::new(100_000_000));
        Workload::Bulk(BulkSpec { transport, direction, bytes, duration_ns: None })
    })
}

#[test]
fn a_receiver_or_sender_that_never_answers_is_a_timeout_of_the_flow() {
    for flow in flows() {
        let spec = impatient(flow);
        let report = run(async {
            let origin = address();
            let _silence = silence(origin).await;
            transfer(client(&spec, origin, authority())).await
        });
        assert_eq!(report.faults, [timed_out(None)], "{:?}", spec.workload);
        assert_eq!(report.transfers, []);
    }
}

/// What a client reports of a host where nobody listens.
fn refused(workload: Workload) -> ClientReport {
    let spec = impatient(workload);
    run(async {
        let client = client(&spec, address(), authority());
        match &spec.workload {
            Workload::PageLoad(_) => load(client).await,
            _ => transfer(client).await,
        }
    })
}

#[test]
fn a_refused_connection_is_a_fault_of_the_document() {
    for http in [Http::H1, Http::H1s, Http::H2] {
        let faults = refused(page_load(http, two_objects())).faults;
        assert_eq!(faults.len(), 1, "{faults:?}");
        let is_refused = |error: &str| error.starts_with("connect: Connection refused");
        assert!(
            matches!(&faults[0], Reason::FetchFailed { object, error } if object == "/" && is_refused(error)),
            "{http:?}: {faults:?}"
        );
    }
}

#[test]
fn a_refused_flow_is_a_fault() {
    for flow in flows() {
        let faults = refused(flow.clone()).faults;
        assert_eq!(faults.len(), 1, "{flow:?}: {faults:?}");
    }
}

#[test]
fn an_unreachable_quic_origin_is_a_timeout() {
    // QUIC takes no notice of ICMP (RFC 9000 section 14.2.1 only lets it shrink packets).
    let faults = refused(page_load(Http::H3, two_objects())).faults;
    assert_eq!(faults, [timed_out(Some(0))]);
}

#[test]
fn an_origin_of_another_authority_is_refused_over_every_protocol_with_tls() {
    for http in [Http::H1s, Http::H2, Http::H3] {
        let spec = spec(cc(), page_load(http, two_objects()));
        let report = run(async {
            let site = Site::start(&spec);
            load(client(&spec, site.address, authority())).await
        });
        assert_eq!(report.objects, [], "{http:?}");
        let fault = report.faults[0].to_string().to_lowercase();
        assert!(fault.contains("invalid peer certificate"), "{http:?}: {fault}");
    }
}
