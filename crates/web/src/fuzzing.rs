//! What a fuzzer calls with bytes that may be anything: `crates/fuzz`. Each panics when a promise is broken.

use bentpipe_http::fuzzing::in_pieces;
use bentpipe_run::{Http, PageSpec};

use crate::hosts::Hosts;
use crate::loader::{Discovery, url};
use crate::page::{INDEX, Place};
use crate::{HOST, dns};

/// The discovery of objects in HTML gives the same paths in whatever pieces the document comes, each of which can be
/// requested.
pub fn html_discovery(input: &[u8]) {
    let (bytes, pieces) = in_pieces(input);
    let whole = paths([bytes]);
    assert_eq!(whole, paths(pieces));
    for path in whole {
        assert!(url(Http::H3, HOST, &path).parse::<http::Uri>().is_ok(), "{path}");
    }
}

/// What a resolver may send is an answer to the question, none, or bad news; what a client may send it is answered with
/// what that client can read, or not at all.
pub fn dns(input: &[u8]) {
    dns::fuzz(input);
}

fn paths<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let hosts = Hosts::of_page(&PageSpec::new("page", []));
    let mut discovery = Discovery::new(&hosts, &Place::own(INDEX));
    let mut found: Vec<_> = pieces.into_iter().flat_map(|piece| discovery.feed(piece)).collect();
    found.extend(discovery.finish());
    found.into_iter().map(|named| named.place.path).collect()
}
