//! Frames and what is in them (draft 3.1, section 2.2).

use bytes::Bytes;

use super::{Headers, Priority};

/// A stream's number: odd of the client, even of the server, 31 bits (draft 2.3.2).
pub type StreamId = u32;

/// The largest number of a stream, and the largest window (draft 2.6.8).
pub(super) const MOST_31_BITS: u32 = 0x7fff_ffff;
/// The header that all frames have (draft 2.2).
pub(super) const FRAME_HEADER: usize = 8;
/// The first bit of control frames.
pub(super) const CONTROL: u16 = 0x8000;
/// SPDY/3.1 calls itself 3 (draft 2.2.1).
pub(super) const VERSION: u16 = 3;
pub(super) const FLAG_FIN: u8 = 0x01;
pub(super) const FLAG_UNIDIRECTIONAL: u8 = 0x02;
/// Of SETTINGS, for persisted ones, which are not kept here.
pub(super) const FLAG_CLEAR_SETTINGS: u8 = 0x01;

/// Types of control frames (draft 2.6).
pub(super) mod kind {
    pub(in crate::spdy) const SYN_STREAM: u16 = 1;
    pub(in crate::spdy) const SYN_REPLY: u16 = 2;
    pub(in crate::spdy) const RST_STREAM: u16 = 3;
    pub(in crate::spdy) const SETTINGS: u16 = 4;
    pub(in crate::spdy) const PING: u16 = 6;
    pub(in crate::spdy) const GOAWAY: u16 = 7;
    pub(in crate::spdy) const HEADERS: u16 = 8;
    pub(in crate::spdy) const WINDOW_UPDATE: u16 = 9;
}

/// Settings in use (draft 2.6.4).
pub(super) mod setting {
    pub(in crate::spdy) const MAX_CONCURRENT_STREAMS: u32 = 4;
    pub(in crate::spdy) const INITIAL_WINDOW_SIZE: u32 = 7;
}

/// Whether a frame is its sender's last on the stream (FLAG_FIN).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fin {
    /// More may follow.
    Absent,
    /// It is the last.
    Present,
}

/// Who may send on a new stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Both ends.
    Both,
    /// Its creator alone (FLAG_UNIDIRECTIONAL).
    Creator,
}

/// A frame; header blocks are decompressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Opens a stream (draft 2.6.1).
    SynStream {
        /// The new stream.
        stream: StreamId,
        /// The stream that it belongs to, or 0.
        associated: StreamId,
        /// When it is to be served.
        priority: Priority,
        /// Whether its creator has no more to send.
        fin: Fin,
        /// Who may send on it.
        sides: Sides,
        /// Request, or identity of what is pushed.
        headers: Headers,
    },
    /// Accepts a stream and answers (draft 2.6.2).
    SynReply {
        /// The stream.
        stream: StreamId,
        /// Whether nothing follows.
        fin: Fin,
        /// Response.
        headers: Headers,
    },
    /// Ends a stream early (draft 2.6.3).
    RstStream {
        /// The stream.
        stream: StreamId,
        /// Why: a [`ResetStatus`](super::ResetStatus), or a number unknown.
        status: u32,
    },
    /// Settings as id and value, without flags (draft 2.6.4).
    Settings(Vec<(u32, u32)>),
    /// To be sent back (draft 2.6.5).
    Ping(u32),
    /// The sender takes no new streams (draft 2.6.6).
    Goaway {
        /// The last stream that it accepted.
        last_good: StreamId,
        /// Why; 0 is no error.
        status: u32,
    },
    /// More headers of a stream (draft 2.6.7).
    Headers {
        /// The stream.
        stream: StreamId,
        /// Whether nothing follows.
        fin: Fin,
        /// The headers.
        headers: Headers,
    },
    /// The peer may send more (draft 2.6.8).
    WindowUpdate {
        /// The stream, or 0 for the session.
        stream: StreamId,
        /// How many bytes more.
        delta: u32,
    },
    /// Content, or a piece of a frame's content as it arrives (draft 2.2.2).
    Data {
        /// The stream.
        stream: StreamId,
        /// Whether nothing follows.
        fin: Fin,
        /// The content.
        payload: Bytes,
    },
}

impl Fin {
    pub(super) fn of_flags(flags: u8) -> Self {
        if flags & FLAG_FIN == 0 { Self::Absent } else { Self::Present }
    }

    pub(super) const fn flag(self) -> u8 {
        match self {
            Self::Absent => 0,
            Self::Present => FLAG_FIN,
        }
    }
}

impl Sides {
    pub(super) fn of_flags(flags: u8) -> Self {
        if flags & FLAG_UNIDIRECTIONAL == 0 { Self::Both } else { Self::Creator }
    }

    pub(super) const fn flag(self) -> u8 {
        match self {
            Self::Both => 0,
            Self::Creator => FLAG_UNIDIRECTIONAL,
        }
    }
}
