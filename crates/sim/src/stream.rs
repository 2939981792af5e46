//! TCP streams of simulated hosts.

use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bentpipe_net::{Bulk, Known, Listener, Probe, Protection, Stream, TcpSample};
use bentpipe_tcp::{Closed, ConnectionId, Payload, StreamError};
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::host::backlog::{Accepted, Listening};
use crate::shared::HostHandle;

/// Bytes that one write hands over at most: what is not taken was copied for nothing.
const WRITE_BYTES: usize = 64 * 1024;

/// A listening simulated TCP socket.
pub struct SimListener {
    pub(crate) host: HostHandle,
    pub(crate) listening: Listening,
    pub(crate) content: Content,
}

/// A simulated TCP connection.
pub struct SimStream {
    pub(crate) host: HostHandle,
    pub(crate) id: ConnectionId,
    pub(crate) content: Content,
    /// Whether the other end is on the same LAN segment.
    is_to_neighbour: bool,
}

/// What stands for content that both ends of a stream know beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The number of its bytes, and over QUIC bytes that nothing encrypts.
    Length,
    /// Its bytes, which the receiver verifies; the packets are the same, and everything takes longer.
    Bytes,
}

impl Content {
    /// How packets of QUIC are protected that nobody reads but their receiver.
    pub(crate) const fn protection(self) -> Protection {
        match self {
            Self::Length => Protection::Length,
            Self::Bytes => Protection::Cipher,
        }
    }
}

/// A window on a simulated TCP connection.
pub struct SimProbe {
    host: HostHandle,
    id: ConnectionId,
}

impl SimListener {
    /// The next connection, and what it is known by.
    pub(crate) async fn next(&self) -> (SimStream, Accepted) {
        let accepted = poll_fn(|cx| self.host.call(|host, _| host.tcp.poll_accept(self.listening, cx))).await;
        (SimStream::new(&self.host, accepted.id, *accepted.remote.ip(), self.content), accepted)
    }
}

impl Listener for SimListener {
    type Stream = SimStream;

    async fn accept(&mut self) -> io::Result<(SimStream, SocketAddr)> {
        let (stream, accepted) = self.next().await;
        Ok((stream, SocketAddr::V4(accepted.remote)))
    }
}

impl SimStream {
    pub(crate) fn new(host: &HostHandle, id: ConnectionId, remote: Ipv4Addr, content: Content) -> Self {
        Self { host: host.clone(), id, content, is_to_neighbour: host.is_neighbour(remote) }
    }

    /// Returns when the handshake is complete, or where the SYN waits for data to carry (`TCP_FASTOPEN_CONNECT`) when the
    /// host learns that the socket takes them (`tcp_poll`): what its other tasks send goes first.
    pub(crate) async fn connected(self) -> io::Result<Self> {
        if self.host.call(|host, _| host.tcp.awaits_first_write(self.id)) {
            self.host.epoll().await;
        }
        poll_fn(|cx| self.host.call(|host, _| host.tcp.poll_connected(self.id, cx)))
            .await
            .map_err(io_error)?;
        Ok(self)
    }

    /// Takes up to `most` bytes; none at the end of the stream.
    fn poll_take(&self, cx: &Context<'_>, most: usize) -> Poll<io::Result<Payload>> {
        let read = self.host.call(|host, now| host.tcp.poll_read(now, self.id, most as u64, cx));
        read.map_err(stream_error)
    }

    /// Hands over bytes and returns how many of them were taken.
    fn poll_give(&self, cx: &Context<'_>, payload: &Payload) -> Poll<io::Result<usize>> {
        if self.is_to_neighbour && self.host.gives_way(cx) {
            return Poll::Pending;
        }
        let written = self.host.call(|host, now| host.tcp.poll_write(now, self.id, payload, cx));
        written.map_ok(|taken| taken as usize).map_err(stream_error)
    }
}

impl Drop for SimStream {
    fn drop(&mut self) {
        self.host.call(|host, now| host.tcp.release(now, self.id));
    }
}

impl Stream for SimStream {
    type Probe = SimProbe;

    fn local_port(&self) -> io::Result<u16> {
        Ok(self.host.call(|host, _| host.tcp.local(self.id).port()))
    }

    fn probe(&self) -> SimProbe {
        SimProbe { host: self.host.clone(), id: self.id }
    }
}

impl Probe for SimProbe {
    fn sample(&self) -> Option<TcpSample> {
        Some(self.host.call(|host, now| host.tcp.sample(self.id, now)))
    }

    fn is_open(&self) -> bool {
        self.host.call(|host, _| host.tcp.is_open(self.id))
    }

    fn reset(&self) {
        self.host.call(|host, _| host.tcp.reset(self.id));
    }
}

impl Bulk for SimStream {
    fn poll_send_known(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        content: &Bytes,
    ) -> Poll<io::Result<usize>> {
        match self.content {
            Content::Bytes => self.poll_write(cx, content),
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
            // A segment that holds bytes besides carries zeros in their place.
            Payload::Bytes(bytes) if content == Content::Length => Known::Length(bytes.len()),
            Payload::Bytes(bytes) => {
                buffer[..bytes.len()].copy_from_slice(&bytes);
                Known::Bytes(bytes.len())
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
            Payload::Bytes(bytes) => buffer.put_slice(&bytes),
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
        let bytes = Bytes::copy_from_slice(&data[..data.len().min(WRITE_BYTES)]);
        self.poll_give(cx, &Payload::Bytes(bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.host.call(|host, _| host.tcp.shutdown(self.id));
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
