//! What a fuzzer calls with octets that may be anything: `crates/fuzz`. Each panics when a promise is broken.

use bentpipe_run::{Http, PageSpec};
use bytes::BytesMut;

use crate::HOST;
use crate::hosts::Hosts;
use crate::http1::{MAX_FIELDS, Malformed, Piece, Requests, Responses};
use crate::loader::{Discovery, url};
use crate::page::{INDEX, Place};

mod spdy;

pub use spdy::spdy;

/// The client's reader of HTTP/1 gives the same responses in whatever pieces their octets come, and makes none up.
pub fn http1_response(input: &[u8]) {
    let (octets, pieces) = in_pieces(input);
    let whole = responses([octets]);
    assert_eq!(whole, responses(pieces));
    let data: usize = whole.0.iter().map(|(_, body)| body.len()).sum();
    assert!(data <= octets.len());
}

/// The origin's reader of HTTP/1 gives the same requests in whatever pieces their octets come.
pub fn http1_request(input: &[u8]) {
    let (octets, pieces) = in_pieces(input);
    assert_eq!(requests([octets]), requests(pieces));
}

/// The discovery of objects in HTML gives the same paths in whatever pieces the document comes, each of which can be
/// requested.
pub fn html_discovery(input: &[u8]) {
    let (octets, pieces) = in_pieces(input);
    let whole = paths([octets]);
    assert_eq!(whole, paths(pieces));
    for path in whole {
        assert!(url(Http::H3, HOST, &path).parse::<http::Uri>().is_ok(), "{path}");
    }
}

/// The octets after the first, and the same in pieces whose length the first says.
fn in_pieces(input: &[u8]) -> (&[u8], std::slice::Chunks<'_, u8>) {
    let (length, octets) =
        input.split_first().map_or((0, input), |(first, rest)| (usize::from(*first), rest));
    (octets, octets.chunks(length + 1))
}

/// Status and body of each response begun, and how it ended.
type Outcome = (Vec<(u16, Vec<u8>)>, Result<(), Malformed>);

fn responses<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let (mut responses, mut buffer, mut begun) = (Responses::default(), BytesMut::new(), Vec::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match responses.next(&mut buffer) {
                Ok(Some(Piece::Head(head))) => {
                    assert!(head.fields.len() <= MAX_FIELDS);
                    begun.push((head.status.as_u16(), Vec::new()));
                }
                Ok(Some(Piece::Data(data))) => {
                    begun.last_mut().expect("a head before data").1.extend_from_slice(&data);
                }
                Ok(Some(Piece::End)) => {}
                Ok(None) => break,
                Err(error) => return (begun, Err(error)),
            }
        }
    }
    let ended = if responses.is_between(&buffer) { Ok(()) } else { responses.close().map(|_| ()) };
    (begun, ended)
}

/// The targets of the requests, and why there is none after them.
fn requests<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<String>, Option<Malformed>) {
    let (mut requests, mut buffer, mut targets) = (Requests::default(), BytesMut::new(), Vec::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match requests.next(&mut buffer) {
                Ok(Some(request)) => {
                    assert!(request.fields.len() <= MAX_FIELDS);
                    targets.push(request.target.to_string());
                }
                Ok(None) => break,
                Err(error) => return (targets, Some(error)),
            }
        }
    }
    (targets, None)
}

fn paths<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let hosts = Hosts::of_page(&PageSpec::new("page", []));
    let mut discovery = Discovery::new(&hosts, &Place::own(INDEX));
    let mut found: Vec<_> = pieces.into_iter().flat_map(|piece| discovery.feed(piece)).collect();
    found.extend(discovery.finish());
    found.into_iter().map(|named| named.place.path).collect()
}
