//! Which of its two directions a path is meant in.

/// A direction of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Gateway, satellite, terminal: from server to client, if these are where they mostly are.
    Forward,
    /// Terminal, satellite, gateway.
    Return,
}

impl Direction {
    /// Both, in the order in which simultaneous events are handed out.
    pub const BOTH: [Self; 2] = [Self::Forward, Self::Return];

    /// The other one.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Forward => Self::Return,
            Self::Return => Self::Forward,
        }
    }

    /// The name used in scenarios, records and the names of random streams.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Return => "return",
        }
    }
}
