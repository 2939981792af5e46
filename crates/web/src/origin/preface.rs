//! Which protocol a client speaks in clear text.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

/// What an HTTP/2 client sends first (RFC 9113 section 3.4); no request of HTTP/1 starts so.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What a client speaks on a connection in clear text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    Http1,
    /// With prior knowledge (RFC 9113 section 3.3).
    Http2,
}

/// A stream that yields again what was read to learn what its client speaks.
#[derive(Debug)]
pub(super) struct Replayed<S> {
    first: [u8; PREFACE.len()],
    /// What was read of it.
    length: usize,
    /// What was yielded again.
    yielded: usize,
    stream: S,
}

/// Waits until the client's first bytes are the preface or cannot become it.
///
/// # Errors
/// When the stream fails, or ends before the client has said anything.
pub(super) async fn recognise<S: AsyncRead + Unpin>(stream: S) -> io::Result<(Spoken, Replayed<S>)> {
    let mut replayed = Replayed { first: [0; PREFACE.len()], length: 0, yielded: 0, stream };
    loop {
        let Replayed { first, length, stream, .. } = &mut replayed;
        let spoken = match (first[..*length] == PREFACE[..*length], *length) {
            (false, _) => Spoken::Http1,
            (true, 24) => Spoken::Http2,
            (true, _) => match stream.read(&mut first[*length..]).await? {
                0 if *length == 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                0 => Spoken::Http1,
                read => {
                    *length += read;
                    continue;
                }
            },
        };
        return Ok((spoken, replayed));
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Replayed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.yielded == this.length {
            return Pin::new(&mut this.stream).poll_read(cx, buffer);
        }
        let rest = &this.first[this.yielded..this.length];
        let again = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..again]);
        this.yielded += again;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Replayed<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, data)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, data)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::{AsyncWriteExt, duplex};

    use super::*;

    /// What a client that sends `pieces`, and no more, is found to speak, and what the server then reads.
    fn recognised(pieces: &[&[u8]]) -> (Option<Spoken>, Vec<u8>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (mut client, server) = duplex(16);
            let sending = async {
                for piece in pieces {
                    client.write_all(piece).await.unwrap();
                    tokio::task::yield_now().await;
                }
                drop(client);
            };
            let receiving = async {
                let Ok((spoken, mut stream)) = recognise(server).await else { return (None, Vec::new()) };
                let mut received = Vec::new();
                stream.read_to_end(&mut received).await.unwrap();
                (Some(spoken), received)
            };
            futures_util::future::join(sending, receiving).await.1
        })
    }

    #[test]
    fn the_preface_is_http2_and_is_read_again_by_the_server() {
        // RFC 9113 section 3.4, its bytes.
        let sent = [
            0x50, 0x52, 0x49, 0x20, 0x2a, 0x20, 0x48, 0x54, 0x54, 0x50, 0x2f, 0x32, 0x2e, 0x30, 0x0d, 0x0a,
            0x0d, 0x0a, 0x53, 0x4d, 0x0d, 0x0a, 0x0d, 0x0a, 1, 2, 3,
        ];
        assert_eq!(recognised(&[&sent]), (Some(Spoken::Http2), sent.to_vec()));
    }

    #[test]
    fn requests_are_http1_though_their_method_starts_as_the_preface_does() {
        for request in ["GET / HTTP/1.1\r\n\r\n", "POST / HTTP/1.0\r\n\r\n", "PRI * HTTP/1.1\r\n\r\n"] {
            assert_eq!(recognised(&[request.as_bytes()]), (Some(Spoken::Http1), request.into()), "{request}");
        }
    }

    #[test]
    fn a_client_that_says_little_speaks_http1_and_one_that_says_nothing_speaks_nothing() {
        assert_eq!(recognised(&[]), (None, Vec::new()));
        assert_eq!(recognised(&[b"PRI * HTTP/2.0"]), (Some(Spoken::Http1), b"PRI * HTTP/2.0".to_vec()));
    }

    proptest! {
        #[test]
        fn whatever_is_sent_in_whatever_pieces_the_server_reads_all_of_it(
            is_preface in any::<bool>(),
            rest in prop::collection::vec(any::<u8>(), 0..60),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut sent = if is_preface { PREFACE.to_vec() } else { Vec::new() };
            sent.extend(rest);
            let (front, back) = sent.split_at(cut.index(sent.len() + 1));
            let (spoken, received) = recognised(&[front, back]);
            prop_assert_eq!(spoken == Some(Spoken::Http2), sent.starts_with(PREFACE));
            prop_assert_eq!(received, sent);
        }
    }
}
