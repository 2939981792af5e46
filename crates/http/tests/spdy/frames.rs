//! Frames by the draft's diagrams.

use bentpipe_http::spdy::{
    Decoder, Encoder, Fin, Frame, FrameError, Headers, Priority, ResetStatus, SessionError, Sides,
    StreamError,
};
use bytes::{Bytes, BytesMut};
use proptest::prelude::*;

fn encoded(frame: &Frame) -> Vec<u8> {
    let mut out = BytesMut::new();
    Encoder::default().encode(frame, &mut out);
    out.to_vec()
}

fn decoded(bytes: &[u8]) -> Result<Option<Frame>, FrameError> {
    let mut decoder = Decoder::default();
    decoder.receive(bytes);
    decoder.poll()
}

/// Frames without header blocks, written by hand after the diagrams of the draft, section 2.6.
fn plain() -> [(Frame, Vec<u8>); 7] {
    let word = u32::to_be_bytes;
    [
        (
            Frame::Data { stream: 5, fin: Fin::Present, payload: Bytes::from_static(b"ab") },
            b"\0\0\0\x05\x01\0\0\x02ab".to_vec(),
        ),
        (Frame::RstStream { stream: 3, status: 5 }, b"\x80\x03\0\x03\0\0\0\x08\0\0\0\x03\0\0\0\x05".to_vec()),
        (
            Frame::Settings(vec![(4, 100), (7, 65_536)]),
            b"\x80\x03\0\x04\0\0\0\x14\0\0\0\x02\0\0\0\x04\0\0\0\x64\0\0\0\x07\0\x01\0\0".to_vec(),
        ),
        (Frame::Settings(Vec::new()), b"\x80\x03\0\x04\0\0\0\x04\0\0\0\0".to_vec()),
        (Frame::Ping(1), b"\x80\x03\0\x06\0\0\0\x04\0\0\0\x01".to_vec()),
        (Frame::Goaway { last_good: 9, status: 1 }, b"\x80\x03\0\x07\0\0\0\x08\0\0\0\x09\0\0\0\x01".to_vec()),
        (
            Frame::WindowUpdate { stream: 0, delta: 0x7fff_ffff },
            [&b"\x80\x03\0\x09\0\0\0\x08\0\0\0\0"[..], &word(0x7fff_ffff)].concat(),
        ),
    ]
}

#[test]
fn frames_without_headers_are_those_of_the_draft() {
    for (frame, bytes) in plain() {
        assert_eq!(encoded(&frame), bytes, "{frame:?}");
        assert_eq!(decoded(&bytes), Ok(Some(frame)));
    }
}

/// A zlib stream (RFC 1950: deflate, window of 32 KiB, fastest, with the draft's dictionary) of one stored block
/// (RFC 1951 section 3.2.4): what Firefox 24 sends, whose level is Z_NO_COMPRESSION.
fn stored(block: &[u8]) -> Vec<u8> {
    let length = (block.len() as u16).to_le_bytes();
    let complement = (!(block.len() as u16)).to_le_bytes();
    [&[0x78, 0x20, 0xe3, 0xc6, 0xa7, 0xc2, 0x00], &length[..], &complement[..], block].concat()
}

#[test]
fn a_request_written_by_hand_is_understood() {
    let block = stored(b"\0\0\0\x01\0\0\0\x05:path\0\0\0\x01/");
    let length = 10 + block.len() as u8;
    // Stream 1, FLAG_FIN, priority 3 in the first three bits.
    let header = [0x80, 3, 0, 1, 1, 0, 0, length, 0, 0, 0, 1, 0, 0, 0, 0, 3 << 5, 0];
    let expected = Frame::SynStream {
        stream: 1,
        associated: 0,
        priority: Priority::new(3).unwrap(),
        fin: Fin::Present,
        sides: Sides::Both,
        headers: Headers::from_iter([(":path", "/")]),
    };
    assert_eq!(decoded(&[&header[..], &block].concat()), Ok(Some(expected)));
}

#[test]
fn a_reply_and_further_headers_written_by_hand_are_understood() {
    let block = stored(b"\0\0\0\x01\0\0\0\x07:status\0\0\0\x03200");
    let length = 4 + block.len() as u8;
    let headers = Headers::from_iter([(":status", "200")]);
    let (stream, fin) = (7, Fin::Absent);
    let reply = Frame::SynReply { stream, fin, headers: headers.clone() };
    for (kind, expected) in [(2, reply), (8, Frame::Headers { stream, fin, headers })] {
        let header = [0x80, 3, 0, kind, 0, 0, 0, length, 0, 0, 0, 7];
        assert_eq!(decoded(&[&header[..], &block].concat()), Ok(Some(expected)));
    }
}

