//! A socket with its options.

use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{Closed, Connection, ConnectionId, Nagle, State};
use bentpipe_units::Bytes;

use crate::outcome::Handle;

/// A descriptor.
#[derive(Clone, Debug)]
pub(super) struct Socket {
    pub kind: Kind,
    pub nonblocking: bool,
    /// `RCV_SHUTDOWN`: reads end when there is nothing, and the peer is not told.
    pub no_reads: bool,
    /// The address that it is bound to; unspecified for all of the host's.
    pub bound: Ipv4Addr,
    pub options: SocketOptions,
}

/// Options of a socket, which those that are accepted from it inherit.
#[derive(Clone, Debug)]
pub(super) struct SocketOptions {
    pub nagle: Nagle,
    pub send_buffer: Option<Bytes>,
    pub congestion_control: Option<Algorithm>,
    pub linger: Option<i64>,
    /// What is kept without an effect, to be read again.
    pub kept: BTreeMap<(i64, i64), i64>,
}

/// What a descriptor is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Fresh,
    Bound,
    Listening { backlog: usize, ready: VecDeque<ConnectionId> },
    Connection(ConnectionId),
    Epoll(Vec<Interest>),
}

/// A descriptor that an epoll watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interest {
    pub socket: Handle,
    pub events: i64,
}

impl SocketOptions {
    /// What an option was set to; 0 where it was not.
    pub fn kept(&self, option: (i64, i64)) -> i64 {
        self.kept.get(&option).copied().unwrap_or(0)
    }
}

impl Socket {
    pub fn new(kind: Kind, nonblocking: bool) -> Self {
        let options = SocketOptions {
            nagle: Nagle::On,
            send_buffer: None,
            congestion_control: None,
            linger: None,
            kept: BTreeMap::new(),
        };
        Self { kind, nonblocking, no_reads: false, bound: Ipv4Addr::UNSPECIFIED, options }
    }
}

/// Whether the peer has said that no more will come (`SOCK_DONE`, which `tcp_fin` sets in every state, and which stays
/// when the connection has ended in order).
pub(super) fn peer_finished(connection: &Connection) -> bool {
    match connection.state() {
        State::CloseWait | State::LastAck | State::Closing | State::TimeWait => true,
        State::Closed => connection.ended() == Some(Closed::Finished),
        _ => false,
    }
}
