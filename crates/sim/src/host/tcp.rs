//! TCP of a simulated host: its connections, its listening ports and the tasks that wait for them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::task::{Context, Poll};

use bentpipe_net::TcpSample;
use bentpipe_run::Dscp;
use bentpipe_tcp::{
    Closed, Config, ConnectionId, Cookie, Endpoint, FastOpen, Payload, PortError, Read, Route, Segment,
    State, StreamError,
};
use bentpipe_units::Time;

use crate::host::backlog::{Accepted, Backlog, Listening};
use crate::host::socket::{Socket, wake};
use crate::packet::WirePacket;

/// The TCP sockets of one host.
///
/// After each call that gets the time, [`poll_transmit`](Self::poll_transmit) until it returns none: only then do tasks
/// hear of what happened, as the kernel answers a segment before the application runs.
pub(crate) struct Tcp {
    address: Ipv4Addr,
    endpoint: Endpoint,
    /// By connection id.
    sockets: Vec<Entry>,
    backlogs: BTreeMap<SocketAddrV4, Backlog>,
    /// Connections that were meant for other hosts, where it accepts them.
    intercepted: Option<Backlog>,
    /// Fast Open cookies by the server that granted them.
    cookies: BTreeMap<Ipv4Addr, Cookie>,
    /// Timers in order of time; one that was put off stays where it was and moves on when it comes up.
    timeouts: BinaryHeap<Reverse<(Time, ConnectionId)>>,
    /// Answers a segment that is nobody's.
    reset: Option<(Box<Segment>, Dscp)>,
    turn: Option<Turn>,
}

enum Entry {
    Open(Box<Socket>),
    /// Nothing is left but what its state was when it closed, for those who look later.
    Gone(Box<TcpSample>),
}

/// The connection that a call was about, until all is told that came of the call.
#[derive(Clone, Copy)]
struct Turn {
    id: ConnectionId,
    cause: Cause,
}

#[derive(Clone, Copy)]
enum Cause {
    /// A segment that opened it.
    Syn,
    /// Another segment.
    Segment { was_connected: bool },
    /// A task or a timeout.
    Other,
}

impl Tcp {
    pub(crate) fn new(address: Ipv4Addr) -> Self {
        Self {
            address,
            endpoint: Endpoint::new(address),
            sockets: Vec::new(),
            backlogs: BTreeMap::new(),
            intercepted: None,
            cookies: BTreeMap::new(),
            timeouts: BinaryHeap::new(),
            reset: None,
            turn: None,
        }
    }

    /// Listens at an address of its own on a port.
    pub(crate) fn listen(
        &mut self,
        at: SocketAddrV4,
        config: Config,
        dscp: Dscp,
    ) -> Result<Listening, PortError> {
        self.endpoint.listen_at(at, config)?;
        self.backlogs.insert(at, Backlog { dscp: Some(dscp), ..Backlog::default() });
        Ok(Listening::At(at))
    }

    /// Accepts the connections to other hosts that pass; each keeps its mark.
    pub(crate) fn intercept(&mut self, config: Config) -> Listening {
        self.endpoint.intercept(config);
        self.intercepted = Some(Backlog::default());
        Listening::ForOthers
    }

    /// Opens a connection: from a free port, or from another host's address and port, in its name. Its SYN leaves at
    /// once, unless it waits for data to carry.
    pub(crate) fn connect(
        &mut self,
        now: Time,
        from: Option<SocketAddrV4>,
        remote: SocketAddrV4,
        config: &Config,
        dscp: Dscp,
    ) -> Result<ConnectionId, PortError> {
        let fast_open = match self.cookies.get(remote.ip()) {
            Some(cookie) if config.fast_open == FastOpen::Request => {
                FastOpen::Client { cookie: Some(*cookie), mss: None }
            }
            _ => config.fast_open,
        };
        let config = Config { fast_open, ..config.clone() };
        let (id, connection) = match from {
            None => self.endpoint.connect(now, remote, &config)?,
            Some(from) => self.endpoint.connect_from(now, from, remote, &config)?,
        };
        let awaits_first_write = connection.awaits_first_write();
        self.add(id, Socket { is_held: true, ..Socket::new(connection, dscp) });
        if !awaits_first_write {
            self.start(id, Cause::Other);
        }
        Ok(id)
    }