#[test]
fn the_fields_of_a_request_stand_where_the_draft_has_them() {
    let frame = Frame::SynStream {
        stream: 0x0102_0304,
        associated: 0x0506_0708,
        priority: Priority::LOWEST,
        fin: Fin::Absent,
        sides: Sides::Creator,
        headers: Headers::default(),
    };
    let bytes = encoded(&frame);
    let length = u8::try_from(bytes.len() - 8).unwrap();
    assert_eq!(bytes[..18], [0x80, 3, 0, 1, 2, 0, 0, length, 1, 2, 3, 4, 5, 6, 7, 8, 7 << 5, 0]);
}

#[test]
fn unknown_types_are_passed_over_and_reserved_bits_ignored() {
    // Type 5, once NOOP, and 10, once CREDENTIAL; then a reset whose stream has its reserved bit set.
    let unknown = b"\x80\x03\0\x05\0\0\0\0\x80\x03\0\x0a\xff\0\0\x02xx";
    let reset = b"\x80\x03\0\x03\0\0\0\x08\x80\0\0\x03\0\0\0\x05";
    let expected = Frame::RstStream { stream: 3, status: 5 };
    assert_eq!(decoded(&[&unknown[..], reset].concat()), Ok(Some(expected)));
}

#[test]
fn of_a_setting_that_is_there_twice_the_first_counts_and_flags_do_not() {
    // Draft 2.6.4.
    let settings = b"\x80\x03\0\x04\x01\0\0\x14\0\0\0\x02\x01\0\0\x07\0\0\0\x0a\0\0\0\x07\0\0\0\x0b";
    assert_eq!(decoded(settings), Ok(Some(Frame::Settings(vec![(7, 10)]))));
}

#[test]
fn frames_that_cannot_be_understood_end_the_session() {
    let length = |kind, length| SessionError::Length { kind, length };
    for (bytes, expected) in [
        (&b"\x80\x02\0\x06\0\0\0\x04\0\0\0\x01"[..], SessionError::Version(2)),
        (b"\x80\x03\0\x06\0\xff\xff\xff", SessionError::TooLarge),
        (b"\x80\x03\0\x06\0\0\0\x05\0\0\0\x01\0", length(6, 5)),
        (b"\x80\x03\0\x03\0\0\0\x04\0\0\0\x01", length(3, 4)),
        (b"\x80\x03\0\x01\0\0\0\x09\0\0\0\x01\0\0\0\0\0", length(1, 9)),
        (b"\x80\x03\0\x02\0\0\0\x03\0\0\0", length(2, 3)),
        (b"\x80\x03\0\x04\0\0\0\x08\0\0\0\x01\0\0\0\0", length(4, 8)),
        (b"\x80\x03\0\x04\0\0\0\x04\0\0\0\x01", length(4, 4)),
        (b"\x80\x03\0\x03\x01\0\0\x08\0\0\0\x01\0\0\0\x01", SessionError::Flags { kind: 3, flags: 1 }),
        (b"\0\0\0\x01\x02\0\0\0", SessionError::Flags { kind: 0, flags: 2 }),
        (b"\x80\x03\0\x02\0\0\0\x06\0\0\0\x01\xff\xff", SessionError::Compression),
    ] {
        assert_eq!(decoded(bytes), Err(FrameError::Session(expected)), "{bytes:?}");
    }
}

#[test]
fn malformed_headers_end_the_stream_and_not_the_session() {
    // Draft 2.4.1: the compression context is intact. A name in upper case, then one in lower case, 20 bytes each.
    let bad = stored(b"\0\0\0\x01\0\0\0\x01A\0\0\0\x01a");
    let good = b"\0\0\0\x01\0\0\0\x01a\0\0\0\x01a";
    let good = [&b"\0\x0e\0\xf1\xff"[..], good].concat();
    let frame = |block: &[u8]| [&[0x80, 3, 0, 2, 0, 0, 0, 4 + block.len() as u8, 0, 0, 0, 1], block].concat();
    let mut decoder = Decoder::default();
    decoder.receive(&[frame(&bad), frame(&good)].concat());
    let error = StreamError { stream: 1, status: ResetStatus::ProtocolError };
    assert_eq!(decoder.poll(), Err(FrameError::Stream(error)));
    let headers = Headers::from_iter([("a", "a")]);
    assert_eq!(decoder.poll(), Ok(Some(Frame::SynReply { stream: 1, fin: Fin::Absent, headers })));
}

#[test]
fn a_bomb_ends_the_session() {
    let long = "0".repeat(200_000);
    let headers = Headers::from_iter([("bomb", long.as_str())]);
    let bytes = encoded(&Frame::SynReply { stream: 1, fin: Fin::Absent, headers });
    assert!(bytes.len() < 1_000, "{} bytes", bytes.len());
    assert_eq!(decoded(&bytes), Err(FrameError::Session(SessionError::TooLarge)));
}

