//! HTTP/2 clients that are broken or mean harm, against the origin: each ends with an error and costs bounded memory, and
//! who else is connected notices nothing. What to send follows h2spec and the advisories named.

use bentpipe_net::testing::{MemoryNet, STREAM_BUFFER};
use bentpipe_run::Http;

use crate::common::frames::{
    ACK, COMPRESSION_ERROR, CONTINUATION, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, End,
    FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, GET, GOAWAY, HEADERS, PADDED, PING, POST, PRIORITY, PROTOCOL_ERROR,
    PUSH_PROMISE, Peer, REFUSED_STREAM, RST_STREAM, SETTINGS, STREAM_CLOSED, WHOLE, WINDOW_UPDATE, frame,
    hello, literal, setting, string,
};
use crate::common::{page_load, peak_of, start_origin};

use crate::common::frames::Answer;

/// The origin's clear-text port.
const HTTP: u16 = 80;
/// More than any of these attacks may make the origin hold, and far less than each of them sends or asks for: the page
/// (100 kB), two connections with their buffers and the answers to 1024 streams.
const MOST_MEMORY: usize = 8 << 20;

/// What the origin answers to `bytes` behind the preface, with a bystander connected before and served after.
fn attacked(bytes: Vec<u8>) -> Answer {
    let bytes = [hello(), bytes].concat();
    with_origin(async move |mut peer| peer.exchange(&bytes).await)
}

fn with_origin<T: 'static>(attack: impl AsyncFnOnce(Peer) -> T + 'static) -> T {
    let (result, peak) = peak_of(|| {
        MemoryNet::run(|net| async move {
            let (spec, identity) = page_load(Http::H2c);
            let origin = start_origin(&net, &spec, &identity);
            let mut bystander = Peer::new(&net, net.open(HTTP).await);
            let greeted = bystander.exchange(&hello()).await;
            assert_eq!(greeted.end, End::Quiet);
            let attacker = Peer::new(&net, net.open(HTTP).await);
            let result = attack(attacker).await;
            let answer = bystander.exchange(&frame(HEADERS, WHOLE, 1, GET)).await;
            assert!(answer.is_success(1), "the bystander was not served: {:?}", answer.end);
            assert_eq!(origin.report().faults, []);
            result
        })
    });
    assert!(peak < MOST_MEMORY, "{peak} bytes");
    result
}

fn request(stream: u32) -> Vec<u8> {
    frame(HEADERS, WHOLE, stream, GET)
}

/// A request with one more field than it should have.
fn request_with(field: &[u8]) -> Vec<u8> {
    frame(HEADERS, WHOLE, 1, &[GET, field].concat())
}

