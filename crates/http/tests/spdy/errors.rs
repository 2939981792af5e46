//! What becomes of peers that break the protocol.

use bentpipe_http::spdy::{
    Config, Decoder, Encoder, Event, Fin, Frame, Headers, Priority, ResetStatus, Role, Session, SessionError,
    Sides,
};
use bytes::{Bytes, BytesMut};

use super::pair::{DRAFT, Pair, events, get, ok, sent};

/// A session that a peer of the test's own making writes to.
struct Bench {
    session: Session,
    encoder: Encoder,
    decoder: Decoder,
}

impl Bench {
    fn new(role: Role, config: &Config) -> Self {
        let mut session = Session::new(role, config);
        let mut decoder = Decoder::default();
        decoder.receive(&sent(&mut session));
        while decoder.poll().unwrap().is_some() {}
        Self { session, encoder: Encoder::default(), decoder }
    }

    /// A server with an open request on stream 1, which it has not answered.
    fn server() -> Self {
        let mut bench = Self::new(Role::Server, &DRAFT);
        let events = bench.take(&[syn_stream(1, Fin::Absent)]).unwrap();
        assert_eq!(events.len(), 1);
        bench
    }

    /// A client whose request on stream 1 is not answered.
    fn client() -> Self {
        let mut bench = Self::new(Role::Client, &DRAFT);
        assert_eq!(bench.session.request(get("/"), Priority::HIGHEST), Some(1));
        assert_eq!(bench.answers().len(), 1);
        bench
    }

    fn take(&mut self, frames: &[Frame]) -> Result<Vec<Event>, SessionError> {
        let mut out = BytesMut::new();
        for frame in frames {
            self.encoder.encode(frame, &mut out);
        }
        self.session.receive(&out);
        events(&mut self.session)
    }

    fn answers(&mut self) -> Vec<Frame> {
        self.decoder.receive(&sent(&mut self.session));
        std::iter::from_fn(|| self.decoder.poll().unwrap()).collect()
    }
}

fn syn_stream(stream: u32, fin: Fin) -> Frame {
    let (associated, priority, sides) = (0, Priority::HIGHEST, Sides::Both);
    Frame::SynStream { stream, associated, priority, fin, sides, headers: get("/") }
}

fn push(stream: u32, associated: u32, sides: Sides) -> Frame {
    let (priority, fin) = (Priority::HIGHEST, Fin::Absent);
    Frame::SynStream { stream, associated, priority, fin, sides, headers: Headers::default() }
}

fn reply(stream: u32, fin: Fin) -> Frame {
    Frame::SynReply { stream, fin, headers: ok() }
}

fn data(stream: u32, length: usize, fin: Fin) -> Frame {
    Frame::Data { stream, fin, payload: Bytes::from(vec![0; length]) }
}

fn reset(stream: u32, status: ResetStatus) -> Frame {
    Frame::RstStream { stream, status: status.wire() }
}

#[test]
fn a_server_resets_the_streams_that_the_draft_names() {
    use ResetStatus::{FlowControlError, InvalidStream, ProtocolError, StreamAlreadyClosed};
    let headers = |stream| Frame::Headers { stream, fin: Fin::Present, headers: ok() };
    for (clause, frames, expected) in [
        ("2.3.2: opened twice", vec![syn_stream(1, Fin::Absent)], reset(1, ProtocolError)),
        ("2.2.2: not open", vec![data(3, 1, Fin::Absent)], reset(3, InvalidStream)),
        ("2.3.6: half closed", vec![headers(1), data(1, 1, Fin::Absent)], reset(1, StreamAlreadyClosed)),
        ("2.3.6: half closed", vec![headers(1), headers(1)], reset(1, StreamAlreadyClosed)),
        ("2.6.2: reply by the one who asks", vec![reply(1, Fin::Absent)], reset(1, ProtocolError)),
        (
            "2.6.8: nothing granted",
            vec![Frame::WindowUpdate { stream: 1, delta: 0 }],
            reset(1, ProtocolError),
        ),
        (
            "2.6.8: window above 2^31 - 1",
            vec![Frame::WindowUpdate { stream: 1, delta: 0x7fff_ffff }],
            reset(1, FlowControlError),
        ),
    ] {
        let mut bench = Bench::server();
        let happened = bench.take(&frames).unwrap();
        assert_eq!(bench.answers(), std::slice::from_ref(&expected), "{clause}");
        if let Frame::RstStream { stream: 1, status } = expected {
            assert_eq!(happened.last(), Some(&Event::Reset { stream: 1, status }), "{clause}");
        }
        // The others go on.
        assert_eq!(bench.take(&[syn_stream(5, Fin::Present)]).unwrap().len(), 1, "{clause}");
    }
}

