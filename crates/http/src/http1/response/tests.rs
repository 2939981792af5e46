//! Responses whole, in pieces and broken.

use proptest::prelude::*;

use super::*;
use crate::http1::{MAX_FIELDS, MAX_HEAD_BYTES};

/// A response as a client has it in the end.
#[derive(Clone, Debug, PartialEq)]
struct Whole {
    status: u16,
    body: Vec<u8>,
    is_last: bool,
}

/// All responses in bytes that come in pieces, and how the connection ends.
fn all(pieces: &[&[u8]]) -> (Vec<Whole>, Result<(), Malformed>) {
    let mut whole = Vec::new();
    let mut open: Option<Whole> = None;
    let mut take = |piece: Piece| match piece {
        Piece::Head(ResponseHead { status, is_last, .. }) => {
            assert_eq!(open, None);
            open = Some(Whole { status: status.as_u16(), body: Vec::new(), is_last });
        }
        Piece::Data(data) => {
            assert!(!data.is_empty());
            open.as_mut().expect("a head before data").body.extend_from_slice(&data);
        }
        Piece::End => whole.push(open.take().expect("a head before an end")),
    };
    let (mut responses, mut buffer) = (Responses::default(), BytesMut::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match responses.next(&mut buffer) {
                Ok(Some(piece)) => take(piece),
                Ok(None) => break,
                Err(error) => return (whole, Err(error)),
            }
        }
    }
    let ended = if responses.is_between(&buffer) { Ok(()) } else { responses.close().map(take) };
    (whole, ended)
}

fn bodies(bytes: &[u8]) -> Vec<String> {
    let (whole, ended) = all(&[bytes]);
    assert_eq!(ended, Ok(()));
    whole.into_iter().map(|response| String::from_utf8(response.body).unwrap()).collect()
}

fn error(bytes: &[u8]) -> Malformed {
    all(&[bytes]).1.unwrap_err()
}

#[test]
fn responses_follow_one_another_on_a_connection() {
    let bytes = b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\none\
        HTTP/1.1 404 Not Found\r\ntransfer-encoding: Chunked\r\n\r\n2;x=y\r\ntw\r\n1\r\no\r\n0\r\na: b\r\n\r\n\
        HTTP/1.1 204 No Content\r\n\r\n\
        HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\ncontent-length: 0\r\n\r\n\
        HTTP/1.1 200 OK\r\n\r\nto the end";
    assert_eq!(bodies(bytes), ["one", "two", "", "", "to the end"]);
    let last: Vec<bool> = all(&[bytes]).0.iter().map(|response| response.is_last).collect();
    assert_eq!(last, [false, false, false, false, true]);
}

