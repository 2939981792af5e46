//! What a connection tells its owner.

/// Something that happened. Level-triggered getters tell the same; events say when to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is complete, or data came with the SYN and may be answered before it is (RFC 7413).
    Connected,
    /// Data or the end of the stream waits to be read.
    Readable,
    /// A write that was cut short may go on.
    Writable,
    /// The connection ended; nothing follows.
    Closed(Closed),
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Closed {
    /// Both directions were finished.
    #[error("the connection is closed")]
    Finished,
    /// The peer reset it.
    #[error("connection reset by peer")]
    Reset,
    /// Nobody listens at the peer's port.
    #[error("connection refused")]
    Refused,
    /// The peer does not answer.
    #[error("connection timed out")]
    TimedOut,
    /// This end aborted it.
    #[error("the connection was aborted")]
    Aborted,
}

/// Why nothing can be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// The connection has ended.
    #[error(transparent)]
    Closed(#[from] Closed),
    /// This end has finished its direction.
    #[error("the stream was shut down for writing")]
    ShutDown,
}

/// What a read yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// The next bytes.
    Data(crate::Payload),
    /// Nothing has come yet.
    Pending,
    /// The peer has finished and everything was read.
    End,
}
