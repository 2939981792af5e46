//! Loads over HTTP/1 from origins that do as they please.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;

use bentpipe_http::http1::{RequestHead, Requests, encode_response};
use bentpipe_net::testing::{ADDRESS, MemoryNet, MemoryStream};
use bentpipe_net::{Listener, Net};
use bentpipe_run::{Algorithm, ClientReport, Dscp, Http, ObjectSpec, PageLoadSpec, PageSpec, Reason};
use bentpipe_units::Bytes as ByteCount;
use bentpipe_web::page::{NoFiles, Site};
use bentpipe_web::{Ports, loader};
use bytes::BytesMut;
use http::{HeaderValue, Method, Response, header};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::common::{client, page_load};

/// An origin's manners.
#[derive(Clone, Copy, Debug)]
enum Manners {
    /// It closes each connection after so many responses, and says nothing of it.
    ClosesAfter(usize),
    /// It closes the first connection in the middle of so many-th response.
    CutsShort(usize),
    /// It says of each connection's so many-th response that it is the last.
    SaysLast(usize),
    /// It sends, after each connection's so many-th response, what nobody asked for.
    Babbles(usize),
}

fn page(objects: usize) -> PageSpec {
    let object = |n| ObjectSpec::new(format!("/object-{n}.jpg"), ByteCount::new(1000));
    PageSpec::new("page", (1..=objects).map(object))
}

/// Loads a page, and returns what the client saw and the paths asked for on each connection.
fn loaded(load_spec: PageLoadSpec, manners: Manners) -> (ClientReport, Vec<Vec<String>>) {
    MemoryNet::run(async move |net| {
        let at = SocketAddr::new(ADDRESS, Ports::STANDARD.http);
        let mut listener = net.listen(at, Algorithm::Reno, Dscp::DEFAULT).unwrap();
        let asked = Rc::new(RefCell::new(Vec::new()));
        let site = Rc::new(Site::of(&load_spec.page, &NoFiles).unwrap());
        let (host, seen) = (net.clone(), Rc::clone(&asked));
        net.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let connection = seen.borrow().len();
                seen.borrow_mut().push(Vec::new());
                host.spawn(serve(stream, Rc::clone(&site), manners, connection, Rc::clone(&seen)));
            }
        });
        let (spec, identity) = page_load(load_spec.http);
        let report = loader::load(&net, client(&spec, &identity), load_spec).await;
        let asked = asked.borrow().clone();
        (report, asked)
    })
}

async fn serve(
    mut stream: MemoryStream,
    site: Rc<Site>,
    manners: Manners,
    connection: usize,
    seen: Rc<RefCell<Vec<Vec<String>>>>,
) {
    let (mut requests, mut buffer, mut answered) = (Requests::default(), BytesMut::new(), 0);
    loop {
        while let Some(request) = requests.next(&mut buffer).unwrap() {
            seen.borrow_mut()[connection].push(request.target.path().to_owned());
            answered += 1;
            let mut bytes = Vec::new();
            let is_last = matches!(manners, Manners::SaysLast(most) if answered == most);
            encode_response(&response(&site, &request, is_last), &mut bytes);
            if matches!(manners, Manners::CutsShort(at) if answered == at && connection == 0) {
                bytes.truncate(bytes.len() / 2);
            }
            if matches!(manners, Manners::Babbles(after) if answered == after) {
                bytes.extend_from_slice(b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n");
            }
            // The client may have left.
            let _ = stream.write_all(&bytes).await;
            let closes = match manners {
                Manners::ClosesAfter(most) | Manners::SaysLast(most) => answered == most,
                Manners::CutsShort(at) => answered == at && connection == 0,
                Manners::Babbles(_) => false,
            };
            if closes {
                return;
            }
        }
        if stream.read_buf(&mut buffer).await.unwrap_or(0) == 0 {
            return;
        }
    }
}

fn response(site: &Site, request: &RequestHead, is_last: bool) -> Response<bytes::Bytes> {
    assert_eq!(request.method, Method::GET);
    let body = site.get(request.target.path()).unwrap().body.clone();
    let mut response = Response::new(body);
    let length = HeaderValue::from(response.body().len());
    response.headers_mut().insert(header::CONTENT_LENGTH, length);
    if is_last {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn h1(connections: u32, pipelining: u32, objects: usize) -> PageLoadSpec {
    PageLoadSpec { pipelining: Some(pipelining), ..PageLoadSpec::new(Http::H1, connections, page(objects)) }
}

fn assert_whole(report: &ClientReport, objects: usize) {
    assert_eq!(report.faults, []);
    assert_eq!(report.doubts, []);
    assert_eq!(report.objects.len(), objects + 1);
}

#[test]
fn what_a_closing_origin_has_not_answered_is_asked_again_on_another_connection() {
    for manners in [Manners::ClosesAfter(3), Manners::SaysLast(3)] {
        for (connections, pipelining) in [(1, 1), (1, 8), (3, 1), (3, 8)] {
            let (report, asked) = loaded(h1(connections, pipelining, 20), manners);
            assert_whole(&report, 20);
            // 21 responses, three from each connection.
            assert!(asked.len() >= 7, "{manners:?}: {asked:?}");
            assert_eq!(asked.len(), report.connections.len());
        }
    }
}

#[test]
fn requests_that_are_asked_again_keep_their_order() {
    let (report, asked) = loaded(h1(1, 4, 9), Manners::ClosesAfter(2));
    assert_whole(&report, 9);
    let expected: Vec<String> =
        ["/".to_owned()].into_iter().chain((1..=9).map(|n| format!("/object-{n}.jpg"))).collect();
    assert_eq!(asked.concat(), expected);
    assert_eq!(asked.len(), 5);
}

#[test]
fn a_response_that_has_started_is_not_asked_for_again() {
    let (report, _) = loaded(h1(1, 4, 5), Manners::CutsShort(3));
    let error = "HTTP/1: connection closed before the end of the message".to_owned();
    assert_eq!(report.faults, [Reason::FetchFailed { object: "/object-2.jpg".to_owned(), error }]);
    assert_eq!(report.objects.len(), 5);
}

#[test]
fn an_origin_that_never_answers_is_not_asked_for_ever() {
    let (report, asked) = loaded(h1(2, 4, 5), Manners::CutsShort(1));
    assert_eq!(report.objects.len() + report.faults.len(), 1);
    assert_eq!(asked.len(), 1);
}

#[test]
fn an_idle_connection_on_which_something_came_unasked_is_not_used_again() {
    let (report, asked) = loaded(h1(1, 1, 3), Manners::Babbles(2));
    assert_whole(&report, 3);
    assert_eq!(asked, [vec!["/", "/object-1.jpg"], vec!["/object-2.jpg", "/object-3.jpg"]]);
}

#[test]
fn http_1_0_asks_once_on_each_connection() {
    let (report, asked) = loaded(PageLoadSpec::new(Http::Http10, 4, page(9)), Manners::ClosesAfter(1));
    assert_whole(&report, 9);
    assert!(asked.iter().all(|paths| paths.len() == 1));
    assert_eq!(asked.len(), 10);
}
