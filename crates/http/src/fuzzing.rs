//! What a fuzzer calls with bytes that may be anything: `crates/fuzz`. Each panics when a promise is broken.

use bytes::{Bytes, BytesMut};

use crate::http1::{MAX_FIELDS, Malformed, Piece, Requests, Responses};
use crate::masque::{CapsuleError, Capsules, HttpDatagram, Target, TargetError, udp_packet};
use crate::spdy::{Config, Event, Fin, Headers, Priority, Role, Session, SessionError};

/// Windows that nothing fills: those that are full are noticed in the midst of a frame when it comes in pieces.
const WIDE: Config =
    Config { stream_window: 0x7fff_ffff, session_window: 0x7fff_ffff, max_concurrent_streams: 100 };
/// Windows and streams that are soon used up.
const NARROW: Config = Config { stream_window: 64, session_window: 1_000, max_concurrent_streams: 2 };
/// Bytes that arrive at once at most: fewer than those whose answers may wait to be sent.
const SEGMENT: usize = 4_096;
/// Content of each response: a data frame and the start of another one.
const BODY: usize = 5_000;
/// What is sent beside that for a request: two heads, the announcement of a push and their data frames' headers.
const HEADS: usize = 500;
/// What is sent unprovoked: settings, a window, a request and a goodbye.
const OPENING: usize = 500;

/// The client's reader of HTTP/1 gives the same responses in whatever pieces their bytes come, and makes none up.
pub fn http1_response(input: &[u8]) {
    let (bytes, pieces) = in_pieces(input);
    let whole = responses([bytes]);
    assert_eq!(whole, responses(pieces));
    let data: usize = whole.0.iter().map(|(_, body)| body.len()).sum();
    assert!(data <= bytes.len());
}

/// The origin's reader of HTTP/1 gives the same requests in whatever pieces their bytes come.
pub fn http1_request(input: &[u8]) {
    let (bytes, pieces) = in_pieces(input);
    assert_eq!(requests([bytes]), requests(pieces));
}

/// A proxy for UDP gives the same datagrams in whatever pieces their capsules come, and a target's path names it.
pub fn masque(input: &[u8]) {
    let (bytes, pieces) = in_pieces(input);
    assert_eq!(capsules([bytes]), capsules(pieces));
    if let Ok(datagram) = HttpDatagram::read(Bytes::copy_from_slice(bytes)) {
        assert!(udp_packet(datagram.payload).is_none_or(|packet| packet.len() + 2 <= bytes.len()));
    }
    if let Ok(target) = str::from_utf8(bytes).map_or(Err(TargetError::OtherPath), Target::of_path) {
        assert_eq!(Target::of_path(&target.path()), Ok(target));
    }
}

/// The datagrams, and how the stream ended.
fn capsules<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Bytes>, Result<(), CapsuleError>) {
    let (mut capsules, mut datagrams) = (Capsules::default(), Vec::new());
    for piece in pieces {
        if let Err(error) = capsules.read(piece, |datagram| datagrams.push(datagram)) {
            return (datagrams, Err(error));
        }
    }
    (datagrams, capsules.end())
}

/// The bytes after the first, and the same in pieces whose length the first says.
pub fn in_pieces(input: &[u8]) -> (&[u8], std::slice::Chunks<'_, u8>) {
    let (length, bytes) = input.split_first().map_or((0, input), |(first, rest)| (usize::from(*first), rest));
    (bytes, bytes.chunks(length + 1))
}

/// Status and body of each response started, and how it ended.
type Outcome = (Vec<(u16, Vec<u8>)>, Result<(), Malformed>);

fn responses<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let (mut responses, mut buffer, mut started) = (Responses::default(), BytesMut::new(), Vec::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match responses.next(&mut buffer) {
                Ok(Some(Piece::Head(head))) => {
                    assert!(head.fields.len() <= MAX_FIELDS);
                    started.push((head.status.as_u16(), Vec::new()));
                }
                Ok(Some(Piece::Data(data))) => {
                    started.last_mut().expect("a head before data").1.extend_from_slice(&data);
                }
                Ok(Some(Piece::End)) => {}
                Ok(None) => break,
                Err(error) => return (started, Err(error)),
            }
        }
    }
    let ended = if responses.is_between(&buffer) { Ok(()) } else { responses.close().map(|_| ()) };
    (started, ended)
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