#[test]
fn the_last_response_is_the_one_that_says_so_and_any_of_http_1_0() {
    // RFC 9112 section 9.6; RFC 1945 section 1.3.
    for (bytes, is_last) in [
        (&b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: x, Close\r\n\r\n"[..], true),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: x\r\nconnection: close\r\n\r\n", true),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n", false),
        (b"HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", true),
    ] {
        assert_eq!(all(&[bytes]).0[0].is_last, is_last, "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_length_is_one_decimal_number() {
    // RFC 9112 section 6.3: the same number twice is one; anything else cannot be recovered from.
    assert_eq!(bodies(b"HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\ncontent-length: 2\r\n\r\nab"), ["ab"]);
    for length in ["", "+2", "-1", "2, 3", "0x2", "2 2", "18446744073709551616"] {
        let bytes = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\nabc");
        assert!(matches!(error(bytes.as_bytes()), Malformed::ContentLength(_)), "{length}");
    }
}

#[test]
fn no_encoding_is_taken_but_chunked_alone_and_without_a_length() {
    // RFC 9112 sections 6.1 and 6.3: no other was asked for, and both fields together may be an attack.
    for fields in [
        "transfer-encoding: gzip, chunked",
        "transfer-encoding: chunked, chunked",
        "transfer-encoding: identity",
        "transfer-encoding: chunked\r\ncontent-length: 3",
    ] {
        let bytes = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n0\r\n\r\n");
        assert!(matches!(error(bytes.as_bytes()), Malformed::TransferEncoding(_)), "{fields}");
    }
    let bytes = b"HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    assert!(matches!(error(bytes), Malformed::TransferEncoding(_)));
}

#[test]
fn a_chunk_has_a_size_and_no_more_bytes_than_that() {
    let chunked =
        |body: &str| error(format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{body}").as_bytes());
    for body in ["\r\n", "g\r\n", "-1\r\n", " 1\r\n", "11111111111111111\r\n", "1\r\nab\r\n", "1\nab"] {
        assert!(matches!(chunked(body), Malformed::Chunk(_)), "{body:?}");
    }
    assert!(matches!(chunked(&format!("1;{}", "x".repeat(MAX_CHUNK_LINE_BYTES))), Malformed::Chunk(_)));
    // The largest size that there is, and a body that the end of the connection cuts short.
    assert_eq!(chunked("ffffffffffffffff\r\nabc"), Malformed::Truncated);
}

#[test]
fn heads_and_trailers_are_bounded() {
    let long = "x".repeat(MAX_HEAD_BYTES);
    assert_eq!(error(format!("HTTP/1.1 200 OK\r\na: {long}").as_bytes()), Malformed::HeadTooLarge);
    let many = "a: b\r\n".repeat(MAX_FIELDS + 1);
    assert_eq!(error(format!("HTTP/1.1 200 OK\r\n{many}\r\n").as_bytes()), Malformed::TooManyFields);
    let trailers = |lines: &str| {
        error(format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n{lines}").as_bytes())
    };
    assert_eq!(trailers(&format!("a: {long}")), Malformed::HeadTooLarge);
    assert_eq!(trailers(&format!("{many}\r\n")), Malformed::TooManyFields);
}

#[test]
fn what_is_no_response_says_what_it_is() {
    assert_eq!(error(b"HTTP/2.0 200 OK\r\n\r\n"), Malformed::Version);
    assert_eq!(error(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n"), Malformed::Upgrade);
    assert!(matches!(error(b"SSH-2.0-x\r\n\r\n"), Malformed::Head(_) | Malformed::Version));
    for bytes in [&b"HTTP/1.1 200 OK\r\n"[..], b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na"] {
        assert_eq!(error(bytes), Malformed::Truncated);
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut bytes = Vec::new();
    let response = Response::builder().header("content-length", 2).body(Bytes::from_static(b"ab")).unwrap();
    encode(&response, &mut bytes);
    assert_eq!(bytes, b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nab");
    assert_eq!(bodies(&bytes), ["ab"]);
}

/// Bytes that are nearly responses: lines and their pieces, bodies, and noise.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let lines = vec![
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.0 404 Not Found\r\n",
        "HTTP/1.1 204\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 ",
        "content-length: 3\r\n",
        "content-length: 0\r\n",
        "transfer-encoding: chunked\r\n",
        "connection: close\r\n",
        "a: b\r\n",
        "\r\n",
        "\r",
        "\n",
        "\r\n\r\n",
        "abc",
        "3\r\nabc\r\n",
        "0\r\n",
        "fffffffffffffff\r\n",
        "2;a=b\r\nab\r\n",
    ];
    let line = prop::sample::select(lines).prop_map(|line| line.as_bytes().to_vec());
    let noise = prop::collection::vec(any::<u8>(), 0..6);
    prop::collection::vec(prop_oneof![8 => line, 1 => noise, 2 => sound()], 0..24)
        .prop_map(|pieces| pieces.concat())
}

/// A response as it should be.
fn sound() -> impl Strategy<Value = Vec<u8>> {
    (prop::collection::vec(any::<u8>(), 0..40), prop::option::of(1..9_usize)).prop_map(|(body, chunk)| {
        let Some(chunk) = chunk else {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            return [head.into_bytes(), body].concat();
        };
        let mut bytes = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        for part in body.chunks(chunk) {
            bytes.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
            bytes.extend_from_slice(part);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        bytes
    })
}

proptest! {
    #[test]
    fn any_bytes_in_any_pieces_give_the_same_responses_as_in_one(
        bytes in bytes(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
        prop_assert_eq!(all(&pieces), all(&[&bytes]));
    }

    #[test]
    fn sound_responses_are_all_taken(responses in prop::collection::vec(sound(), 0..8)) {
        let (whole, ended) = all(&[&responses.concat()]);
        prop_assert_eq!(ended, Ok(()));
        prop_assert_eq!(whole.len(), responses.len());
    }
}
