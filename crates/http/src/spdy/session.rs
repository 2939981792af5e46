//! One end of a connection, without its IO.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::{Bytes, BytesMut};

use super::frame::{FRAME_HEADER, MOST_31_BITS, setting};
use super::schedule::Schedule;
use super::stream::{Head, Incoming, Outgoing, Stream};
use super::window::{INITIAL_WINDOW, ReceiveWindow, SendWindow};
use super::{
    Decoder, Encoder, Fin, Frame, FrameError, Headers, Priority, ResetStatus, SessionError, Sides, StreamId,
    Traffic,
};

mod receive;

/// Payload of a data frame at most: mod_spdy's `kTargetDataFrameBytes`.
const MOST_DATA: usize = 4096;
/// Answers to the peer that may wait to be sent.
const MOST_ANSWERS: usize = 1000;
/// Streams that we have reset and whose frames are still passed over.
const MOST_RESET: usize = 1000;

/// Which end of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It asks.
    Client,
    /// It answers, and pushes.
    Server,
}

/// What one end allows the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Flow-control window of a stream, at most 2^31 - 1 bytes.
    pub stream_window: u32,
    /// Flow-control window of the session, at most 2^31 - 1 bytes.
    pub session_window: u32,
    /// Streams that the peer may have open at once.
    pub max_concurrent_streams: u32,
}

/// What the peer did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It opened a stream: a request to a server, a push to a client.
    Opened {
        /// The stream.
        stream: StreamId,
        /// The stream that a push belongs to.
        associated: StreamId,
        /// When it is to be served.
        priority: Priority,
        /// Whether nothing follows.
        fin: Fin,
        /// Request, or identity of what is pushed.
        headers: Headers,
    },
    /// It replied, or sent more headers.
    Headers {
        /// The stream.
        stream: StreamId,
        /// Whether nothing follows.
        fin: Fin,
        /// The headers.
        headers: Headers,
    },
    /// It sent content, which must be [released](Session::release) when it was read.
    Data {
        /// The stream.
        stream: StreamId,
        /// Whether nothing follows.
        fin: Fin,
        /// The content.
        payload: Bytes,
    },
    /// A stream has ended early, by the peer's wish or for its error.
    Reset {
        /// The stream.
        stream: StreamId,
        /// Why: a [`ResetStatus`], or a number unknown.
        status: u32,
    },
    /// It takes no new streams; ours above `last_good` are gone.
    Goaway {
        /// The last of our streams that it accepted.
        last_good: StreamId,
        /// Why; 0 is no error.
        status: u32,
    },
}

/// One end of a connection.
///
/// 1. Hand over what has arrived ([`receive`](Self::receive)) and take the events ([`poll_event`](Self::poll_event))
///    until there is none.
/// 2. Give commands: [`request`](Self::request), [`push`](Self::push), [`respond`](Self::respond),
///    [`release`](Self::release), [`reset`](Self::reset), [`close`](Self::close).
/// 3. Send what there is to send ([`transmit`](Self::transmit)).
#[derive(Debug)]
pub struct Session {
    role: Role,
    config: Config,
    encoder: Encoder,
    decoder: Decoder,
    streams: BTreeMap<StreamId, Stream>,
    schedule: Schedule,
    /// Frames that are written already, in order.
    control: VecDeque<Bytes>,
    /// How many of them the peer has provoked.
    answers: usize,
    /// Streams whose receive window may be due.
    read: BTreeSet<StreamId>,
    /// Streams that we have reset, whose frames may still be on their way.
    was_reset: BTreeSet<StreamId>,
    send_window: SendWindow,
    receive_window: ReceiveWindow,
    /// The peer's SETTINGS_INITIAL_WINDOW_SIZE.
    peer_window: u32,
    /// The peer's SETTINGS_MAX_CONCURRENT_STREAMS; without limit until it says so.
    peer_limit: u32,
    /// Our next stream.
    next: StreamId,
    /// The peer's last stream.
    last_peer: StreamId,
    leave: Leave,
}

/// Whether new streams are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    /// By both ends.
    No,
    /// The peer takes none.
    Peer,
    /// We take none and open none.
    Us,
    /// All has ended.
    Failed(SessionError),
}

