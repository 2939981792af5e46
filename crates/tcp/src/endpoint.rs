//! A host: which connection a segment belongs to.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddrV4};

use bentpipe_units::Time;

use crate::config::Config;
use crate::connection::Connection;
use crate::segment::{Flags, Segment};
use crate::splitmix::GOLDEN_GAMMA;

/// `ip_local_port_range`.
const FIRST_LOCAL_PORT: u16 = 32_768;
const LAST_LOCAL_PORT: u16 = 60_999;

/// A connection of one host, by its order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// The ports of one host. Whoever drives it keeps the connections, by their ids.
#[derive(Clone, Debug)]
pub struct Endpoint {
    address: Ipv4Addr,
    listeners: BTreeMap<SocketAddrV4, Config>,
    /// Settings of the connections that it accepts in the place of other hosts, if it does.
    interceptor: Option<Config>,
    connections: BTreeMap<Ends, ConnectionId>,
    /// Where the last segment went: the next one mostly goes there too.
    latest: Option<(Ends, ConnectionId)>,
    created: u64,
    next_port: u16,
}

/// What names a connection (RFC 9293 section 3.3.1): the peer's address and port, in which most differ, and ours.
type Ends = (SocketAddrV4, SocketAddrV4);

/// Where a segment goes.
#[derive(Debug)]
pub enum Route {
    /// To this connection.
    To(ConnectionId),
    /// It opened this connection at a listening port.
    Accepted(ConnectionId, Box<Connection>),
    /// To nobody: this reset is the answer.
    Reset(Box<Segment>),
    /// To nobody, without an answer.
    Ignored,
}

/// Why there is no port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// Somebody listens there already, or it leads to this peer already.
    #[error("port {0} is taken")]
    Taken(u16),
    /// All local ports lead to this peer already.
    #[error("no local port is left for {0}")]
    Exhausted(SocketAddrV4),
}

impl Endpoint {
    /// A host without connections.
    pub const fn new(address: Ipv4Addr) -> Self {
        Self {
            address,
            listeners: BTreeMap::new(),
            interceptor: None,
            connections: BTreeMap::new(),
            latest: None,
            created: 0,
            next_port: FIRST_LOCAL_PORT,
        }
    }

    /// The host's address.
    pub const fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// Accepts connections to `port` with these settings.
    ///
    /// # Errors
    /// When somebody listens there already.
    pub fn listen(&mut self, port: u16, config: Config) -> Result<(), PortError> {
        self.listen_at(SocketAddrV4::new(self.address, port), config)
    }

    /// As [`listen`](Self::listen), at one of several addresses that the host has: those at which it listens
    /// are its own.
    ///
    /// # Errors
    /// When somebody listens there already.
    pub fn listen_at(&mut self, at: SocketAddrV4, config: Config) -> Result<(), PortError> {
        if self.listeners.contains_key(&at) {
            return Err(PortError::Taken(at.port()));
        }
        self.listeners.insert(at, config);
        Ok(())
    }

    /// Accepts no more connections to `port`; those that exist go on.
    pub fn close_listener(&mut self, port: u16) {
        self.listeners.remove(&SocketAddrV4::new(self.address, port));
    }

    /// Accepts, from now on, connections to any port of any other host: their local address is the one that their
    /// opener wanted to reach (RFC 3234 section 1.2; `IP_TRANSPARENT`).
    pub fn intercept(&mut self, config: Config) {
        self.interceptor = Some(config);
    }

    /// Opens a connection from a free port.
    ///
    /// # Errors
    /// When no local port is left.
    pub fn connect(
        &mut self,
        now: Time,
        remote: SocketAddrV4,
        config: &Config,
    ) -> Result<(ConnectionId, Connection), PortError> {
        let port = self.free_port(remote)?;
        let local = SocketAddrV4::new(self.address, port);
        self.connect_from(now, local, remote, config)
    }

    /// Opens a connection from a given address and port, which may be another host's.
    ///
    /// # Errors
    /// When there is such a connection already.
    pub fn connect_from(
        &mut self,
        now: Time,
        local: SocketAddrV4,
        remote: SocketAddrV4,
        config: &Config,
    ) -> Result<(ConnectionId, Connection), PortError> {
        if self.connections.contains_key(&(remote, local)) {
            return Err(PortError::Taken(local.port()));
        }
        let (id, config) = self.register((remote, local), config);
        Ok((id, Connection::connect(&config, local, remote, now)))
    }

    /// Finds out where `segment` goes; the caller hands it to that connection, except to one just accepted.
    pub fn route(&mut self, now: Time, segment: &Segment) -> Route {
        let ends = (segment.source, segment.destination);
        if let Some((latest, id)) = self.latest
            && latest == ends
        {
            return Route::To(id);
        }
        if let Some(id) = self.connections.get(&ends) {
            self.latest = Some((ends, *id));
            return Route::To(*id);
        }
        let opens = segment.flags.contains(Flags::SYN)
            && !segment.flags.contains(Flags::ACK)
            && !segment.flags.contains(Flags::RST);
        match self.acceptor(segment.destination) {
            Some(config) if opens => {
                let config = config.clone();
                let (id, config) = self.register(ends, &config);
                Route::Accepted(id, Box::new(Connection::accept(&config, segment, now)))
            }
            _ => segment.reset_for().map_or(Route::Ignored, |reset| Route::Reset(Box::new(reset))),
        }
    }

    /// The connection is closed ([`Connection::is_closed`]): its ports are free again.
    pub fn forget(&mut self, connection: &Connection) {
        let ends = (connection.remote(), connection.local());
        self.connections.remove(&ends);
        self.latest = self.latest.filter(|(latest, _)| *latest != ends);
    }

    /// Settings of connections that are opened to `destination`.
    fn acceptor(&self, destination: SocketAddrV4) -> Option<&Config> {
        let listener = self.listeners.get(&destination);
        listener.or_else(|| self.interceptor.as_ref().filter(|_| *destination.ip() != self.address))
    }

    fn register(&mut self, ends: Ends, config: &Config) -> (ConnectionId, Config) {
        let id = ConnectionId(self.created);
        self.created += 1;
        self.connections.insert(ends, id);
        // Each connection draws from a stream of its own (golden-ratio increments, as SplitMix64).
        let seed = config.seed.wrapping_add(self.created.wrapping_mul(GOLDEN_GAMMA));
        (id, Config { seed, ..config.clone() })
    }

    fn free_port(&mut self, remote: SocketAddrV4) -> Result<u16, PortError> {
        for _ in FIRST_LOCAL_PORT..=LAST_LOCAL_PORT {
            let port = self.next_port;
            self.next_port = if port == LAST_LOCAL_PORT { FIRST_LOCAL_PORT } else { port + 1 };
            let local = SocketAddrV4::new(self.address, port);
            if !self.connections.contains_key(&(remote, local)) && !self.listeners.contains_key(&local) {
                return Ok(port);
            }
        }
        Err(PortError::Exhausted(remote))
    }
}