/// Asserts that each of the attacks ends the connection with its error.
fn assert_connection_errors(attacks: Vec<(&str, Vec<u8>, u32)>) {
    let found = attacks.into_iter().map(|(name, bytes, expected)| {
        let answer = attacked(bytes);
        (name, (answer.connection_error(), answer.end), (Some(expected), End::Closed))
    });
    let others: Vec<_> = found.filter(|(_, found, expected)| found != expected).collect();
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn a_request_by_hand_is_answered() {
    let answer = attacked(request(1));
    assert!(answer.is_success(1));
    assert_eq!((answer.connection_error(), answer.end), (None, End::Quiet));
}

#[test]
fn malformed_frames_end_the_connection_with_the_error_of_the_rfc() {
    assert_connection_errors(vec![
        // RFC 9113 section 6.1
        ("DATA on no stream", frame(DATA, 0, 0, &[0]), PROTOCOL_ERROR),
        ("DATA on an idle stream", frame(DATA, END_STREAM, 1, &[0]), PROTOCOL_ERROR),
        // Section 6.2
        ("HEADERS on no stream", frame(HEADERS, WHOLE, 0, GET), PROTOCOL_ERROR),
        ("padding longer than HEADERS", frame(HEADERS, WHOLE | PADDED, 1, &[200, 0x82]), PROTOCOL_ERROR),
        // Section 5.1.1
        ("HEADERS on an even stream", frame(HEADERS, WHOLE, 2, GET), PROTOCOL_ERROR),
        ("HEADERS on an earlier stream", [request(5), request(3)].concat(), PROTOCOL_ERROR),
        // Section 4.2
        ("a frame above the largest", frame(DATA, 0, 1, &[0; 16_385]), FRAME_SIZE_ERROR),
        // Section 6.4
        ("RST_STREAM on an idle stream", frame(RST_STREAM, 0, 1, &[0; 4]), PROTOCOL_ERROR),
        // Section 6.5
        ("SETTINGS on a stream", frame(SETTINGS, 0, 1, &[]), PROTOCOL_ERROR),
        ("frames below 16,384 bytes", setting(5, 16_383), PROTOCOL_ERROR),
        ("push neither on nor off", setting(2, 2), PROTOCOL_ERROR),
        // Section 6.6: a client cannot push.
        (
            "PUSH_PROMISE",
            [request(1), frame(PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2])].concat(),
            PROTOCOL_ERROR,
        ),
        // Section 6.7
        ("PING on a stream", frame(PING, 0, 1, &[0; 8]), PROTOCOL_ERROR),
        // Section 6.8
        ("GOAWAY on a stream", frame(GOAWAY, 0, 1, &[0; 8]), PROTOCOL_ERROR),
        // Section 6.9
        ("WINDOW_UPDATE of nothing", frame(WINDOW_UPDATE, 0, 0, &[0; 4]), PROTOCOL_ERROR),
        (
            "WINDOW_UPDATE beyond 2^31 - 1",
            frame(WINDOW_UPDATE, 0, 0, &[0x7F, 0xFF, 0xFF, 0xFF]),
            FLOW_CONTROL_ERROR,
        ),
        ("WINDOW_UPDATE on an idle stream", frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]), PROTOCOL_ERROR),
        // Section 6.10
        ("CONTINUATION of nothing", frame(CONTINUATION, END_HEADERS, 1, GET), PROTOCOL_ERROR),
        (
            "a frame amid a header block",
            [frame(HEADERS, END_STREAM, 1, GET), frame(PING, 0, 0, &[0; 8])].concat(),
            PROTOCOL_ERROR,
        ),
        (
            "a header block that goes on elsewhere",
            [frame(HEADERS, END_STREAM, 1, GET), frame(CONTINUATION, END_HEADERS, 3, &[])].concat(),
            PROTOCOL_ERROR,
        ),
    ]);
}

#[test]
fn some_frames_end_the_connection_with_a_broader_error_than_that_of_the_rfc() {
    // RFC 9113 sections 6.4, 6.5, 6.5.2, 6.7 and 6.9 say FRAME_SIZE_ERROR, and of the window FLOW_CONTROL_ERROR; the library
    // says PROTOCOL_ERROR to all of them.
    assert_connection_errors(vec![
        ("RST_STREAM of 3 bytes", [request(1), frame(RST_STREAM, 0, 1, &[0; 3])].concat(), PROTOCOL_ERROR),
        ("SETTINGS of 5 bytes", frame(SETTINGS, 0, 0, &[0; 5]), PROTOCOL_ERROR),
        ("SETTINGS that acknowledge and set", frame(SETTINGS, ACK, 0, &[0; 6]), PROTOCOL_ERROR),
        ("a window above 2^31 - 1", setting(4, 1 << 31), PROTOCOL_ERROR),
        ("PING of 7 bytes", frame(PING, 0, 0, &[0; 7]), PROTOCOL_ERROR),
        ("WINDOW_UPDATE of 3 bytes", frame(WINDOW_UPDATE, 0, 0, &[0; 3]), PROTOCOL_ERROR),
    ]);
}

