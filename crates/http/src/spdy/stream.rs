//! An open stream.

use bytes::Bytes;

use super::window::{ReceiveWindow, SendWindow};
use super::{Fin, Frame, Headers, Priority, StreamId};

/// An open stream.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) priority: Priority,
    pub(super) outgoing: Outgoing,
    pub(super) incoming: Incoming,
    pub(super) send_window: SendWindow,
    pub(super) receive_window: ReceiveWindow,
}

/// What we have yet to send.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// Nothing is known yet.
    Unanswered,
    /// The rest of a response.
    Response {
        /// Its headers, unless they were sent.
        head: Option<Head>,
        /// The rest of its body.
        body: Bytes,
    },
    /// Nothing more.
    Done,
}

/// The headers of a response.
#[derive(Debug)]
pub(super) enum Head {
    /// To a request.
    Reply(Headers),
    /// Of a pushed stream, which needs no reply.
    Pushed(Headers),
}

/// What the peer may yet send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    /// A reply first.
    Unanswered,
    /// Headers and data.
    Open,
    /// Nothing more.
    Done,
}

impl Stream {
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.outgoing, Outgoing::Done) && self.incoming == Incoming::Done
    }

    /// Whether a turn would send anything, while the session's window has room for `session` bytes.
    pub(super) fn can_send(&self, session: usize) -> bool {
        match &self.outgoing {
            Outgoing::Unanswered | Outgoing::Done => false,
            Outgoing::Response { head: Some(_), .. } => true,
            Outgoing::Response { head: None, .. } => session > 0 && self.send_window.available() > 0,
        }
    }
}

impl Incoming {
    /// After a frame that may be the last.
    pub(super) fn after(fin: Fin) -> Self {
        match fin {
            Fin::Absent => Self::Open,
            Fin::Present => Self::Done,
        }
    }
}

impl Head {
    pub(super) fn frame(self, stream: StreamId, fin: Fin) -> Frame {
        match self {
            Self::Reply(headers) => Frame::SynReply { stream, fin, headers },
            Self::Pushed(headers) => Frame::Headers { stream, fin, headers },
        }
    }
}
