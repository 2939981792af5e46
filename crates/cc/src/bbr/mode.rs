//! The states of BBR's machine.

/// The states of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Double the rate each round until the pipe is full.
    Startup,
    /// Empty the queue that start-up built.
    Drain,
    /// Cruise at the estimate and probe for more once per cycle.
    ProbeBw,
    /// Come down to four packets to see the path's RTT.
    ProbeRtt,
}
