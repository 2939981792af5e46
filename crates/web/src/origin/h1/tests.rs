//! Clients that do as they please.

use bentpipe_http::http1::{Piece, Responses};
use bentpipe_net::testing::MemoryNet;
use bentpipe_run::{ObjectSpec, PageSpec};
use bentpipe_units::Bytes as ByteCount;
use tokio::io::{DuplexStream, duplex};

use super::*;
use crate::page::{NoFiles, Site};

const PATIENCE: Duration = Duration::from_secs(120);
const GET: &[u8] = b"GET /object.jpg HTTP/1.1\r\nhost: x\r\n\r\n";
const OBJECT_BYTES: usize = 1000;

fn site() -> Served {
    let object = ObjectSpec::new("/object.jpg", ByteCount::new(OBJECT_BYTES as u64));
    let site = Site::of(&PageSpec::new("page", [object]), &NoFiles).unwrap();
    Served::new(&std::sync::Arc::new(site), 0, None)
}

/// What comes back until the origin closes, and when it does, from a client that does `work` with its end.
fn answered<F: Future<Output = DuplexStream> + 'static>(
    requests: Option<u32>,
    work: impl FnOnce(MemoryNet, DuplexStream) -> F + 'static,
) -> (Vec<u8>, Time) {
    MemoryNet::run(async move |net| {
        let (near, far) = duplex(1 << 20);
        let host = net.clone();
        net.spawn(async move {
            let _ = Conversation::new(&host, far, Terms { requests, patience: PATIENCE }).run(&site()).await;
        });
        let mut stream = work(net.clone(), near).await;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        (bytes, net.now())
    })
}

/// As [`answered`], from a client that sends `bytes`.
fn answers(requests: Option<u32>, bytes: &[u8]) -> Vec<(u16, usize, bool)> {
    let sent = bytes.to_vec();
    let (bytes, _) = answered(requests, async move |_, mut stream| {
        stream.write_all(&sent).await.unwrap();
        stream
    });
    statuses(&bytes)
}

/// Status, length of the body, and whether it says that it is the last, of each response.
fn statuses(bytes: &[u8]) -> Vec<(u16, usize, bool)> {
    let (mut responses, mut buffer, mut found) = (Responses::default(), BytesMut::from(bytes), Vec::new());
    while let Some(piece) = responses.next(&mut buffer).unwrap() {
        match piece {
            Piece::Head(head) => found.push((head.status.as_u16(), 0, head.is_last)),
            Piece::Data(data) => found.last_mut().unwrap().1 += data.len(),
            Piece::End => {}
        }
    }
    assert!(responses.is_between(&buffer));
    found
}

#[test]
fn pipelined_requests_are_answered_in_order_and_the_last_says_so() {
    let mut bytes = GET.repeat(3);
    bytes.extend_from_slice(b"GET /none HTTP/1.1\r\nhost: x\r\n\r\n");
    bytes.extend_from_slice(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let found = answers(None, &bytes);
    let codes: Vec<u16> = found.iter().map(|(status, ..)| *status).collect();
    assert_eq!(codes, [200, 200, 200, 404, 200]);
    let last: Vec<bool> = found.iter().map(|(.., is_last)| *is_last).collect();
    assert_eq!(last, [false, false, false, false, true]);
}

#[test]
fn a_connection_ends_with_its_limit_whatever_the_client_sends_besides() {
    let found = answers(Some(2), &GET.repeat(5));
    assert_eq!(found, [(200, OBJECT_BYTES, false), (200, OBJECT_BYTES, true)]);
}

#[test]
fn a_request_of_http_1_0_is_answered_in_its_version_and_the_connection_closed() {
    let (bytes, _) = answered(None, async |_, mut stream| {
        stream.write_all(b"GET /object.jpg HTTP/1.0\r\nconnection: keep-alive\r\n\r\n").await.unwrap();
        stream
    });
    assert!(bytes.starts_with(b"HTTP/1.0 200 OK\r\n"));
    assert_eq!(statuses(&bytes), [(200, OBJECT_BYTES, true)]);
}

#[test]
fn what_is_no_request_is_refused_and_ends_the_connection() {
    // RFC 9112 sections 2.2 and 3.2; RFC 9110 section 15.6.6; RFC 6585 section 5.
    let long = format!("GET / HTTP/1.1\r\nhost: x\r\na: {}\r\n\r\n", "x".repeat(70_000));
    let many = format!("GET / HTTP/1.1\r\nhost: x\r\n{}\r\n", "a: b\r\n".repeat(101));
    for (bytes, status) in [
        (&b"\x16\x03\x01\n\n"[..], 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        (long.as_bytes(), 431),
        (many.as_bytes(), 431),
        (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc", 405),
    ] {
        let found: Vec<_> =
            answers(None, bytes).iter().map(|(status, _, is_last)| (*status, *is_last)).collect();
        assert_eq!(found, [(status, true)], "{}", String::from_utf8_lossy(&bytes[..bytes.len().min(60)]));
    }
}

#[test]
fn a_header_has_no_body() {
    let (bytes, _) = answered(None, async |_, mut stream| {
        let head = b"HEAD /object.jpg HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        stream.write_all(head).await.unwrap();
        stream
    });
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains(&format!("content-length: {OBJECT_BYTES}\r\n")) && text.ends_with("\r\n\r\n"));
}

#[test]
fn a_client_that_sends_a_byte_now_and_then_is_left_when_the_patience_ends() {
    for (sends, bytes) in [(1, &b""[..]), (1000, b"x")] {
        let (answer, at) = answered(None, async move |net: MemoryNet, mut stream: DuplexStream| {
            stream.write_all(GET).await.unwrap();
            let mut first = [0; 17];
            stream.read_exact(&mut first).await.unwrap();
            for _ in 0..sends {
                net.sleep(Duration::from_secs(1)).await;
                if stream.write_all(bytes).await.is_err() {
                    break;
                }
            }
            stream
        });
        assert!(answer.ends_with(&site().resource(0, "/object.jpg").unwrap().body));
        // The clock of the slow one ticks once more before it sees the end.
        assert!((PATIENCE..=PATIENCE + Duration::from_secs(1)).contains(&at.since(Time::ZERO)), "{at:?}");
    }
}

#[test]
fn a_client_that_takes_no_responses_is_left_too_and_few_are_made_for_it() {
    let (bytes, at) = answered(None, async |net: MemoryNet, mut stream: DuplexStream| {
        let mut sent = 0;
        while within(&net, PATIENCE * 2, stream.write_all(GET)).await.is_some_and(|sent| sent.is_ok()) {
            sent += 1;
        }
        assert!(sent * OBJECT_BYTES > 10 << 20, "many more than are answered");
        stream
    });
    assert_eq!(at.since(Time::ZERO), PATIENCE);
    // As many as the stream holds.
    assert_eq!(bytes.len(), 1 << 20);
}
