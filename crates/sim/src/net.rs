//! The `Net` of simulated hosts.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use bentpipe_net::{Datagrams, Net, Processor, Protection, QuicSocket};
use bentpipe_run::{Algorithm, BbrSpec, Dscp, RunSpec, TcpSpec};
use bentpipe_tcp::{Config, CookieKey, FastOpen, Memory, PortError, TimerWheel};
use bentpipe_units::Time;

use crate::host::backlog::Listening;
use crate::host::udp::UdpSocket;
use crate::quic::QuicRuntime;
use crate::shared::HostHandle;
use crate::stream::{Content, SimListener, SimStream, v4};
use crate::tick::TickTimer;

/// The ECN bits of a packet whose sender does not take part (RFC 3168 section 5).
const NOT_ECN_CAPABLE: u8 = 0;

/// Whoever connects: the one client of a host.
pub(crate) const ANY_CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// One simulated host's network, clock and executor.
#[derive(Clone)]
pub struct SimNet {
    pub(crate) host: HostHandle,
    /// The run as its hosts see it.
    pub(crate) spec: Rc<RunSpec>,
    /// The instant of time zero, for the QUIC library.
    pub(crate) epoch: Instant,
    pub(crate) content: Content,
    pub(crate) protection: Protection,
    /// What its senders know of paths.
    pub(crate) paths: Memory,
}

/// A UDP socket of a simulated host.
pub struct SimDatagrams(RefCell<UdpSocket>);

/// Which end of a connection a socket will be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    Client,
    Server,
}

impl SimNet {
    /// Settings of TCP, at one end of connections with `remote`.
    pub(crate) fn config(&self, cc: Algorithm, role: Role, remote: IpAddr) -> Config {
        let seed = self.spec.seed ^ ((self.host.id() as u64) << 32);
        let mtu = u32::try_from(self.spec.link.mtu_bytes.get()).unwrap_or(u32::MAX);
        let fast_open = match role {
            _ if !self.spec.tcp.fast_open.is_on() => FastOpen::Off,
            Role::Client => FastOpen::Request,
            Role::Server => FastOpen::Server(CookieKey::drawn(seed)),
        };
        let slow_start = self.spec.slow_start;
        let bbr = self.spec.bbr.unwrap_or(BbrSpec::LINUX);
        // The connection says when it starts.
        let resume = self.spec.resume.map(|spec| spec.on(spec.path_of(&self.paths, remote), Time::ZERO));
        // The hosts of an emulated run share a kernel.
        let wheel = TimerWheel::drawn(self.spec.seed);
        Config { mtu, slow_start, bbr, resume, fast_open, wheel, ..Config::new(&self.spec.tcp, cc, seed) }
    }

    /// A connection of which the SYN is on its way.
    pub(crate) fn open(
        &self,
        from: Option<SocketAddrV4>,
        to: SocketAddr,
        cc: Algorithm,
        dscp: Dscp,
    ) -> io::Result<SimStream> {
        check_over_tcp(cc)?;
        let (to, config) = (v4(to)?, self.config(cc, Role::Client, to.ip()));
        let id = self.host.call(|host, now| host.tcp.connect(now, from, to, &config, dscp));
        let id = id.map_err(port_error)?;
        Ok(SimStream::new(&self.host, id, *to.ip(), self.content))
    }

    pub(crate) fn listener(&self, listening: Listening) -> SimListener {
        SimListener { host: self.host.clone(), listening, content: self.content }
    }

    fn udp(&self, at: SocketAddr, dscp: Dscp) -> io::Result<UdpSocket> {
        let (at, outbox) = (v4(at)?, Arc::clone(&self.host.shared().outbox));
        let socket = self.host.call(|host, _| host.udp.bind(at, dscp, outbox));
        Ok(socket.ok_or(io::ErrorKind::AddrInUse)?)
    }
}

impl Net for SimNet {
    type Stream = SimStream;
    type Listener = SimListener;
    type Datagrams = SimDatagrams;

    fn now(&self) -> Time {
        self.host.now()
    }

    async fn sleep_until(&self, at: Time) {
        let clock = &self.host.shared().clock;
        let timer = TickTimer::new(clock, at.max(clock.now()));
        poll_fn(|cx| timer.poll(cx)).await;
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.host.shared().executor.spawn(self.host.id(), task);
    }

    async fn connect(&self, to: SocketAddr, cc: Algorithm, dscp: Dscp) -> io::Result<SimStream> {
        self.open(None, to, cc, dscp)?.connected().await
    }

    fn listen(&self, at: SocketAddr, cc: Algorithm, dscp: Dscp) -> io::Result<SimListener> {
        check_over_tcp(cc)?;
        let (at, config) = (v4(at)?, self.config(cc, Role::Server, ANY_CLIENT));
        let listening = self.host.call(|host, _| host.tcp.listen(at, config, dscp)).map_err(port_error)?;
        Ok(self.listener(listening))
    }

    fn datagrams(&self, at: SocketAddr, dscp: Dscp) -> io::Result<SimDatagrams> {
        self.udp(at, dscp).map(|socket| SimDatagrams(RefCell::new(socket)))
    }

    fn processor(&self) -> Option<Processor> {
        self.host.shared().processors.of(self.host.id())
    }

    fn quic_protection(&self) -> Protection {
        self.protection
    }

    fn with_tcp(&self, tcp: &TcpSpec) -> Self {
        let spec = Rc::new(RunSpec { tcp: tcp.clone(), ..(*self.spec).clone() });
        Self { spec, ..self.clone() }
    }

    fn quic_socket(
        &self,
        at: SocketAddr,
        dscp: Dscp,
    ) -> io::Result<(Box<dyn noq::AsyncUdpSocket>, Arc<dyn noq::Runtime>)> {
        Ok((Box::new(QuicSocket(self.udp(at, dscp)?)), self.quic_runtime()))
    }

    fn quic_runtime(&self) -> Arc<dyn noq::Runtime> {
        Arc::new(QuicRuntime {
            epoch: self.epoch,
            clock: Arc::clone(&self.host.shared().clock),
            injector: self.host.shared().executor.injector(self.host.id()),
        })
    }
}

impl Datagrams for SimDatagrams {
    async fn send_to(&self, payload: &[u8], to: SocketAddr) -> io::Result<()> {
        self.0.borrow().send(payload, v4(to)?, NOT_ECN_CAPABLE);
        Ok(())
    }

    async fn recv_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let received = poll_fn(|cx| self.0.borrow().poll_receive(cx, buffer)).await;
        Ok((received.length, received.from))
    }
}

/// Whether TCP can have a congestion control, as the kernel says of its own on the other engine.
fn check_over_tcp(cc: Algorithm) -> io::Result<()> {
    if Algorithm::OVER_TCP.contains(&cc) {
        return Ok(());
    }
    let known = Algorithm::OVER_TCP.map(Algorithm::name).join(", ");
    let message = format!("run.cc over TCP: expected one of {known}, found {}", cc.name());
    Err(io::Error::new(io::ErrorKind::Unsupported, message))
}

fn port_error(error: PortError) -> io::Error {
    let kind = match error {
        PortError::Taken(_) => io::ErrorKind::AddrInUse,
        PortError::Exhausted(_) => io::ErrorKind::AddrNotAvailable,
    };
    io::Error::new(kind, error)
}
