use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;

use bentpipe_net::TcpSample;
use bentpipe_run::Dscp;
use bentpipe_tcp::{
    Config, Connection, ConnectionId, Cookie, Endpoint, Event, FastOpen, PortError, Route, Segment,
};
use bentpipe_units::Time;

use crate::packet::{Datagram, WirePacket};
use crate::udp::Inbox;
use crate::world::{End, World};

/// First port given to a UDP socket that names none (RFC 6335 section 6).
const FIRST_EPHEMERAL_PORT: u16 = 49_152;

/// A host: its TCP connections, its listening ports and its UDP sockets.
pub(crate) struct Host {
    address: Ipv4Addr,
    tcp: RefCell<Endpoint>,
    /// By connection id; none where the connection is closed.
    sockets: RefCell<Vec<Option<Rc<RefCell<Socket>>>>>,
    backlogs: RefCell<BTreeMap<SocketAddrV4, Rc<RefCell<Backlog>>>>,
    /// Fast Open cookies by the server that granted them.
    cookies: RefCell<BTreeMap<Ipv4Addr, Cookie>>,
    /// Connections that were meant for other hosts, where it accepts them.
    intercepted: RefCell<Option<Rc<RefCell<Backlog>>>>,
    udp: RefCell<BTreeMap<SocketAddrV4, Arc<Inbox>>>,
}

/// A TCP connection and the tasks that wait for it.
pub(crate) struct Socket {
    pub(crate) id: ConnectionId,
    pub(crate) connection: Connection,
    /// What its segments are marked with.
    pub(crate) dscp: Dscp,
    pub(crate) reader: Option<Waker>,
    pub(crate) writer: Option<Waker>,
    /// Waits for the handshake.
    pub(crate) opener: Option<Waker>,
    /// When the handshake was complete, or spared by Fast Open at a server.
    pub(crate) connected: Option<Time>,
    /// The state when the connection was closed, for those who look later.
    pub(crate) last: Rc<RefCell<Option<TcpSample>>>,
    /// The earliest call that the world has noted.
    called_at: Option<Time>,
    /// The address that it came to, until it is established.
    accepted_at: Option<SocketAddrV4>,
}

/// Established connections that wait to be accepted.
pub(crate) struct Backlog {
    /// What the segments of its connections are marked with, from the first one on; without: with what each came.
    dscp: Option<Dscp>,
    pub(crate) ready: VecDeque<Rc<RefCell<Socket>>>,
    pub(crate) acceptor: Option<Waker>,
}

impl Host {
    pub(crate) fn new(address: Ipv4Addr) -> Self {
        Self {
            address,
            tcp: RefCell::new(Endpoint::new(address)),
            sockets: RefCell::default(),
            backlogs: RefCell::default(),
            cookies: RefCell::default(),
            intercepted: RefCell::default(),
            udp: RefCell::default(),
        }
    }

    pub(crate) fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// Listens at an address of its own on a TCP port.
    pub(crate) fn listen(
        &self,
        at: SocketAddrV4,
        config: Config,
        dscp: Dscp,
    ) -> Result<Rc<RefCell<Backlog>>, PortError> {
        self.tcp.borrow_mut().listen_at(at, config)?;
        let backlog = Backlog::new(Some(dscp));
        self.backlogs.borrow_mut().insert(at, Rc::clone(&backlog));
        Ok(backlog)
    }

    /// Accepts the TCP connections to other hosts that pass; each keeps its mark.
    pub(crate) fn intercept(&self, config: Config) -> Rc<RefCell<Backlog>> {
        self.tcp.borrow_mut().intercept(config);
        let backlog = Backlog::new(None);
        *self.intercepted.borrow_mut() = Some(Rc::clone(&backlog));
        backlog
    }