    /// Takes the next connection from a backlog.
    pub(crate) fn poll_accept(&mut self, listening: Listening, cx: &Context<'_>) -> Poll<Accepted> {
        let backlog = match listening {
            Listening::At(at) => self.backlogs.get_mut(&at),
            Listening::ForOthers => self.intercepted.as_mut(),
        };
        let backlog = backlog.expect("who listens has a backlog");
        let Some(id) = backlog.ready.pop_front() else {
            backlog.acceptor = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let Socket { connection, dscp, .. } = self.held(id);
        connection.adopt();
        let (local, remote, dscp) = (connection.local(), connection.remote(), *dscp);
        Poll::Ready(Accepted { id, local, remote, dscp })
    }

    /// Whether its SYN waits for the first write.
    pub(crate) fn awaits_first_write(&mut self, id: ConnectionId) -> bool {
        self.held(id).connection.awaits_first_write()
    }

    /// Ready when the handshake is complete, or at once where the SYN waits for data to carry.
    pub(crate) fn poll_connected(&mut self, id: ConnectionId, cx: &Context<'_>) -> Poll<Result<(), Closed>> {
        let socket = self.held(id);
        if let Some(reason) = socket.connection.ended() {
            return Poll::Ready(Err(reason));
        }
        if socket.connected.is_some() || socket.connection.awaits_first_write() {
            return Poll::Ready(Ok(()));
        }
        socket.opener = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Takes up to `most` bytes; none at the end of the stream.
    pub(crate) fn poll_read(
        &mut self,
        now: Time,
        id: ConnectionId,
        most: u64,
        cx: &Context<'_>,
    ) -> Poll<Result<Payload, StreamError>> {
        let socket = self.held(id);
        match socket.connection.read(now, most)? {
            Read::Data(payload) => {
                self.start(id, Cause::Other);
                Poll::Ready(Ok(payload))
            }
            Read::End => Poll::Ready(Ok(Payload::EMPTY)),
            Read::Pending => {
                socket.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Hands over bytes and returns how many of them were taken.
    pub(crate) fn poll_write(
        &mut self,
        now: Time,
        id: ConnectionId,
        payload: &Payload,
        cx: &Context<'_>,
    ) -> Poll<Result<u64, StreamError>> {
        let socket = self.held(id);
        let must_wait = socket.awaits_space && !socket.connection.poll_writable();
        let taken = if must_wait { 0 } else { socket.connection.write(now, payload)? };
        socket.awaits_space = taken == 0 && !payload.is_empty();
        if socket.awaits_space {
            socket.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        self.start(id, Cause::Other);
        Poll::Ready(Ok(taken))
    }

    /// Sends no more than what was written.
    pub(crate) fn shutdown(&mut self, id: ConnectionId) {
        self.held(id).connection.shutdown();
        self.start(id, Cause::Other);
    }

    /// The task that had the connection lets go of it.
    pub(crate) fn release(&mut self, now: Time, id: ConnectionId) {
        let socket = self.held(id);
        socket.is_held = false;
        socket.connection.close(now);
        self.start(id, Cause::Other);
    }

    /// Resets a connection; what is left of one that was let go of is the kernel's alone.
    pub(crate) fn reset(&mut self, id: ConnectionId) {
        let Some(socket) = self.socket(id) else { return };
        if !socket.connection.is_released() {
            socket.connection.abort();
            self.start(id, Cause::Other);
        }
    }

    /// Our address on a connection.
    pub(crate) fn local(&mut self, id: ConnectionId) -> SocketAddrV4 {
        self.held(id).connection.local()
    }

    /// Whether a connection has not come to its end: in TIME-WAIT it has (RFC 9293 section 3.3.2).
    pub(crate) fn is_open(&self, id: ConnectionId) -> bool {
        match &self.sockets[index(id)] {
            Entry::Open(socket) => !matches!(socket.connection.state(), State::TimeWait | State::Closed),
            Entry::Gone(_) => false,
        }
    }

    /// A connection's state: now, or when it closed.
    pub(crate) fn sample(&self, id: ConnectionId, now: Time) -> TcpSample {
        match &self.sockets[index(id)] {
            Entry::Open(socket) => socket.sample(now),
            Entry::Gone(sample) => (**sample).clone(),
        }
    }

    /// A segment has come.
    pub(crate) fn handle_segment(&mut self, now: Time, segment: &Segment, dscp: Dscp) {
        match self.endpoint.route(now, segment) {
            Route::Ignored => {}
            // Nobody's socket has a mark of its own: Linux answers with the one that came (tcp_v4_send_reset).
            Route::Reset(reset) => self.reset = Some((reset, dscp)),
            Route::Accepted(id, connection) => {
                let at = connection.local();
                let dscp = self.backlog(at).and_then(|backlog| backlog.dscp).unwrap_or(dscp);
                self.add(id, Socket { accepted_at: Some(at), ..Socket::new(*connection, dscp) });
                self.start(id, Cause::Syn);
            }
            Route::To(id) => {
                let Some(socket) = self.socket(id).filter(|socket| socket.closed.is_none()) else { return };
                let was_connected = socket.connected.is_some();
                socket.connection.handle_segment(now, segment);
                self.start(id, Cause::Segment { was_connected });
            }
        }
    }

    /// The next packet that has to leave now.
    #[inline]
    pub(crate) fn poll_transmit(&mut self, now: Time) -> Option<WirePacket> {
        if let Some((reset, dscp)) = self.reset.take() {
            return Some(WirePacket::Tcp(*reset, dscp));
        }
        let turn = self.turn?;
        if let Some(socket) = self.socket(turn.id) {
            if let Some(segment) = socket.connection.poll_transmit(now) {
                return Some(WirePacket::Tcp(segment, socket.dscp));
            }
            self.end(now, turn);
        }
        self.turn = None;
        None
    }

    /// When it wants to be called next.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.timeouts.peek().map(|Reverse((at, _))| *at)
    }

    /// The next timeout has come.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        let Some(Reverse((at, id))) = self.timeouts.pop() else { return };
        let Some(socket) = self.socket(id) else { return };
        if socket.closed.is_some() || socket.called_at != Some(at) {
            return;
        }
        socket.called_at = None;
        if socket.connection.poll_timeout().is_some_and(|due| due <= now) {
            socket.connection.handle_timeout(now);
        }
        self.start(id, Cause::Other);
    }

    fn add(&mut self, id: ConnectionId, socket: Socket) {
        debug_assert_eq!(index(id), self.sockets.len(), "ids count from zero");
        self.sockets.push(Entry::Open(Box::new(socket)));
    }

    #[inline]
    fn socket(&mut self, id: ConnectionId) -> Option<&mut Socket> {
        match self.sockets.get_mut(index(id))? {
            Entry::Open(socket) => Some(socket),
            Entry::Gone(_) => None,
        }
    }

    /// A socket that a task has.
    #[inline]
    fn held(&mut self, id: ConnectionId) -> &mut Socket {
        self.socket(id).expect("a socket stays as long as it is held")
    }

    /// Where connections to this address wait.
    fn backlog(&mut self, at: SocketAddrV4) -> Option<&mut Backlog> {
        let listening = self.backlogs.get_mut(&at);
        listening.or_else(|| self.intercepted.as_mut().filter(|_| *at.ip() != self.address))
    }

    #[inline]
    fn start(&mut self, id: ConnectionId, cause: Cause) {
        debug_assert!(self.turn.is_none(), "each call is followed by poll_transmit until that returns none");
        self.turn = Some(Turn { id, cause });
    }

    /// Tells tasks what happened and notes when the connection wants to be called again.
    fn end(&mut self, now: Time, Turn { id, cause }: Turn) {
        let socket = self.held(id);
        socket.tell(now);
        if let Some(at) = socket.next_timeout() {
            self.timeouts.push(Reverse((at, id)));
        }
        match cause {
            Cause::Syn => self.hand_over(id),
            Cause::Segment { was_connected } => {
                if !was_connected {
                    self.hand_over(id);
                    self.keep_cookie(id);
                }
                self.forget_closed(now, id);
            }
            Cause::Other => {}
        }
        self.drop_unused(id);
    }

    /// Puts a connection into its backlog once it may be used.
    fn hand_over(&mut self, id: ConnectionId) {
        let socket = self.held(id);
        if socket.connected.is_none() {
            return;
        }
        let Some(at) = socket.accepted_at.take() else { return };
        let Some(backlog) = self.backlog(at) else { return };
        backlog.ready.push_back(id);
        wake(&mut backlog.acceptor);
        self.held(id).is_held = true;
    }

    fn keep_cookie(&mut self, id: ConnectionId) {
        let connection = &self.held(id).connection;
        let (server, cookie) = (*connection.remote().ip(), connection.fast_open_cookie());
        if let Some(cookie) = cookie {
            self.cookies.insert(server, cookie);
        }
    }

    /// Frees the ports of a connection of which nothing is left.
    fn forget_closed(&mut self, now: Time, id: ConnectionId) {
        let Entry::Open(socket) = &mut self.sockets[index(id)] else { return };
        if socket.connection.is_closed() {
            socket.closed = Some(Box::new(socket.sample(now)));
            self.endpoint.forget(&socket.connection);
        }
    }

    /// Frees a closed connection that nobody has.
    fn drop_unused(&mut self, id: ConnectionId) {
        let entry = &mut self.sockets[index(id)];
        let Entry::Open(socket) = entry else { return };
        if !socket.is_held
            && let Some(sample) = socket.closed.take()
        {
            *entry = Entry::Gone(sample);
        }
    }
}

/// Ids count from zero.
fn index(id: ConnectionId) -> usize {
    usize::try_from(id.0).expect("connections fit in memory")
}