#[test]
fn a_client_resets_the_streams_that_the_draft_names() {
    use ResetStatus::{InvalidStream, ProtocolError, StreamInUse};
    for (clause, frames, expected) in [
        ("2.2.2: data before the reply", vec![data(1, 1, Fin::Absent)], reset(1, ProtocolError)),
        ("2.6.2: second reply", vec![reply(1, Fin::Absent), reply(1, Fin::Absent)], reset(1, StreamInUse)),
        ("2.3.7: closed", vec![reply(1, Fin::Present), data(1, 1, Fin::Absent)], reset(1, ProtocolError)),
        ("3.3.1: push that wants an answer", vec![push(2, 1, Sides::Both)], reset(2, ProtocolError)),
        ("3.3.1: push of no stream", vec![push(2, 0, Sides::Creator)], reset(2, InvalidStream)),
        ("3.3.1: push of a stream not open", vec![push(2, 3, Sides::Creator)], reset(2, InvalidStream)),
    ] {
        let mut bench = Bench::client();
        bench.take(&frames).unwrap();
        assert_eq!(bench.answers(), [expected], "{clause}");
    }
}

#[test]
fn a_server_ends_the_session_for_the_errors_that_the_draft_names() {
    let window = |delta| Frame::WindowUpdate { stream: 0, delta };
    for (clause, frames, expected, status) in [
        ("2.3.2: even id", vec![syn_stream(2, Fin::Present)], SessionError::StreamId(2), 1),
        ("2.3.2: no id", vec![syn_stream(0, Fin::Present)], SessionError::StreamId(0), 1),
        (
            "2.3.2: falling id",
            vec![syn_stream(5, Fin::Present), syn_stream(3, Fin::Present)],
            SessionError::StreamId(3),
            1,
        ),
        ("2.6.8: nothing granted", vec![window(0)], SessionError::WindowUnchanged, 1),
        ("2.6.8: window above 2^31 - 1", vec![window(0x7fff_ffff)], SessionError::WindowOverflow, 7),
        (
            "2.6.8: initial window above 2^31 - 1",
            vec![Frame::Settings(vec![(7, 0x8000_0000)])],
            SessionError::Setting { id: 7, value: 0x8000_0000 },
            1,
        ),
    ] {
        let mut bench = Bench::server();
        assert_eq!(bench.take(&frames), Err(expected), "{clause}");
        let answers = bench.answers();
        let Some(Frame::Goaway { last_good, status: told }) = answers.last() else { panic!("{clause}") };
        assert_eq!(*told, status, "{clause}");
        assert!(*last_good == 1 || *last_good == 5, "{clause}: {last_good}");
        // Nothing that follows is heard.
        assert_eq!(bench.take(&[Frame::Ping(1)]), Err(expected), "{clause}");
    }
}

#[test]
fn data_beyond_a_window_is_an_error_of_the_stream_or_of_the_session() {
    // Draft 2.6.8. Windows of 100 000 and 150 000 bytes that nobody reads from; the session's is given back by
    // itself, in halves.
    let config = Config { stream_window: 100_000, session_window: 150_000, max_concurrent_streams: 9 };
    let mut bench = Bench::new(Role::Server, &config);
    bench.take(&[syn_stream(1, Fin::Absent), syn_stream(3, Fin::Absent)]).unwrap();
    bench.take(&[data(1, 60_000, Fin::Absent), data(1, 40_000, Fin::Absent)]).unwrap();
    let granted = |stream, delta| Frame::WindowUpdate { stream, delta };
    assert_eq!(bench.answers(), [granted(0, 100_000)]);
    bench.take(&[data(1, 1, Fin::Absent)]).unwrap();
    assert_eq!(bench.answers(), [reset(1, ResetStatus::FlowControlError)]);
    // 149 999 bytes are left to the session.
    let error =
        bench.take(&[data(3, 100_000, Fin::Absent), data(5, 49_999, Fin::Absent), data(5, 1, Fin::Absent)]);
    assert_eq!(error, Err(SessionError::WindowExceeded));
}

#[test]
fn a_peer_that_has_not_read_a_smaller_window_may_use_that_of_the_draft() {
    let config = Config { stream_window: 10, ..DRAFT };
    let mut bench = Bench::new(Role::Server, &config);
    bench.take(&[syn_stream(1, Fin::Absent), data(1, 65_536, Fin::Absent)]).unwrap();
    assert!(!bench.answers().contains(&reset(1, ResetStatus::FlowControlError)));
}

#[test]
fn streams_above_the_limit_are_refused_and_those_that_ended_make_room() {
    let config = Config { max_concurrent_streams: 2, ..DRAFT };
    let mut bench = Bench::new(Role::Server, &config);
    let opened = bench.take(&[1, 3, 5].map(|stream| syn_stream(stream, Fin::Present))).unwrap();
    assert_eq!(opened.len(), 2);
    assert_eq!(bench.answers(), [reset(5, ResetStatus::RefusedStream)]);
    bench.session.respond(1, ok(), Bytes::new());
    assert_eq!(bench.answers(), [reply(1, Fin::Present)]);
    assert_eq!(bench.take(&[syn_stream(7, Fin::Present)]).unwrap().len(), 1);
}