#[test]
fn header_blocks_that_cannot_be_decoded_end_the_connection() {
    for (name, field) in [
        // RFC 7541 section 6.1: index 0 is an error; 2.3.3: beyond both tables as well.
        ("index 0", &[0x80][..]),
        ("index 100", &[0xE4]),
        // Section 6.3: a table larger than the setting allows.
        ("a larger table", &[0x3F, 0xE2, 0x1F]),
        // Section 5.1: an integer without an end; 5.2: a string longer than its block, padding of more than 7 bits.
        ("an endless integer", &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
        ("a string cut short", &[0x00, 0x7E, b'a']),
        ("Huffman padding", &[0x00, 0x01, b'a', 0x82, 0xFF, 0xFF]),
    ] {
        let error = attacked(request_with(field)).connection_error();
        // RFC 9113 section 4.3 says COMPRESSION_ERROR; the library says PROTOCOL_ERROR, by which it is no safer.
        assert!(matches!(error, Some(COMPRESSION_ERROR | PROTOCOL_ERROR)), "{name}: {error:?}");
    }
}

#[test]
fn malformed_requests_end_their_stream_and_the_next_one_is_served() {
    for (name, bytes) in [
        // RFC 9113 section 8.2.1, 8.2.2, 8.3, 8.3.1
        ("a name in capitals", request_with(&literal("Accept", "*/*"))),
        ("a field of the connection", request_with(&literal("connection", "close"))),
        ("an unknown pseudo-field", request_with(&literal(":age", "1"))),
        ("no method", frame(HEADERS, WHOLE, 1, &GET[1..])),
        ("a response's field", request_with(&[0x88])),
        ("WINDOW_UPDATE of nothing", [request(1), frame(WINDOW_UPDATE, 0, 1, &[0; 4])].concat()),
        (
            "WINDOW_UPDATE beyond 2^31 - 1",
            [
                setting(4, 0),
                request(1),
                frame(WINDOW_UPDATE, 0, 1, &[0x7F, 0xFF, 0xFF, 0xFF]),
                frame(WINDOW_UPDATE, 0, 1, &[0x7F, 0xFF, 0xFF, 0xFF]),
            ]
            .concat(),
        ),
        ("PRIORITY of 4 bytes", [setting(4, 0), request(1), frame(PRIORITY, 0, 1, &[0; 4])].concat()),
    ] {
        let answer = attacked([bytes, request(3)].concat());
        let error = answer.stream_error(1).or(answer.connection_error());
        assert!(error.is_some_and(|code| code != 0), "{name}: {:?}", answer.frames);
        if answer.connection_error().is_none() {
            assert!(answer.is_success(3), "{name}");
        }
    }
}

#[test]
fn a_request_is_answered_when_its_content_has_come_and_not_before() {
    with_origin(async |mut peer| {
        let before = peer.exchange(&[hello(), frame(HEADERS, END_HEADERS, 1, POST)].concat()).await;
        assert!(before.frames.iter().all(|frame| frame.stream == 0), "{:?}", before.frames);
        let after = peer.exchange(&frame(DATA, END_STREAM, 1, &[0; 10])).await;
        assert_eq!(after.frames.first().map(|frame| (frame.kind, frame.stream)), Some((HEADERS, 1)));
    });
}

#[test]
fn a_request_whose_end_is_malformed_is_an_error_however_late_that_comes() {
    // RFC 9113 sections 8.1.1, 8.1, 5.1 and 6.9.1. Each was answered before its end had come: h2spec over TLS.
    let long = [POST, &literal("content-length", "1")].concat();
    for (name, block, end) in [
        ("more than the content's length", &long, frame(DATA, END_STREAM, 1, &[0; 2])),
        ("fields behind the content that do not end it", &POST.to_vec(), {
            frame(HEADERS, END_HEADERS, 1, &literal("x", "y"))
        }),
        ("DATA of a stream that was reset", &POST.to_vec(), {
            [frame(RST_STREAM, 0, 1, &[0, 0, 0, 8]), frame(DATA, END_STREAM, 1, &[0])].concat()
        }),
        ("a window beyond 2^31 - 1", &POST.to_vec(), {
            frame(WINDOW_UPDATE, 0, 1, &[0x7F, 0xFF, 0xFF, 0xFF]).repeat(2)
        }),
    ] {
        let begun = [hello(), frame(HEADERS, END_HEADERS, 1, block)].concat();
        let answer = with_origin(async move |mut peer| {
            peer.exchange(&begun).await;
            peer.exchange(&end).await
        });
        assert!(answer.error().is_some(), "{name}: {:?}", answer.frames);
        assert!(!answer.frames.iter().any(|frame| frame.kind == HEADERS), "{name}: {:?}", answer.frames);
    }
}

#[test]
fn data_after_the_end_of_a_stream_is_an_error() {
    // RFC 9113 section 5.1, "half-closed (remote)".
    let answer = attacked([setting(4, 0), request(1), frame(DATA, 0, 1, &[0; 10])].concat());
    let error = answer.stream_error(1).or(answer.connection_error());
    // Or PROTOCOL_ERROR, which the library says when the stream's end came with its header.
    assert!(matches!(error, Some(STREAM_CLOSED | PROTOCOL_ERROR)), "{error:?}");
}

#[test]
fn what_is_not_http_at_all_is_given_up() {
    for bytes in [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"\0\0\0\0\r\n\r\n", &[0xFF; 1000]] {
        let bytes = bytes.to_vec();
        with_origin(async move |mut peer| assert_eq!(peer.exchange(&bytes).await.end, End::Closed));
    }
}

#[test]
fn a_header_above_the_limit_is_refused_and_the_next_request_served() {
    // 40 fields of 1000 bytes: 41 kB of the 32 KiB that the origin takes (RFC 9113 section 6.5.2).
    let fields: Vec<u8> = (0..40).flat_map(|n| literal(&format!("x-{n}"), &"a".repeat(1000))).collect();
    let block = [GET, &fields].concat();
    let parts: Vec<&[u8]> = block.chunks(16_000).collect();
    let bytes = [
        frame(HEADERS, END_STREAM, 1, parts[0]),
        frame(CONTINUATION, 0, 1, parts[1]),
        frame(CONTINUATION, END_HEADERS, 1, parts[2]),
        request(3),
    ];
    let answer = attacked(bytes.concat());
    assert!(!answer.is_success(1));
    assert!(answer.is_success(3), "{:?}", answer.connection_error());
}

#[test]
fn a_flood_of_continuations_ends_the_connection() {
    // CVE-2024-27316 and its kin: a header block that never ends.
    let mut bytes = frame(HEADERS, END_STREAM, 1, GET);
    for _ in 0..100_000 {
        bytes.extend(frame(CONTINUATION, 0, 1, &[]));
    }
    assert_eq!(attacked(bytes).connection_error(), Some(ENHANCE_YOUR_CALM));
}

#[test]
fn a_header_of_sixteen_megabytes_ends_the_connection() {
    let field = literal("x", &"a".repeat(16_000));
    let mut bytes = frame(HEADERS, END_STREAM, 1, GET);
    for _ in 0..1000 {
        bytes.extend(frame(CONTINUATION, 0, 1, &field));
    }
    let answer = attacked(bytes);
    assert!(answer.connection_error().is_some_and(|code| code != 0));
    assert_eq!(answer.end, End::Closed);
}

#[test]
fn an_hpack_bomb_takes_no_memory() {
    // A field of 4000 bytes in the table (RFC 7541 section 6.2.1), then an index of one byte for it 16,000 times: 64 MB.
    let mut block = GET.to_vec();
    block.push(0x40);
    block.extend(string(b"x"));
    block.extend(string(&[b'a'; 3900]));
    block.extend([0xBE; 12_000]);
    let answer = attacked([frame(HEADERS, WHOLE, 1, &block), request(3)].concat());
    assert!(!answer.is_success(1));
    let error = answer.connection_error().is_some_and(|code| code != 0);
    assert!(error || answer.is_success(3), "{:?}", answer.frames);
}

#[test]
fn streams_above_the_limit_are_refused_and_too_many_of_them_end_the_connection() {
    // Windows of nothing keep every answer under way; 100 streams are allowed.
    let streams = |number: u32| (0..number).flat_map(|n| request(2 * n + 1)).collect::<Vec<u8>>();
    let few = attacked([setting(4, 0), streams(150)].concat());
    let refused = few.frames.iter().filter(|frame| frame.kind == RST_STREAM);
    assert!(refused.clone().all(|frame| frame.payload == REFUSED_STREAM.to_be_bytes()));
    assert_eq!((refused.count(), few.end), (50, End::Quiet));
    let many = attacked([setting(4, 0), streams(20_000)].concat());
    assert_eq!((many.connection_error(), many.end), (Some(ENHANCE_YOUR_CALM), End::Closed));
}

#[test]
fn a_flood_of_resets_ends_the_connection() {
    // CVE-2023-44487: streams that are gone before they count.
    let pair = |n: u32| [request(2 * n + 1), frame(RST_STREAM, 0, 2 * n + 1, &[0, 0, 0, 8])].concat();
    let bytes: Vec<u8> = (0..20_000).flat_map(pair).collect();
    let answer = attacked(bytes);
    assert_eq!((answer.connection_error(), answer.end), (Some(ENHANCE_YOUR_CALM), End::Closed));
}

#[test]
fn errors_that_make_the_origin_reset_streams_end_the_connection_as_well() {
    // CVE-2025-8671, "MadeYouReset": the origin resets, and the stream no longer counts.
    let pair = |n: u32| [request(2 * n + 1), frame(WINDOW_UPDATE, 0, 2 * n + 1, &[0; 4])].concat();
    let bytes: Vec<u8> = setting(4, 0).into_iter().chain((0..20_000).flat_map(pair)).collect();
    let answer = attacked(bytes);
    assert!(answer.connection_error().is_some_and(|code| code != 0));
    assert_eq!(answer.end, End::Closed);
}

#[test]
fn floods_that_ask_for_answers_stop_with_the_answers_that_nobody_reads() {
    // CVE-2019-9512 (PING), CVE-2019-9515 (SETTINGS): the origin reads no more than it can answer.
    for (name, bytes) in [("PING", frame(PING, 0, 0, &[0; 8])), ("SETTINGS", setting(3, 100))] {
        let taken = with_origin(async move |mut peer| {
            peer.exchange(&hello()).await;
            peer.flood(&bytes.repeat(100), 64 << 20).await
        });
        // The answer to a PING is as long as the PING; the buffers of both directions, and what the origin holds.
        assert!(taken < 8 * STREAM_BUFFER, "{name}: {taken} bytes");
    }
}

#[test]
fn empty_frames_of_data_without_end_end_the_connection() {
    // CVE-2019-9518.
    let bytes = [frame(HEADERS, END_HEADERS, 1, POST), frame(DATA, 0, 1, &[]).repeat(100_000)].concat();
    assert_eq!(attacked(bytes).connection_error(), Some(ENHANCE_YOUR_CALM));
}

#[test]
fn padding_of_no_length_is_allowed_and_padding_alone_counts_against_the_window() {
    // RFC 9113 section 6.1: "The entire DATA frame payload is included in flow control".
    let bytes = [frame(HEADERS, END_HEADERS, 1, POST), frame(DATA, PADDED | END_STREAM, 1, &[0])].concat();
    let answer = attacked(bytes);
    assert_eq!((answer.connection_error(), answer.end), (None, End::Quiet));
    let padding = [[255_u8].as_slice(), &[0; 255]].concat();
    let bytes = [frame(HEADERS, END_HEADERS, 1, POST), frame(DATA, PADDED, 1, &padding).repeat(100_000)];
    let answer = attacked(bytes.concat());
    let error = answer.connection_error().or(answer.stream_error(1));
    assert!(error.is_some(), "25 MB of padding in a window of 6 MB");
}

#[test]
fn a_client_that_takes_no_data_costs_no_copies_of_it() {
    // Windows of nothing, a hundred answers of 100 kB.
    let bytes: Vec<u8> = setting(4, 0).into_iter().chain((0..100).flat_map(|n| request(2 * n + 1))).collect();
    let answer = attacked(bytes);
    assert_eq!((answer.connection_error(), answer.end), (None, End::Quiet));
}