    /// Opens a TCP connection: from a free port, or from another host's address and port, in its name. Its SYN leaves at
    /// once, unless it waits for data to carry.
    pub(crate) fn connect(
        &self,
        world: &World,
        end: End,
        from: Option<SocketAddrV4>,
        remote: SocketAddrV4,
        config: &Config,
        dscp: Dscp,
    ) -> Result<Rc<RefCell<Socket>>, PortError> {
        let fast_open = match self.cookies.borrow().get(remote.ip()) {
            Some(cookie) if config.fast_open == FastOpen::Request => FastOpen::Client(*cookie),
            _ => config.fast_open,
        };
        let config = Config { fast_open, ..config.clone() };
        let (id, connection) = match from {
            None => self.tcp.borrow_mut().connect(world.now(), remote, &config)?,
            Some(from) => self.tcp.borrow_mut().connect_from(world.now(), from, remote, &config)?,
        };
        let awaits_first_write = connection.awaits_first_write();
        let socket = self.add(id, connection, dscp, None);
        if !awaits_first_write {
            socket.borrow_mut().flush(world, end);
        }
        Ok(socket)
    }

    /// Opens a UDP socket at an address of its own; port zero takes any.
    pub(crate) fn bind_udp(&self, at: SocketAddrV4) -> Option<(SocketAddrV4, Arc<Inbox>)> {
        let udp = &mut *self.udp.borrow_mut();
        let with_port = |port| SocketAddrV4::new(*at.ip(), port);
        let at = match at.port() {
            0 => (FIRST_EPHEMERAL_PORT..).map(with_port).find(|at| !udp.contains_key(at))?,
            _ if udp.contains_key(&at) => return None,
            _ => at,
        };
        let inbox = Arc::<Inbox>::default();
        udp.insert(at, Arc::clone(&inbox));
        Some((at, inbox))
    }

    /// A packet has come out of the link.
    pub(crate) fn receive(&self, world: &World, end: End, packet: WirePacket) {
        match packet {
            WirePacket::Udp(datagram) => self.receive_datagram(datagram),
            WirePacket::Tcp(segment, dscp) => self.receive_segment(world, end, &segment, dscp),
        }
    }

    /// A connection asked to be called at `at`.
    pub(crate) fn handle_timeout(&self, world: &World, end: End, id: ConnectionId, at: Time) {
        let Some(socket) = self.socket(id) else { return };
        let socket = &mut *socket.borrow_mut();
        if socket.called_at != Some(at) {
            return;
        }
        socket.called_at = None;
        if socket.connection.poll_timeout().is_some_and(|due| due <= world.now()) {
            socket.connection.handle_timeout(world.now());
        }
        socket.flush(world, end);
    }

    fn receive_datagram(&self, datagram: Datagram) {
        // Nobody listens there: the datagram is lost, as ICMP is not modelled.
        if let Some(inbox) = self.udp.borrow().get(&datagram.to) {
            inbox.push(datagram);
        }
    }

    fn receive_segment(&self, world: &World, end: End, segment: &Segment, dscp: Dscp) {
        let route = self.tcp.borrow_mut().route(world.now(), segment);
        match route {
            Route::Ignored => {}
            // Nobody's socket has a mark of its own: Linux answers with the one that came (tcp_v4_send_reset).
            Route::Reset(reset) => world.send(end, WirePacket::Tcp(*reset, dscp)),
            Route::Accepted(id, connection) => {
                let at = connection.local();
                let dscp = self.backlog(at).and_then(|backlog| backlog.borrow().dscp).unwrap_or(dscp);
                let socket = self.add(id, *connection, dscp, Some(at));
                socket.borrow_mut().flush(world, end);
                self.hand_over(&socket);
            }
            Route::To(id) => {
                let Some(socket) = self.socket(id) else { return };
                let was_connected = socket.borrow().connected.is_some();
                socket.borrow_mut().connection.handle_segment(world.now(), segment);
                socket.borrow_mut().flush(world, end);
                if !was_connected {
                    self.hand_over(&socket);
                    self.keep_cookie(&socket);
                }
                self.forget_closed(&socket);
            }
        }
    }