#[test]
fn a_client_keeps_to_the_limit_that_the_server_has_set() {
    let mut pair = Pair::new(&Config { max_concurrent_streams: 1, ..DRAFT });
    let stream = pair.request("/");
    assert_eq!(pair.client.request(get("/"), Priority::HIGHEST), None);
    pair.server.respond(stream, ok(), Bytes::new());
    pair.carry_down();
    assert!(pair.client.request(get("/"), Priority::HIGHEST).is_some());
}

#[test]
fn frames_of_a_stream_that_was_reset_are_passed_over() {
    let mut bench = Bench::client();
    bench.session.reset(1, ResetStatus::Cancel);
    assert_eq!(bench.answers(), [reset(1, ResetStatus::Cancel)]);
    let late = [reply(1, Fin::Absent), data(1, 9, Fin::Absent), data(1, 9, Fin::Present)];
    assert_eq!(bench.take(&late), Ok(Vec::new()));
    assert_eq!(bench.answers(), []);
}

#[test]
fn pings_of_the_peer_come_back_and_others_do_not() {
    // Draft 2.6.5.
    let mut bench = Bench::server();
    bench.take(&[Frame::Ping(7), Frame::Ping(8)]).unwrap();
    assert_eq!(bench.answers(), [Frame::Ping(7)]);
    let mut bench = Bench::client();
    bench.take(&[Frame::Ping(7), Frame::Ping(8)]).unwrap();
    assert_eq!(bench.answers(), [Frame::Ping(8)]);
}

#[test]
fn after_a_goodbye_no_stream_is_opened_and_those_not_accepted_are_gone() {
    // Draft 2.6.6.
    let mut bench = Bench::client();
    assert_eq!(bench.session.request(get("/"), Priority::HIGHEST), Some(3));
    let goaway = Event::Goaway { last_good: 1, status: 0 };
    let events = bench.take(&[Frame::Goaway { last_good: 1, status: 0 }, reply(1, Fin::Present)]).unwrap();
    assert_eq!(events, [goaway, Event::Headers { stream: 1, fin: Fin::Present, headers: ok() }]);
    assert!(!bench.session.can_open());

    let mut bench = Bench::server();
    bench.session.close();
    assert_eq!(bench.answers(), [Frame::Goaway { last_good: 1, status: 0 }]);
    assert_eq!(bench.take(&[syn_stream(3, Fin::Present), data(3, 1, Fin::Present)]), Ok(Vec::new()));
    assert_eq!(bench.answers(), []);
}

#[test]
fn a_response_reaches_the_client_whole() {
    let mut pair = Pair::new(&DRAFT);
    let stream = pair.request("/");
    pair.server.respond(stream, ok(), Bytes::from(vec![7; 5_000]));
    let payload = |length| Bytes::from(vec![7; length]);
    let expected = [
        Event::Headers { stream, fin: Fin::Absent, headers: ok() },
        Event::Data { stream, fin: Fin::Absent, payload: payload(4_096) },
        Event::Data { stream, fin: Fin::Present, payload: payload(904) },
    ];
    assert_eq!(pair.carry_down(), expected);
    let (client, server) = (pair.client.traffic(), pair.server.traffic());
    assert_eq!((client.sent, client.received), (server.received, server.sent));
    assert_eq!(server.sent.data_bytes.get(), 5_000);
}

#[test]
fn a_push_is_announced_before_the_document_and_needs_no_reply() {
    let mut pair = Pair::new(&DRAFT);
    let document = pair.request("/");
    let identity = Headers::from_iter([(":host", "a.test"), (":path", "/a.jpg"), (":scheme", "https")]);
    let pushed = pair.server.push(document, identity.clone(), Priority::LOWEST).unwrap();
    pair.server.respond(pushed, ok(), Bytes::from_static(b"image"));
    pair.server.respond(document, ok(), Bytes::from_static(b"document"));
    let (fin, priority) = (Fin::Absent, Priority::LOWEST);
    let expected = [
        Event::Opened { stream: pushed, associated: document, priority, fin, headers: identity },
        Event::Headers { stream: document, fin, headers: ok() },
        Event::Data { stream: document, fin: Fin::Present, payload: Bytes::from_static(b"document") },
        Event::Headers { stream: pushed, fin, headers: ok() },
        Event::Data { stream: pushed, fin: Fin::Present, payload: Bytes::from_static(b"image") },
    ];
    assert_eq!(pair.carry_down(), expected);
    // Draft 3.3.1: the document's stream is closed, nothing may be pushed for it.
    assert_eq!(pair.server.push(document, Headers::default(), Priority::LOWEST), None);
}
