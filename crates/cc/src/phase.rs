//! Where the connection of a loss-based algorithm is in an episode of congestion.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// In none.
    Open,
    Recovery,
    Timeout,
}
