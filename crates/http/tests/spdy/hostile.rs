//! Peers that want memory.

use bentpipe_http::fuzzing;
use bentpipe_http::spdy::{Encoder, Fin, Frame, Headers, Priority, Role, Session, SessionError, Sides};
use bytes::{Bytes, BytesMut};
use proptest::prelude::*;

use super::pair::{DRAFT, events, get, ok, sent};

/// What waits to be sent may be so large and no larger, whatever the peer does: a thousand answers of at most 20
/// bytes, the window updates of a hundred streams, and a goodbye.
const MOST_WAITING: usize = 1_000 * 20 + 101 * 16 + 16;

/// A session with a stream open.
fn session(role: Role) -> Session {
    let mut session = Session::new(role, &DRAFT);
    match role {
        Role::Client => drop(session.request(get("/"), Priority::HIGHEST)),
        Role::Server => {
            let mut client = Session::new(Role::Client, &DRAFT);
            client.request(get("/"), Priority::HIGHEST);
            session.receive(&sent(&mut client));
            assert_eq!(events(&mut session).unwrap().len(), 1);
            session.respond(1, ok(), Bytes::from_static(b"body"));
        }
    }
    sent(&mut session);
    session
}

/// Feeds bytes until the session ends.
fn feed(session: &mut Session, bytes: &[u8], piece: usize) -> Result<(), SessionError> {
    for piece in bytes.chunks(piece.max(1)) {
        session.receive(piece);
        events(session)?;
    }
    Ok(())
}

/// Sound frames of a peer, as bytes.
fn frames(role: Role) -> Vec<u8> {
    let (priority, headers) = (Priority::LOWEST, ok());
    let payload = Bytes::from_static(b"payload");
    let (stream, associated, sides) = match role {
        Role::Client => (2, 1, Sides::Creator),
        Role::Server => (3, 0, Sides::Both),
    };
    let mut encoder = Encoder::default();
    let mut out = BytesMut::new();
    for frame in [
        Frame::Settings(vec![(4, 10), (7, 1_000)]),
        Frame::SynReply { stream: 1, fin: Fin::Absent, headers: headers.clone() },
        Frame::SynStream { stream, associated, priority, fin: Fin::Absent, sides, headers: headers.clone() },
        Frame::Headers { stream, fin: Fin::Absent, headers },
        Frame::Data { stream, fin: Fin::Absent, payload: payload.clone() },
        Frame::WindowUpdate { stream: 0, delta: 9 },
        Frame::Ping(1),
        Frame::Data { stream: 1, fin: Fin::Present, payload },
        Frame::RstStream { stream, status: 5 },
        Frame::Goaway { last_good: 1, status: 0 },
    ] {
        encoder.encode(&frame, &mut out);
    }
    out.to_vec()
}

/// The same bytes, but for some.
fn changed(mut bytes: Vec<u8>, changes: &[(prop::sample::Index, u8)]) -> Vec<u8> {
    for (place, byte) in changes {
        let place = place.index(bytes.len());
        bytes[place] = *byte;
    }
    bytes
}

fn role() -> impl Strategy<Value = Role> {
    prop_oneof![Just(Role::Client), Just(Role::Server)]
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_refused_or_understood_and_leave_little_to_send(
        role in role(),
        bytes in prop::collection::vec(any::<u8>(), 0..2_000),
        piece in 1..300usize,
    ) {
        let mut session = session(role);
        let _ = feed(&mut session, &bytes, piece);
        prop_assert!(sent(&mut session).len() <= MOST_WAITING);
    }

    #[test]
    fn frames_of_any_type_length_and_content_do_no_harm(
        role in role(),
        frames in prop::collection::vec(
            (0..12u16, 0..4u8, prop::collection::vec(0..8u8, 0..40)),
            0..60,
        ),
    ) {
        let mut session = session(role);
        for (kind, flags, payload) in frames {
            let header = [0x80, 3, 0, kind as u8, flags, 0, 0, payload.len() as u8];
            if feed(&mut session, &[&header[..], &payload].concat(), 64).is_err() {
                break;
            }
        }
        prop_assert!(sent(&mut session).len() <= MOST_WAITING);
    }

    #[test]
    fn sound_frames_with_some_bytes_changed_do_no_harm(
        role in role(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        piece in 1..100usize,
    ) {
        let mut session = session(role);
        let _ = feed(&mut session, &changed(frames(role), &changes), piece);
        prop_assert!(sent(&mut session).len() <= MOST_WAITING);
    }

    #[test]
    fn any_pieces_say_the_same_and_what_is_answered_can_be_read(
        role in role(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        piece in any::<u8>(),
    ) {
        fuzzing::spdy(&[&[piece][..], &changed(frames(role), &changes)].concat());
    }
}

#[test]
fn a_peer_that_pings_and_does_not_listen_ends_the_session() {
    let mut session = session(Role::Server);
    let ping = b"\x80\x03\0\x06\0\0\0\x04\0\0\0\x01";
    assert_eq!(feed(&mut session, &ping.repeat(2_000), 1_200), Err(SessionError::Flood));
    assert!(sent(&mut session).len() <= MOST_WAITING);
}

#[test]
fn a_peer_that_pings_and_listens_may_ping_for_ever() {
    let mut session = session(Role::Server);
    let ping = b"\x80\x03\0\x06\0\0\0\x04\0\0\0\x01";
    for _ in 0..100 {
        feed(&mut session, &ping.repeat(1_000), 1_200).unwrap();
        assert_eq!(sent(&mut session).len(), 12_000);
    }
}

#[test]
fn header_blocks_of_the_largest_size_pass_one_at_a_time() {
    // 60 kB each, compressed to some hundred bytes.
    let mut encoder = Encoder::default();
    let mut out = BytesMut::new();
    let long = "0".repeat(60_000);
    encoder.encode(&Frame::SynReply { stream: 1, fin: Fin::Absent, headers: ok() }, &mut out);
    for _ in 0..50 {
        let headers = Headers::from_iter([("long", long.as_str())]);
        encoder.encode(&Frame::Headers { stream: 1, fin: Fin::Absent, headers }, &mut out);
    }
    assert!(out.len() < 20_000, "{} bytes", out.len());
    let mut session = session(Role::Client);
    session.receive(&out);
    let mut count = 0;
    while let Some(_one) = session.poll_event().unwrap() {
        count += 1;
    }
    assert_eq!(count, 51);
}
