//! Connections that wait to be accepted.

use std::collections::VecDeque;
use std::net::SocketAddrV4;
use std::task::Waker;

use bentpipe_run::Dscp;
use bentpipe_tcp::ConnectionId;

/// Where established connections wait to be accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listening {
    At(SocketAddrV4),
    /// In the place of other hosts.
    ForOthers,
}

/// What a connection that was accepted is known by.
pub(crate) struct Accepted {
    pub(crate) id: ConnectionId,
    pub(crate) local: SocketAddrV4,
    pub(crate) remote: SocketAddrV4,
    pub(crate) dscp: Dscp,
}

/// Established connections that wait to be accepted.
#[derive(Default)]
pub(crate) struct Backlog {
    /// What the segments of its connections are marked with, from the first one on; without: with what each came.
    pub(crate) dscp: Option<Dscp>,
    pub(crate) ready: VecDeque<ConnectionId>,
    pub(crate) acceptor: Option<Waker>,
}