impl Session {
    /// A connection that has just been opened.
    pub fn new(role: Role, config: &Config) -> Self {
        let mut session = Self {
            role,
            config: *config,
            encoder: Encoder::default(),
            decoder: Decoder::default(),
            streams: BTreeMap::new(),
            schedule: Schedule::default(),
            control: VecDeque::new(),
            answers: 0,
            read: BTreeSet::new(),
            was_reset: BTreeSet::new(),
            send_window: SendWindow::new(INITIAL_WINDOW),
            receive_window: ReceiveWindow::started(config.session_window.min(MOST_31_BITS), INITIAL_WINDOW),
            peer_window: INITIAL_WINDOW,
            peer_limit: u32::MAX,
            next: match role {
                Role::Client => 1,
                Role::Server => 2,
            },
            last_peer: 0,
            leave: Leave::No,
        };
        session.queue(&Frame::Settings(vec![
            (setting::MAX_CONCURRENT_STREAMS, config.max_concurrent_streams),
            (setting::INITIAL_WINDOW_SIZE, config.stream_window.min(MOST_31_BITS)),
        ]));
        let delta = config.session_window.min(MOST_31_BITS).saturating_sub(INITIAL_WINDOW);
        if delta > 0 {
            session.receive_window.grant(delta);
            session.queue(&Frame::WindowUpdate { stream: 0, delta });
        }
        session
    }

