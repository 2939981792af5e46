//! TCP of the kernel as streams, and what `tcp_info` and the handshake's instants tell of each.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, ready};

use bentpipe_net::{Bulk, Listener, Probe, Stream, TcpSample};
use bentpipe_run::Switch;
use bentpipe_units::Time;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::tcp_info::{self, State};
use crate::{clock, reset};

/// A listening kernel socket.
#[derive(Debug)]
pub struct KernelListener {
    pub(crate) socket: TcpListener,
    pub(crate) nagle: Switch,
}

impl Listener for KernelListener {
    type Stream = KernelStream;

    async fn accept(&mut self) -> io::Result<(KernelStream, SocketAddr)> {
        let (stream, peer) = self.socket.accept().await?;
        stream.set_nodelay(!self.nagle.is_on())?;
        Ok((KernelStream::new(stream, Opening::Open(clock::now())), peer))
    }
}

/// A kernel TCP connection.
#[derive(Debug)]
pub struct KernelStream {
    socket: Rc<TcpStream>,
    history: Rc<History>,
}

/// A window on a kernel TCP connection, which it does not keep open.
#[derive(Debug)]
pub struct KernelProbe {
    socket: Weak<TcpStream>,
    history: Rc<History>,
}

/// What the kernel does not tell, or not any more.
#[derive(Debug)]
struct History {
    opening: Cell<Opening>,
    /// The state at the end: the counters of a socket end with it.
    last: RefCell<Option<TcpSample>>,
}

/// How far the handshake has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// The SYN waits for the first write, to carry it.
    Deferred,
    /// The SYN is out, with data.
    Asked,
    /// The connection is open since then.
    Open(Time),
}

impl KernelStream {
    pub(crate) fn new(socket: TcpStream, opening: Opening) -> Self {
        let history = History { opening: Cell::new(opening), last: RefCell::default() };
        Self { socket: Rc::new(socket), history: Rc::new(history) }
    }

    /// A socket whose `connect` has returned.
    pub(crate) fn connected(socket: TcpStream) -> io::Result<Self> {
        let opening = match tcp_info::state(&socket)? {
            State::SynSent => Opening::Deferred,
            State::Open | State::Closed => Opening::Open(clock::now()),
        };
        Ok(Self::new(socket, opening))
    }

    /// Notes when the SYN-ACK comes; wakes the task at that time.
    ///
    /// The socket becomes writable then. Readiness that stems from the time before is stale: the SYN's data were taken.
    fn watch_opening(&self, cx: &mut Context<'_>) {
        while self.history.opening.get() == Opening::Asked {
            let Poll::Ready(Ok(())) = self.socket.poll_write_ready(cx) else { return };
            let state = self.socket.try_io(Interest::WRITABLE, || match tcp_info::state(&*self.socket)? {
                State::SynSent => Err(io::ErrorKind::WouldBlock.into()),
                other => Ok(other),
            });
            match state {
                Ok(State::Open) => self.history.opening.set(Opening::Open(clock::now())),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // It failed: whoever reads or writes hears of it.
                Ok(_) | Err(_) => return,
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn socket(&self) -> SockRef<'_> {
        SockRef::from(&*self.socket)
    }
}

impl Drop for KernelStream {
    fn drop(&mut self) {
        self.history.end(&self.socket);
    }
}

impl History {
    fn sample(&self, socket: &TcpStream) -> Option<TcpSample> {
        let connected = match self.opening.get() {
            Opening::Open(at) => Some(at),
            Opening::Deferred | Opening::Asked => None,
        };
        Some(TcpSample { connected, ..tcp_info::sample(socket).ok()? })
    }

    /// Keeps the state before it goes.
    fn end(&self, socket: &TcpStream) {
        let last = self.last.take().or_else(|| self.sample(socket));
        self.last.replace(last);
    }
}

impl Bulk for KernelStream {}

impl Stream for KernelStream {
    type Probe = KernelProbe;

    fn local_port(&self) -> io::Result<u16> {
        self.socket.local_addr().map(|address| address.port())
    }

    fn probe(&self) -> KernelProbe {
        KernelProbe { socket: Rc::downgrade(&self.socket), history: Rc::clone(&self.history) }
    }
}

impl Probe for KernelProbe {
    fn sample(&self) -> Option<TcpSample> {
        let last = self.history.last.borrow().clone();
        last.or_else(|| self.history.sample(&*self.socket.upgrade()?))
    }

    fn is_open(&self) -> bool {
        self.history.last.borrow().is_none() && self.socket.strong_count() > 0
    }

    fn reset(&self) {
        let Some(socket) = self.socket.upgrade() else { return };
        self.history.end(&socket);
        // A connection that is closed already needs no reset.
        let _ = reset::abort(&*socket);
    }
}

impl AsyncRead for KernelStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.watch_opening(cx);
        loop {
            ready!(self.socket.poll_read_ready(cx))?;
            match self.socket.try_read(buffer.initialize_unfilled()) {
                Ok(length) => {
                    buffer.advance(length);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for KernelStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.watch_opening(cx);
        loop {
            ready!(self.socket.poll_write_ready(cx))?;
            match self.socket.try_write(data) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => {
                    if self.history.opening.get() == Opening::Deferred {
                        self.history.opening.set(Opening::Asked);
                        self.watch_opening(cx);
                    }
                    return Poll::Ready(result);
                }
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match SockRef::from(&*self.socket).shutdown(Shutdown::Write) {
            // The peer has reset the connection: there is nothing left to shut.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Poll::Ready(Ok(())),
            result => Poll::Ready(result),
        }
    }
}
