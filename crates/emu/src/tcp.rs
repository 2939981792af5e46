use std::cell::RefCell;
use std::io;
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bentpipe_web::net::{Bulk, Listener, Probe, Stream, TcpSample};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::tcp_info;

/// A listening kernel socket.
#[derive(Debug)]
pub struct KernelListener(pub(crate) TcpListener);

impl Listener for KernelListener {
    type Stream = KernelStream;

    async fn accept(&mut self) -> io::Result<(KernelStream, SocketAddr)> {
        let (stream, peer) = self.0.accept().await?;
        stream.set_nodelay(true)?;
        Ok((KernelStream::new(stream)?, peer))
    }
}

/// A kernel TCP connection.
#[derive(Debug)]
pub struct KernelStream {
    socket: Rc<TcpStream>,
    last: Rc<RefCell<Option<TcpSample>>>,
}

/// A window on a kernel TCP connection, which it does not keep open.
#[derive(Debug)]
pub struct KernelProbe {
    socket: Weak<TcpStream>,
    last: Rc<RefCell<Option<TcpSample>>>,
}

impl KernelStream {
    pub(crate) fn new(socket: TcpStream) -> io::Result<Self> {
        Ok(Self { socket: Rc::new(socket), last: Rc::default() })
    }

    #[cfg(test)]
    pub(crate) fn socket(&self) -> SockRef<'_> {
        SockRef::from(&*self.socket)
    }
}

impl Drop for KernelStream {
    fn drop(&mut self) {
        // The counters of a socket end with it.
        *self.last.borrow_mut() = tcp_info::sample(&*self.socket).ok();
    }
}

impl Bulk for KernelStream {}

impl Stream for KernelStream {
    type Probe = KernelProbe;

    fn local_port(&self) -> io::Result<u16> {
        self.socket.local_addr().map(|address| address.port())
    }

    fn probe(&self) -> KernelProbe {
        KernelProbe { socket: Rc::downgrade(&self.socket), last: Rc::clone(&self.last) }
    }

    fn reset(self) {
        // Closed without lingering (socket(7)). It fails where the connection has ended already.
        let _ = SockRef::from(&*self.socket).set_linger(Some(Duration::ZERO));
    }
}

impl Probe for KernelProbe {
    fn sample(&self) -> Option<TcpSample> {
        match self.socket.upgrade() {
            Some(socket) => tcp_info::sample(&*socket).ok(),
            None => self.last.borrow().clone(),
        }
    }
}

impl AsyncRead for KernelStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
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
        loop {
            ready!(self.socket.poll_write_ready(cx))?;
            match self.socket.try_write(data) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return Poll::Ready(result),
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
