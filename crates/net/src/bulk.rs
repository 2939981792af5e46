//! Streams whose receiver knows beforehand what comes.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream that may carry content which its receiver knows beforehand.
///
/// A real network carries the bytes. A simulated one may carry their number alone, which saves making, moving
/// and comparing them; for the packets it is the same.
pub trait Bulk: AsyncRead + AsyncWrite + Unpin {
    /// As [`poll_write`](AsyncWrite::poll_write), of bytes that are received by
    /// [`poll_receive_known`](Self::poll_receive_known).
    fn poll_send_known(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        content: &Bytes,
    ) -> Poll<io::Result<usize>> {
        self.poll_write(cx, content)
    }

    /// Receives the next bytes of those sent by [`poll_send_known`](Self::poll_send_known), as many as `buffer`
    /// holds at most; none at the end of the stream.
    fn poll_receive_known(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<Known>> {
        let mut buffer = ReadBuf::new(buffer);
        ready!(self.poll_read(cx, &mut buffer))?;
        Poll::Ready(Ok(Known::Bytes(buffer.filled().len())))
    }
}

/// How known content was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// So many bytes stand at the buffer's start, for the receiver to verify.
    Bytes(usize),
    /// So many bytes followed in order and without a gap; the network left their content out.
    Length(usize),
}

/// A QUIC stream.
impl Bulk for tokio::io::Join<noq::RecvStream, noq::SendStream> {
    /// Lends the content to the library, which would copy what it is written.
    fn poll_send_known(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        content: &Bytes,
    ) -> Poll<io::Result<usize>> {
        let mut chunks = &mut [content.clone()][..];
        let written = pin!(self.get_mut().writer_mut().write_many_chunks(&mut chunks));
        written.poll(cx).map_err(io::Error::from)
    }
}
