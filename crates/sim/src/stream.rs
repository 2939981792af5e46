use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, ready};

use bentpipe_net::{Bulk, Known, Listener, Probe, Stream, TcpSample};
use bentpipe_tcp::{Closed, Payload, Read, StreamError};
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::host::{Backlog, Socket};
use crate::world::{End, World};

/// Octets that one write hands over at most: what is not taken was copied for nothing.
const WRITE_BYTES: usize = 64 * 1024;

/// A listening simulated TCP socket.
pub struct SimListener {
    pub(crate) world: Rc<World>,
    pub(crate) end: End,
    pub(crate) backlog: Rc<RefCell<Backlog>>,
    pub(crate) content: Content,
}

/// A simulated TCP connection.
pub struct SimStream {
    pub(crate) world: Rc<World>,
    pub(crate) end: End,
    pub(crate) socket: Rc<RefCell<Socket>>,
    pub(crate) content: Content,
}

/// What stands for content that both ends of a stream know beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The number of its octets.
    Length,
    /// Its octets, which the receiver verifies; the packets are the same, and everything takes longer.
    Octets,
}

/// A window on a simulated TCP connection.
pub struct SimProbe {
    world: Rc<World>,
    end: End,
    socket: Weak<RefCell<Socket>>,
    last: Rc<RefCell<Option<TcpSample>>>,
}

impl Listener for SimListener {
    type Stream = SimStream;

    async fn accept(&mut self) -> io::Result<(SimStream, SocketAddr)> {
        let socket = poll_fn(|cx| {
            let backlog = &mut *self.backlog.borrow_mut();
            match backlog.ready.pop_front() {
                Some(socket) => Poll::Ready(socket),
                None => {
                    backlog.acceptor = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await;
        let peer = SocketAddr::V4(socket.borrow().connection.remote());
        let world = Rc::clone(&self.world);
        Ok((SimStream { world, end: self.end, socket, content: self.content }, peer))
    }
}

impl SimStream {
    /// Returns when the handshake is complete, or at once where the SYN waits for data to carry.
    pub(crate) async fn connected(self) -> io::Result<Self> {
        poll_fn(|cx| {
            let socket = &mut *self.socket.borrow_mut();
            if let Some(reason) = socket.connection.ended() {
                return Poll::Ready(Err(io_error(reason)));
            }
            if socket.connected.is_some() || socket.connection.awaits_first_write() {
                return Poll::Ready(Ok(()));
            }
            socket.opener = Some(cx.waker().clone());
            Poll::Pending
        })
        .await?;
        Ok(self)
    }

    /// Takes up to `most` octets; none at the end of the stream.
    fn poll_take(&self, cx: &mut Context<'_>, most: usize) -> Poll<io::Result<Payload>> {
        let socket = &mut *self.socket.borrow_mut();
        match socket.connection.read(self.world.now(), most as u64).map_err(stream_error)? {
            Read::Data(payload) => {
                socket.flush(&self.world, self.end);
                Poll::Ready(Ok(payload))
            }
            Read::End => Poll::Ready(Ok(Payload::EMPTY)),
            Read::Pending => {
                socket.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Hands over octets and returns how many of them were taken.
    fn poll_give(&self, cx: &mut Context<'_>, payload: &Payload) -> Poll<io::Result<usize>> {
        let socket = &mut *self.socket.borrow_mut();
        let taken = socket.connection.write(self.world.now(), payload).map_err(stream_error)?;
        if taken == 0 && !payload.is_empty() {
            socket.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        socket.flush(&self.world, self.end);
        Poll::Ready(Ok(taken as usize))
    }
}

impl Drop for SimStream {
    fn drop(&mut self) {
        let socket = &mut *self.socket.borrow_mut();
        socket.connection.close(self.world.now());
        socket.flush(&self.world, self.end);
    }
}

impl Stream for SimStream {
    type Probe = SimProbe;

    fn local_port(&self) -> io::Result<u16> {
        Ok(self.socket.borrow().connection.local().port())
    }

    fn probe(&self) -> SimProbe {
        SimProbe {
            world: Rc::clone(&self.world),
            end: self.end,
            socket: Rc::downgrade(&self.socket),
            last: Rc::clone(&self.socket.borrow().last),
        }
    }
}

impl Probe for SimProbe {
    fn sample(&self) -> Option<TcpSample> {
        match self.socket.upgrade() {
            Some(socket) => Some(socket.borrow().sample()),
            None => self.last.borrow().clone(),
        }
    }

    fn reset(&self) {
        let Some(socket) = self.socket.upgrade() else { return };
        let socket = &mut *socket.borrow_mut();
        // What is left of a socket that was closed is the kernel's alone.
        if !socket.connection.is_released() {
            socket.connection.abort();
            socket.flush(&self.world, self.end);
        }
    }
}

impl Bulk for SimStream {
    fn poll_send_known(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        content: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.content {
            Content::Octets => self.poll_write(cx, content),
            Content::Length => self.poll_give(cx, &Payload::Length(content.len().min(WRITE_BYTES) as u64)),
        }
    }

    fn poll_receive_known(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<Known>> {
        let content = self.content;
        Poll::Ready(Ok(match ready!(self.poll_take(cx, buffer.len()))? {
            Payload::Length(length) => Known::Length(length as usize),
            // A segment that holds octets besides carries zeros in their place.
            Payload::Bytes(octets) if content == Content::Length => Known::Length(octets.len()),
            Payload::Bytes(octets) => {
                buffer[..octets.len()].copy_from_slice(&octets);
                Known::Octets(octets.len())
            }
        }))
    }
}

impl AsyncRead for SimStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match ready!(self.poll_take(cx, buffer.remaining()))? {
            Payload::Bytes(octets) => buffer.put_slice(&octets),
            Payload::Length(length) => {
                let length = length as usize;
                buffer.initialize_unfilled_to(length).fill(0);
                buffer.advance(length);
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SimStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let octets = Bytes::copy_from_slice(&data[..data.len().min(WRITE_BYTES)]);
        self.poll_give(cx, &Payload::Bytes(octets))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let socket = &mut *self.socket.borrow_mut();
        socket.connection.shutdown();
        socket.flush(&self.world, self.end);
        Poll::Ready(Ok(()))
    }
}

fn stream_error(error: StreamError) -> io::Error {
    match error {
        StreamError::Closed(reason) => io_error(reason),
        StreamError::ShutDown => io::Error::new(io::ErrorKind::BrokenPipe, error),
    }
}

fn io_error(reason: Closed) -> io::Error {
    let kind = match reason {
        Closed::Finished => io::ErrorKind::NotConnected,
        Closed::Reset => io::ErrorKind::ConnectionReset,
        Closed::Refused => io::ErrorKind::ConnectionRefused,
        Closed::TimedOut => io::ErrorKind::TimedOut,
        Closed::Aborted => io::ErrorKind::ConnectionAborted,
    };
    io::Error::new(kind, reason)
}

/// An address as simulated hosts have them.
pub(crate) fn v4(address: SocketAddr) -> io::Result<std::net::SocketAddrV4> {
    match (address, address.ip()) {
        (SocketAddr::V4(address), IpAddr::V4(_)) => Ok(address),
        _ => Err(io::Error::new(io::ErrorKind::Unsupported, "simulated hosts speak IPv4")),
    }
}
