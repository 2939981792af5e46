//! A socket with its options.

use std::collections::{BTreeMap, VecDeque};

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{ConnectionId, Nagle};
use bentpipe_units::Bytes;

use crate::outcome::Handle;

/// A descriptor.
#[derive(Clone, Debug)]
pub(super) struct Socket {
    pub kind: Kind,
    pub nonblocking: bool,
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

impl Socket {
    pub fn new(kind: Kind, nonblocking: bool) -> Self {
        let options = SocketOptions {
            nagle: Nagle::On,
            send_buffer: None,
            congestion_control: None,
            linger: None,
            kept: BTreeMap::new(),
        };
        Self { kind, nonblocking, options }
    }
}
