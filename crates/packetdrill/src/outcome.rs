//! What system calls return.

use std::net::SocketAddr;

/// What a call returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The returned number.
    pub result: i64,
    /// The error's number, with a result of -1.
    pub errno: Option<i32>,
    /// What it wrote to its arguments.
    pub output: Output,
}

/// What a call wrote to its arguments, as far as scripts look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Nothing of interest.
    None,
    /// An option or a count.
    Integer(i64),
    /// A name.
    Text(String),
    /// `SO_LINGER`: on or off, seconds.
    Linger(i64, i64),
    /// A time: seconds, microseconds.
    Time(i64, i64),
    /// Of a socket (`getsockname`).
    Address(SocketAddr),
    /// Two new descriptors.
    Descriptors([i64; 2]),
    /// Of a message: its flags and the control messages beside it.
    Message(i64, Vec<ControlMessage>),
    /// The events of each descriptor that was asked for (`poll`), or of each that is ready (`epoll_wait`).
    Events(Vec<i64>),
}

/// What the kernel says beside the bytes of a message (`recvmsg`), or is told (`sendmsg`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlMessage {
    /// `SOL_TCP` and the like.
    pub level: i64,
    /// `TCP_CM_INQ` and the like.
    pub kind: i64,
    /// What it says.
    pub data: ControlData,
}

/// What a control message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlData {
    /// A number of 8 or 32 bits.
    Number(i64),
    /// `struct sock_extended_err` without its padding: errno, origin, type, code, info, data.
    Error([i64; 6]),
    /// Anything else, of which nothing is compared.
    Other,
}

impl ControlMessage {
    /// Whether it is what is expected.
    pub(crate) fn fits(&self, found: &Self) -> bool {
        (self.level, self.kind) == (found.level, found.kind)
            && (self.data == ControlData::Other || self.data == found.data)
    }
}

impl std::fmt::Display for ControlMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{{cmsg_level={}, cmsg_type={}, cmsg_data=", self.level, self.kind)?;
        match &self.data {
            ControlData::Number(number) => write!(f, "{number}}}"),
            ControlData::Error([errno, origin, kind, code, info, data]) => write!(
                f,
                "{{ee_errno={errno}, ee_origin={origin}, ee_type={kind}, ee_code={code}, ee_info={info}, ee_data={data}}}}}"
            ),
            ControlData::Other => f.write_str("...}"),
        }
    }
}

impl Outcome {
    /// A call that succeeded.
    pub const fn of(result: i64) -> Self {
        Self { result, errno: None, output: Output::None }
    }

    /// A call that failed.
    pub const fn error(errno: i32) -> Self {
        Self { result: -1, errno: Some(errno), output: Output::None }
    }
}

/// A socket as the backend calls it; negative for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub i64);

impl Handle {
    /// No socket at all: what a call with a closed descriptor gets.
    pub const NONE: Self = Self(-1);
}

/// What a backend lacks, in words that follow "not supported:".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing(pub String);