    fn add(
        &self,
        id: ConnectionId,
        connection: Connection,
        dscp: Dscp,
        accepted_at: Option<SocketAddrV4>,
    ) -> Rc<RefCell<Socket>> {
        let socket = Socket {
            id,
            connection,
            dscp,
            reader: None,
            writer: None,
            opener: None,
            connected: None,
            last: Rc::default(),
            called_at: None,
            accepted_at,
        };
        let socket = Rc::new(RefCell::new(socket));
        let sockets = &mut *self.sockets.borrow_mut();
        sockets.resize_with(sockets.len().max(place(id) + 1), || None);
        sockets[place(id)] = Some(Rc::clone(&socket));
        socket
    }

    fn socket(&self, id: ConnectionId) -> Option<Rc<RefCell<Socket>>> {
        self.sockets.borrow().get(place(id)).cloned().flatten()
    }

    fn keep_cookie(&self, socket: &Rc<RefCell<Socket>>) {
        let connection = &socket.borrow().connection;
        if let Some(cookie) = connection.fast_open_cookie() {
            self.cookies.borrow_mut().insert(*connection.remote().ip(), cookie);
        }
    }

    /// Where connections to this address wait.
    fn backlog(&self, at: SocketAddrV4) -> Option<Rc<RefCell<Backlog>>> {
        let listening = self.backlogs.borrow().get(&at).cloned();
        listening.or_else(|| self.intercepted.borrow().clone().filter(|_| *at.ip() != self.address))
    }

    /// Puts a connection into its backlog once it may be used.
    fn hand_over(&self, socket: &Rc<RefCell<Socket>>) {
        let at = {
            let socket = &mut *socket.borrow_mut();
            if socket.connected.is_none() {
                return;
            }
            socket.accepted_at.take()
        };
        if let Some(backlog) = at.and_then(|at| self.backlog(at)) {
            let backlog = &mut *backlog.borrow_mut();
            backlog.ready.push_back(Rc::clone(socket));
            wake(&mut backlog.acceptor);
        }
    }

    /// Frees the ports of a connection of which nothing is left.
    pub(crate) fn forget_closed(&self, socket: &Rc<RefCell<Socket>>) {
        let socket = &*socket.borrow();
        if socket.connection.is_closed() {
            *socket.last.borrow_mut() = Some(socket.sample());
            self.tcp.borrow_mut().forget(&socket.connection);
            self.sockets.borrow_mut()[place(socket.id)] = None;
        }
    }
}

impl Backlog {
    fn new(dscp: Option<Dscp>) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self { dscp, ready: VecDeque::new(), acceptor: None }))
    }
}

impl Socket {
    /// The connection's state now.
    pub(crate) fn sample(&self) -> TcpSample {
        let info = self.connection.info();
        TcpSample {
            connected: self.connected,
            congestion_control: info.congestion_control.unwrap_or_default().to_owned(),
            cwnd: info.cwnd,
            in_flight: info.in_flight,
            srtt: info.srtt,
            min_rtt: info.min_rtt,
            delivery_rate: info.delivery_rate,
            retransmitted_packets: info.retransmitted_segments,
        }
    }

    /// Sends what the connection has to send, tells tasks what happened and notes when to call it again.
    pub(crate) fn flush(&mut self, world: &World, end: End) {
        while let Some(segment) = self.connection.poll_transmit(world.now()) {
            world.send(end, WirePacket::Tcp(segment, self.dscp));
        }
        while let Some(event) = self.connection.poll_event() {
            match event {
                Event::Connected => {
                    self.connected = Some(world.now());
                    wake(&mut self.opener);
                }
                Event::Readable => wake(&mut self.reader),
                Event::Writable => wake(&mut self.writer),
                Event::Closed(_) => {
                    wake(&mut self.opener);
                    wake(&mut self.reader);
                    wake(&mut self.writer);
                }
            }
        }
        let Some(at) = self.connection.poll_timeout() else { return };
        if self.called_at.is_none_or(|called| at < called) {
            self.called_at = Some(at);
            world.call_at(at, end, self.id);
        }
    }
}

/// Ids count from zero.
fn place(id: ConnectionId) -> usize {
    usize::try_from(id.0).expect("connections fit in memory")
}

fn wake(waiting: &mut Option<Waker>) {
    if let Some(waker) = waiting.take() {
        waker.wake();
    }
}
