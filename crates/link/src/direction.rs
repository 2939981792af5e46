//! Which of its two directions a path is meant in.

/// A direction of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Server to client: gateway, satellite, terminal.
    Forward,
    /// Client to server: terminal, satellite, gateway.
    Return,
}

impl Direction {
    /// Both, in the order in which simultaneous events are handed out.
    pub const BOTH: [Self; 2] = [Self::Forward, Self::Return];

    /// The name used in scenarios, records and the names of random streams.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Return => "return",
        }
    }
}