#[test]
fn both_ends_count_every_byte_once() {
    let mut encoder = Encoder::default();
    let mut out = BytesMut::new();
    let headers = Headers::from_iter([(":status", "200 OK")]);
    encoder.encode(&Frame::SynReply { stream: 1, fin: Fin::Absent, headers }, &mut out);
    encoder.encode(&Frame::Ping(1), &mut out);
    let payload = Bytes::from_static(b"content");
    encoder.encode(&Frame::Data { stream: 1, fin: Fin::Present, payload }, &mut out);
    let mut decoder = Decoder::default();
    decoder.receive(&out);
    while decoder.poll().unwrap().is_some() {}

    let carried = encoder.carried();
    assert_eq!(decoder.carried(), carried);
    assert_eq!(carried.wire_bytes().get(), out.len() as u64);
    // A count, two lengths, a name and a value.
    assert_eq!(carried.header_bytes.get(), 3 * 4 + 7 + 6);
    assert_eq!(carried.data_bytes.get(), 7);
    // Three headers of eight bytes, a stream id and a ping's number.
    assert_eq!(carried.frame_bytes.get(), 3 * 8 + 4 + 4);
}

fn headers() -> impl Strategy<Value = Headers> {
    prop::collection::btree_map("[a-z:-]{1,12}", "[ -~]{0,40}", 0..8)
        .prop_map(|map| Headers::from_iter(map.iter().map(|(name, value)| (name.as_str(), value.as_str()))))
}

fn fin() -> impl Strategy<Value = Fin> {
    prop_oneof![Just(Fin::Absent), Just(Fin::Present)]
}

fn frame() -> impl Strategy<Value = Frame> {
    let stream = 1..0x8000_0000_u32;
    let sides = prop_oneof![Just(Sides::Both), Just(Sides::Creator)];
    let priority = (0..8u8).prop_map(|number| Priority::new(number).unwrap());
    let payload = prop::collection::vec(any::<u8>(), 0..600).prop_map(Bytes::from);
    let settings = prop::collection::btree_map(0..1u32 << 24, any::<u32>(), 0..5);
    prop_oneof![
        (stream.clone(), any::<u32>(), priority, fin(), sides, headers()).prop_map(
            |(stream, associated, priority, fin, sides, headers)| Frame::SynStream {
                stream,
                associated: associated >> 1,
                priority,
                fin,
                sides,
                headers
            }
        ),
        (stream.clone(), fin(), headers()).prop_map(|(stream, fin, headers)| Frame::SynReply {
            stream,
            fin,
            headers
        }),
        (stream.clone(), fin(), headers()).prop_map(|(stream, fin, headers)| Frame::Headers {
            stream,
            fin,
            headers
        }),
        (stream.clone(), any::<u32>()).prop_map(|(stream, status)| Frame::RstStream { stream, status }),
        settings.prop_map(|settings| Frame::Settings(settings.into_iter().collect())),
        any::<u32>().prop_map(Frame::Ping),
        (stream.clone(), any::<u32>()).prop_map(|(last_good, status)| Frame::Goaway { last_good, status }),
        (stream.clone(), 0..0x8000_0000_u32)
            .prop_map(|(stream, delta)| Frame::WindowUpdate { stream, delta }),
        (stream, fin(), payload).prop_map(|(stream, fin, payload)| Frame::Data { stream, fin, payload }),
    ]
}

/// Joins the pieces of a data frame: those before the last lack its flag, and what follows such a piece is the
/// next one.
fn joined(pieces: Vec<Frame>, frames: &[Frame]) -> Vec<Frame> {
    let mut pieces = pieces.into_iter();
    frames
        .iter()
        .map_while(|frame| {
            let first = pieces.next()?;
            let Frame::Data { payload: whole, .. } = frame else { return Some(first) };
            let Frame::Data { stream, mut fin, payload } = first else { return Some(first) };
            let mut content = payload.to_vec();
            while content.len() < whole.len() {
                let Some(Frame::Data { fin: next, payload, .. }) = pieces.next() else { return None };
                assert_eq!(fin, Fin::Absent, "only the last piece is the end");
                (fin, content) = (next, [&content[..], &payload].concat());
            }
            Some(Frame::Data { stream, fin, payload: content.into() })
        })
        .collect()
}

proptest! {
    #[test]
    fn frames_come_back_however_their_bytes_are_cut(
        frames in prop::collection::vec(frame(), 1..12),
        pieces in prop::collection::vec(1..200usize, 1..20),
    ) {
        let (mut encoder, mut decoder) = (Encoder::default(), Decoder::default());
        let mut out = BytesMut::new();
        for frame in &frames {
            encoder.encode(frame, &mut out);
        }
        let mut found = Vec::new();
        for piece in pieces.iter().cycle() {
            decoder.receive(&out.split_to((*piece).min(out.len())));
            while let Some(frame) = decoder.poll().unwrap() {
                found.push(frame);
            }
            if out.is_empty() {
                break;
            }
        }
        prop_assert_eq!(joined(found, &frames), frames);
        prop_assert_eq!(decoder.carried(), encoder.carried());
    }
}