    /// Takes bytes as they arrive.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.decoder.receive(bytes);
    }

    /// What the peer did next; none until more bytes arrive.
    ///
    /// # Errors
    /// When the session has ended. What is left to [`transmit`](Self::transmit) tells the peer why.
    pub fn poll_event(&mut self) -> Result<Option<Event>, SessionError> {
        loop {
            if let Leave::Failed(error) = self.leave {
                return Err(error);
            }
            let event = match self.decoder.poll() {
                Ok(None) => return Ok(None),
                Ok(Some(frame)) => self.handle(frame),
                Err(FrameError::Stream(error)) => self.fail_stream(error.stream, error.status),
                Err(FrameError::Session(error)) => Err(error),
            };
            match event {
                Ok(None) => {}
                Ok(event) => return Ok(event),
                Err(error) => self.fail(error),
            }
        }
    }

    /// Whether a request or push may be made now: the peer's limit has room, and neither end is leaving.
    pub fn can_open(&self) -> bool {
        let ours = self.streams.keys().filter(|stream| self.is_ours(**stream)).count();
        self.leave == Leave::No && self.next <= MOST_31_BITS && (ours as u64) < u64::from(self.peer_limit)
    }

    /// Sends a request without a body; none when that cannot be done [now](Self::can_open).
    pub fn request(&mut self, headers: Headers, priority: Priority) -> Option<StreamId> {
        let stream = self.open(headers, priority, 0, Fin::Present, Sides::Both)?;
        let (outgoing, incoming) = (Outgoing::Done, Incoming::Unanswered);
        self.add(stream, priority, outgoing, incoming);
        Some(stream)
    }

    /// Announces a pushed stream that belongs to a request yet unanswered or being answered (draft 3.3.1); none
    /// when that cannot be done [now](Self::can_open).
    pub fn push(&mut self, associated: StreamId, headers: Headers, priority: Priority) -> Option<StreamId> {
        let answering = |stream: &Stream| !matches!(stream.outgoing, Outgoing::Done);
        self.streams.get(&associated).filter(|stream| answering(stream))?;
        let stream = self.open(headers, priority, associated, Fin::Absent, Sides::Creator)?;
        let (outgoing, incoming) = (Outgoing::Unanswered, Incoming::Done);
        self.add(stream, priority, outgoing, incoming);
        Some(stream)
    }

    /// Answers a request, or gives the content of a pushed stream; nothing happens when the stream is gone.
    pub fn respond(&mut self, stream: StreamId, headers: Headers, body: Bytes) {
        let is_ours = self.is_ours(stream);
        let Some(entry) = self.streams.get_mut(&stream) else { return };
        if !matches!(entry.outgoing, Outgoing::Unanswered) {
            return;
        }
        let head = if is_ours { Head::Pushed(headers) } else { Head::Reply(headers) };
        entry.outgoing = Outgoing::Response { head: Some(head), body };
        self.schedule.add(entry.priority, stream);
    }

    /// Notes that so many bytes of a stream were read, which gives the peer room to send on it. The session's
    /// window never waits for readers: streams that nobody reads cannot stop the others.
    pub fn release(&mut self, stream: StreamId, bytes: usize) {
        if let Some(entry) = self.streams.get_mut(&stream) {
            entry.receive_window.release(bytes);
            self.read.insert(stream);
        }
    }

    /// Ends a stream early.
    pub fn reset(&mut self, stream: StreamId, status: ResetStatus) {
        if self.forget(stream) {
            self.pass_over(stream);
            self.queue(&Frame::RstStream { stream, status: status.wire() });
        }
    }

    /// Tells the peer that this end is about to close (draft 2.6.6).
    pub fn close(&mut self) {
        if !matches!(self.leave, Leave::Us | Leave::Failed(_)) {
            self.leave = Leave::Us;
            self.queue(&Frame::Goaway { last_good: self.last_peer, status: 0 });
        }
    }

    /// Appends what is to be sent until `out` holds some `most` bytes: first what is about the session, then the
    /// streams by priority and in turn, as far as the windows allow. Nothing is appended when there is nothing to
    /// send.
    pub fn transmit(&mut self, out: &mut BytesMut, most: usize) {
        self.grant();
        while let Some(frame) = self.control.front() {
            if !out.is_empty() && out.len() + frame.len() > most {
                return;
            }
            out.extend_from_slice(frame);
            self.control.pop_front();
        }
        self.answers = 0;
        while out.len() < most {
            let session = self.send_window.available();
            let streams = &self.streams;
            let can_send = |stream| streams.get(&stream).is_some_and(|stream| stream.can_send(session));
            let Some(stream) = self.schedule.take(can_send) else { return };
            if !self.turn(stream, out, most) {
                return;
            }
        }
    }

    /// What was sent and received so far.
    pub fn traffic(&self) -> Traffic {
        Traffic { sent: self.encoder.carried(), received: self.decoder.carried() }
    }

    /// One stream's turn: its headers and a data frame. False when `out` has no room for the frame.
    fn turn(&mut self, stream: StreamId, out: &mut BytesMut, most: usize) -> bool {
        let entry = self.streams.get_mut(&stream).expect("only streams that can send have turns");
        let Outgoing::Response { head, body } = &mut entry.outgoing else { return true };
        let mut ended = false;
        if let Some(head) = head.take() {
            ended = body.is_empty();
            let fin = if ended { Fin::Present } else { Fin::Absent };
            self.encoder.encode(&head.frame(stream, fin), out);
        }
        let allowed = entry.send_window.available().min(self.send_window.available());
        let length = body.len().min(MOST_DATA).min(allowed);
        if length > 0 {
            if !out.is_empty() && out.len() + FRAME_HEADER + length > most {
                self.schedule.put_back(entry.priority, stream);
                return false;
            }
            let payload = body.split_to(length);
            entry.send_window.spend(length);
            self.send_window.spend(length);
            ended = body.is_empty();
            let fin = if ended { Fin::Present } else { Fin::Absent };
            self.encoder.encode(&Frame::Data { stream, fin, payload }, out);
        }
        if ended {
            entry.outgoing = Outgoing::Done;
            self.retire(stream);
        } else {
            self.schedule.add(entry.priority, stream);
        }
        true
    }

    /// Queues the window updates that are due.
    fn grant(&mut self) {
        if let Some(delta) = self.receive_window.due() {
            self.receive_window.grant(delta);
            self.queue(&Frame::WindowUpdate { stream: 0, delta });
        }
        for stream in std::mem::take(&mut self.read) {
            let Some(entry) = self.streams.get_mut(&stream) else { continue };
            if let Some(delta) = entry.receive_window.due()
                && entry.incoming != Incoming::Done
            {
                entry.receive_window.grant(delta);
                self.queue(&Frame::WindowUpdate { stream, delta });
            }
        }
    }

    fn open(
        &mut self,
        headers: Headers,
        priority: Priority,
        associated: StreamId,
        fin: Fin,
        sides: Sides,
    ) -> Option<StreamId> {
        if !self.can_open() {
            return None;
        }
        let stream = self.next;
        self.next += 2;
        self.queue(&Frame::SynStream { stream, associated, priority, fin, sides, headers });
        Some(stream)
    }

    fn add(&mut self, stream: StreamId, priority: Priority, outgoing: Outgoing, incoming: Incoming) {
        let receive_window = ReceiveWindow::new(self.config.stream_window.min(MOST_31_BITS));
        let receive_window = match self.role {
            // The client's settings come before its first request, those of the server may come after it.
            Role::Client => receive_window,
            Role::Server => receive_window.tolerant(),
        };
        let send_window = SendWindow::new(self.peer_window);
        self.streams.insert(stream, Stream { priority, outgoing, incoming, send_window, receive_window });
        self.retire(stream);
    }

    /// Forgets a stream that is closed at both ends.
    fn retire(&mut self, stream: StreamId) {
        if self.streams.get(&stream).is_some_and(Stream::is_closed) {
            self.forget(stream);
        }
    }

    /// Whether the stream was open.
    fn forget(&mut self, stream: StreamId) -> bool {
        let Some(entry) = self.streams.remove(&stream) else { return false };
        self.schedule.remove(entry.priority, stream);
        true
    }

    /// Lets frames of a stream that we have reset pass.
    fn pass_over(&mut self, stream: StreamId) {
        self.was_reset.insert(stream);
        if self.was_reset.len() > MOST_RESET {
            self.was_reset.pop_first();
        }
    }

    fn queue(&mut self, frame: &Frame) {
        let mut bytes = BytesMut::new();
        self.encoder.encode(frame, &mut bytes);
        self.control.push_back(bytes.freeze());
    }

    fn is_ours(&self, stream: StreamId) -> bool {
        stream % 2 == self.next % 2
    }
}