/// Both ends of SPDY make the same of bytes in whatever pieces they come, send at most twice as much as they
/// receive beside their responses, and nothing that ends their peer's session.
pub fn spdy(input: &[u8]) {
    let (bytes, pieces) = in_pieces(input);
    for role in [Role::Client, Role::Server] {
        assert_eq!(outcome(role, bytes.chunks(SEGMENT)), outcome(role, pieces.clone()));
        let mut exchange = Exchange::new(role, &NARROW);
        for piece in pieces.clone() {
            let goes_on = exchange.receive(piece).is_ok();
            exchange.send();
            if !goes_on {
                break;
            }
        }
    }
}

/// What has happened, and how it ended.
fn outcome<'a>(role: Role, pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Event>, Result<(), SessionError>) {
    let mut exchange = Exchange::new(role, &WIDE);
    let mut ended = Ok(());
    for piece in pieces {
        ended = ended.and_then(|()| exchange.receive(piece));
    }
    // Not before: what is sent ends streams, and what comes for them then is out of place.
    exchange.send();
    (exchange.happened, ended)
}

/// An end that reads what comes, and a peer that reads what it sends.
struct Exchange {
    role: Role,
    end: Session,
    peer: Session,
    happened: Vec<Event>,
    sent_bytes: usize,
    allowed_bytes: usize,
}

impl Exchange {
    /// A client has sent a request.
    fn new(role: Role, config: &Config) -> Self {
        let other = match role {
            Role::Client => Role::Server,
            Role::Server => Role::Client,
        };
        let (end, peer) = (Session::new(role, config), Session::new(other, config));
        let (happened, sent_bytes, allowed_bytes) = (Vec::new(), 0, OPENING);
        let mut exchange = Self { role, end, peer, happened, sent_bytes, allowed_bytes };
        if role == Role::Client {
            let request = Headers::from_iter([(":method", "GET"), (":path", "/")]);
            exchange.end.request(request, Priority::HIGHEST).expect("no limit is known yet");
            exchange.send();
        }
        exchange
    }

    /// Reads bytes to the end, responds to requests and takes content.
    fn receive(&mut self, bytes: &[u8]) -> Result<(), SessionError> {
        self.allowed_bytes += 2 * bytes.len();
        self.end.receive(bytes);
        while let Some(event) = self.end.poll_event()? {
            match &event {
                Event::Opened { stream, .. } if self.role == Role::Server => self.respond(*stream),
                Event::Data { stream, payload, .. } => self.end.release(*stream, payload.len()),
                _ => {}
            }
            self.note(event);
        }
        Ok(())
    }

    /// Answers a request, and pushes something if that can be done.
    fn respond(&mut self, stream: u32) {
        let head = Headers::from_iter([(":status", "200 OK"), (":version", "HTTP/1.1")]);
        let identity = Headers::from_iter([(":path", "/pushed")]);
        for stream in [self.end.push(stream, identity, Priority::LOWEST), Some(stream)].into_iter().flatten()
        {
            self.end.respond(stream, head.clone(), Bytes::from_static(&[0; BODY]));
            self.allowed_bytes += BODY + HEADS;
        }
    }

    /// Keeps what has happened, the pieces of a stream's content as one.
    fn note(&mut self, event: Event) {
        if let Event::Data { stream, fin, payload } = &event
            && let Some(Event::Data { stream: before, fin: last @ Fin::Absent, payload: started }) =
                self.happened.last_mut()
            && before == stream
        {
            *last = *fin;
            *started = [&started[..], payload].concat().into();
        } else {
            self.happened.push(event);
        }
    }

    /// Sends all that waits to its peer.
    fn send(&mut self) {
        let mut out = BytesMut::new();
        self.end.transmit(&mut out, usize::MAX);
        self.sent_bytes += out.len();
        assert!(self.sent_bytes <= self.allowed_bytes, "{} bytes", self.sent_bytes);
        self.peer.receive(&out);
        while self.peer.poll_event().expect("a sound peer").is_some() {}
        // Its answers are lost.
        self.peer.transmit(&mut BytesMut::new(), usize::MAX);
    }
}
