//! What system calls return.

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
    /// The events of each descriptor that was asked for (`poll`), or of each that is ready (`epoll_wait`).
    Events(Vec<i64>),
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

/// What a backend lacks, in words that follow "needs".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing(pub String);
