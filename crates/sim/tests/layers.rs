//! Where the bytes of a page load go, by protocol.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::time::Instant;

use bentpipe_run::{
    BytesByLayer, CapacitySpec, Engine, Http, JitterSpec, LossSpec, ObjectSpec, PageLoadSpec, PageSpec,
    Provenance, RunSpec, Status, Workload, assemble,
};
use bentpipe_sim::{Config, simulate};
use bentpipe_units::{Bytes, Rate};

const OBJECTS: u64 = 20;
const OBJECT_BYTES: u64 = 10_000;
const VERSIONS: [Http; 4] = [Http::H1, Http::H1s, Http::H2, Http::H3];

/// Twenty objects over 10 Mbit/s and 530 ms without losses.
fn layers(http: Http) -> BytesByLayer {
    layers_with(http, None)
}

/// The same with response headers of a size.
fn layers_with(http: Http, response_header: Option<u64>) -> BytesByLayer {
    let mut spec: RunSpec = serde_json::from_str(include_str!("../../run/tests/data/spec.json")).unwrap();
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.capacity = CapacitySpec::Constant { rate_bps: Rate::from_bps(10_000_000) };
        direction.jitter = JitterSpec::None;
        direction.loss = LossSpec::None;
    }
    let object = |n| ObjectSpec::new(format!("/object-{n}.jpg"), Bytes::new(OBJECT_BYTES));
    let page = PageSpec::new("page", (0..OBJECTS).map(object));
    let response_header_bytes = response_header.map(Bytes::new);
    spec.workload =
        Workload::PageLoad(PageLoadSpec { response_header_bytes, ..PageLoadSpec::new(http, 6, page) });
    let reports = simulate(&spec, &Config::new(Instant::now())).unwrap();
    let record = assemble("0".to_owned(), Engine::Simulate, spec, Provenance::default(), reports);
    assert_eq!(record.status, Status::Succeeded, "{:?}", record.reasons);
    let layers = record.bytes_by_layer.unwrap();
    assert_eq!(layers.down.total(), record.metrics.wire_bytes_down, "{http:?}");
    assert_eq!(layers.up.total(), record.metrics.wire_bytes_up, "{http:?}");
    layers
}

#[test]
fn the_layers_of_every_version_add_up_and_hold_the_bodies() {
    for http in VERSIONS {
        let layers = layers(http);
        // The document names each object in a line of some forty bytes.
        let document = layers.down.body_bytes - OBJECTS * OBJECT_BYTES;
        assert!((20 * 30..20 * 60).contains(&document), "{http:?}: {document}");
        assert_eq!(layers.up.body_bytes, 0);
        assert!(layers.up.transport_bytes > 0 && layers.up.ip_bytes > 0);
    }
}

#[test]
fn only_tls_over_tcp_has_a_layer_of_its_own() {
    for http in VERSIONS {
        let layers = layers(http);
        let has_tls = layers.down.tls_bytes > 0 && layers.up.tls_bytes > 0;
        assert_eq!(has_tls, matches!(http, Http::H1s | Http::H2), "{http:?}");
    }
}

#[test]
fn http1_sends_header_fields_as_text_with_a_line_before_them() {
    for http in [Http::H1, Http::H1s] {
        let layers = layers(http);
        // "GET /object-10.jpg HTTP/1.1" and an empty line; "HTTP/1.1 200 OK" and an empty line: with line ends.
        let request_lines: u64 = 18
            + (0..OBJECTS).map(|n| format!("GET /object-{n}.jpg HTTP/1.1\r\n\r\n").len() as u64).sum::<u64>();
        assert_eq!(layers.up.header_bytes, layers.up.uncompressed_header_bytes + request_lines, "{http:?}");
        let status_lines = (1 + OBJECTS) * 19;
        assert_eq!(
            layers.down.header_bytes,
            layers.down.uncompressed_header_bytes + status_lines,
            "{http:?}"
        );
        assert_eq!((layers.up.framing_bytes, layers.down.framing_bytes), (0, 0));
    }
}

#[test]
fn http2_and_http3_compress_header_fields_and_frame_bodies() {
    let hpack = layers(Http::H2);
    let qpack = layers(Http::H3);
    // HPACK's dynamic table leaves a byte or two of a field that was sent before (RFC 7541 section 6.1).
    assert!(hpack.up.header_bytes * 5 < hpack.up.uncompressed_header_bytes, "{:?}", hpack.up);
    // QPACK without a dynamic table sends what is not in the static one again and again, Huffman-coded.
    assert!(qpack.up.header_bytes < qpack.up.uncompressed_header_bytes, "{:?}", qpack.up);
    assert!(hpack.up.header_bytes < qpack.up.header_bytes);
    for layers in [hpack, qpack] {
        assert!(layers.down.framing_bytes > 0 && layers.down.header_bytes > 0);
    }
}

#[test]
fn response_headers_have_the_size_that_the_run_gives_them() {
    for http in [Http::Http10, Http::Http10s, Http::H1, Http::H1s] {
        for size in [200, 291, 1_000] {
            let layers = layers_with(http, Some(size));
            // All of HTTP/1 before the bodies: the document's and twenty objects'.
            assert_eq!(layers.down.header_bytes, (1 + OBJECTS) * size, "{http:?}");
        }
    }
}

#[test]
fn the_same_fields_are_compressed_where_the_protocol_compresses() {
    let about_the_connection = "keep-alive: timeout=5\r\nconnection: Keep-Alive\r\n".len() as u64;
    // "HTTP/1.1 200 OK" and an empty line, with line ends.
    let lines = 19;
    for http in [Http::H2, Http::H2c, Http::H3, Http::Spdy] {
        let layers = layers_with(http, Some(400));
        let as_text = (1 + OBJECTS) * (400 - lines - about_the_connection);
        assert_eq!(layers.down.uncompressed_header_bytes, as_text, "{http:?}");
        assert!(layers.down.header_bytes < as_text, "{http:?} {:?}", layers.down);
    }
}
