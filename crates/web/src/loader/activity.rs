//! Resetting a connection on which nothing happens.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, ready};

use bentpipe_net::{ByteStream, Net, Probe};
use bentpipe_units::{Duration, Time};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::connection::Connections;

/// Which of a load's connections were reset because nothing happened on them, by their indices.
#[derive(Clone, Debug, Default)]
pub(super) struct Resets(Rc<RefCell<BTreeSet<usize>>>);

impl Resets {
    /// Whether the connection was.
    pub(super) fn contain(&self, index: usize) -> bool {
        self.0.borrow().contains(&index)
    }
}

/// A stream that notes when a byte last came or was sent.
pub(super) struct Active<N, S> {
    net: N,
    stream: S,
    last: Rc<Cell<Time>>,
}

/// The time of a stream's last byte, as long as there is the stream.
pub(super) struct Activity(Weak<Cell<Time>>);

impl<N: Net, S: ByteStream> Active<N, S> {
    pub(super) fn new(net: &N, stream: S) -> (Self, Activity) {
        let last = Rc::new(Cell::new(net.now()));
        let activity = Activity(Rc::downgrade(&last));
        (Self { net: net.clone(), stream, last }, activity)
    }

    fn note(&self, bytes: usize) {
        if bytes > 0 {
            self.last.set(self.net.now());
        }
    }
}

impl Activity {
    /// From now on the connection `index` is reset when `limit` has passed since its last byte.
    pub(super) fn watch<N: Net, P: Probe>(
        self,
        net: &N,
        connections: &Connections<P>,
        limit: Duration,
        index: usize,
        resets: &Resets,
    ) {
        let (net, connections, resets) = (net.clone(), connections.clone(), resets.clone());
        net.clone().spawn(async move {
            while let Some(last) = self.0.upgrade().map(|last| last.get()) {
                let due = last.saturating_add(limit);
                if due <= net.now() {
                    resets.0.borrow_mut().insert(index);
                    connections.reset(index);
                    return;
                }
                net.sleep_until(due).await;
            }
        });
    }
}

/// Nothing in it is ever pinned but the stream, which need not be.
impl<N, S: Unpin> Unpin for Active<N, S> {}

impl<N: Net, S: ByteStream> AsyncRead for Active<N, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.note(buffer.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl<N: Net, S: ByteStream> AsyncWrite for Active<N, S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let bytes = ready!(Pin::new(&mut self.stream).poll_write(cx, data))?;
        self.note(bytes);
        Poll::Ready(Ok(bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
