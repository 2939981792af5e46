use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};

use bentpipe_tcp::{Closed, Payload, Read, StreamError};
use bentpipe_web::net::{Listener, Probe, Stream, TcpSample};
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
}

/// A simulated TCP connection.
pub struct SimStream {
    pub(crate) world: Rc<World>,
    pub(crate) end: End,
    pub(crate) socket: Rc<RefCell<Socket>>,
}

/// A window on a simulated TCP connection.
pub struct SimProbe(Weak<RefCell<Socket>>, RefCell<Option<TcpSample>>);

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
        Ok((SimStream { world: Rc::clone(&self.world), end: self.end, socket }, peer))
    }
}

impl SimStream {
    /// Returns when the handshake is complete.
    pub(crate) async fn connected(self) -> io::Result<Self> {
        poll_fn(|cx| {
            let socket = &mut *self.socket.borrow_mut();
            if let Some(reason) = socket.connection.ended() {
                return Poll::Ready(Err(io_error(reason)));
            }
            if socket.has_connected {
                return Poll::Ready(Ok(()));
            }
            socket.opener = Some(cx.waker().clone());
            Poll::Pending
        })
        .await?;
        Ok(self)
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
        SimProbe(Rc::downgrade(&self.socket), RefCell::default())
    }
}

impl Probe for SimProbe {
    fn sample(&self) -> Option<TcpSample> {
        if let Some(socket) = self.0.upgrade() {
            let info = socket.borrow().connection.info();
            *self.1.borrow_mut() = Some(TcpSample {
                congestion_control: info.congestion_control.unwrap_or_default().to_owned(),
                cwnd: info.cwnd,
                in_flight: info.in_flight,
                srtt: info.srtt,
                min_rtt: info.min_rtt,
                delivery_rate: info.delivery_rate,
                retransmitted_packets: info.retransmitted_segments,
            });
        }
        self.1.borrow().clone()
    }
}

impl AsyncRead for SimStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let socket = &mut *self.socket.borrow_mut();
        match socket.connection.read(self.world.now(), buffer.remaining() as u64).map_err(stream_error)? {
            Read::Data(Payload::Bytes(bytes)) => buffer.put_slice(&bytes),
            Read::Data(Payload::Length(length)) => {
                let zeros = buffer.initialize_unfilled_to(length as usize);
                zeros.fill(0);
                buffer.advance(length as usize);
            }
            Read::End => return Poll::Ready(Ok(())),
            Read::Pending => {
                socket.reader = Some(cx.waker().clone());
                return Poll::Pending;
            }
        }
        socket.flush(&self.world, self.end);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SimStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let socket = &mut *self.socket.borrow_mut();
        let payload = Payload::Bytes(Bytes::copy_from_slice(&data[..data.len().min(WRITE_BYTES)]));
        let taken = socket.connection.write(self.world.now(), &payload).map_err(stream_error)?;
        if taken == 0 && !data.is_empty() {
            socket.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        socket.flush(&self.world, self.end);
        Poll::Ready(Ok(taken as usize))
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

/// The address of the only other host, as a kernel would have it.
pub(crate) fn v4(address: SocketAddr) -> io::Result<std::net::SocketAddrV4> {
    match (address, address.ip()) {
        (SocketAddr::V4(address), IpAddr::V4(_)) => Ok(address),
        _ => Err(io::Error::new(io::ErrorKind::Unsupported, "simulated hosts speak IPv4")),
    }
}
