//! A network in memory, with a clock of its own that moves when all tasks wait: one host, reached at any address.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

mod udp;
mod world;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use bentpipe_run::{Algorithm, Dscp, TcpSpec};
use bentpipe_units::Time;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf, duplex};
use tokio::sync::mpsc;

use crate::{Addresses, Bulk, Datagrams, Listener, Net, Probe, QuicDatagrams, QuicSocket, Stream, TcpSample};
use udp::{Ether, Socket};
use world::World;

/// The one host's.
pub const ADDRESS: IpAddr = IpAddr::V4(Addresses::STANDARD.client);
/// Bytes of a connection that nobody has read yet, in each direction.
pub const STREAM_BUFFER: usize = 64 * 1024;

/// The network's host.
#[derive(Clone)]
pub struct MemoryNet(Rc<Shared>);

struct Shared {
    world: World,
    listeners: RefCell<BTreeMap<SocketAddr, mpsc::UnboundedSender<(MemoryStream, SocketAddr)>>>,
    ether: Arc<Ether>,
    next_port: Cell<u16>,
}

/// One end of a connection.
pub struct MemoryStream {
    stream: DuplexStream,
    local_port: u16,
}

/// Where connections to a port arrive.
pub struct MemoryListener(mpsc::UnboundedReceiver<(MemoryStream, SocketAddr)>);

/// No window into a connection that has no state.
pub struct NoProbe;

/// A UDP socket.
pub struct MemoryDatagrams(Socket);

impl MemoryNet {
    /// Runs `task` on a network of its own to its end.
    pub fn run<T: 'static, F: Future<Output = T> + 'static>(task: impl FnOnce(Self) -> F) -> T {
        let world = World::new();
        let ether = Arc::new(Ether::new(world.timers()));
        let shared = Shared { world, listeners: RefCell::default(), ether, next_port: Cell::new(49_152) };
        let memory = Self(Rc::new(shared));
        let result = memory.0.world.run(task(memory.clone()));
        // Tasks hold the world that holds them.
        memory.0.world.clear();
        result
    }

    /// Opens a connection to a port of the host.
    pub async fn open(&self, port: u16) -> MemoryStream {
        self.open_at(SocketAddr::new(ADDRESS, port)).await
    }

    /// Opens a connection to a port of any address.
    pub async fn open_at(&self, at: SocketAddr) -> MemoryStream {
        self.connect(at, Algorithm::Reno, Dscp::try_from(0).unwrap()).await.unwrap()
    }

    fn udp(&self, at: SocketAddr) -> Socket {
        let port = if at.port() == 0 { self.port() } else { at.port() };
        self.0.ether.bind(SocketAddr::new(ADDRESS, port))
    }

    fn port(&self) -> u16 {
        let port = self.0.next_port.get();
        self.0.next_port.set(port + 1);
        port
    }
}

impl Net for MemoryNet {
    type Stream = MemoryStream;
    type Listener = MemoryListener;
    type Datagrams = MemoryDatagrams;

    fn now(&self) -> Time {
        self.0.world.timers().now()
    }

    async fn sleep_until(&self, at: Time) {
        self.0.world.timers().sleep_until(at).await;
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.0.world.spawn(task);
    }

    fn with_tcp(&self, _: &TcpSpec) -> Self {
        self.clone()
    }

    async fn connect(&self, to: SocketAddr, _: Algorithm, _: Dscp) -> io::Result<MemoryStream> {
        let local_port = self.port();
        let (near, far) = duplex(STREAM_BUFFER);
        let far = MemoryStream { stream: far, local_port: to.port() };
        let listeners = self.0.listeners.borrow();
        let listener = listeners.get(&to).ok_or(io::ErrorKind::ConnectionRefused)?;
        let accepted = (far, SocketAddr::new(ADDRESS, local_port));
        listener.send(accepted).map_err(|_| io::ErrorKind::ConnectionRefused)?;
        Ok(MemoryStream { stream: near, local_port })
    }

    fn listen(&self, at: SocketAddr, _: Algorithm, _: Dscp) -> io::Result<MemoryListener> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.0.listeners.borrow_mut().insert(at, sender);
        Ok(MemoryListener(receiver))
    }

    fn datagrams(&self, at: SocketAddr, _: Dscp) -> io::Result<MemoryDatagrams> {
        Ok(MemoryDatagrams(self.udp(at)))
    }

    fn quic_socket(
        &self,
        at: SocketAddr,
        _: Dscp,
    ) -> io::Result<(Box<dyn noq::AsyncUdpSocket>, Arc<dyn noq::Runtime>)> {
        Ok((Box::new(QuicSocket(self.udp(at))), self.quic_runtime()))
    }

    fn quic_runtime(&self) -> Arc<dyn noq::Runtime> {
        self.0.world.runtime()
    }
}

impl Listener for MemoryListener {
    type Stream = MemoryStream;

    async fn accept(&mut self) -> io::Result<(MemoryStream, SocketAddr)> {
        self.0.recv().await.ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl Stream for MemoryStream {
    type Probe = NoProbe;

    fn local_port(&self) -> io::Result<u16> {
        Ok(self.local_port)
    }

    fn probe(&self) -> NoProbe {
        NoProbe
    }
}

impl Bulk for MemoryStream {}

impl Probe for NoProbe {
    fn sample(&self) -> Option<TcpSample> {
        None
    }

    fn is_open(&self) -> bool {
        false
    }

    fn reset(&self) {}
}

impl Datagrams for MemoryDatagrams {
    async fn send_to(&self, payload: &[u8], to: SocketAddr) -> io::Result<()> {
        self.0.send_datagram(payload, to, None)
    }

    async fn recv_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let received = poll_fn(|cx| self.0.poll_datagram(cx, buffer)).await;
        Ok((received.length, received.from))
    }
}

impl AsyncRead for MemoryStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for MemoryStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, data)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
