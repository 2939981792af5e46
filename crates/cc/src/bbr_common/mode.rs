//! The states of BBR's machine, the same in both versions.

/// The states of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Double the rate each round until the pipe is full.
    Startup,
    /// Empty the queue that start-up built.
    Drain,
    /// Cruise at the estimate and probe for more now and then.
    ProbeBw,
    /// Come down, to four packets or to half a BDP, to see the path's RTT.
    ProbeRtt,
}
