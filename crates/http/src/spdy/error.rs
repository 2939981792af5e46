//! Why streams and sessions end early.

use super::StreamId;

/// Why a stream ends early (draft 2.6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ResetStatus {
    /// Anything that has no status of its own.
    ProtocolError = 1,
    /// A frame for a stream that is not active.
    InvalidStream = 2,
    /// Nothing was done for the stream.
    RefusedStream = 3,
    /// Its creator no longer needs it.
    Cancel = 5,
    /// More data than the window allowed.
    FlowControlError = 7,
    /// A second reply.
    StreamInUse = 8,
    /// A frame after the sender's last.
    StreamAlreadyClosed = 9,
}

/// An error that ends one stream and leaves the others alone (draft 2.4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stream {stream}: {status:?}")]
pub struct StreamError {
    /// The stream.
    pub stream: StreamId,
    /// What its peer is told.
    pub status: ResetStatus,
}

/// An error after which nothing of the connection can be understood or trusted (draft 2.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// A control frame of another version.
    #[error("version {0} instead of 3")]
    Version(u16),
    /// A control frame that is longer than is supported, or a header block that is so once decompressed: the
    /// compression context cannot be kept (draft 2.6.3, FRAME_TOO_LARGE).
    #[error("frame or header block too large")]
    TooLarge,
    /// A length that frames of this type do not have.
    #[error("frame of type {kind} with length {length}")]
    Length {
        /// Type of the control frame.
        kind: u16,
        /// Its length.
        length: usize,
    },
    /// Flags that frames of this type do not have; data frames have type 0 here.
    #[error("frame of type {kind} with flags {flags:#04x}")]
    Flags {
        /// Type of the control frame.
        kind: u16,
        /// Its flags.
        flags: u8,
    },
    /// A header block that is no part of the compressed stream.
    #[error("header block cannot be decompressed")]
    Compression,
    /// A stream id of the wrong side, or not above the ones before.
    #[error("stream id {0} out of order")]
    StreamId(StreamId),
    /// A setting out of its range.
    #[error("setting {id} with value {value}")]
    Setting {
        /// Which one.
        id: u32,
        /// Its value.
        value: u32,
    },
    /// More data than the session's window allowed.
    #[error("session window exceeded")]
    WindowExceeded,
    /// A window beyond 2^31 - 1 bytes (draft 2.6.8).
    #[error("window beyond 2^31 - 1 bytes")]
    WindowOverflow,
    /// A window update of nothing (draft 2.6.8: from 1 on).
    #[error("empty window update")]
    WindowUnchanged,
    /// The peer provokes answers faster than it takes them.
    #[error("too many answers wait to be sent")]
    Flood,
}

/// What a frame can be wrong with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The session ends.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// One stream ends.
    #[error(transparent)]
    Stream(#[from] StreamError),
}

impl ResetStatus {
    /// Its number in an RST_STREAM frame.
    pub const fn wire(self) -> u32 {
        self as u32
    }
}

impl SessionError {
    /// Its number in a GOAWAY frame (draft 2.6.6), which has none for flow control though section 2.6.8 asks for
    /// it: that of RST_STREAM.
    pub(super) const fn goaway_status(self) -> u32 {
        match self {
            Self::WindowExceeded | Self::WindowOverflow => ResetStatus::FlowControlError.wire(),
            _ => ResetStatus::ProtocolError.wire(),
        }
    }
}
