//! A socket with its options.

use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{Closed, Connection, ConnectionId, CookieKey, KeepAlive, Nagle, State};
use bentpipe_units::{Bytes, Duration, Rate};

use crate::call::Transfer;
use crate::outcome::Handle;
use crate::packet::IpFields;
use crate::simulated::pipe::PipeEnd;
use crate::simulated::segments::UNCHOSEN;

/// A descriptor.
#[derive(Clone, Debug)]
pub(super) struct Socket {
    pub kind: Kind,
    pub nonblocking: bool,
    /// `RCV_SHUTDOWN`: reads end when there is nothing, and the peer is not told.
    pub no_reads: bool,
    /// Whether it connects with the first write (`DEFER_CONNECT`).
    pub is_deferred: bool,
    /// The address that it is bound to; unspecified for all of the host's.
    pub bound: Ipv4Addr,
    pub options: SocketOptions,
}

/// Options of a socket, which those that are accepted from it inherit.
#[derive(Clone, Debug)]
pub(super) struct SocketOptions {
    pub nagle: Nagle,
    pub is_corked: bool,
    /// `sk_max_pacing_rate`, where it is paced by it.
    pub max_pacing_rate: Option<Rate>,
    /// `sk_sndbuf`, `sk_rcvbuf`, where the application has set them.
    pub send_buffer: Option<Bytes>,
    pub receive_buffer: Option<Bytes>,
    pub congestion_control: Option<Algorithm>,
    pub linger: Option<i64>,
    /// How long reads and writes wait at most (`SO_RCVTIMEO`, `SO_SNDTIMEO`).
    pub read_limit: Option<Duration>,
    pub write_limit: Option<Duration>,
    /// `TCP_MAXSEG`.
    pub segment_size: Option<u16>,
    pub user_timeout: Option<Duration>,
    /// `TCP_NOTSENT_LOWAT`; none for the host's.
    pub max_unsent: Option<Bytes>,
    pub probing: Probing,
    /// `TCP_SYNCNT`: how often SYNs, or a listening socket's SYN-ACKs, leave again.
    pub syn_retries: Option<u32>,
    /// `TCP_DEFER_ACCEPT`: so many waits of a SYN-ACK.
    pub deferred_waits: u32,
    /// Whether a queue was asked for (`TCP_FASTOPEN`).
    pub has_fast_open: bool,
    pub cookie_key: Option<CookieKey>,
    /// Whether a connection waits for its first write where that may travel with the SYN (`TCP_FASTOPEN_CONNECT`).
    pub defers_connecting: bool,
    /// `TCP_FASTOPEN_NO_COOKIE`.
    pub needs_no_cookie: bool,
    /// `SOCK_ZEROCOPY`: what is sent with `MSG_ZEROCOPY` is not copied.
    pub allows_no_copy: bool,
    /// `SO_TIMESTAMPING`: what is told of times.
    pub timestamping: u32,
    /// What the headers of its packets have.
    pub ip: IpFields,
    /// What was set last, to be read again.
    pub kept: BTreeMap<(i64, i64), i64>,
}

/// `SO_KEEPALIVE`, `TCP_KEEPIDLE`, `TCP_KEEPINTVL`, `TCP_KEEPCNT`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probing {
    pub is_on: bool,
    pub idle: Option<Duration>,
    pub interval: Option<Duration>,
    pub probes: Option<u32>,
}

impl Probing {
    /// How a silent peer is probed, where it is: by the host's times, but for the socket's own.
    pub fn limits(self, host: KeepAlive) -> Option<KeepAlive> {
        self.is_on.then(|| KeepAlive {
            idle: self.idle.unwrap_or(host.idle),
            interval: self.interval.unwrap_or(host.interval),
            probes: self.probes.unwrap_or(host.probes),
        })
    }
}

impl SocketOptions {
    /// Those of a new socket.
    pub const fn new() -> Self {
        Self {
            nagle: Nagle::On,
            is_corked: false,
            max_pacing_rate: None,
            send_buffer: None,
            receive_buffer: None,
            congestion_control: None,
            linger: None,
            read_limit: None,
            write_limit: None,
            segment_size: None,
            user_timeout: None,
            max_unsent: None,
            probing: Probing { is_on: false, idle: None, interval: None, probes: None },
            syn_retries: None,
            deferred_waits: 0,
            has_fast_open: false,
            cookie_key: None,
            defers_connecting: false,
            needs_no_cookie: false,
            allows_no_copy: false,
            timestamping: 0,
            ip: UNCHOSEN,
            kept: BTreeMap::new(),
        }
    }

    /// Whether what is sent is not copied (`MSG_ZEROCOPY`).
    pub fn has_no_copy(&self, transfer: &Transfer) -> bool {
        self.allows_no_copy && transfer.has(libc::MSG_ZEROCOPY)
    }

    /// What an option was set to; 0 where it was not.
    pub fn kept(&self, option: (i64, i64)) -> i64 {
        self.kept.get(&option).copied().unwrap_or(0)
    }
}

/// What a descriptor is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Fresh,
    Bound,
    Listening {
        backlog: usize,
        ready: VecDeque<ConnectionId>,
    },
    Connection(ConnectionId),
    Epoll(Vec<Interest>),
    /// An end of the pipe of this number.
    Pipe {
        pipe: i64,
        end: PipeEnd,
    },
    /// A file of a length, and how far it was read.
    File {
        length: u64,
        position: u64,
    },
}

impl Kind {
    /// Whether it is one of TCP.
    pub const fn is_socket(&self) -> bool {
        !matches!(self, Self::Epoll(_) | Self::Pipe { .. } | Self::File { .. })
    }
}

/// A descriptor that an epoll watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interest {
    pub socket: Handle,
    pub events: i64,
    /// Whether something was told of the descriptor that nobody was told since (`ep_poll_callback`).
    pub is_woken: bool,
}

impl Interest {
    /// The events that it tells of.
    pub fn wanted(&self) -> i64 {
        let always = i64::from(libc::EPOLLERR | libc::EPOLLHUP);
        if self.events == 0 { 0 } else { self.events | always }
    }

    /// One that tells once says nothing more until it is set anew.
    pub fn on_told(&mut self) {
        if self.events & i64::from(libc::EPOLLONESHOT) != 0 {
            self.events = 0;
        }
    }

    /// Whether it tells of events, and not as long as something is the case.
    pub const fn is_edge_triggered(&self) -> bool {
        self.events & libc::EPOLLET as i64 != 0
    }
}

impl Socket {
    pub fn new(kind: Kind, nonblocking: bool) -> Self {
        let (bound, options) = (Ipv4Addr::UNSPECIFIED, SocketOptions::new());
        Self { kind, nonblocking, no_reads: false, is_deferred: false, bound, options }
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
