//! A client and a server with nothing between them.

use bentpipe_http::spdy::{Config, Event, Headers, Priority, Role, Session, SessionError, StreamId};
use bytes::BytesMut;

/// Windows as the draft has them.
pub const DRAFT: Config =
    Config { stream_window: 65_536, session_window: 65_536, max_concurrent_streams: 100 };

/// A client and a server, and bytes that go from one to the other at once.
pub struct Pair {
    pub client: Session,
    pub server: Session,
}

impl Pair {
    /// A pair whose ends know one another's settings.
    pub fn new(config: &Config) -> Self {
        let mut pair =
            Self { client: Session::new(Role::Client, config), server: Session::new(Role::Server, config) };
        assert_eq!(pair.carry_up(), []);
        assert_eq!(pair.carry_down(), []);
        pair
    }

    /// Carries all that the client has to send; returns what the server makes of it.
    pub fn carry_up(&mut self) -> Vec<Event> {
        self.server.receive(&sent(&mut self.client));
        events(&mut self.server).expect("a sound client")
    }

    /// Carries all that the server has to send; returns what the client makes of it.
    pub fn carry_down(&mut self) -> Vec<Event> {
        self.client.receive(&sent(&mut self.server));
        events(&mut self.client).expect("a sound server")
    }

    /// A request that the server has received.
    pub fn request(&mut self, path: &str) -> StreamId {
        let stream = self.client.request(get(path), Priority::HIGHEST).expect("room for a stream");
        assert_eq!(self.carry_up().len(), 1);
        stream
    }
}

pub fn get(path: &str) -> Headers {
    Headers::from_iter([
        (":method", "GET"),
        (":path", path),
        (":version", "HTTP/1.1"),
        (":host", "a.test"),
        (":scheme", "https"),
    ])
}

pub fn ok() -> Headers {
    Headers::from_iter([(":status", "200 OK"), (":version", "HTTP/1.1")])
}

/// All that a session has to send.
pub fn sent(session: &mut Session) -> BytesMut {
    let mut out = BytesMut::new();
    session.transmit(&mut out, usize::MAX);
    out
}

/// All that has happened.
pub fn events(session: &mut Session) -> Result<Vec<Event>, SessionError> {
    std::iter::from_fn(|| session.poll_event().transpose()).collect()
}
