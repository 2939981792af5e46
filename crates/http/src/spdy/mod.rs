//! SPDY/3.1, the protocol that HTTP/2 grew from, without IO.
//!
//! No current browser, server or library speaks it, so this one is Bentpipe's own, after the "SPDY Protocol - Draft
//! 3.1" of the Chromium project (clauses are cited as "draft"). A [`Session`] takes the bytes of one end of a
//! connection and gives the bytes to send; it reads no clock and opens no socket. What a peer may cost is bounded:
//! the length of a frame, of a header block, the number of streams, the data in flight, and the answers that wait
//! to be sent.
//!
//! ```
//! use bentpipe_http::spdy::{Config, Event, Headers, Priority, Role, Session};
//!
//! let config = Config { stream_window: 65_536, session_window: 65_536, max_concurrent_streams: 100 };
//! let mut client = Session::new(Role::Client, &config);
//! let mut server = Session::new(Role::Server, &config);
//! let request = Headers::from_iter([(":method", "GET"), (":path", "/")]);
//! client.request(request, Priority::HIGHEST).expect("no limit is known yet");
//!
//! let mut sent = bytes::BytesMut::new();
//! client.transmit(&mut sent, usize::MAX);
//! server.receive(&sent);
//! let event = server.poll_event().expect("sound frames");
//! assert!(matches!(event, Some(Event::Opened { stream: 1, .. })));
//! ```
//!
//! **Not implemented**: request bodies of our own, CREDENTIAL (deprecated by the draft), pings of our own, persisted
//! settings, the certificate vector. Received control frames of an unknown type are ignored.

mod block;
mod decoder;
mod dictionary;
mod encoder;
mod error;
mod frame;
mod headers;
mod http;
mod priority;
mod schedule;
mod session;
mod stream;
mod traffic;
mod window;

pub mod driver;

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use error::{FrameError, ResetStatus, SessionError, StreamError};
pub use frame::{Fin, Frame, Sides, StreamId};
pub use headers::{Headers, MalformedHeaders};
pub use priority::Priority;
pub use session::{Config, Event, Role, Session};
pub use traffic::{Carried, Traffic};

pub use http::{fields, pushed, pushed_path, request, request_head, response, status};
